"""Who changed their mind: what volunteers labelled alone, beside their last ballot on the same issue.

Closed votes alone, and issues that nothing keeps from the reader. A label that was given stays what it is.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from annotate.models import Ballot, Disagreement, Round, Said
from annotate.queries.categories import Codebook, codebook
from annotate.queries.rounds import volunteers
from annotate.queries.withheld import seen_by
from studies.models import Membership

KEPT, JOINED, AWAY, ABSTAINED = "kept", "joined", "away", "abstained"
"""What somebody did with their own label: kept it, joined the largest group of the labels, went elsewhere, or
abstained from saying.
"""


@dataclass(frozen=True)
class Move:
    """A label and its author's last ballot, as ids of categories at the round's depth.

    `before` is None for an open label, `after` for who abstained.
    """

    issue: int
    member: int
    before: int | None
    after: int | None
    what: str


@dataclass(frozen=True)
class Mind:
    """One volunteer: on how many issues they voted after they had labelled them, and what they did there."""

    member: Membership
    voted: int
    kept: int
    joined: int
    away: int
    abstained: int

    @property
    def changed(self) -> int:
        return self.joined + self.away


@dataclass(frozen=True)
class Turn:
    """So many changed from one category to another, on these issues. An open label has the code ""."""

    before: str
    after: str
    count: int
    issues: tuple[int, ...]


@dataclass(frozen=True)
class Minds:
    """What became of the labels of a round in its votes, as one member may see it.

    `minds` in the order of the columns, of who voted on what they had labelled; `turns` most frequent first.
    `issues` were voted on; `others` are ballots of who had not labelled the issue: they change nobody's mind.
    """

    moves: tuple[Move, ...]
    minds: tuple[Mind, ...]
    turns: tuple[Turn, ...]
    issues: int
    others: int

    @property
    def total(self) -> dict[str, int]:
        """The sums of all minds, by what was done; `voted` for all of it."""
        counted = Counter(move.what for move in self.moves)
        return {"voted": len(self.moves)} | {what: counted[what] for what in (KEPT, JOINED, AWAY, ABSTAINED)}


def minds(round_: Round, member: Membership | None) -> Minds:
    """Who changed their mind in the votes of a round. Five queries."""
    book = codebook(round_.version_id)
    ballots = last_ballots(round_, member)
    issues = {issue for issue, _member in ballots}
    rows = Disagreement.objects.filter(round=round_, issue__in=issues)
    leading = {row.issue_id: row.chosen[0] for row in rows if row.margin and row.chosen}
    labels = Said.objects.filter(round=round_, issue__in=issues).order_by("issue", "volunteer")
    given = labels.values_list("issue", "volunteer", "category")
    moves = tuple(
        _move(issue, who, category, ballots[issue, who], leading.get(issue), round_.depth, book)
        for issue, who, category in given
        if (issue, who) in ballots
    )
    people = volunteers(round_).filter(member__in={move.member for move in moves})
    return Minds(
        moves=moves,
        minds=tuple(_minds(moves, (volunteer.member for volunteer in people))),
        turns=tuple(_turns(moves, book)),
        issues=len(issues),
        others=len(ballots) - len(moves),
    )


def last_ballots(round_: Round, member: Membership | None) -> dict[tuple[int, int], int | None]:
    """(issue, member) to the category of their last ballot in a closed vote of any meeting of the round.

    None is to abstain. Of what nothing keeps from the reader. Two queries at most.
    """
    seen = seen_by(Disagreement.objects.filter(round=round_), round_, member)
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


def _move(
    issue: int,
    member: int,
    label: int | None,
    ballot: int | None,
    leading: int | None,
    depth: int,
    book: Codebook,
) -> Move:
    before = None if label is None else book.at_depth(label, depth).category_id
    if ballot is None:
        what = ABSTAINED
    elif ballot == before:
        what = KEPT
    else:
        what = JOINED if ballot == leading else AWAY
    return Move(issue, member, before, ballot, what)


def _minds(moves: Iterable[Move], people: Iterable[Membership]) -> list[Mind]:
    counted: dict[int, Counter[str]] = defaultdict(Counter)
    for move in moves:
        counted[move.member][move.what] += 1
    return [
        Mind(
            member=member,
            voted=did.total(),
            kept=did[KEPT],
            joined=did[JOINED],
            away=did[AWAY],
            abstained=did[ABSTAINED],
        )
        for member in people
        for did in [counted[member.pk]]
    ]


def _turns(moves: Iterable[Move], book: Codebook) -> list[Turn]:
    found: dict[tuple[int | None, int], list[int]] = defaultdict(list)
    for move in moves:
        if move.after is not None and move.after != move.before:
            found[move.before, move.after].append(move.issue)
    place = {id_: state.position for id_, state in book.states.items()}
    ordered = sorted(
        found.items(), key=lambda one: (-len(one[1]), place.get(one[0][0] or 0, -1), place[one[0][1]])
    )
    return [
        Turn(
            before=book.states[before].code if before is not None else "",
            after=book.states[after].code,
            count=len(issues),
            issues=tuple(dict.fromkeys(issues)),
        )
        for (before, after), issues in ordered
    ]
