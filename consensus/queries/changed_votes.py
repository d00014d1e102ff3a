"""Changed votes: the labels of volunteers beside their last ballots on the same issues. Only closed votes
count, and only issues that the reader may see. Labels stay as they were given.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from consensus.models import Ballot, Disagreement
from rounds.models import CurrentLabel, Round
from rounds.queries.blindness import NOTHING, WithheldIssues, seen_by
from rounds.queries.categories import ShownCodebook, codebook
from rounds.queries.rounds import volunteers
from studies.models import Membership

KEPT, JOINED, AWAY, ABSTAINED = "kept", "joined", "away", "abstained"
"""What a volunteer's last ballot did with their own label: kept it, joined the largest group of labels, moved
elsewhere, or abstained."""


@dataclass(frozen=True)
class LabelMove:
    """A label and its author's last ballot, as ids of categories at the depth of the round. `before` is None
    for an open label; `after` is None for an abstention.
    """

    issue: int
    member: int
    before: int | None
    after: int | None
    what: str


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
    without a label on the issue.
    """

    moves: tuple[LabelMove, ...]
    minds: tuple[VolunteerVotes, ...]
    turns: tuple[CategoryChange, ...]
    issues: int
    others: int

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
    book = codebook(round_.version_id)
    ballots = last_ballots(round_, member, without=without)
    issues = {issue for issue, _member in ballots}
    rows = Disagreement.objects.filter(round=round_, issue__in=issues)
    leading = {row.issue_id: row.chosen[0] for row in rows if row.margin and row.chosen}
    labels = CurrentLabel.objects.filter(round=round_, issue__in=issues).order_by("issue", "volunteer")
    moves: list[LabelMove] = []
    own: dict[int, list[LabelMove]] = defaultdict(list)
    for issue, who, category in labels.values_list("issue", "volunteer", "category"):
        if (issue, who) in ballots:
            ballot = ballots[issue, who]
            before = category and book.at_depth(category, round_.depth).category_id
            moves.append(LabelMove(issue, who, before, ballot, _what(before, ballot, leading.get(issue))))
            own[who].append(moves[-1])
    people = volunteers(round_).filter(member__in=own.keys())
    return ChangedVotes(
        moves=tuple(moves),
        minds=tuple(VolunteerVotes(one.member, **_sums(own[one.member_id])) for one in people),
        turns=tuple(_turns(moves, book)),
        issues=len(issues),
        others=len(ballots) - len(moves),
    )


def last_ballots(
    round_: Round, member: Membership | None, *, without: WithheldIssues = NOTHING
) -> dict[tuple[int, int], int | None]:
    """(issue, member) to the category of the member's last ballot in a closed vote of any meeting of the
    round. None is an abstention. Issues that are withheld from the reader are left out, and those of
    `without`. At most two queries.
    """
    seen = seen_by(Disagreement.objects.filter(round=round_), round_, member)
    if not without.query.is_empty():
        seen = seen.exclude(issue__in=without.values("issue"))
    ballots = Ballot.objects.filter(
        meeting__round=round_, vote__closed_at__isnull=False, vote__item__issue__in=seen.values("issue")
    )
    states = codebook(round_.version_id).states
    last = ballots.order_by("vote__item__issue", "member", "-vote__closed_at", "-pk")
    found = last.distinct("vote__item__issue", "member")
    return {
        (issue, who): category and states[category].category_id
        for issue, who, category in found.values_list("vote__item__issue", "member", "category")
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


def _turns(moves: Iterable[LabelMove], book: ShownCodebook) -> list[CategoryChange]:
    found: dict[tuple[int | None, int], list[int]] = defaultdict(list)
    for move in moves:
        if move.after is not None and move.after != move.before:
            found[move.before, move.after].append(move.issue)
    place = {id_: state.position for id_, state in book.states.items()}
    ordered = sorted(
        found.items(), key=lambda one: (-len(one[1]), place.get(one[0][0] or 0, -1), place[one[0][1]])
    )
    return [
        CategoryChange(
            before=book.states[before].code if before is not None else "",
            after=book.states[after].code,
            count=len(issues),
            issues=tuple(dict.fromkeys(issues)),
        )
        for (before, after), issues in ordered
    ]
