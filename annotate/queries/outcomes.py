"""What became of a member's own labels: the decisions on their issues, after reveal."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import (
    BigIntegerField,
    Count,
    Exists,
    F,
    Func,
    OuterRef,
    Q,
    QuerySet,
    TextField,
    Value,
)
from django.db.models.functions import Cast

from consensus.models import Decision
from core.numbers import whole_number
from rounds.models import Label, Round, RoundIssue
from rounds.queries.blindness import still_to_label
from rounds.queries.categories import categories_of
from rounds.queries.rounds import revealed
from studies.models import Membership
from taxonomy.models import CategoryState

KINDS = ("otherwise", "stands", "waits")
"""Decided otherwise than this label says; as it says; not decided yet."""


@dataclass(frozen=True)
class Outcome:
    """The decision on the issue of one own label. `decision` and `state`, its category in the version of the
    round, are None while the issue has no final label. `stands` is None then, and for a surplus label.
    """

    decision: Decision | None
    state: CategoryState | None
    stands: bool | None


@dataclass(frozen=True)
class OutcomeFilter:
    """What a list of own labels is narrowed to: an outcome of KINDS, and the id of a chosen category."""

    outcome: str = ""
    category: int | None = None

    @classmethod
    def of(cls, query: Mapping[str, str]) -> "OutcomeFilter":
        """The filter of a query string; unknown values narrow nothing."""
        outcome = query.get("outcome", "")
        return cls(outcome if outcome in KINDS else "", whole_number(query.get("category")))

    @property
    def query(self) -> dict[str, str]:
        set_ = {"outcome": self.outcome, "category": str(self.category or "")}
        return {name: value for name, value in set_.items() if value}

    def labels(self, round_: Round, member: Membership) -> QuerySet[Label]:
        """The labels that match; without an outcome of any member, whose own `own_labels` takes."""
        found = labels_by_outcome(round_, member, self.outcome) if self.outcome else Label.objects.all()
        return found if self.category is None else found.filter(category=self.category)


@dataclass(frozen=True)
class OutcomeCounts:
    """The member's labels of revealed issues by outcome, without surplus labels."""

    otherwise: int = 0
    stands: int = 0
    waits: int = 0

    def __bool__(self) -> bool:
        return self.otherwise + self.stands + self.waits > 0


def outcome_counts(round_: Round, member: Membership) -> OutcomeCounts:
    """How many of the member's labels have each outcome. Two queries, and one for the issues withheld."""
    if round_.kind in Round.APART:
        return OutcomeCounts()
    seen = _seen(round_, member)
    own = Label.objects.filter(round=round_, volunteer=member, surplus=False)
    own_seen = own.filter(issue__in=seen.values("issue")).count()
    decided = _with_own(seen.filter(decided__gt=0), member).filter(own__isnull=False)
    numbers = decided.aggregate(all=Count("pk"), stands=Count("pk", filter=Q(own=F("decided"))))
    return OutcomeCounts(
        otherwise=numbers["all"] - numbers["stands"],
        stands=numbers["stands"],
        waits=own_seen - numbers["all"],
    )


def labels_by_outcome(round_: Round, member: Membership, kind: str) -> QuerySet[Label]:
    """The member's labels with this outcome, one of KINDS, without surplus labels."""
    labels = Label.objects.filter(round=round_, volunteer=member, surplus=False)
    if round_.kind in Round.APART:
        return labels.none()
    seen = _seen(round_, member)
    if kind == "waits":
        return labels.filter(issue__in=seen.filter(decided=0).values("issue"))
    decided = _with_own(seen.filter(decided__gt=0), member)
    same = Q(own=F("decided"))
    return labels.filter(issue__in=decided.filter(same if kind == "stands" else ~same).values("issue"))


def outcomes_of(round_: Round, member: Membership, labels: Iterable[Label]) -> dict[int, Outcome]:
    """The outcome of each of these own labels whose issue is revealed, by id of the issue. One query, one
    more for revealed issues, and one for the issues withheld.
    """
    issues = {label.issue_id: label for label in labels}
    if not issues or round_.kind in Round.APART:
        return {}
    shown = list(_with_own(_seen(round_, member).filter(issue__in=issues), member))
    if not shown:
        return {}
    standing = Decision.objects.filter(
        round=round_, issue__in=[one.issue_id for one in shown], superseded_at=None
    )
    decisions = {one.issue_id: one for one in standing}
    states, found = categories_of(round_.version_id).by_id, {}
    for one in shown:
        counts = bool(one.decided) and not issues[one.issue_id].surplus
        found[one.issue_id] = Outcome(
            decision=decisions.get(one.issue_id) if one.decided else None,
            state=states[one.decided] if one.decided else None,
            stands=one.own == one.decided if counts else None,
        )
    return found


def _seen(round_: Round, member: Membership) -> QuerySet[RoundIssue]:
    """The revealed issues that are not withheld from the member: both gates of blindness."""
    turns = still_to_label(round_, member)
    seen = revealed(round_)
    return seen if turns.query.is_empty() else seen.exclude(Exists(turns.filter(issue=OuterRef("issue"))))


def _with_own(issues: QuerySet[RoundIssue], member: Membership) -> QuerySet[Any]:
    """Each issue with `own`, what the member's label says in the version of the round, 0 for an open label;
    None without a label. Read off the issue, which repeats its labels (`RoundIssue`).
    """
    said, whose = (Func(F(name), Value(" "), function="string_to_array") for name in ("labels", "whose"))
    place = Func(whose, Value(str(member.pk)), function="array_position")
    own = Func(said, place, template="((%(expressions)s])", arg_joiner=")[", output_field=TextField())
    return issues.annotate(own=Cast(own, BigIntegerField()))
