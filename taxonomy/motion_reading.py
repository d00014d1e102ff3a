"""Proposals as members read them: until one is closed only who has voted, and the reader's own vote."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count
from django.utils import timezone
from django.utils.translation import gettext as _

from studies.models import Membership
from taxonomy.actions.motions import NEED_ALL
from taxonomy.models import Ballot, Motion, Taxonomy
from taxonomy.motion_threads import MotionSaid, threads
from taxonomy.rules import may_propose


@dataclass(frozen=True)
class MotionLine:
    """A motion as one member sees it. `ballots` are those that were cast, empty while it is open; `mine` is
    the reader's own, None for who has none; `is_due`: it takes no ballot any more, and waits to be closed.
    """

    motion: Motion
    mine: Ballot | None
    voted: tuple[Membership, ...]
    awaited: tuple[Membership, ...]
    ballots: tuple[Ballot, ...]
    is_own: bool
    is_due: bool
    may_vote: bool
    said: tuple[MotionSaid, ...] = ()

    @property
    def marks(self) -> list[str]:
        """A mark for each who may vote: `cast` or `none` while it is open; then what they said."""
        if self.motion.is_open:
            return ["cast"] * len(self.voted) + ["none"] * len(self.awaited)
        order = (Ballot.Choice.FOR, Ballot.Choice.AGAINST, Ballot.Choice.ABSTAIN)
        said = [str(choice) for choice in order for ballot in self.ballots if ballot.choice == choice]
        return said + ["none"] * (self.motion.electorate - len(said))

    @property
    def count(self) -> str:
        """How far the vote is, or how it ended, in words."""
        motion = self.motion
        numbers = {"n": len(self.voted), "all": motion.electorate, "yes": motion.in_favour or 0}
        if not motion.is_open:
            return _("%(yes)d of %(all)d for") % numbers
        if len(self.awaited) == 1:
            who = self.awaited[0]
            text = _("%(n)d of %(all)d voted, %(who)s to vote")
            if who.left_at is not None:
                text = _("%(n)d of %(all)d voted, %(who)s has left the study")
            return text % (numbers | {"who": who})
        return _("%(n)d of %(all)d voted") % numbers

    @property
    def rule(self) -> str:
        """What it takes, in words."""
        if self.motion.by_majority:
            return _("accepted if more than half of the votes are for it")
        if self.motion.kind in NEED_ALL:
            return _("accepted if all are for it")
        return _("accepted if nobody is against it")

    @property
    def addresses(self) -> list[str]:
        """The example issues, a line each."""
        return [line.strip() for line in self.motion.examples.splitlines() if line.strip()]


def motion_lines(
    taxonomy: Taxonomy, member: Membership | None, *, with_threads: bool = False
) -> list[MotionLine]:
    """The proposals of a taxonomy, newest first, with what was `said` about them if asked for. Two queries,
    two more with threads.
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
    motion: Motion, ballots: Sequence[Ballot], member: Membership | None, said: tuple[MotionSaid, ...]
) -> MotionLine:
    mine = next((ballot for ballot in ballots if member and ballot.member_id == member.pk), None)
    is_due = motion.is_open and motion.deadline <= timezone.now()
    return MotionLine(
        motion,
        mine,
        voted=tuple(ballot.member for ballot in ballots if ballot.choice),
        awaited=tuple(ballot.member for ballot in ballots if not ballot.choice),
        ballots=() if motion.is_open else tuple(ballot for ballot in ballots if ballot.choice),
        is_own=member is not None and motion.opened_by_id == member.pk,
        is_due=is_due,
        may_vote=mine is not None and motion.is_open and not is_due and may_propose(member),
        said=said,
    )


@dataclass(frozen=True)
class ToVote:
    """How many proposals of a taxonomy wait for the vote of one of the reader's seats."""

    taxonomy: Taxonomy
    motions: int


def to_vote(seats: Sequence[Membership]) -> list[ToVote]:
    """What waits for the vote of these seats, by taxonomy. Two queries, one where nothing waits."""
    voting = [seat.pk for seat in seats if may_propose(seat)]
    counted = dict(
        Ballot.objects.filter(
            member__in=voting, choice="", motion__closed_at=None, motion__deadline__gt=timezone.now()
        )
        .values_list("motion__taxonomy")
        .annotate(n=Count("pk"))
    )
    if not counted:
        return []
    found = Taxonomy.objects.filter(pk__in=counted).select_related("study").order_by("pk")
    return [ToVote(taxonomy, counted[taxonomy.pk]) for taxonomy in found]
