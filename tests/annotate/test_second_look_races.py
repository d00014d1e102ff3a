"""A second look ends while others label: real threads against a real PostgreSQL."""

import pytest

from annotate.actions.rounds import close_round
from rounds.errors import NotYourTurn, RoundAlreadyClosed, RoundClosed
from rounds.models import Assignment, Round, RoundIssue
from studies.models import Event
from taxonomy.tree.drafts import RETIRE
from tests.annotate.actions.test_version_upgrade import change, publication
from tests.long import only_long, sampled
from tests.races import at_once
from tests.worlds.world import World, small_world

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

MEMBERS, TIMES = 4, sampled(8, 2)


def asked_again(world: World, issues: int) -> tuple[Round, Round]:
    """A round whose first issues are in its second look, each for one volunteer; of the others all but the
    last label is given, one of them of the category that is retired.
    """
    round_ = world.round()
    for number, issue in enumerate(world.issues):
        for member in world.members[: None if number < issues else -1]:
            of_one = world.members[number % (MEMBERS - 1)]
            world.submit(round_, issue, member, "C.9" if member == of_one else "C.2")
    change(world, RETIRE, "C.9")
    world.version = publication(world)
    return round_, Round.objects.get(of=round_)


def test_the_last_labels_of_a_second_look_close_it_once() -> None:
    for _time in range(TIMES):
        world = small_world(issues=MEMBERS - 1, members=MEMBERS)
        _round, look = asked_again(world, issues=MEMBERS - 1)

        given = at_once(
            *(
                lambda issue=issue, member=member, world=world, look=look: world.submit(
                    look, issue, member, "C.2"
                )
                for issue, member in zip(world.issues, world.members, strict=False)
            )
        )

        assert [each.completed for each in given] == [True] * (MEMBERS - 1), given
        look.refresh_from_db()
        assert look.closed_at is not None
        assert Event.objects.filter(study=world.study, verb="rounds.done").count() == 1


@pytest.mark.parametrize("by_hand", [False, True])
@only_long
def test_a_second_look_that_is_closed_takes_no_issue(by_hand) -> None:
    """Its last label is given, or a lead closes it, while the last label of another issue asks for a look."""
    for _time in range(TIMES):
        world = small_world(issues=2, members=MEMBERS)
        round_, look = asked_again(world, issues=1)
        first, other = world.issues

        def close(world=world, look=look, first=first):
            if by_hand:
                return close_round(round_=look, by=world.lead)
            return world.submit(look, first, world.members[0], "C.2")

        closed, begun = at_once(
            close,
            lambda world=world, round_=round_, other=other: world.submit(
                round_, other, world.members[-1], "C.2"
            ),
        )

        assert not isinstance(closed, Exception), closed
        assert not isinstance(begun, Exception), begun
        waiting = Assignment.objects.filter(round__of=round_, issue=other, submitted_at=None)
        if by_hand and waiting.get().round.closed_at is not None:
            # It came into the look before that was closed, which ends it: the issue is complete without it.
            assert RoundIssue.objects.get(round=round_, issue=other).completed_at is not None
            continue
        [waits] = waiting
        assert waits.round.closed_at is None
        world.submit(waits.round, other, waits.volunteer, "C.2")
        assert not RoundIssue.objects.filter(round=round_, completed_at=None).exists()
        assert not Round.objects.filter(of=round_, closed_at=None).exists()


@only_long
def test_a_label_and_the_close_of_a_second_look_by_hand_come_one_after_the_other() -> None:
    for _time in range(TIMES):
        world = small_world(issues=1, members=MEMBERS)
        round_, look = asked_again(world, issues=1)
        [issue] = world.issues
        label, closed = at_once(
            lambda world=world, look=look, issue=issue: world.submit(look, issue, world.members[0], "C.2"),
            lambda world=world, look=look: close_round(round_=look, by=world.lead),
        )
        assert not isinstance(closed, Exception) or isinstance(closed, RoundAlreadyClosed), closed
        assert not isinstance(label, Exception) or isinstance(label, RoundClosed | NotYourTurn), label
        look.refresh_from_db()
        assert look.closed_at is not None
        assert RoundIssue.objects.get(round=round_, issue=issue).completed_at is not None
