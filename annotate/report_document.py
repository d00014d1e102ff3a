"""The whole agreement report as one document of plain texts, for the files that are made of it.

Numbers are those of the page: the rows of `annotate.tables` at three digits.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypedDict

from django.utils.formats import date_format
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotate import statements as say
from annotate.errors import NothingToReport
from annotate.models import Round
from annotate.pictures import HEADS as DRAWN_HEADS
from annotate.pictures import pictures
from annotate.reports import LEVELS, AgreementReport
from annotate.tables import TABLES, Table, number
from core.version import version

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

BY = (("type",), ("repository",), ("month",), ("round",))
"""The groups of the page, and of its files."""

MOST = 200
"""So many rows of a table are in a document; the files of the page have all."""

TITLES = {
    "coefficients": gettext_lazy("Coefficients side by side"),
    "types": gettext_lazy("By type of the decision"),
    "categories": gettext_lazy("By category"),
    "repositories": gettext_lazy("By repository"),
    "months": gettext_lazy("By month"),
    "consensus": gettext_lazy("Before and after consensus"),
    "rounds": gettext_lazy("By round"),
    "over-time": gettext_lazy("What was labelled and decided by month"),
    "over-time-test": gettext_lazy("Whether decisions changed over the months"),
    "issues": gettext_lazy("The issues"),
    "distribution": gettext_lazy("What was decided"),
    "splits": gettext_lazy("How labels split"),
    "volunteers": gettext_lazy("By volunteer"),
    "dissents": gettext_lazy("When volunteers stood alone, in tenths of their way"),
    "pairs": gettext_lazy("By pair of volunteers"),
    "confusion": gettext_lazy("Categories side by side on one issue"),
    "against-decision": gettext_lazy("Label against decision"),
    "intra-rater": gettext_lazy("Intra-rater agreement"),
    "models": gettext_lazy("Models beside the volunteers"),
    "report": gettext_lazy("Every group and coefficient"),
}
"""The tables of the document in its order: all but what is left out, which stands there in words."""

NOTES = {"consensus": say.BALLOTS_KNOW}
"""What a reader must know of a table before they use it."""

HEADS: dict[str, "StrPromise | str"] = {
    **DRAWN_HEADS,
    "month": gettext_lazy("Month"),
    "round": gettext_lazy("Round"),
    "group": gettext_lazy("Group"),
    "raters": gettext_lazy("Volunteers"),
    "volunteer": gettext_lazy("Volunteer"),
    "agreement": gettext_lazy("Same as others"),
    "mean_kappa": gettext_lazy("Mean κ with others"),
    "decided_issues": gettext_lazy("Decided issues"),
    "decision_agreement": gettext_lazy("Same as decision"),
    "decision_kappa": gettext_lazy("κ with decision"),
    "kappa_without": gettext_lazy("κ without them"),
    "effect": gettext_lazy("Effect"),
    "others_agree": gettext_lazy("Others agree"),
    "alone": gettext_lazy("Alone"),
    "kappa_low": gettext_lazy("Kappa from"),
    "kappa_high": gettext_lazy("Kappa to"),
    "split": gettext_lazy("Split"),
    "share": gettext_lazy("Share"),
    "level": gettext_lazy("Level"),
    "base": gettext_lazy("Of"),
    "label": gettext_lazy("Label"),
    "decision": gettext_lazy("Decision"),
    "decided": gettext_lazy("Decided"),
    "decided_share": gettext_lazy("Share of decided"),
    "undecided": gettext_lazy("Undecided"),
    "false_positives": gettext_lazy("False positives"),
    "months": gettext_lazy("Months"),
    "categories": gettext_lazy("Categories"),
    "chi2": "χ²",
    "df": gettext_lazy("Degrees of freedom"),
    "p": "p",
    "cramers_v": gettext_lazy("Cramér’s V"),
    "smallest_expected": gettext_lazy("Smallest number expected"),
    "kind": gettext_lazy("Kind"),
    "taxonomy_version": gettext_lazy("Taxonomy version"),
    "withheld": gettext_lazy("Held back"),
    "before": gettext_lazy("Independent labels"),
    "after": gettext_lazy("With the last ballots"),
    "reason": gettext_lazy("Note"),
    "reason_after": gettext_lazy("Note on the ballots"),
    "tenth": gettext_lazy("Tenth"),
    "model": gettext_lazy("Model"),
    "compared": gettext_lazy("Compared issues"),
    "volunteers_agreement": gettext_lazy("Volunteers with each other"),
    "volunteers_kappa": gettext_lazy("Volunteers’ own mean κ"),
    "count": gettext_lazy("Count"),
    "year_unknown": gettext_lazy("Year unknown"),
}


class Head(TypedDict):
    text: str
    is_number: bool


class Section(TypedDict):
    """One table: a text for each cell, and how many rows there was no room for; "" where there is no note."""

    name: str
    title: str
    note: str
    heads: list[Head]
    rows: list[list[str]]
    more: str


class Figure(TypedDict):
    name: str
    title: str
    caption: str


class Document(TypedDict):
    """Everything that the files say, in the language of who asks."""

    title: str
    moment: str
    kicker: str
    facts: list[dict[str, str]]
    headline: dict[str, str]
    notes: list[str]
    paragraph: str
    sections: list[Section]
    figures: list[Figure]
    definitions: list[dict[str, str]]
    symbols: str
    left_out: list[dict[str, str]]
    made_by: str


def document(report: AgreementReport) -> Document:
    """The report as texts; raises NothingToReport where it has no issue."""
    found, round_ = report.overall, report.round
    if not found.issues:
        raise NothingToReport
    moment = date_format(report.as_of, "j F Y, H:i") + " UTC"
    named = {"version": round_.version.number, "taxonomy": round_.version.taxonomy.name}
    facts = [
        (_("Study"), round_.study.name),
        (_("Round"), round_.name),
        (_("Level"), str(report.level.label)),
        (_("Taxonomy"), _("%(taxonomy)s, version %(version)s") % named),
        (_("As of"), moment),
        (_("Issues"), f"{found.issues:,}"),
        (_("Volunteers"), f"{found.raters:,}"),
        (_("Labels"), f"{found.labels:,}"),
    ]
    size = say.categories_at(report.level, len(found.categories))
    return {
        "title": _("Agreement: %(round)s") % {"round": round_.name},
        "moment": moment,
        "kicker": _("Independent labels, before any meeting."),
        "facts": [{"name": name, "text": text} for name, text in facts],
        "headline": _headline(report),
        "notes": [
            note
            for note in (say.not_of_the_study(report), say.compared(found), say.undecided(report))
            if note
        ],
        "paragraph": say.how_to_report(report),
        "sections": list(_sections(report)),
        "figures": [
            {"name": one.name, "title": one.title, "caption": one.caption} for one in pictures(report)
        ],
        "definitions": [
            {
                "name": str(say.DEFINED[one.key]),
                "text": one.text,
                "formula": one.formula,
                "source": one.source,
            }
            for one in say.definitions()
        ],
        "symbols": _(
            "n_ik labels of category k on issue i, r_i labels on issue i, N issues, q categories of the"
            " codebook, used or not: %(size)s."
        )
        % {"size": size},
        "left_out": [{"count": f"{part.count:,}", "text": part.text} for part in say.left_out(report)],
        "made_by": _("Made with Crosscheck %(version)s, as of %(moment)s.")
        % {"version": version(), "moment": moment},
    }


def _headline(report: AgreementReport) -> dict[str, str]:
    kappa = report.overall.coefficients["fleiss_kappa"]
    span = say.span(kappa.low, kappa.high)
    if kappa.value is None:
        beside = say.undefined(kappa.reason)
    elif span:
        beside = _("95 %% interval %(span)s") % {"span": span}
    else:
        beside = say.no_interval(kappa.reason)
    return {
        "name": _("%(name)s, %(level)s level")
        % {"name": say.COEFFICIENTS["fleiss_kappa"][0], "level": report.level.label},
        "value": number(kappa.value) or "–",
        "beside": beside,
        "agreement": number(report.overall.coefficients["percent_agreement"].value)
        or say.undefined(report.overall.coefficients["percent_agreement"].reason),
        "words": _("percent agreement"),
    }


def _sections(report: AgreementReport) -> Iterable[Section]:
    for name in TITLES:
        table = TABLES[name](report)
        if table.rows:
            yield _section(report, name, table)


def _section(report: AgreementReport, name: str, table: Table) -> Section:
    """The table without columns that are empty throughout."""
    columns = list(zip(*table.rows, strict=True))
    used = [at for at, cells in enumerate(columns) if any(cell is not None for cell in cells)]
    more = len(table.rows) - MOST
    return {
        "name": name,
        "title": str(TITLES[name]),
        "note": str(NOTES.get(name, "")),
        "heads": [
            {
                "text": _head(table.columns[at]),
                "is_number": all(cell is None or isinstance(cell, int | float) for cell in columns[at]),
            }
            for at in used
        ],
        "rows": [[_cell(report, table.columns[at], row[at]) for at in used] for row in table.rows[:MOST]],
        "more": ngettext("%(n)s more row is in the CSV file.", "%(n)s more rows are in the CSV file.", more)
        % {"n": f"{more:,}"}
        if more > 0
        else "",
    }


def _head(column: str) -> str:
    """The head of a column; a year or a type has its own name."""
    if column in HEADS:
        return str(HEADS[column])
    return column.removeprefix("year_").removeprefix("type_")


def _cell(report: AgreementReport, column: str, cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:.2g}" if column == "p" and cell < 0.001 else number(cell)
    if isinstance(cell, int):
        return f"{cell:,}"
    text = str(cell or "")
    if text == "all" and column in GROUPS:
        return _("All")
    if column == "type" and text in report.codebook.by_code:
        return f"{text} {report.codebook.by_code[text].name}"
    if column in {"reason", "reason_after"}:
        return "; ".join(_(reason) for reason in text.split("; ") if reason)
    return str(_KNOWN.get((column, text), text))


GROUPS = {"type", "repository", "month", "group", "volunteer"}
_KNOWN: dict[tuple[str, str], object] = {
    **{("coefficient", name): said for name, (said, _hint) in say.COEFFICIENTS.items()},
    **{("level", name): level.label for name, level in LEVELS.items()},
    **{("kind", str(kind)): capfirst(kind.label) for kind in Round.Kind},
}
