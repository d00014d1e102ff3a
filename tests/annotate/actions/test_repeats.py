"""The drift check: issues that come to their volunteer again, unmarked, and are kept apart from the labels."""

from datetime import timedelta
from itertools import count
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate import errors
from annotate.actions.label_drafts import save_draft
from annotate.actions.labels import submit_label
from annotate.actions.turns import next_turn, skip_issue
from annotate.models import Draft, Repeat
from annotate.queries import labels as queries
from annotate.queries.labels import latest_labels, own_counts, own_labels, progress
from annotate.queries.turns import current_turn, turn_at
from rounds.drift import comes_again
from rounds.models import Label, Round, RoundIssue, RoundVolunteer
from studies.models import Membership
from taxonomy.models import Proposal
from tests.factories.annotate import label_input
from tests.worlds.pages import client, text_of
from tests.worlds.world import World, small_world

pytestmark = pytest.mark.django_db


def _world(issues: int = 12, members: int = 2, **fields) -> tuple[World, Round]:
    world = small_world(issues=issues, members=members)
    round_ = world.round(**fields)
    Round.objects.filter(pk=round_.pk).update(drift_percent=50, drift_hours=24)
    round_.drift_percent, round_.drift_hours = 50, 24
    # Chance may choose none of a few issues, or all.
    for volunteer in round_.volunteers.all():
        seeds = (seed for seed in count(1) if issues // 3 <= _chosen(world, seed) <= issues - issues // 3)
        round_.volunteers.filter(pk=volunteer.pk).update(seed=next(seeds))
    return world, round_


def _chosen(world: World, seed: int) -> int:
    return sum(comes_again(issue.pk, seed, 50) for issue in world.issues)


def _label_all(world, round_, member, code="C.2"):
    for issue in world.issues:
        world.submit(round_, issue, member, code, summary="first")


def _days_later(**fields) -> None:
    """As if every label had been given two days ago; what was counted of those days is forgotten."""
    queries._done_before.cache_clear()
    for label in Label.objects.all():
        Label.objects.filter(pk=label.pk).update(submitted_at=label.submitted_at - timedelta(days=2))
    for repeat in Repeat.objects.filter(**fields):
        Repeat.objects.filter(pk=repeat.pk).update(due_at=repeat.due_at - timedelta(days=2))


def _days_after() -> tuple[World, Round, Membership]:
    """A volunteer labelled all issues two days ago, and nothing of the round is revealed."""
    world, round_ = _world(reveal=Round.Reveal.ROUND_CLOSED)
    _label_all(world, round_, world.members[0])
    _days_later()
    return world, round_, world.members[0]


def _again(world, round_, issue, member, code="C.3", **fields):
    given = {"summary": "second", "unsure": True, "form_key": uuid4()} | fields
    category = world.category(code) if code else None
    return submit_label(
        round_=round_, issue=issue, member=member, given=label_input(category=category, **given)
    )


def _seed(round_, member) -> int:
    return RoundVolunteer.objects.get(round=round_, member=member).seed


def test_with_its_label_an_issue_is_scheduled_if_chance_has_chosen_it():
    world, round_ = _world()
    without = world.round()
    for each in (round_, without):
        _label_all(world, each, world.members[0])
    assert not Repeat.objects.filter(round=without).exists()
    seed = _seed(round_, world.members[0])
    chosen = {issue.pk for issue in world.issues if comes_again(issue.pk, seed, 50)}
    assert set(Repeat.objects.values_list("issue", flat=True)) == chosen
    assert 0 < len(chosen) < 12
    for repeat in Repeat.objects.all():
        label = Label.objects.get(round=round_, issue=repeat.issue)
        assert (repeat.due_at, repeat.submitted_at) == (label.submitted_at + timedelta(hours=24), None)


def test_all_that_is_due_comes_again_and_progress_ends_where_it_said():
    world, round_ = _world(reveal=Round.Reveal.ROUND_CLOSED)
    member = world.members[0]
    expected = sum(comes_again(issue.pk, _seed(round_, member), 50) for issue in world.issues)
    assert (progress(round_, member).done, progress(round_, member).total) == (0, 12 + expected)
    _label_all(world, round_, member)
    assert current_turn(round_, member) is None  # nothing is a day old
    assert progress(round_, member).left == expected
    said = text_of(client(member).get(reverse("label", args=[round_.pk])))
    assert (
        f"Nothing to label now {expected} more issues come tomorrow. 12 of {12 + expected} labelled" in said
    )
    assert "every issue" not in said
    home = text_of(client(member).get(reverse("home")))
    assert f"{expected} more issues come tomorrow 12 of {12 + expected} done" in home
    _days_later()
    given = []
    while (turn := current_turn(round_, member)) is not None:
        assert (turn.label, turn.draft) == (None, None)
        given.append(turn.issue.pk)
        _again(world, round_, turn.issue, member)
    assert sorted(given) == sorted(Repeat.objects.values_list("issue", flat=True))
    end = progress(round_, member)
    assert (end.done, end.total, end.left) == (12 + expected, 12 + expected, 0)


def test_the_second_label_is_kept_apart_with_all_that_a_label_has():
    world, round_, member = _days_after()
    issue, key = current_turn(round_, member).issue, uuid4()
    before = list(Label.objects.order_by("pk").values())
    done = _again(world, round_, issue, member, form_key=key)
    stored = Repeat.objects.get(issue=issue)
    assert (stored.category, stored.summary, stored.unsure, stored.form_key) == (
        world.category("C.3"),
        "second",
        True,
        key,
    )
    assert (stored.version, stored.snapshot, stored.proposal) == (world.version, issue.current, None)
    assert (done.label.category_id, done.surplus, done.completed, done.repeated) == (
        world.category("C.3").pk,
        False,
        False,
        False,
    )
    assert _again(world, round_, issue, member, form_key=key).repeated is True
    assert _again(world, round_, issue, member).repeated is True
    assert list(Label.objects.order_by("pk").values()) == before
    assert latest_labels(round_, member)[0].issue == issue.pk
    assert own_counts(round_, member) == {world.category("C.2").pk: 12, world.category("C.3").pk: 1}
    assert len(own_labels(round_, member).rows) == 12
    issue = current_turn(round_, member).issue
    _again(world, round_, issue, member, None, proposed_name="Missing", proposed_reason="None fits.")
    stored = Repeat.objects.get(issue=issue)
    assert (stored.category, stored.proposal) == (None, Proposal.objects.get(name="Missing"))


def test_the_first_form_sent_twice_is_no_second_label():
    world, round_ = _world()
    member, key = world.members[0], uuid4()
    issue = next(issue for issue in world.issues if comes_again(issue.pk, _seed(round_, member), 50))
    world.submit(round_, issue, member, "C.2", form_key=key)
    with pytest.raises(errors.AlreadyLabelled):  # a second window, a moment later
        _again(world, round_, issue, member)
    _days_later()
    assert _again(world, round_, issue, member, form_key=key).repeated is True
    assert Repeat.objects.get(issue=issue).submitted_at is None


def test_what_is_revealed_does_not_come_again():
    world, round_ = _world()
    member, other = world.members
    _label_all(world, round_, member)
    _days_later()
    _label_all(world, round_, other)
    assert RoundIssue.objects.filter(completed_at=None).count() == 0
    assert current_turn(round_, member) is None
    assert (progress(round_, member).done, progress(round_, member).total) == (12, 12)


def test_repeats_stand_between_new_issues_and_keep_their_place_on_a_reload():
    world, round_ = _world(issues=30, reveal=Round.Reveal.ROUND_CLOSED)
    member = world.members[0]
    for issue in world.issues[:15]:
        world.submit(round_, issue, member, "C.2")
    _days_later()
    kinds = []
    while (turn := current_turn(round_, member)) is not None:
        assert current_turn(round_, member).issue == turn.issue
        ahead = current_turn(round_, member, holding=[turn.issue.pk])
        is_again = Label.objects.filter(issue=turn.issue, volunteer=member).exists()
        kinds.append(is_again)
        _again(world, round_, turn.issue, member, "C.2")
        if ahead is not None:
            assert current_turn(round_, member).issue == ahead.issue
        if len(kinds) > 24:
            break
    fresh, due = kinds.count(False), kinds[:20].count(True)
    assert fresh == 15 or due >= 5
    assert kinds[:4] not in ([True] * 4, [False] * 4)


def test_where_a_draft_was_left_comes_before_what_comes_again():
    world, round_ = _world(issues=30, reveal=Round.Reveal.ROUND_CLOSED)
    member = world.members[0]
    for issue in world.issues[:15]:
        world.submit(round_, issue, member, "C.2")
    here = current_turn(round_, member).issue
    world.draft(round_, here, member, None, "typing")
    _days_later()
    assert current_turn(round_, member).issue == here


def test_what_came_again_is_put_off_drafted_and_changed_like_any_other():
    world, round_, member = _days_after()
    first = current_turn(round_, member).issue
    skip_issue(round_=round_, issue=first, member=member, reason="later")
    assert Repeat.objects.get(issue=first).due_at > timezone.now()
    issue = current_turn(round_, member).issue
    assert issue != first
    draft = {"round_": round_, "issue": issue, "member": member}
    given = label_input(category=world.category("C.2"), summary="first", revision=0)
    save_draft(**draft, of_change=False, given=given)
    assert Draft.objects.get().summary == "first"  # although the first label says the same
    assert turn_at(round_, member, issue.pk, again=True).label is None
    given = _again(world, round_, issue, member).label
    assert Draft.objects.count() == 0
    shown = turn_at(round_, member, issue.pk)
    assert (shown.label.category, shown.label.summary) == (world.category("C.3"), "second")
    world.change(round_, issue, member, "C.9", "third", seen=given.submitted_at)
    assert Repeat.objects.get(issue=issue).summary == "third"
    assert Label.objects.get(issue=issue).summary == "first"
    Repeat.objects.filter(issue=issue).update(submitted_at=timezone.now() - timedelta(hours=2))
    assert turn_at(round_, member, issue.pk).label == Label.objects.get(issue=issue)


@pytest.mark.world(issues=12, members=2)
def test_in_a_round_of_some_a_repeat_looks_like_a_claimed_slot(world):
    round_ = world.k_of_n(2)
    Round.objects.filter(pk=round_.pk).update(drift_percent=50)
    round_.drift_percent = 50
    member = world.members[0]
    while (turn := next_turn(round_=round_, member=member)) is not None:
        _again(world, round_, turn.issue, member, "C.2", summary="first")
    assert Label.objects.count() == 12
    _days_later()
    turn = next_turn(round_=round_, member=member)
    assert (turn.label, turn.issue.pk in Repeat.objects.values_list("issue", flat=True)) == (None, True)
    assert turn.lease_until > timezone.now() + timedelta(minutes=round_.lease_minutes - 1)
    _again(world, round_, turn.issue, member)
    assert (Label.objects.count(), Repeat.objects.exclude(submitted_at=None).count()) == (12, 1)


def test_what_comes_after_the_issue_was_revealed_is_no_repeat():
    world, round_ = _world(issues=6)
    member, other = world.members
    _label_all(world, round_, member)
    _days_later()
    repeat = Repeat.objects.first()
    world.submit(round_, repeat.issue, other, "C.9")
    with pytest.raises(errors.AlreadyLabelled):
        _again(world, round_, repeat.issue, member, "C.9")
    repeat.refresh_from_db()
    assert (repeat.submitted_at, repeat.category) == (None, None)
    assert Label.objects.get(issue=repeat.issue, volunteer=member).summary == "first"
