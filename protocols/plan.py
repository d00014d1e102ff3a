"""The fields of a protocol, in their order, and the canonical JSON of a frozen plan."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy as _

from reports.agreement_report import LEVELS
from reports.sentences.definitions import COEFFICIENTS
from rounds.models import Round
from taxonomy.models import Level

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

LONGEST = 4_000
PROSE, NUMBER, SHARE, CHOICE = "prose", "number", "share", "choice"
Choices = Sequence[tuple[str, "StrPromise | str"]]

LEFT_OUT, KEPT = "left out", "kept"
COACHED = (
    (LEFT_OUT, _("left out of main rounds")),
    (KEPT, _("kept in main rounds, and reported")),
)


def _levels() -> Choices:
    return [(name, Level(number).label) for name, number in LEVELS.items()]


def _coefficients() -> Choices:
    return [(key, name) for key, (name, _hint) in COEFFICIENTS.items()]


@dataclass(frozen=True)
class PlanField:
    """One field. `choices` gives the values of a choice; values of a `computed` field can be compared with
    what happened.
    """

    key: str
    name: "StrPromise"
    hint: "StrPromise | str" = ""
    kind: str = PROSE
    choices: Callable[[], Choices] | None = None
    most: int = LONGEST

    @property
    def computed(self) -> bool:
        return self.kind != PROSE

    def in_words(self, value: Any) -> str:
        """The value as people read it; "" for an empty one."""
        if value in {None, ""}:
            return ""
        if self.choices:
            return str(dict(self.choices()).get(str(value), value))
        return str(value)


@dataclass(frozen=True)
class PlanGroup:
    name: "StrPromise"
    fields: tuple[PlanField, ...]


GROUPS = (
    PlanGroup(
        _("Question and data"),
        (
            PlanField("question", _("Research question"), _("The question that your labels help to answer.")),
            PlanField("population", _("Population"), _("Which issues the study speaks about.")),
            PlanField("sources", _("Sources"), _("Repositories and files that issues come from.")),
            PlanField("keywords", _("Keyword lists"), _("Lists that select issues, with their versions.")),
            PlanField("purpose", _("Purpose of sampling"), _("Why a sample, and of what.")),
            PlanField("sample", _("Sample"), _("How the sample is drawn.")),
            PlanField("seed", _("Seed of the sample"), kind=NUMBER, most=2**63 - 1),
            PlanField("size", _("Issues per main round"), kind=NUMBER, most=10_000_000),
            PlanField("exclusions", _("Exclusions"), _("Which issues you exclude, and who decides.")),
            PlanField(
                "coached",
                _("Issues of pilots and trainings"),
                kind=CHOICE,
                choices=lambda: COACHED,
            ),
        ),
    ),
    PlanGroup(
        _("Labelling"),
        (
            PlanField("screenings", _("Screening rounds"), kind=NUMBER, most=1_000),
            PlanField("pilots", _("Pilot rounds"), kind=NUMBER, most=1_000),
            PlanField("trainings", _("Training rounds"), kind=NUMBER, most=1_000),
            PlanField("main_rounds", _("Main rounds"), kind=NUMBER, most=1_000),
            PlanField("taxonomy", _("Taxonomy version"), kind=CHOICE),
            PlanField("raters", _("Volunteers per main round"), kind=NUMBER, most=1_000),
            PlanField("per_issue", _("Labels per issue"), kind=NUMBER, most=1_000),
            PlanField("order", _("Order of issues"), kind=CHOICE, choices=lambda: Round.Order.choices),
            PlanField("reveal", _("Labels are revealed"), kind=CHOICE, choices=lambda: Round.Reveal.choices),
            PlanField("access", _("Access"), _("The people who may see labels, and from when on.")),
            PlanField("stopping", _("Rule for stopping"), _("When labelling ends.")),
        ),
    ),
    PlanGroup(
        _("Decisions and report"),
        (
            PlanField("rule", _("Decision rule"), kind=CHOICE, choices=lambda: Round.Rule.choices),
            PlanField("majority", _("Equal labels for a majority"), kind=NUMBER, most=1_000),
            PlanField("disagreements", _("Disagreements"), _("How disagreements are settled.")),
            PlanField("level", _("Level reported first"), kind=CHOICE, choices=_levels),
            PlanField("coefficient", _("Coefficient reported first"), kind=CHOICE, choices=_coefficients),
            PlanField(
                "statistic",
                _("Reason for this coefficient"),
                _("Why it fits your data, and how you read its values."),
            ),
            PlanField(
                "threshold", _("Threshold"), _("Lowest value that you accept, such as 0.6."), kind=SHARE
            ),
            PlanField("tables", _("Planned tables"), _("Tables and figures that you will report.")),
        ),
    ),
)
FIELDS = {field.key: field for group in GROUPS for field in group.fields}


@dataclass(frozen=True)
class Line:
    """A field of one plan in words. `was` is its value in the version before, if that is another one."""

    field: PlanField
    text: str
    taken: bool = False
    was: str | None = None

    @property
    def is_changed(self) -> bool:
        return self.was is not None


def lines(
    plan: Mapping[str, Any], taken: Sequence[str] = (), before: Mapping[str, Any] | None = None
) -> list[tuple[PlanGroup, list[Line]]]:
    """The plan by group, each field in words; `before` is the plan to compare with."""
    return [(group, [_line(field, plan, taken, before) for field in group.fields]) for group in GROUPS]


def _line(
    field: PlanField, plan: Mapping[str, Any], taken: Sequence[str], before: Mapping[str, Any] | None
) -> Line:
    value = plan.get(field.key)
    was = None
    if before is not None and before.get(field.key) != value:
        was = field.in_words(before.get(field.key))
    return Line(field, field.in_words(value), field.key in taken and bool(field.in_words(value)), was)


def filled(plan: Mapping[str, Any]) -> int:
    """How many fields have a value."""
    return sum(plan.get(key) not in {None, ""} for key in FIELDS)


def canonical(content: Mapping[str, Any]) -> str:
    """JSON with sorted keys and without blanks: the same content, the same bytes."""
    return json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def digest_of(document: str) -> str:
    return hashlib.sha256(document.encode()).hexdigest()
