"""The section on the availability of data, and CITATION.cff."""

import json

from django.utils.translation import gettext as _

from standards.facts import CitationFacts, Facts
from standards.sentences.saying import say

HEADER = "cff-version: 1.2.0\nmessage: If you use these labels, please cite them as below.\ntype: dataset\n"


def data_availability(facts: Facts) -> str:
    """The section as Markdown."""
    cited = facts.citation
    said = [
        str(
            say(
                _(
                    "The replication package has the labels of all raters under their pseudonyms, the"
                    " issues, the decisions and the taxonomy. A script computes the agreement report"
                    " again."
                )
            )
        )
    ]
    if cited and cited.doi:
        said.append(_("The package is archived at https://doi.org/%(doi)s.") % {"doi": cited.doi})
    else:
        said.append(_("The package is not archived yet. Add its DOI before you publish."))
    if cited and cited.licence:
        said.append(_("Labels and decisions are under %(licence)s.") % {"licence": cited.licence})
    else:
        said.append(_("Its licence is not chosen yet."))
    said.append(
        _(
            "Texts of issues belong to their authors and follow the terms of their forge; the licence does"
            " not cover them."
        )
    )
    if facts.interviews.sessions:
        said.append(
            _(
                "Transcripts of interviews are not in the package. Quotes are only of participants who permit"
                " quoting and archiving."
            )
        )
    return f"# {_('Data availability')}\n\n{' '.join(said)}\n"


def citation_cff(cited: CitationFacts | None, name: str) -> str:
    """CITATION.cff, version 1.2.0: YAML, whose strings are JSON strings here. Without a citation it has the
    name of the study, and no author.
    """
    authors = "".join(_author(one) for one in cited.authors) if cited else ""
    text = HEADER + f"title: {_quoted(cited.title if cited else name)}\n"
    text += f"authors:\n{authors}" if authors else 'authors:\n  - name: "Authors are not named yet"\n'
    if cited and cited.licence:
        text += f"license: {_quoted(cited.licence)}\n"
    if cited and cited.doi:
        text += f"doi: {_quoted(cited.doi)}\n"
    return text


def _author(one: dict[str, str] | object) -> str:
    assert isinstance(one, dict)  # noqa: S101 - as `change_citation` stores it
    lines = [f"  - family-names: {_quoted(one['family'])}\n"]
    if one.get("given"):
        lines.append(f"    given-names: {_quoted(one['given'])}\n")
    if one.get("orcid"):
        lines.append(f"    orcid: {_quoted('https://orcid.org/' + one['orcid'])}\n")
    return "".join(lines)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
