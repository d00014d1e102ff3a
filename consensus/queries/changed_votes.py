"""Changed votes: the labels of volunteers beside their last ballots on the same issues. Only closed votes
count, and only issues that the reader may see. Labels stay as they were given. A ballot is compared with the
label as it was when the vote was closed, and not with a label that a second look gave later.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from consensus.models import Ballot, Disagreement
from rounds.models import CurrentLabel, Label, Round
from rounds.queries.blindness import NOTHING, WithheldIssues, seen_by
from rounds.queries.categories import codebook
from rounds.queries.first_labels import FormerCategories
from rounds.queries.rounds import revealed, volunteers
from studies.models import Membership
from taxonomy.models import CategoryState, Version

KEPT, JOINED, AWAY, ABSTAINED, NONE_FITS = "kept", "joined", "away", "abstained", "none_fits"
"""What a volunteer's last ballot did with their own label: kept it, joined the largest group of labels, moved
elsewhere, abstained, or said that no category fits. The label stays after the last two."""


class LastBallot(NamedTuple):
    """A ballot in a closed vote: its category, as named in this version; None for an abstention, and if
    `none_fits`. `had_looks`: its round had second looks.
    """

    category: int | None
    none_fits: bool
    version: int
    closed_at: datetime
    had_looks: bool


@dataclass(frozen=True)
class LabelMove:
    """A label and its author's last ballot, as ids of categories at the depth of the round, negative for
    former categories. `before` is None for an open label; `after` is None for an abstention and if no
    category fits. The vote was closed at `closed_at`.
    """

    issue: int
    member: int
    before: int | None
    after: int | None
    what: str
    closed_at: datetime


@dataclass(frozen=True)
class VolunteerVotes:
    """One volunteer: on how many issues they voted after labelling them, and how their ballots differ."""

    member: Membership
    voted: int
    kept: int
    joined: int
    away: int
    abstained: int
    none_fits: int


@dataclass(frozen=True)
class CategoryChange:
    """How often volunteers changed from one code to another ("" for an open label), and on which issues."""

    before: str
    after: str
    count: int
    issues: tuple[int, ...]


@dataclass(frozen=True)
class ChangedVotes:
    """Labels of a round beside later ballots, as one member may see them.

    `minds`: the volunteers who voted on issues that they had labelled, in the order of the columns. `turns`:
    the most frequent first. `issues`: the number of issues with a vote. `others` counts ballots by voters
    without a label on the issue. `former`: the categories of earlier versions that labels or ballots name;
    none in most studies.
    """

    moves: tuple[LabelMove, ...]
    minds: tuple[VolunteerVotes, ...]
    turns: tuple[CategoryChange, ...]
    issues: int
    others: int
    former: FormerCategories

    @property
    def total(self) -> dict[str, int]:
        """The sums over all volunteers."""
        return _sums(self.moves)


def changed_votes(
    round_: Round, member: Membership | None, *, without: WithheldIssues = NOTHING
) -> ChangedVotes:
    """The closed votes of a round beside the labels, for issues that the reader may see, but `without` these
    issues of the round.
    """
    ballots = last_ballots(round_, member, without=without)
    former = FormerCategories(round_.version_id)
    moves: list[LabelMove] = []
    if any(one.had_looks for one in ballots.values()):
        moves = _moves_at_the_time(round_, ballots, former)
    elif ballots:
        moves = _moves(round_, ballots, former)
    own: dict[int, list[LabelMove]] = defaultdict(list)
    for move in moves:
        own[move.member].append(move)
    people = volunteers(round_).filter(member__in=own.keys())
    return ChangedVotes(
        moves=tuple(moves),
        minds=tuple(VolunteerVotes(one.member, **_sums(own[one.member_id])) for one in people),
        turns=tuple(_turns(moves, {**codebook(round_.version_id).states, **former.states})),
        issues=len({issue for issue, _member in ballots}),
        others=len(ballots) - len(moves),
        former=former,
    )


def _moves(
    round_: Round, ballots: Mapping[tuple[int, int], LastBallot], former: FormerCategories
) -> list[LabelMove]:
    """The ballots of label authors in a round without second looks: labels are as they were at each vote."""
    book, issues = codebook(round_.version_id), {issue for issue, _member in ballots}
    rows = Disagreement.objects.filter(round=round_, issue__in=issues)
    leading = {row.issue_id: row.chosen[0] for row in rows if row.margin and row.chosen}
    labels = CurrentLabel.objects.filter(round=round_, issue__in=issues).order_by("issue", "volunteer")
    moves = []
    for issue, who, category in labels.values_list("issue", "volunteer", "category"):
        if (issue, who) in ballots:
            before = category and book.at_depth(category, round_.depth).category_id
            moves.append(_move((issue, who), ballots[issue, who], before, leading.get(issue), former))
    return moves


def _moves_at_the_time(
    round_: Round, ballots: Mapping[tuple[int, int], LastBallot], former: FormerCategories
) -> list[LabelMove]:
    """The ballots of label authors beside the labels that counted when their vote was closed."""
    given: dict[int, dict[int, list[tuple[datetime, int | None]]]] = defaultdict(lambda: defaultdict(list))
    labels = Label.objects.filter(
        Q(round=round_) | Q(round__of=round_), issue__in={issue for issue, _member in ballots}, surplus=False
    ).order_by("issue", "volunteer", "round")
    fields = ("issue", "volunteer", "submitted_at", "category", "version")
    for issue, who, at, category, version in labels.values_list(*fields):
        counted = category and former.at_depth(former.counts_as(category, version), round_.depth)
        given[issue][who].append((at, counted))

    def labels_at(issue: int, moment: datetime) -> dict[int, int | None]:
        return {
            who: [first, *(one for one in later if one[0] <= moment)][-1][1]
            for who, (first, *later) in given[issue].items()
        }

    moves = []
    for (issue, who), last in ballots.items():
        counted_then = labels_at(issue, last.closed_at)
        if who in counted_then:
            most = Counter(counted_then.values()).most_common(2)
            leading = None if len(most) > 1 and most[0][1] == most[1][1] else most[0][0]
            moves.append(_move((issue, who), last, counted_then[who], leading, former))
    return moves


def counted_ballots(
    round_: Round, member: Membership | None, *, without: WithheldIssues = NOTHING
) -> QuerySet[Any]:
    """The ballots in closed votes of any meeting of the round, `named_in` the version whose categories they
    name. Issues that are withheld from the reader, that wait for a second look, and those of `without` are
    left out. An issue whose second look ended the disagreement keeps its ballots.
    """
    seen = seen_by(revealed(round_).filter(completed_at__isnull=False), round_, member)
    if not without.query.is_empty():
        seen = seen.exclude(issue__in=without.values("issue"))
    versions = Version.objects.filter(
        taxonomy__versions=round_.version_id,
        pk__lte=round_.version_id,
        published_at__lte=Coalesce(OuterRef("changed_at"), OuterRef("cast_at")),
    )
    return Ballot.objects.filter(
        meeting__round=round_, vote__closed_at__isnull=False, vote__item__issue__in=seen.values("issue")
    ).annotate(named_in=Subquery(versions.order_by("-pk").values("pk")[:1]))


def last_ballots(
    round_: Round, member: Membership | None, *, without: WithheldIssues = NOTHING
) -> dict[tuple[int, int], LastBallot]:
    """(issue, member) to the member's last ballot of `counted_ballots`, in the order of issues and members.
    At most two queries.
    """
    last = counted_ballots(round_, member, without=without).annotate(
        had_looks=Exists(Round.objects.filter(of=round_))
    )
    found = last.order_by("vote__item__issue", "member", "-vote__closed_at", "-pk").distinct(
        "vote__item__issue", "member"
    )
    return {
        (issue, who): LastBallot(category, none_fits, version or round_.version_id, closed_at, had_looks)
        for issue, who, category, none_fits, version, closed_at, had_looks in found.values_list(
            "vote__item__issue", "member", "category", "none_fits", "named_in", "vote__closed_at", "had_looks"
        )
    }


def _move(
    place: tuple[int, int],
    last: LastBallot,
    before: int | None,
    leading: int | None,
    former: FormerCategories,
) -> LabelMove:
    ballot = last.category and former.counts_as(last.category, last.version)
    what = NONE_FITS if last.none_fits else _what(before, ballot, leading)
    return LabelMove(*place, before, ballot, what, last.closed_at)


def _what(before: int | None, ballot: int | None, leading: int | None) -> str:
    if ballot is None:
        return ABSTAINED
    if ballot == before:
        return KEPT
    return JOINED if ballot == leading else AWAY


def _sums(moves: Collection[LabelMove]) -> dict[str, int]:
    """The number of moves of each kind, and `voted` for all moves."""
    counted = Counter(move.what for move in moves)
    return {"voted": len(moves)} | {
        what: counted[what] for what in (KEPT, JOINED, AWAY, ABSTAINED, NONE_FITS)
    }


def _turns(moves: Iterable[LabelMove], states: Mapping[int, CategoryState]) -> list[CategoryChange]:
    found: dict[tuple[int | None, int], list[int]] = defaultdict(list)
    for move in moves:
        if move.after is not None and move.after != move.before:
            found[move.before, move.after].append(move.issue)
    place = {id_: state.position for id_, state in states.items()}
    ordered = sorted(
        found.items(), key=lambda one: (-len(one[1]), place.get(one[0][0] or 0, -1), place[one[0][1]])
    )
    return [
        CategoryChange(
            before=states[before].code if before is not None else "",
            after=states[after].code,
            count=len(issues),
            issues=tuple(dict.fromkeys(issues)),
        )
        for (before, after), issues in ordered
    ]
