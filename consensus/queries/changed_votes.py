"""Changed votes: the labels of volunteers beside their last ballots on the same issues. Only closed votes
count, and only issues that the reader may see. Labels stay as they were given. A ballot is compared with the
label as it was when the vote was closed, and not with a label that a second look gave later.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from consensus.models import Ballot, Disagreement
from rounds.models import CurrentLabel, Label, Round
from rounds.queries.blindness import NOTHING, WithheldIssues, seen_by
from rounds.queries.categories import codebook
from rounds.queries.first_labels import FormerCategories
from rounds.queries.rounds import volunteers
from studies.models import Membership
from taxonomy.models import CategoryState, Version

KEPT, JOINED, AWAY, ABSTAINED = "kept", "joined", "away", "abstained"
"""What a volunteer's last ballot did with their own label: kept it, joined the largest group of labels, moved
elsewhere, or abstained."""


class LastBallot(NamedTuple):
    """A ballot in a closed vote: its category, None for an abstention, as named in this version. `had_looks`:
    its round had second looks.
    """

    category: int | None
    version: int
    closed_at: datetime
    had_looks: bool


@dataclass(frozen=True)
class LabelMove:
    """A label and its author's last ballot, as ids of categories at the depth of the round, negative for
    former categories. `before` is None for an open label; `after` is None for an abstention. The vote was
    closed at `closed_at`.
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
            last = ballots[issue, who]
            ballot = last.category and former.counts_as(last.category, last.version)
            before = category and book.at_depth(category, round_.depth).category_id
            what = _what(before, ballot, leading.get(issue))
            moves.append(LabelMove(issue, who, before, ballot, what, last.closed_at))
    return moves


def _moves_at_the_time(
    round_: Round, ballots: Mapping[tuple[int, int], LastBallot], former: FormerCategories
) -> list[LabelMove]:
    """The ballots of label authors beside the labels that counted when their vote was closed."""
    given: dict[tuple[int, int], list[tuple[datetime, int | None]]] = defaultdict(list)
    labels = Label.objects.filter(
        Q(round=round_) | Q(round__of=round_), issue__in={issue for issue, _member in ballots}, surplus=False
    ).order_by("issue", "volunteer", "round")
    fields = ("issue", "volunteer", "submitted_at", "category", "version")
    for issue, who, at, category, version in labels.values_list(*fields):
        counted = category and former.at_depth(former.counts_as(category, version), round_.depth)
        given[issue, who].append((at, counted))

    def label_at(place: tuple[int, int], moment: datetime) -> int | None:
        first, *later = given[place]
        return [first, *(one for one in later if one[0] <= moment)][-1][1]

    def leading(issue: int, moment: datetime) -> int | None:
        votes = Counter(label_at(place, moment) for place in given if place[0] == issue).most_common(2)
        return None if len(votes) > 1 and votes[0][1] == votes[1][1] else votes[0][0]

    moves = []
    for (issue, who), last in ballots.items():
        if (issue, who) not in given:
            continue
        ballot = last.category and former.counts_as(last.category, last.version)
        before = label_at((issue, who), last.closed_at)
        what = _what(before, ballot, leading(issue, last.closed_at))
        moves.append(LabelMove(issue, who, before, ballot, what, last.closed_at))
    return moves


def last_ballots(
    round_: Round, member: Membership | None, *, without: WithheldIssues = NOTHING
) -> dict[tuple[int, int], LastBallot]:
    """(issue, member) to the member's last ballot in a closed vote of any meeting of the round, in the order
    of issues and members. Issues that are withheld from the reader are left out, and those of `without`.
    At most two queries.
    """
    seen = seen_by(Disagreement.objects.filter(round=round_), round_, member)
    if not without.query.is_empty():
        seen = seen.exclude(issue__in=without.values("issue"))
    ballots = Ballot.objects.filter(
        meeting__round=round_, vote__closed_at__isnull=False, vote__item__issue__in=seen.values("issue")
    )
    last = ballots.order_by("vote__item__issue", "member", "-vote__closed_at", "-pk")
    found = last.distinct("vote__item__issue", "member").annotate(
        named_in=Subquery(
            Version.objects.filter(
                taxonomy__versions=round_.version_id,
                pk__lte=round_.version_id,
                published_at__lte=Coalesce(OuterRef("changed_at"), OuterRef("cast_at")),
            )
            .order_by("-pk")
            .values("pk")[:1]
        ),
        had_looks=Exists(Round.objects.filter(of=round_)),
    )
    return {
        (issue, who): LastBallot(category, version or round_.version_id, closed_at, had_looks)
        for issue, who, category, version, closed_at, had_looks in found.values_list(
            "vote__item__issue", "member", "category", "named_in", "vote__closed_at", "had_looks"
        )
        if closed_at is not None
    }


def _what(before: int | None, ballot: int | None, leading: int | None) -> str:
    if ballot is None:
        return ABSTAINED
    if ballot == before:
        return KEPT
    return JOINED if ballot == leading else AWAY


def _sums(moves: Collection[LabelMove]) -> dict[str, int]:
    """The number of moves of each kind, and `voted` for all moves."""
    counted = Counter(move.what for move in moves)
    return {"voted": len(moves)} | {what: counted[what] for what in (KEPT, JOINED, AWAY, ABSTAINED)}


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
