from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from annotate.actions.rounds import close_round
from annotate.actions.turns import skip_issue
from annotate.models import Skip
from annotate.queries.labels import LATEST, latest_labels, own_counts, own_labels, own_skips, progress
from core import clock
from rounds.models import Assignment, Label, Round
from rounds.queries.categories import categories_of
from taxonomy.models import Level
from tests import factories
from tests.worlds.world import small_world, undone

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=3, members=2)]


def _label_all(world, round_, member, codes):
    """One label per code, in this order, ten seconds apart and ending now."""
    for number, (issue, code) in enumerate(zip(world.issues, codes, strict=False)):
        label = world.submit(round_, issue, member, code, summary=f"{code} it is").label
        Label.objects.filter(pk=label.pk).update(
            submitted_at=timezone.now() - timedelta(seconds=10 * (len(codes) - number))
        )


def test_own_labels_come_newest_first_with_their_codes(world):
    round_, member = world.round(), world.members[0]
    _label_all(world, round_, member, ["C.2", "A.1.i", "C.10"])
    world.submit(round_, world.issues[0], world.members[1], "C.9", summary="canary")
    page = own_labels(round_, member)
    assert [
        (row.label.issue, row.code, row.name, row.label.summary, row.changeable) for row in page.rows
    ] == [
        (world.issues[2], "C.10", "Name of C.10", "C.10 it is", True),
        (world.issues[1], "A.1.i", "Name of A.1.i", "A.1.i it is", True),
        (world.issues[0], "C.2", "Name of C.2", "C.2 it is", False),
    ]
    assert page.next is None


@pytest.mark.world(issues=7, members=2)
def test_own_labels_are_paged_without_gaps_even_at_the_same_moment(world):
    round_, member = world.round(), world.members[0]
    _label_all(world, round_, member, ["C.2"] * 7)
    Label.objects.filter(issue__in=world.issues[:5]).update(submitted_at=timezone.now() - timedelta(hours=1))
    came, after = [], None
    while True:
        page = own_labels(round_, member, after=after, limit=2)
        came.append([row.label.pk for row in page.rows])
        if (after := page.next) is None:
            break
    assert [len(rows) for rows in came] == [2, 2, 2, 1]
    assert own_labels(round_, member, limit=7).next is None
    assert [pk for rows in came for pk in rows] == list(
        Label.objects.order_by("-submitted_at", "-pk").values_list("pk", flat=True)
    )


@pytest.mark.world(issues=1, members=1)
def test_own_labels_say_what_can_still_be_changed(world):
    member, issue = world.members[0], world.issues[0]
    for reveal, while_open in ((Round.Reveal.ISSUE_COMPLETE, False), (Round.Reveal.ROUND_CLOSED, True)):
        round_ = world.round(reveal=reveal)
        world.submit(round_, issue, member, "C.2")
        assert [row.changeable for row in own_labels(round_, member).rows] == [while_open]
        closed = close_round(round_=round_, by=world.lead)
        assert [row.changeable for row in own_labels(closed, member).rows] == [False]


def test_own_skips_are_those_still_to_come(world):
    round_, (member, other) = world.round(), world.members
    for issue, reason in ((0, "first"), (1, "second"), (0, "again"), (2, "third")):
        Skip.objects.create(round=round_, issue=world.issues[issue], volunteer=member, reason=reason)
    skip_issue(round_=round_, issue=world.issues[1], member=other, reason="canary")
    world.submit(round_, world.issues[2], member, "C.2")
    assert [(skip.issue, skip.reason) for skip in own_skips(round_, member)] == [
        (world.issues[0], "again"),
        (world.issues[1], "second"),
    ]


@pytest.mark.world(issues=5, members=2)
def test_progress_of_a_crossed_round(world):
    round_, member = world.round(), world.members[0]
    nothing = progress(round_, world.members[1])
    assert (nothing.done, nothing.total, nothing.today, nothing.median_seconds) == (0, 5, 0, None)
    assert (nothing.is_share, nothing.left, nothing.seconds_left) == (False, 5, None)
    _label_all(world, round_, member, ["C.2", "C.3", "C.9"])
    Label.objects.filter(category=world.category("C.2")).update(
        submitted_at=timezone.now() - timedelta(days=2)
    )
    some = progress(round_, member)
    assert (some.done, some.total, some.today, some.left) == (3, 5, 2, 2)
    assert (some.median_seconds, some.seconds_left) == (None, None), "two gaps are no pace"


@pytest.mark.world(issues=13, members=2)
def test_a_pace_rests_on_ten_gaps(world):
    round_, member = world.round(), world.members[0]
    _label_all(world, round_, member, ["C.2"] * 10)
    assert progress(round_, member).median_seconds is None
    world.submit(round_, world.issues[10], member, "C.2")
    for nth, label in enumerate(Label.objects.order_by("pk")):
        Label.objects.filter(pk=label.pk).update(
            submitted_at=timezone.now() - timedelta(seconds=10 * (11 - nth))
        )
    found = progress(round_, member)
    assert found.median_seconds == pytest.approx(10, abs=1)
    assert found.seconds_left == 2 * found.median_seconds


@pytest.mark.world(issues=5, members=3)
def test_progress_of_a_k_of_n_round_is_an_equal_share(world):
    round_, member = world.k_of_n(2), world.members[0]
    assert (progress(round_, member).total, progress(round_, member).is_share) == (4, True)
    for issue in world.issues:
        world.submit(round_, issue, member, "C.2")
    more = progress(round_, member)
    assert (more.done, more.total, more.left) == (5, 5, 0)


@pytest.mark.world(issues=6, members=3)
def test_progress_and_lists_do_not_depend_on_what_others_do(world):
    for round_ in (world.round(), world.k_of_n(2), world.round(reveal=Round.Reveal.ROUND_CLOSED)):
        watcher, other, third = world.members
        world.submit(round_, world.issues[0], watcher, "C.2", summary="mine")

        def session(round_=round_, watcher=watcher):
            return (
                progress(round_, watcher),
                [(row.label.pk, row.code, row.changeable) for row in own_labels(round_, watcher).rows],
                own_skips(round_, watcher),
                latest_labels(round_, watcher),
                own_counts(round_, watcher),
            )

        before = session()
        for code in ("A.1", "C.9"):
            with undone():
                world.submit(round_, world.issues[1], other, code, summary="canary")
                Skip.objects.create(round=round_, issue=world.issues[2], volunteer=third, reason="canary")
                world.change(round_, world.issues[1], other, "C.3", "canary", unsure=True)
                assert session() == before


@pytest.mark.world(issues=1)
def test_choosable_categories_are_deep_enough_or_have_nothing_below(world):
    def codes(depth):
        choosable = categories_of(world.version.pk).choosable(depth)
        return {code for code in factories.taxonomy.CODES if world.category(code).pk in choosable}

    everything = set(factories.taxonomy.CODES)
    assert codes(Level.TYPE) == everything
    assert codes(Level.THEME) == everything - {"A", "B", "C"}
    assert codes(Level.SUB_THEME) == everything - {"A", "B", "C", "A.1", "C.1"}


@pytest.mark.parametrize("issues", [1, 3, 300])
def test_reads_cost_the_same_whatever_the_size(issues, django_assert_num_queries):
    world = small_world(issues=issues, members=1)
    round_, member = world.round(), world.members[0]
    for issue in world.issues[:60]:
        world.submit(round_, issue, member, "C.2")
    with django_assert_num_queries(1):
        rows = own_labels(round_, member).rows
        assert [str(row.label.issue.repository) + row.label.issue.current.title for row in rows]
    with django_assert_num_queries(4):
        progress(round_, member)
    with django_assert_num_queries(2):  # what was done before today is in memory
        progress(round_, member)
    with django_assert_num_queries(2):
        latest_labels(round_, member)
        own_counts(round_, member)
    with django_assert_num_queries(1):
        own_skips(round_, member)


AT = datetime(2026, 3, 10, 15, 30, 10, 500_000, tzinfo=UTC)


@pytest.mark.world(issues=LATEST + 40, members=1)
@pytest.mark.parametrize("seconds_each", [600, 40, 0.2, 0.01, 0])
def test_many_labels_of_today_are_counted_whatever_their_pace(world, seconds_each):
    """What is before the last LATEST labels is counted once an hour, a minute or a second, by their pace."""
    round_, member = world.round(), world.members[0]
    times = [AT - timedelta(seconds=seconds_each * number) for number in reversed(range(LATEST + 30))]
    slots = Assignment.objects.filter(round=round_, issue__in=world.issues[: len(times)])
    chosen = {"category": world.category("C.2"), "version": world.version}
    Label.objects.bulk_create(
        Label(
            round=round_, issue_id=slot.issue_id, volunteer=member, assignment=slot, submitted_at=at, **chosen
        )
        for slot, at in zip(slots, times, strict=True)
    )
    of_today = sum(at.date() == AT.date() for at in times)
    with clock.at(AT):
        for more in range(4):
            came = progress(round_, member)
            assert (came.today, came.done) == (of_today + more, len(times) + more)
            world.submit(round_, world.issues[len(times) + more], member, "C.3")
