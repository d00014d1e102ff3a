"""Disagreements by what lies between, and inside by likeness; the same agenda's that are like one."""

import pytest
from django.utils import timezone

from consensus.actions.agendas import put_on_agenda
from consensus.actions.decisions import note_disagreements
from consensus.actions.meetings import plan_meeting
from consensus.models import AgendaItem, Disagreement
from consensus.queries.alike import AlikeGroup, CategoryPair, _grouped, alike_groups, alike_items, pairs
from consensus.queries.disagreement_filters import Narrowing
from rounds.models import Round, RoundIssue
from rounds.queries.categories import codebook
from tests import factories
from tests.worlds.alike import alike_world
from tests.worlds.meeting import put
from tests.worlds.pages import cost

pytestmark = pytest.mark.django_db

TWO = CategoryPair("C.2", "C.9")


def _pairs(round_, member=None, **filters):
    """In their order."""
    found = pairs(round_, Narrowing(**filters), member, codebook(round_.version_id))
    return list(found.items())


def _groups(round_, between=TWO, member=None, state="open", **filters):
    return alike_groups(round_, Narrowing(**filters), member, between, codebook(round_.version_id), state)


def test_pairs_two_ways_first_whichever_is_in_the_majority():
    _, round_ = alike_world("C.2 C.9 C.2", "C.9 C.9 C.2", "B.1 A.1.i B.1", "C.2 C.9 B.1", "C.9 C.9 C.9")
    assert _pairs(round_) == [
        (CategoryPair("C.2", "C.9"), 2),
        (CategoryPair("A.1", "B.1"), 1),
        (CategoryPair("B.1", "C.2", more=True), 1),
    ]


def test_pairs_of_filters_and_of_a_state():
    world, round_ = alike_world("C.2 C.9 C.2", "C.9 C.9 C.2", "B.1 A.1 B.1")
    world.settle(round_, world.issues[0], "C.2")
    assert _pairs(round_, state="open") == [(CategoryPair("A.1", "B.1"), 1), (CategoryPair("C.2", "C.9"), 1)]
    assert _pairs(round_, state="decided") == [(TWO, 1)]
    assert _pairs(round_, type="A") == [(CategoryPair("A.1", "B.1"), 1)]
    assert _pairs(round_, pair=("A", "B")) == [(CategoryPair("A.1", "B.1"), 1)]


def test_open_pairs_are_all_pairs_without_those_on_an_agenda_and_decided():
    world, round_ = alike_world("C.2 C.9 C.2", "C.9 C.9 C.2", "C.2 C.2 C.9", "B.1 A.1 B.1", "A.1 B.1 C.2")
    meeting = plan_meeting(round_=round_, by=world.lead, name="Thursday", chair=world.lead, quorum=1)
    put_on_agenda(meeting=meeting, by=world.lead, issues=[world.issues[0].pk, world.issues[3].pk])
    world.settle(round_, world.issues[2], "C.2")
    both = (CategoryPair("A.1", "B.1", more=True), 1)
    assert _pairs(round_, state="open") == [(TWO, 1), both]
    assert _pairs(round_, state="agenda") == [(CategoryPair("A.1", "B.1"), 1), (TWO, 1)]
    assert _pairs(round_, state="decided") == [(TWO, 1)]
    assert _pairs(round_) == [(TWO, 3), (CategoryPair("A.1", "B.1"), 1), both]


def test_groups_by_titles_and_summaries_the_largest_first():
    world, round_ = alike_world(
        *["C.2 C.9 C.2"] * 6,
        titles=(
            "Wheel build fails on aarch64",
            "nightly test of ddp times out",
            "segfault at exit",
            "Build of the wheel fails, aarch64",
            "",
            "aarch64: wheel build fails with ninja",
        ),
        summaries=("", "flaky ddp test", "", "", "ddp test is flaky, times out nightly", ""),
    )
    one, two, three, four, five, six = (issue.pk for issue in world.issues)

    found = _groups(round_)

    assert [set(group.issues) for group in found.groups] == [{one, four, six}, {two, five}]
    assert all(group.is_by_text and group.others == () and group.decided == () for group in found.groups)
    assert set(found.groups[0].words) >= {"aarch64", "wheel", "build"}
    assert {"ddp", "test", "flaky"} <= set(found.groups[1].words)
    assert found.alone == (three,)
    assert found.positions == {issue.pk: place for place, issue in enumerate(world.issues, start=1)}
    assert (found.states, found.without_text) == ({"open": 6, "agenda": 0, "decided": 0}, 0)


def test_groups_hold_what_lies_between_these_two_only():
    world, round_ = alike_world(
        "C.2 C.9 C.2", "C.9 C.9 C.2", "C.2 C.9 B.1", "C.2 C.3 C.2", titles=["same title"] * 4
    )
    assert [set(g.issues) for g in _groups(round_).groups] == [{world.issues[0].pk, world.issues[1].pk}]
    more = _groups(round_, CategoryPair("B.1", "C.2", more=True))
    assert (more.groups, more.alone) == ((), (world.issues[2].pk,))
    assert _groups(round_, CategoryPair("C.2", "Z.1")).positions == {}
    assert _groups(round_, CategoryPair("C.9", "?")).positions == {}


@pytest.mark.world(issues=2)
def test_groups_of_open_labels(world):
    round_ = world.round()
    parts = (
        {"chosen": [world.category("C.2").pk], "votes": [2], "open_labels": 1, "ways": 2, "margin": 1},
        {"chosen": [], "votes": [], "open_labels": 3, "ways": 3, "margin": 0},
    )
    for place, (issue, part) in enumerate(zip(world.issues, parts, strict=True), start=1):
        Disagreement.objects.create(
            round=round_, version=world.version, issue=issue, position=place, apart=[], **part
        )
    assert _pairs(round_) == [(CategoryPair("C.2", "?"), 1), (CategoryPair("?", "?", more=True), 1)]
    assert _groups(round_, CategoryPair("C.2", "?")).alone == (world.issues[0].pk,)
    assert _groups(round_, CategoryPair("?", "?", more=True)).alone == (world.issues[1].pk,)


def test_groups_keep_their_members_while_some_are_decided():
    world, round_ = alike_world(*["C.2 C.9 C.2"] * 4, titles=["wheel build fails"] * 4)
    ids = [issue.pk for issue in world.issues]
    whole = _groups(round_).groups[0]
    assert whole.issues == tuple(ids)
    world.settle(round_, world.issues[0], "C.9")
    world.settle(round_, world.issues[2], "C.9")

    (left,) = _groups(round_).groups
    (done,) = _groups(round_, state="decided").groups

    c9 = world.category("C.9").pk
    assert (left.centre, left.issues, left.others, left.decided) == (
        ids[0],
        (ids[1], ids[3]),
        (ids[0], ids[2]),
        ((c9, 2),),
    )
    assert (done.issues, done.others, done.decided) == ((ids[0], ids[2]), (ids[1], ids[3]), ())
    assert _groups(round_, state="agenda").groups == ()
    assert _groups(round_).states == {"open": 2, "agenda": 0, "decided": 2}


def test_groups_without_text_are_those_that_part_alike():
    world, round_ = alike_world("C.2 C.2 C.9", "C.2 C.2 C.9", "C.2 C.9 C.2", "C.9 C.9 C.2", "C.2 C.2 C.9")
    ids = [issue.pk for issue in world.issues]

    found = _groups(round_)

    c2, c9 = world.category("C.2").pk, world.category("C.9").pk
    assert found.groups == (
        AlikeGroup(
            centre=ids[0],
            issues=(ids[0], ids[1], ids[4]),
            others=(),
            words=(),
            split=((c2, 2), (c9, 1)),
            open_labels=0,
            apart=(world.members[2].pk,),
            decided=(),
        ),
    )
    assert (found.alone, found.without_text) == ((ids[2], ids[3]), 5)


def test_groups_hold_nothing_of_what_the_member_still_has_to_label():
    world, round_ = alike_world(*["C.2 C.9 C.2"] * 3, titles=["wheel build fails"] * 3)
    for member in (world.lead, world.members[0]):
        assert world.waits_for(member, world.issues[1]).is_open

    ids = [issue.pk for issue in world.issues]
    assert _groups(round_, member=world.lead).groups[0].issues == (ids[0], ids[2])
    assert _groups(round_, member=world.lead).positions.keys() == {ids[0], ids[2]}
    assert _pairs(round_, world.lead) == [(TWO, 2)]
    assert _groups(round_, member=world.members[1]).groups[0].issues == tuple(ids)


def test_groups_hold_revealed_labels_only():
    _, round_ = alike_world("C.2 C.9", titles=["wheel build fails"], reveal=Round.Reveal.ROUND_CLOSED)
    assert (_pairs(round_), _groups(round_).positions) == ([], {})
    assert RoundIssue.objects.get(round=round_).completed_at
    note_disagreements(round_)
    assert len(_pairs(round_)) == 1


@pytest.mark.parametrize("issues", [1, 3])
def test_groups_cost_the_same_however_many(issues, django_assert_num_queries):
    world, round_ = alike_world(*["C.2 C.9 C.2"] * issues, titles=["wheel build fails"] * issues)
    book = codebook(round_.version_id)
    _grouped.cache_clear()
    with django_assert_num_queries(4):  # where else the member labels, the rows, titles, summaries
        alike_groups(round_, Narrowing(), world.lead, TWO, book)
    with django_assert_num_queries(2):
        alike_groups(round_, Narrowing(), world.lead, TWO, book)
    with django_assert_num_queries(2):
        pairs(round_, Narrowing(), world.lead, book)


def test_groups_follow_a_new_title():
    world, round_ = alike_world(*["C.2 C.9 C.2"] * 2, titles=["wheel build fails", "segfault at exit"])
    assert len(_groups(round_).alone) == 2
    issue = world.issues[1]
    issue.current = issue.snapshots.create(content_hash="newer", title="the wheel build fails")
    issue.save()
    assert [set(g.issues) for g in _groups(round_).groups] == [{one.pk for one in world.issues}]


def test_alike_items_wait_on_the_same_agenda_between_the_same_two():
    world, round_ = alike_world(
        *["C.2 C.9 C.2"] * 5,
        "C.2 B.1 C.2",
        "C.9 C.9 C.2",
        titles=[
            "wheel build fails on aarch64",
            "segfault at exit",
            "wheel build fails on arm",
            "wheel build fails on aarch64",
            "wheel build fails on aarch64",
            "wheel build fails on aarch64",
            "the wheel build fails on aarch64 again",
        ],
    )
    meeting = factories.make_meeting(round_, world.lead)
    items = put(meeting, world.lead, world.issues[:4] + world.issues[5:])
    world.settle(round_, world.issues[3], "C.2")

    assert alike_items(items[0], world.lead) == [items[5].pk, items[2].pk]
    assert alike_items(items[1], world.lead) == []
    world.waits_for(world.lead, world.issues[2])
    assert alike_items(items[0], world.lead) == [items[5].pk]
    assert alike_items(items[2], world.lead) == []
    assert alike_items(items[0], None) == [items[5].pk, items[2].pk]
    # What is decided itself still has others like it.
    world.settle(round_, world.issues[0], "C.2")
    assert alike_items(items[0], world.members[0]) == [items[5].pk, items[2].pk]
    AgendaItem.objects.filter(pk=items[5].pk).update(released_at=timezone.now())
    assert alike_items(items[0], world.members[0]) == [items[2].pk]


def test_alike_items_without_text_part_alike():
    world, round_ = alike_world("C.2 C.2 C.9", "C.2 C.9 C.2", "C.2 C.2 C.9")
    items = put(factories.make_meeting(round_, world.lead), world.lead, world.issues)
    assert [alike_items(item, world.lead) for item in items] == [[items[2].pk], [], [items[0].pk]]


@pytest.mark.parametrize("issues", [1, 3])
def test_alike_items_cost_the_same_however_many(issues):
    world, round_ = alike_world(*["C.2 C.9 C.2"] * issues, titles=["wheel build fails"] * issues)
    item = AgendaItem.objects.select_related("round__version").get(
        pk=put(factories.make_meeting(round_, world.lead), world.lead, world.issues)[0].pk
    )
    assert [cost(lambda: alike_items(item, world.lead)) for _again in range(2)] == [5, 3]
    assert len(alike_items(item, world.lead)) == issues - 1
