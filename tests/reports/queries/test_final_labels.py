from datetime import timedelta

import pytest
from django.utils import timezone

from consensus.actions.decisions import reopen
from consensus.models import Decision
from reports.queries.final_labels import final_label_changes, packages
from studies.actions import record
from tests.worlds.parted import give_labels

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=7)]


def _said(world, found) -> list[tuple]:
    places = {issue.pk: place for place, issue in enumerate(world.issues)}
    return [
        (
            places[one.issue.pk],
            one.kind,
            one.before_state.code if one.before_state else None,
            one.after_state.code if one.after_state else None,
            one.why,
            one.by.pseudonym if one.by else None,
        )
        for one in found.rows
    ]


def _told(world, round_):
    """A report was made, then: one changed, one opened again, two new, one unchanged, one changed and back."""
    give_labels(world, round_, *["C.2 C.2 C.3"] * 5)
    for place in range(4):
        world.settle(round_, world.issues[place], "C.2")
    since = timezone.now()
    world.settle(round_, world.issues[0], "C.3", seen=1)
    reopen(round_=round_, issue=world.issues[1], by=world.lead, why="Read it again.", seen_number=1)
    world.settle(round_, world.issues[2], "C.2", seen=1)
    world.settle(round_, world.issues[3], "C.3", seen=1)
    world.settle(round_, world.issues[3], "C.2", seen=2)
    world.settle(round_, world.issues[4], "C.9")
    for member in world.members:
        world.submit(round_, world.issues[5], member, "C.1")
    return since


def test_then_and_now(world):
    round_ = world.round()
    since = _told(world, round_)
    found = final_label_changes(round_, world.lead, since)
    assert _said(world, found) == [
        (0, "changed", "C.2", "C.3", "Said by the lead.", "Lead"),
        (1, "reopened", "C.2", None, "Read it again.", "Lead"),
        (4, "new", None, "C.9", "Said by the lead.", "Lead"),
        (5, "new", None, "C.1", "", None),
    ]
    assert found.counts == {"changed": 1, "reopened": 1, "new": 2}
    assert (found.count, found.next) == (4, None)
    [changed, opened, *_new] = found.rows
    assert changed.at == Decision.objects.get(issue=world.issues[0], number=2).decided_at
    assert opened.at == Decision.objects.get(issue=world.issues[1]).superseded_at
    assert final_label_changes(round_, world.lead, timezone.now()).count == 0
    everything = final_label_changes(round_, world.lead, since - timedelta(days=1))
    assert everything.counts == {"changed": 0, "reopened": 0, "new": 5}


def test_the_moment_itself_belongs_to_then(world):
    round_ = world.round()
    give_labels(world, round_, "C.2 C.2 C.3")
    decision = world.settle(round_, world.issues[0], "C.2")
    assert final_label_changes(round_, world.lead, decision.decided_at).count == 0
    second = world.settle(round_, world.issues[0], "C.3", seen=1)
    [change] = final_label_changes(round_, world.lead, decision.decided_at).rows
    assert (change.before.number, change.after.number) == (1, 2)
    assert final_label_changes(round_, world.lead, second.decided_at).count == 0


def test_pages_and_kinds(world):
    round_ = world.round()
    since = _told(world, round_)
    first = final_label_changes(round_, world.lead, since, limit=2)
    second = final_label_changes(round_, world.lead, since, limit=2, after=first.next)
    assert [row[0] for row in (*_said(world, first), *_said(world, second))] == [0, 1, 4, 5]
    assert (second.next, second.counts) == (None, first.counts)
    only = final_label_changes(round_, world.lead, since, kind="new")
    assert ([row[0] for row in _said(world, only)], only.count) == ([4, 5], 4)
    assert len(final_label_changes(round_, world.lead, since, limit=None).rows) == 4


def test_what_a_member_still_has_to_label_is_left_out(world):
    round_ = world.round()
    since = _told(world, round_)
    again = world.round(members=world.members)
    assert final_label_changes(round_, world.members[0], since).count == 0
    world.submit(again, world.issues[4], world.members[0], "C.9")
    assert [row[0] for row in _said(world, final_label_changes(round_, world.members[0], since))] == [4]
    assert final_label_changes(round_, world.lead, since).count == 4


def test_it_costs_the_same_at_one_and_at_four(world, django_assert_num_queries):
    round_ = world.round()
    since = _told(world, round_)
    for limit in (1, 4):
        with django_assert_num_queries(4):
            final_label_changes(round_, world.lead, since, limit=limit)


def test_the_moments_of_packages(world):
    round_, other = world.round(), world.round()
    for one, file in ((round_, "a.zip"), (round_, "a.csv"), (other, "a.zip"), (round_, "b.zip")):
        record(world.study, "exports.downloaded", world.lead.user, round=one.name, file=file)
    assert [event.detail["file"] for event in packages(round_)] == ["b.zip", "a.zip"]
