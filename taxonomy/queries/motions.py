"""Proposals as members read them: an open vote shows who has voted, but only the reader's own ballot."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _

from core import clock
from studies.models import Membership
from taxonomy.models import Ballot, Motion, Taxonomy
from taxonomy.queries.motion_threads import ShownComment, threads
from taxonomy.rules import NEED_ALL, may_propose


@dataclass(frozen=True)
class ShownMotion:
    """A motion as one member sees it. `ballots` are the cast ballots, hidden while the motion is open.

    `mine` is the reader's own ballot, None without one. A motion that `is_due` takes no more ballots and
    waits to be closed. `said` are the comments on the motion.
    """

    motion: Motion
    mine: Ballot | None
    voted: tuple[Membership, ...]
    awaited: tuple[Membership, ...]
    ballots: tuple[Ballot, ...]
    is_own: bool
    is_due: bool
    may_vote: bool
    said: tuple[ShownComment, ...] = ()

    @property
    def marks(self) -> list[str]:
        """One mark for each elector: `cast` or `none` while the vote is open, then the choices."""
        if self.motion.is_open:
            return ["cast"] * len(self.voted) + ["none"] * len(self.awaited)
        order = (Ballot.Choice.FOR, Ballot.Choice.AGAINST, Ballot.Choice.ABSTAIN)
        said = [str(choice) for choice in order for ballot in self.ballots if ballot.choice == choice]
        return said + ["none"] * (self.motion.electorate - len(said))

    @property
    def count(self) -> str:
        """The progress of the vote, or its result, as a phrase."""
        motion = self.motion
        numbers = {"n": len(self.voted), "all": motion.electorate, "yes": motion.in_favour or 0}
        if not motion.is_open:
            return _("%(yes)d of %(all)d voted for") % numbers
        if len(self.awaited) == 1:
            who = self.awaited[0]
            text = _("%(n)d of %(all)d voted, %(who)s still to vote")
            if who.left_at is not None:
                text = _("%(n)d of %(all)d voted, %(who)s has left the study")
            return text % (numbers | {"who": who})
        return _("%(n)d of %(all)d voted") % numbers

    @property
    def rule(self) -> str:
        """The rule by which the motion is accepted, as a phrase."""
        if self.motion.by_majority:
            return _("accepted with more than half of the votes")
        if self.motion.kind in NEED_ALL:
            return _("accepted only if everybody votes for")
        return _("accepted if nobody votes against")

    @property
    def addresses(self) -> list[str]:
        """The addresses of the example issues."""
        return [line.strip() for line in self.motion.examples.splitlines() if line.strip()]


def motion_lines(taxonomy: Taxonomy, member: Membership, *, with_threads: bool = False) -> list[ShownMotion]:
    """The proposals of a taxonomy, newest first, and with `with_threads` the comments on them.

    Two queries, two more with threads.
    """
    motions = list(
        Motion.objects.filter(taxonomy=taxonomy)
        .select_related("opened_by", "change__version")
        .order_by("-number")
    )
    by_motion: dict[int, list[Ballot]] = defaultdict(list)
    for ballot in Ballot.objects.filter(motion__in=motions).select_related("member").order_by("pk"):
        by_motion[ballot.motion_id].append(ballot)
    said = threads(motions, member) if with_threads else {}
    return [_line(motion, by_motion[motion.pk], member, said.get(motion.pk, ())) for motion in motions]


def _line(
    motion: Motion, ballots: Sequence[Ballot], member: Membership, said: tuple[ShownComment, ...]
) -> ShownMotion:
    mine = next((ballot for ballot in ballots if ballot.member_id == member.pk), None)
    is_due = motion.is_open and motion.deadline <= clock.now()
    return ShownMotion(
        motion,
        mine,
        voted=tuple(ballot.member for ballot in ballots if ballot.choice),
        awaited=tuple(ballot.member for ballot in ballots if not ballot.choice),
        ballots=() if motion.is_open else tuple(ballot for ballot in ballots if ballot.choice),
        is_own=motion.opened_by_id == member.pk,
        is_due=is_due,
        may_vote=mine is not None and motion.is_open and not is_due and may_propose(member),
        said=said,
    )


def to_vote(seats: Sequence[Membership]) -> QuerySet[Taxonomy]:
    """The taxonomies in which proposals wait for the votes of these seats; `waiting` is their number. One
    query, none if no seat may vote.
    """
    found = Taxonomy.objects.filter(
        motions__ballots__member__in=[seat.pk for seat in seats if may_propose(seat)],
        motions__ballots__choice="",
        motions__closed_at=None,
        motions__deadline__gt=clock.now(),
    )
    counted = found.annotate(waiting=Count("motions__ballots"))
    return counted.select_related("study").order_by("pk")
