"""What a replication package holds beside the labels of its round: whatever else its report is made of.

Each file is for the same reader as the number it explains: what is held back from them is in neither.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator

from django.utils.text import slugify

from annotate.dissents import dissents
from annotate.exports import issues_csv, labels_csv
from annotate.models import Round
from annotate.queries.false_positives import excluded
from annotate.queries.minds import minds
from annotate.queries.model_labels import model_labels_beside
from annotate.queries.rounds import volunteers
from annotate.queries.withheld import Held, Reader
from annotate.reports import AgreementReport
from ingest.models import Issue
from ingest.readers.text import make_inert
from ingest.repositories import repository_names
from taxonomy.queries import codebook
from taxonomy.tree import write_csv

Files = Iterator[tuple[str, Iterable[bytes]]]


def inputs(report: AgreementReport) -> Files:
    """The files by their names: labels of models, false positives of screenings, ballots, and every other
    round that the report stands beside. None of what there is not.
    """
    round_ = report.round
    codes = {state.category_id: state.code for state in report.codebook.states}
    if said := list(model_labels_beside(round_, report.held)):
        labels = ((url, model, codes.get(category, "")) for url, model, category in said)
        yield "labels_of_models.csv", _table(("Issue_URL", "Model", "Label"), labels)
    if report.reader is None:
        return
    if (found := excluded(round_, report.reader)) is not None:
        places = found.order_by("round", "issue__repository__path", "issue")
        names = repository_names(round_.study_id)
        rows = places.values_list("issue__url", "issue__repository", "round__name")
        named = ((url, names[repository], screening) for url, repository, screening in rows)
        yield "false_positives.csv", _table(("Issue_URL", "Repository", "Round"), named)
    if moves := minds(round_, report.reader.member).moves:
        urls = dict(Issue.objects.filter(pk__in={one.issue for one in moves}).values_list("pk", "url"))
        pseudonyms = dict(volunteers(round_).values_list("member", "member__pseudonym"))
        ballots = ((urls[one.issue], pseudonyms[one.member], codes.get(one.after or 0, "")) for one in moves)
        yield "ballots.csv", _table(("Issue_URL", "Volunteer", "Ballot"), ballots)
    yield from _rounds(report, report.reader)


def _rounds(report: AgreementReport, reader: Reader) -> Files:
    """The labels of the other rounds, each in a folder of its own with the taxonomy that it labels in."""
    folders: set[str] = set()
    for one in report.rounds:
        if one.agreement is None or one.round == report.round:
            continue
        folder = slugify(one.round.name) or str(one.round.pk)
        while folder in folders:
            folder = f"{folder}-{one.round.pk}"
        folders.add(folder)
        held = reader.held_back([one.round])
        yield f"rounds/{folder}/labels_long.csv", labels_csv(one.round, layout="long", held=held)
        yield f"rounds/{folder}/issues.csv", issues_csv(one.round, held=held)
        yield f"rounds/{folder}/taxonomy.csv", [taxonomy_csv(one.round)]
        yield f"rounds/{folder}/manifest.json", [as_json(facts(one.round, held))]


def facts(round_: Round, held: Held) -> dict[str, object]:
    """What the script has to know of a round to count its labels."""
    return {
        "round": round_.name,
        "kind": round_.kind,
        "allocation": round_.allocation,
        "depth": round_.depth,
        "volunteers": list(volunteers(round_).values_list("member__pseudonym", flat=True)),
        "closed_at": round_.closed_at and round_.closed_at.isoformat(),
        "withheld_issues": held.count(),
    }


def document(report: AgreementReport) -> dict[str, object]:
    """agreement.json: the report as REST gives it, with what the page shows beside it."""
    return report.as_dict() | {
        "consensus": report.consensus and report.consensus.as_dict(),
        "dissents": [
            {
                "volunteer": way.volunteer or "all",
                "labels": way.labels,
                "tenths": [{"issues": one.issues, "alone": one.alone} for one in way.stretches],
            }
            for way in dissents(report)
        ],
    }


def as_json(content: object) -> bytes:
    return json.dumps(content, indent=2).encode() + b"\n"


def taxonomy_csv(round_: Round) -> bytes:
    buffer = io.StringIO(newline="")
    write_csv(codebook(round_.version_id).tree(), buffer)
    return buffer.getvalue().encode()


def _table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[bytes]:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([make_inert(cell) for cell in row] for row in rows)
    yield buffer.getvalue().encode()
