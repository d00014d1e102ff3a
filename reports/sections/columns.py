"""A column of a table, the same in files, pages and pictures, and the columns that several sections share."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.text import capfirst
from django.utils.translation import gettext_lazy

from agreement import Agreement, Coefficient, Difference, PairKappa
from reports.agreement_report import LEVELS, AgreementReport
from reports.formats.tables import number
from reports.sentences.definitions import COEFFICIENTS
from reports.sentences.numbers import probability, reason_in_words
from rounds.models import Round

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

Words = Callable[[AgreementReport, str], str]

ESTIMATE_CELLS = ("value", "se", "low", "high", "reason")


@dataclass(frozen=True)
class Column:
    """A column of a table: its name in files, its heading for people, and the format of its cells.

    `words` translates the text of a cell; `digits` formats a number that is not whole.
    """

    name: str
    heading: "StrPromise | str"
    words: Words = lambda _report, text: text
    digits: Callable[[float], str] = number

    def text(self, report: AgreementReport, cell: object) -> str:
        """A cell as text for people; "" for an empty cell."""
        if isinstance(cell, float):
            return self.digits(cell)
        if isinstance(cell, int):
            return f"{cell:,}"
        return self.words(report, str(cell or ""))


def estimate_cells(found: Coefficient) -> tuple[object, ...]:
    """The cells of VALUE, SE, LOW, HIGH and REASON, which holds the doubt of an interval too."""
    cells = found.as_dict()
    cells["reason"] = cells["reason"] or cells["doubt"]
    return tuple(cells[name] for name in ESTIMATE_CELLS)


def reasons_cell(
    with_intervals: Iterable[Coefficient | Difference], values: Iterable[Coefficient | PairKappa]
) -> str | None:
    """The cell of REASON: why intervals are missing or doubtful, and why values are missing; each reason
    once.
    """
    found = [one.reason or one.doubt for one in with_intervals]
    for one in values:
        value = one.kappa if isinstance(one, PairKappa) else one.value
        found += [one.reason] if value is None else []
    return "; ".join(dict.fromkeys(reason.text for reason in found if reason)) or None


def translated(names: "Mapping[str, StrPromise | str]") -> Words:
    """Translates a cell by these names; an unknown text stays as it is."""
    return lambda _report, text: str(names.get(text, text))


def _type_name(report: AgreementReport, text: str) -> str:
    if text in report.codebook.by_code:
        return f"{text} {report.codebook.by_code[text].title}"
    return _TYPE_ROWS(report, text)


def _category_name(report: AgreementReport, text: str) -> str:
    """A category's name in the reader's language; files hold the study's own."""
    return next((state.title for state in report.codebook.states if state.name == text), text)


def reasons(_report: AgreementReport, text: str) -> str:
    return "; ".join(reason_in_words(reason) for reason in text.split("; ") if reason)


ALL_OR_NAME = translated({"all": gettext_lazy("All")})
TYPES_ALONE = "types alone"
"""The name of the row of all issues at the level of types."""
_TYPE_ROWS = translated({"all": gettext_lazy("All"), TYPES_ALONE: gettext_lazy("All, types alone")})
_COEFFICIENT_NAME = translated({key: name for key, (name, _hint) in COEFFICIENTS.items()})
_LEVEL_NAME = translated({name: level.label for name, level in LEVELS.items()})
_KIND_NAME = translated({kind.value: capfirst(kind.label) for kind in Round.Kind})

COEFFICIENT = Column("coefficient", gettext_lazy("Coefficient"), words=_COEFFICIENT_NAME)
GROUP = Column("group", gettext_lazy("Group"), words=ALL_OR_NAME)
TYPE = Column("type", gettext_lazy("Type"), words=_type_name)
REPOSITORY = Column("repository", gettext_lazy("Repository"), words=ALL_OR_NAME)
MONTH = Column("month", gettext_lazy("Month"), words=ALL_OR_NAME)
ROUND = Column("round", gettext_lazy("Round"))
KIND = Column("kind", gettext_lazy("Kind"), words=_KIND_NAME)
VOLUNTEER = Column("volunteer", gettext_lazy("Volunteer"), words=ALL_OR_NAME)
LEVEL = Column("level", gettext_lazy("Level"), words=_LEVEL_NAME)
CODE = Column("code", gettext_lazy("Code"))
NAME = Column("name", gettext_lazy("Name"), words=_category_name)
FIRST = Column("first", gettext_lazy("First"))
SECOND = Column("second", gettext_lazy("Second"))
ISSUES = Column("issues", gettext_lazy("Issues"))
LABELS = Column("labels", gettext_lazy("Labels"))
RATERS = Column("raters", gettext_lazy("Volunteers"))
SHARE = Column("share", gettext_lazy("Share"))
DECIDED = Column("decided", gettext_lazy("Decided"))
UNDECIDED = Column("undecided", gettext_lazy("Undecided"))
VALUE = Column("value", gettext_lazy("Value"))
KAPPA = Column("kappa", gettext_lazy("Kappa"))
SE = Column("se", gettext_lazy("Standard error"))
LOW = Column("low", gettext_lazy("From"))
HIGH = Column("high", gettext_lazy("To"))
P = Column("p", "p", digits=probability)
ADJUSTED = Column("p_adjusted", gettext_lazy("p, corrected (Holm)"), digits=probability)
REASON = Column("reason", gettext_lazy("Note"), words=reasons)
PERCENT_AGREEMENT = Column("percent_agreement", gettext_lazy("Agreement"))
FLEISS_KAPPA = Column("fleiss_kappa", gettext_lazy("Fleiss’ kappa"))
COHEN_KAPPA = Column("cohen_kappa", gettext_lazy("Cohen’s kappa"))
GWET_AC1 = Column("gwet_ac1", gettext_lazy("Gwet’s AC1"))
AGREEMENT = Column("agreement", gettext_lazy("Equal to others"))
MEAN_KAPPA = Column("mean_kappa", gettext_lazy("Mean κ with others"))
DECIDED_ISSUES = Column("decided_issues", gettext_lazy("Decided issues"))
DECISION_AGREEMENT = Column("decision_agreement", gettext_lazy("Equal to decision"))
DECISION_KAPPA = Column("decision_kappa", gettext_lazy("κ with decision"))

ESTIMATE = (VALUE, SE, LOW, HIGH, REASON)
GROUP_NUMBERS = (ISSUES, LABELS, PERCENT_AGREEMENT, FLEISS_KAPPA, SE, LOW, HIGH, GWET_AC1, REASON)


def group_cells(found: Agreement) -> list[object]:
    """The cells of one group of issues under GROUP_NUMBERS."""
    *kappa, reason = estimate_cells(found.coefficients["fleiss_kappa"])
    agreement, ac1 = (found.coefficients[name].value for name in ("percent_agreement", "gwet_ac1"))
    return [found.issues, found.labels, agreement, *kappa, ac1, reason]
