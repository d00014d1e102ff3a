"""A description of a replication package for machines: Croissant 1.0, with the fields of Croissant RAI 1.0
that ask how data was collected and annotated (mlcommons.org/croissant).
"""

from collections.abc import Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from reports.exports import DECISION_COLUMNS, ISSUE_COLUMNS, LONG_COLUMNS
from rounds.models import Round, RoundVolunteer
from standards.queries.facts import citation_facts

NAME = "croissant.json"
FORMATS = {
    ".csv": "text/csv", ".txt": "text/plain", ".md": "text/markdown", ".json": "application/json",
    ".py": "text/x-python", ".cff": "text/x-yaml",
}  # fmt: skip
TYPES = {
    "Issue_URL": "sc:URL", "Submitted_at": "sc:DateTime", "Completed_at": "sc:DateTime",
    "Decided_at": "sc:DateTime", "Superseded_at": "sc:DateTime", "Year": "sc:Integer",
    "Guideline": "sc:Integer", "Version": "sc:Integer",
}  # fmt: skip
"""The type of a column; of all others text: numbers of issues too (I6UHT3), and yes or nothing."""
TABLES = {"labels_long.csv": LONG_COLUMNS, "issues.csv": ISSUE_COLUMNS, "decisions.csv": DECISION_COLUMNS}
CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "md5": "cr:md5",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "sc": "https://schema.org/",
    "source": "cr:source",
}
REVEALED = {
    "issue_complete": "Others saw the labels of an issue only when all of its labels were submitted.",
    "round_closed": "Others saw labels only when the round was closed.",
}


def croissant(round_: Round, moment: datetime, sha256: Mapping[str, str]) -> dict[str, Any]:
    """The description of a package with these files, by name with their SHA-256. Without a licence or authors
    in the citation of the study it has none. Three queries.
    """
    study, cited = round_.study, citation_facts(round_.study)
    described: dict[str, Any] = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": cited.title if cited and cited.title else study.name,
        "description": study.description or f"Labels of {round_.name} of the study {study.name}.",
        "dateModified": moment.isoformat(),
        "version": f"{round_.version.number}.0.0",
        "distribution": [_file(name, digest) for name, digest in sorted(sha256.items())],
        "recordSet": [_table(name, columns) for name, columns in TABLES.items() if name in sha256],
        **_annotation(round_),
    }
    if cited and cited.licence:
        described["license"] = cited.licence
    if cited and cited.doi:
        described["url"] = f"https://doi.org/{cited.doi}"
    if cited and cited.authors:
        described["creator"] = [_author(one) for one in cited.authors]
    return described


def _file(name: str, digest: str) -> dict[str, str]:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "encodingFormat": FORMATS.get(PurePosixPath(name).suffix, "text/plain"),
        "sha256": digest,
    }


def _table(name: str, columns: tuple[str, ...]) -> dict[str, Any]:
    key = name.removesuffix(".csv")
    return {
        "@type": "cr:RecordSet",
        "@id": key,
        "name": key,
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{key}/{column}",
                "name": f"{key}/{column}",
                "dataType": TYPES.get(column, "sc:Text"),
                "source": {"fileObject": {"@id": name}, "extract": {"column": column}},
            }
            for column in columns
        ],
    }


def _annotation(round_: Round) -> dict[str, Any]:
    """How the labels were made, in the fields of Croissant RAI; of imported labels only what is known."""
    volunteers = RoundVolunteer.objects.filter(round=round_).count()
    said: dict[str, Any] = {
        "rai:dataCollection": "Issues of public repositories. keywords.csv, harvests/ and samples/ have how"
        " they were found and drawn, as far as the study recorded it.",
        "rai:dataAnnotationProtocol": "guidelines/ has each version of the guideline, codebook.md the"
        " categories, decisions.csv the final labels with their methods, method.md the procedure.",
        "rai:annotationsPerItem": str(round_.labels_per_issue),
        "rai:dataAnnotationAnalysis": "agreement.json has agreement, intervals, and what each assumes.",
        "rai:annotatorDemographics": f"{volunteers} volunteers under pseudonyms: method.md.",
        "rai:personalSensitiveInformation": "No texts of issues are in this package. People have pseudonyms.",
    }
    if round_.is_imported:
        said["rai:dataAnnotationPlatform"] = "The labels were imported. How they were given was not observed."
    else:
        said["rai:dataAnnotationPlatform"] = f"Crosscheck. {REVEALED[round_.reveal]}"
    return said


def _author(author: Mapping[str, str]) -> dict[str, str]:
    given, family = author.get("given", ""), author.get("family", "")
    found = {"@type": "sc:Person", "name": f"{given} {family}".strip()}
    found |= {"givenName": given} if given else {}
    found |= {"familyName": family} if family else {}
    return found | ({"identifier": f"https://orcid.org/{author['orcid']}"} if author.get("orcid") else {})
