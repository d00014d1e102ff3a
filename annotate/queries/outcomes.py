"""What became of a member's own labels: the decisions on their issues, after reveal."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet

from consensus.models import Decision
from core.numbers import whole_number
from rounds.models import CurrentLabel, Label, Round, RoundIssue
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
        """The labels that match, of any member: `own_labels` takes the member's among them."""
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
    """How many of the member's labels have each outcome. One query, two more for revealed issues, and one for
    the issues withheld."""
    if round_.kind in Round.APART:
        return OutcomeCounts()
    seen = _seen(round_, member)
    own = _own(round_, member).filter(issue__in=seen.values("issue")).count()
    if not own:
        return OutcomeCounts()
    decided = _own(round_, member).filter(issue__in=_decided(seen).values("issue")).count()
    stands = _as_decided(round_, member, seen).count()
    return OutcomeCounts(otherwise=decided - stands, stands=stands, waits=own - decided)


def labels_by_outcome(round_: Round, member: Membership, kind: str) -> QuerySet[Label]:
    """The member's labels with this outcome, one of KINDS, without surplus labels."""
    labels = Label.objects.filter(surplus=False)
    if round_.kind in Round.APART:
        return labels.none()
    seen = _seen(round_, member)
    same = _as_decided(round_, member, seen).values("issue")
    if kind == "stands":
        return labels.filter(issue__in=same)
    if kind == "otherwise":
        return labels.filter(issue__in=_decided(seen).values("issue")).exclude(issue__in=same)
    return labels.filter(issue__in=seen.filter(decided=0).values("issue"))


def outcomes_of(round_: Round, member: Membership, labels: Iterable[Label]) -> dict[int, Outcome]:
    """The outcome of each of these own labels whose issue is revealed, by id of the issue. One query, two
    more for revealed issues, and one for the issues withheld.
    """
    issues = {label.issue_id: label for label in labels}
    if not issues or round_.kind in Round.APART:
        return {}
    shown = dict(_seen(round_, member).filter(issue__in=issues).values_list("issue", "decided"))
    if not shown:
        return {}
    own = dict(_own(round_, member).filter(issue__in=shown).values_list("issue", "category"))
    standing = Decision.objects.filter(round=round_, issue__in=shown, superseded_at=None)
    decisions = {one.issue_id: one for one in standing}
    states, found = categories_of(round_.version_id).by_id, {}
    for issue, decided in shown.items():
        counts = bool(decided) and not issues[issue].surplus
        found[issue] = Outcome(
            decision=decisions.get(issue) if decided else None,
            state=states[decided] if decided else None,
            stands=own.get(issue) == decided if counts else None,
        )
    return found


def _seen(round_: Round, member: Membership) -> QuerySet[RoundIssue]:
    """The revealed issues that are not withheld from the member: both gates of blindness."""
    turns = still_to_label(round_, member)
    seen = revealed(round_)
    return seen if turns.query.is_empty() else seen.exclude(Exists(turns.filter(issue=OuterRef("issue"))))


def _decided(seen: QuerySet[RoundIssue]) -> QuerySet[RoundIssue]:
    return seen.filter(decided__gt=0)


def _own(round_: Round, member: Membership) -> QuerySet[CurrentLabel]:
    return CurrentLabel.objects.filter(round=round_, volunteer=member)


def _as_decided(round_: Round, member: Membership, seen: QuerySet[RoundIssue]) -> QuerySet[CurrentLabel]:
    same = seen.filter(issue=OuterRef("issue"), decided=OuterRef("category"))
    return _own(round_, member).filter(Exists(same))
