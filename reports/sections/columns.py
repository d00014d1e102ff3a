"""A column of a table, as every file, page and picture has it; and the columns that several sections have."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agreement import Agreement, Coefficient
from reports.agreement_report import LEVELS, AgreementReport
from reports.formats.tables import number
from reports.sentences.definitions import COEFFICIENTS
from rounds.models import Round

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

ESTIMATE_CELLS = ("value", "se", "low", "high", "reason")


@dataclass(frozen=True)
class Column:
    """A column of a table: its name in files, its heading for people, and how people read its cells.

    `words` puts the text of a cell into words; `digits` writes a number that is no whole number.
    """

    name: str
    heading: "StrPromise | str"
    words: Callable[[AgreementReport, str], str] = lambda _report, text: text
    digits: Callable[[float], str] = number

    def text(self, report: AgreementReport, cell: object) -> str:
        """A cell as people read it; "" where it is empty."""
        if isinstance(cell, float):
            return self.digits(cell)
        if isinstance(cell, int):
            return f"{cell:,}"
        return self.words(report, str(cell or ""))


def estimate_cells(found: Coefficient) -> tuple[object, ...]:
    """The cells of VALUE, SE, LOW, HIGH and REASON."""
    cells = found.as_dict()
    return tuple(cells[name] for name in ESTIMATE_CELLS)


def all_or_name(_report: AgreementReport, text: str) -> str:
    return _("All") if text == "all" else text


def _type_name(report: AgreementReport, text: str) -> str:
    if text in report.codebook.by_code:
        return f"{text} {report.codebook.by_code[text].name}"
    return all_or_name(report, text)


def _coefficient_name(_report: AgreementReport, text: str) -> str:
    return str(COEFFICIENTS[text][0]) if text in COEFFICIENTS else text


def _level_name(_report: AgreementReport, text: str) -> str:
    return str(LEVELS[text].label) if text in LEVELS else text


def _kind_name(_report: AgreementReport, text: str) -> str:
    return str(capfirst(Round.Kind(text).label)) if text in Round.Kind else text


def reasons(_report: AgreementReport, text: str) -> str:
    return "; ".join(_(reason) for reason in text.split("; ") if reason)


COEFFICIENT = Column("coefficient", gettext_lazy("Coefficient"), words=_coefficient_name)
GROUP = Column("group", gettext_lazy("Group"), words=all_or_name)
TYPE = Column("type", gettext_lazy("Type"), words=_type_name)
REPOSITORY = Column("repository", gettext_lazy("Repository"), words=all_or_name)
MONTH = Column("month", gettext_lazy("Month"), words=all_or_name)
ROUND = Column("round", gettext_lazy("Round"))
KIND = Column("kind", gettext_lazy("Kind"), words=_kind_name)
VOLUNTEER = Column("volunteer", gettext_lazy("Volunteer"), words=all_or_name)
LEVEL = Column("level", gettext_lazy("Level"), words=_level_name)
CODE = Column("code", gettext_lazy("Code"))
NAME = Column("name", gettext_lazy("Name"))
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
REASON = Column("reason", gettext_lazy("Note"), words=reasons)
PERCENT_AGREEMENT = Column("percent_agreement", gettext_lazy("Agreement"))
FLEISS_KAPPA = Column("fleiss_kappa", gettext_lazy("Fleiss’ kappa"))
COHEN_KAPPA = Column("cohen_kappa", gettext_lazy("Cohen’s kappa"))
GWET_AC1 = Column("gwet_ac1", gettext_lazy("Gwet’s AC1"))
AGREEMENT = Column("agreement", gettext_lazy("Same as others"))
MEAN_KAPPA = Column("mean_kappa", gettext_lazy("Mean κ with others"))
DECIDED_ISSUES = Column("decided_issues", gettext_lazy("Decided issues"))
DECISION_AGREEMENT = Column("decision_agreement", gettext_lazy("Same as decision"))
DECISION_KAPPA = Column("decision_kappa", gettext_lazy("κ with decision"))

ESTIMATE = (VALUE, SE, LOW, HIGH, REASON)
GROUP_NUMBERS = (ISSUES, LABELS, PERCENT_AGREEMENT, FLEISS_KAPPA, SE, LOW, HIGH, GWET_AC1, REASON)


def group_cells(found: Agreement) -> list[object]:
    """The cells of one group of issues under GROUP_NUMBERS."""
    *kappa, reason = estimate_cells(found.coefficients["fleiss_kappa"])
    agreement, ac1 = (found.coefficients[name].value for name in ("percent_agreement", "gwet_ac1"))
    return [found.issues, found.labels, agreement, *kappa, ac1, reason]
