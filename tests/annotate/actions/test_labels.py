from dataclasses import replace
from uuid import uuid4

import pytest
from django.apps import apps
from django.utils import timezone

from annotate.actions.label_drafts import save_draft
from annotate.actions.labels import SubmittedLabel, change_label, submit_label
from annotate.actions.rounds import close_round
from annotate.actions.turns import next_turn, skip_issue
from annotate.errors import (
    AlreadyLabelled,
    LabelRevealed,
    NotLabelled,
    StaleDraft,
    StaleLabel,
    SummaryTooLong,
)
from annotate.models import Draft
from consensus.models import Decision
from ingest.models import Snapshot
from rounds import errors
from rounds.models import Assignment, Label, Round, RoundIssue
from studies.models import Membership, Role
from taxonomy.models import Level
from tests import factories
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=1, members=2)]


def _stored() -> list[tuple]:
    return list(
        Label.objects.order_by("pk").values_list("volunteer", "category", "summary", "unsure", "surplus")
    )


# Drafts


def test_a_draft_is_made_and_then_updated(world):
    round_, issue, member = world.round(), world.issues[0], world.members[0]
    first = world.draft(round_, issue, member, "C.2", "half", unsure=True)
    assert (first.revision, first.summary) == (1, "half")
    second = world.draft(round_, issue, member, "C.3", "half a thought", revision=1)
    assert list(
        Draft.objects.values_list("pk", "volunteer", "category", "summary", "unsure", "revision")
    ) == [(first.pk, member.pk, world.category("C.3").pk, "half a thought", False, 2)]
    assert second.revision == 2
    for known in (2, 1):  # the same content again keeps its revision
        assert world.draft(round_, issue, member, "C.3", "half a thought", revision=known).revision == 2
    assert world.draft(round_, issue, member, "C", revision=2).category == world.category("C")
    assert world.draft(round_, issue, member, None, revision=3).category is None
    assert world.draft(round_, issue, member, "C.2", "a\0b\ud800c", revision=4).summary == "a\ufffdb\ufffdc"


def test_a_stale_draft_is_refused_and_both_texts_are_at_hand(world):
    round_, issue, member = world.round(), world.issues[0], world.members[0]
    world.draft(round_, issue, member, "C.2", "from one window")
    with pytest.raises(StaleDraft) as refusal:
        world.draft(round_, issue, member, "C.3", "from another", revision=0)
    assert refusal.value.stored.summary == "from one window"
    assert refusal.value.kept == {"category": "C.3", "summary": "from another"}
    assert Draft.objects.get().summary == "from one window"


def test_draft_refusals():
    world, other = small_world(), small_world()
    round_, issue, member = world.round(), world.issues[0], world.members[0]
    with pytest.raises(errors.NotYourTurn):
        world.draft(round_, issue, world.lead)
    with pytest.raises(errors.NotYourTurn):
        world.draft(round_, other.issues[0], member)
    with pytest.raises(errors.NotYourTurn):
        world.draft(world.k_of_n(1), issue, member)
    with pytest.raises(errors.UnknownCategory):
        save_draft(
            round_=round_,
            issue=issue,
            member=member,
            given=factories.label_input(category=other.category("C.2"), summary="", unsure=False, revision=0),
        )
    with pytest.raises(SummaryTooLong):
        world.draft(round_, issue, member, summary="x" * 501)
    assert Draft.objects.count() == 0
    assert world.draft(round_, issue, member, summary="x" * 500).summary == "x" * 500


def test_a_late_save_of_what_is_submitted_leaves_no_draft(world):
    round_, issue, member = world.round(), world.issues[0], world.members[0]
    world.draft(round_, issue, member, "C.2", "done ")
    world.submit(round_, issue, member, "C.2", summary="done ")
    late = world.draft(round_, issue, member, "C.2", "done ", revision=1)
    assert (late.pk, late.revision, Draft.objects.count()) == (None, 0, 0)
    assert world.draft(round_, issue, member, "C.3", "on second thought").revision == 1


# Submitting


def test_a_submitted_label_holds_category_version_and_the_text_it_saw(world):
    round_, issue, member = world.round(), world.issues[0], world.members[0]
    world.draft(round_, issue, member, "C.3", "draft")
    key = uuid4()
    before = timezone.now()
    submitted = world.submit(round_, issue, member, "C.2", summary=" OOM on load ", unsure=True, form_key=key)
    label = Label.objects.get()
    assert submitted == SubmittedLabel(label, surplus=False, completed=False, decision=None, repeated=False)
    slot = Assignment.objects.get(round=round_, issue=issue, volunteer=member)
    assert (label.round, label.issue, label.volunteer, label.assignment) == (round_, issue, member, slot)
    assert (label.category, label.version) == (world.category("C.2"), world.version)
    assert (label.snapshot_id, label.summary, label.unsure) == (issue.current_id, "OOM on load", True)
    assert (label.form_key, label.changed_at) == (key, None)
    assert before <= label.submitted_at == slot.submitted_at <= timezone.now()
    assert Draft.objects.count() == 0


@pytest.mark.world(issues=4, members=1)
def test_the_label_says_which_text_it_saw(world):
    round_, member = world.round(), world.members[0]
    seen = [issue.current_id for issue in world.issues]
    newer = Snapshot.objects.create(issue=world.issues[0], content_hash="newer")
    world.issues[0].current = newer
    world.issues[0].save()
    elsewhere = world.issues[1].current_id
    for issue, snapshot in zip(world.issues, (seen[0], 0, None, elsewhere), strict=True):
        world.submit(round_, issue, member, "C.2", snapshot=snapshot)
    found = Label.objects.order_by("issue").values_list("snapshot", flat=True)
    assert list(found) == [seen[0], None, seen[2], seen[3]]


@pytest.mark.world(issues=2, members=2)
def test_the_last_label_completes_the_issue_and_agreement_decides_it(world):
    round_, issue = world.round(), world.issues[0]
    first, second = world.members
    assert world.submit(round_, issue, first, "A.1.i").completed is False
    assert RoundIssue.objects.get(issue=issue).completed_at is None
    submitted = world.submit(round_, issue, second, "A.1.ii")
    assert submitted.completed is True
    assert RoundIssue.objects.get(issue=issue).completed_at == submitted.label.submitted_at
    decision = Decision.objects.get()
    assert submitted.decision == decision
    assert (decision.issue, decision.number, decision.category) == (issue, 1, world.category("A.1"))
    assert (decision.method, decision.version) == ("unanimous", world.version)
    assert RoundIssue.objects.get(issue=world.issues[1]).completed_at is None


@pytest.mark.parametrize(
    ("depth", "decided"), [(Level.TYPE, "A"), (Level.THEME, "A.1"), (Level.SUB_THEME, None)]
)
def test_agreement_is_judged_at_the_rounds_depth(world, depth, decided):
    round_ = world.round(depth=depth)
    world.submit(round_, world.issues[0], world.members[0], "A.1.i")
    decision = world.submit(round_, world.issues[0], world.members[1], "A.1.ii").decision
    assert (decision and decision.category) == (decided and world.category(decided))


def test_a_split_issue_is_complete_without_a_decision(world):
    round_ = world.round()
    world.submit(round_, world.issues[0], world.members[0], "C.2")
    submitted = world.submit(round_, world.issues[0], world.members[1], "C.3")
    assert (submitted.completed, submitted.decision, Decision.objects.count()) == (True, None, 0)


def test_no_decision_before_the_round_closes_under_that_policy(world):
    round_ = world.round(reveal=Round.Reveal.ROUND_CLOSED)
    for member in world.members:
        submitted = world.submit(round_, world.issues[0], member, "C.2")
    again = world.submit(round_, world.issues[0], world.members[1], "C.2")
    assert RoundIssue.objects.get().completed_at == submitted.label.submitted_at
    assert Decision.objects.count() == 0
    for answer in (submitted, again):
        assert (answer.completed, answer.decision) == (False, None)


def test_a_double_click_stores_once(world):
    round_, issue, member = world.round(), world.issues[0], world.members[0]
    key = uuid4()
    first = world.submit(round_, issue, member, "C.2", form_key=key)
    again = world.submit(round_, issue, member, "C.2", form_key=key)
    assert (again.label, again.repeated) == (first.label, True)
    world.submit(round_, issue, member, "C.2")
    assert Label.objects.count() == 1
    last = world.submit(round_, issue, world.members[1], "C.2", form_key=uuid4())
    again = world.submit(round_, issue, world.members[1], "C.2", form_key=last.label.form_key)
    assert (again.label, again.completed, again.decision) == (last.label, True, last.decision)
    close_round(round_=round_, by=world.lead)
    assert world.submit(round_, issue, member, "C.2", form_key=key).repeated is True


def test_another_label_for_the_same_issue_is_refused_and_shown(world):
    round_, issue, member = world.round(), world.issues[0], world.members[0]
    first = world.submit(round_, issue, member, "C.2", summary="one")
    with pytest.raises(AlreadyLabelled) as refusal:
        world.submit(round_, issue, member, "C.3", summary="two")
    assert refusal.value.label == first.label
    assert refusal.value.kept == {"category": "C.3", "summary": "two"}
    assert _stored() == [(member.pk, world.category("C.2").pk, "one", False, False)]


def test_who_never_had_a_turn_cannot_label():
    world, other = small_world(), small_world()
    issue, member = world.issues[0], world.members[0]
    for round_, who, what in (
        (world.round(), world.lead, issue),
        (world.round(), other.members[0], issue),
        (world.round(), member, other.issues[0]),
        (world.k_of_n(1), member, issue),
    ):
        with pytest.raises(errors.NotYourTurn):
            submit_label(
                round_=round_,
                issue=what,
                member=who,
                given=factories.label_input(
                    category=world.category("C.2"), summary="", unsure=False, form_key=uuid4()
                ),
            )
    assert Label.objects.count() == 0


@pytest.mark.world(issues=3, members=3)
def test_who_left_or_became_a_model_labels_no_more(world):
    round_ = world.round()
    Membership.objects.filter(pk=world.members[0].pk).update(left_at=timezone.now())
    Membership.objects.filter(pk=world.members[1].pk).update(role=Role.MODEL)
    for member in world.members[:2]:
        with pytest.raises(errors.NotYourTurn):
            world.submit(round_, world.issues[0], member, "C.2")


@pytest.mark.world(issues=4, members=1)
def test_labels_are_as_deep_as_the_round_compares(world):
    member = world.members[0]
    themes = world.round(depth=Level.THEME)
    with pytest.raises(errors.TooShallow):
        world.submit(themes, world.issues[0], member, "A")
    world.submit(themes, world.issues[0], member, "A.1")
    world.submit(themes, world.issues[1], member, "A.1.i")
    deepest = world.round(depth=Level.SUB_THEME)
    with pytest.raises(errors.TooShallow):
        world.submit(deepest, world.issues[0], member, "A.1")
    world.submit(deepest, world.issues[0], member, "A.2")  # has nothing below it
    world.submit(deepest, world.issues[1], member, "A.1.ii")


def test_categories_of_other_versions_are_refused(world):
    other = factories.make_version(world.study)
    with pytest.raises(errors.UnknownCategory):
        replace(world, version=other).submit(world.round(), world.issues[0], world.members[0], "C.2")


def test_a_form_made_from_another_version_is_refused_and_kept_as_draft(world):
    round_, issue, member = world.round(), world.issues[0], world.members[0]
    with pytest.raises(errors.StaleVersion):
        world.submit(round_, issue, member, "C.2", summary="typed", version=world.version.pk + 1)
    assert list(Draft.objects.values_list("volunteer", "category", "summary")) == [
        (member.pk, world.category("C.2").pk, "typed")
    ]
    world.submit(round_, issue, member, "C.2", version=world.version.pk)


def test_what_comes_after_the_round_is_closed_is_kept_as_draft(world):
    round_, issue, member = world.round(), world.issues[0], world.members[0]
    close_round(round_=round_, by=world.lead)
    with pytest.raises(errors.RoundClosed):
        world.draft(round_, issue, member, "C.3", "first words")
    assert Draft.objects.get().summary == "first words"
    with pytest.raises(errors.RoundClosed) as refusal:
        world.submit(round_, issue, member, "C.2", summary="last words")
    assert refusal.value.kept == {"category": "C.2", "summary": "last words"}
    assert Label.objects.count() == 0
    assert list(Draft.objects.values_list("category", "summary", "revision")) == [
        (world.category("C.2").pk, "last words", 2)
    ]


def test_an_expired_slot_that_nobody_took_still_counts(world):
    round_ = world.k_of_n(1)
    next_turn(round_=round_, member=world.members[0])
    world.expire(round_, world.members[0])
    assert world.submit(round_, world.issues[0], world.members[0], "C.2").surplus is False


def test_a_label_whose_slot_was_retaken_is_kept_as_surplus(world):
    round_, issue = world.k_of_n(1), world.issues[0]
    slow, quick = world.members
    next_turn(round_=round_, member=slow)
    world.expire(round_, slow)
    next_turn(round_=round_, member=quick)
    late = world.submit(round_, issue, slow, "C.3", summary="typed for an hour")
    assert (late.surplus, late.completed, late.label.assignment) == (True, False, None)
    done = world.submit(round_, issue, quick, "C.2")
    assert (done.completed, done.decision.category) == (True, world.category("C.2"))
    assert _stored() == [
        (slow.pk, world.category("C.3").pk, "typed for an hour", False, True),
        (quick.pk, world.category("C.2").pk, "", False, False),
    ]
    assert next_turn(round_=round_, member=slow) is None


@pytest.mark.world(issues=1, members=3)
def test_who_lost_a_slot_or_skipped_takes_a_free_one_of_the_issue(world):
    round_, issue = world.k_of_n(2), world.issues[0]
    first, second, third = world.members
    next_turn(round_=round_, member=first)
    skip_issue(round_=round_, issue=issue, member=first, reason="x")
    assert world.submit(round_, issue, first, "C.2").surplus is False
    next_turn(round_=round_, member=second)
    world.expire(round_, second)
    next_turn(round_=round_, member=third)
    world.expire(round_, third)
    last = world.submit(round_, issue, second, "C.2")
    assert (last.surplus, last.decision.category) == (False, world.category("C.2"))
    assert world.submit(round_, issue, third, "C.3").surplus is True
    assert RoundIssue.objects.get(issue=issue).completed_at == last.label.submitted_at
    assert Decision.objects.get() == last.decision


@pytest.mark.parametrize("issues", [1, 3, 300])
def test_a_submit_costs_the_same_whatever_the_size(issues, django_assert_num_queries):
    world = small_world(issues=issues, members=2)
    round_, category = world.round(), world.category("C.2")
    for member, queries in zip(world.members, (7, 8), strict=True):
        with django_assert_num_queries(queries):
            submit_label(
                round_=round_,
                issue=world.issues[0],
                member=member,
                given=factories.label_input(category=category, summary="", unsure=False, form_key=uuid4()),
            )


# Changing


def test_a_label_is_changed_by_its_author_and_its_history_kept(world):
    round_, issue, member = world.round(), world.issues[0], world.members[0]
    first = world.submit(round_, issue, member, "C.2", summary="one").label
    world.draft(round_, issue, member, "C.3", "two?")
    changed = world.change(round_, issue, member, "C.3", " two ", unsure=True, seen=first.submitted_at)
    assert _stored() == [(member.pk, world.category("C.3").pk, "two", True, False)]
    assert changed.changed_at > first.submitted_at == changed.submitted_at
    assert Draft.objects.count() == 0
    history = apps.get_model("rounds", "LabelEvent").objects
    assert list(history.values_list("pgh_label", "pgh_obj", "category", "summary")) == [
        ("update", first.pk, world.category("C.2").pk, "one")
    ]


def test_a_stale_change_is_refused_and_both_are_at_hand(world):
    round_, issue, member = world.round(), world.issues[0], world.members[0]
    first = world.submit(round_, issue, member, "C.2").label
    second = world.change(round_, issue, member, "C.3", seen=first.submitted_at)
    with pytest.raises(StaleLabel) as refusal:
        world.change(round_, issue, member, "C.9", seen=first.submitted_at)
    assert refusal.value.label.category == world.category("C.3")
    assert world.change(round_, issue, member, "C.3", seen=first.submitted_at) == second
    world.change(round_, issue, member, "C.9", seen=second.changed_at)


def test_a_label_stays_once_the_issue_is_complete(world):
    round_, issue = world.round(), world.issues[0]
    first, second = world.members
    world.submit(round_, issue, first, "C.2")
    world.change(round_, issue, first, "C.3")
    world.submit(round_, issue, second, "C.3")
    with pytest.raises(LabelRevealed) as refusal:
        world.change(round_, issue, first, "C.9")
    assert (refusal.value.label.category, refusal.value.kept["category"]) == (world.category("C.3"), "C.9")


def test_a_complete_issue_can_change_until_the_round_closes_under_that_policy(world):
    round_, issue = world.round(reveal=Round.Reveal.ROUND_CLOSED), world.issues[0]
    for member in world.members:
        world.submit(round_, issue, member, "C.2")
    world.change(round_, issue, world.members[0], "C.9")
    close_round(round_=round_, by=world.lead)
    with pytest.raises(LabelRevealed):
        world.change(round_, issue, world.members[1], "C.9")
    assert Decision.objects.count() == 0


def test_change_refusals():
    world, other = small_world(), small_world()
    round_, issue, member = world.round(), world.issues[0], world.members[0]
    with pytest.raises(NotLabelled):
        world.change(round_, issue, member, "C.2")
    world.submit(round_, issue, member, "C.2")
    with pytest.raises(NotLabelled):
        world.change(round_, issue, world.members[1], "C.3")
    with pytest.raises(errors.NotYourTurn):
        world.change(round_, issue, world.lead, "C.3")
    with pytest.raises(errors.TooShallow):
        world.change(round_, issue, member, "C")
    with pytest.raises(SummaryTooLong):
        world.change(round_, issue, member, "C.3", "x" * 501)
    with pytest.raises(errors.UnknownCategory):
        change_label(
            round_=round_,
            issue=issue,
            member=member,
            given=factories.label_input(category=other.category("C.3"), summary="", unsure=False),
        )
    assert _stored() == [(member.pk, world.category("C.2").pk, "", False, False)]
