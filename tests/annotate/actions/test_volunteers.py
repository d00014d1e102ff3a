"""Changing an open round: labels stay, slots go where they should, and what is revealed stays as it is."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.actions.rounds import close_round
from annotate.actions.terms import admit, set_deadline, set_quota, take_back_admission
from annotate.actions.turns import next_turn
from annotate.actions.volunteers import (
    RemovedVolunteer,
    add_volunteer,
    raise_labels_per_issue,
    remove_volunteer,
)
from annotate.models import Draft
from consensus.models import Decision
from rounds import errors
from rounds.models import Assignment, Label, Round, RoundIssue, RoundVolunteer
from rounds.queries import volunteers as queries
from rounds.queries.volunteers import LabelsRaise, VolunteerAddition, VolunteerRemoval
from studies.actions import end_membership
from studies.models import Event, Role
from tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=1)]


def slots_of(round_, issue=None):
    """{(issue's place, slot): volunteer's pseudonym or None, "!" once submitted}"""
    places = dict(RoundIssue.objects.filter(round=round_).values_list("issue", "position"))
    found = Assignment.objects.filter(round=round_).select_related("volunteer")
    return {
        (places[one.issue_id], one.slot): (one.volunteer.pseudonym if one.volunteer else "free")
        + ("!" if one.submitted_at else "")
        for one in found
    }


def complete(round_):
    done = RoundIssue.objects.filter(round=round_, completed_at__isnull=False)
    return list(done.order_by("position").values_list("position", flat=True))


def said():
    return [
        (event.verb, event.detail) for event in Event.objects.exclude(verb="rounds.created").order_by("pk")
    ]


# Adding


@pytest.mark.world(issues=3, members=2)
def test_who_is_added_to_a_crossed_round_gets_what_is_not_revealed(world):
    round_ = world.round()
    for member in world.members:
        world.submit(round_, world.issues[0], member, "C.2")
    new = factories.make_member(world.study, pseudonym="R9")
    assert queries.addition(round_, new) == VolunteerAddition(slots=2, revealed=1, returns=False)
    assert add_volunteer(round_=round_, member=new, by=world.lead) == 2
    assert slots_of(round_) == {
        (1, 1): "R1!", (1, 2): "R2!",
        (2, 1): "R1", (2, 2): "R2", (2, 3): "R9",
        (3, 1): "R1", (3, 2): "R2", (3, 3): "R9",
    }  # fmt: skip
    round_.refresh_from_db()
    assert round_.labels_per_issue == 3
    assert complete(round_) == [1]
    assert said()[-1] == ("rounds.volunteer_added", {"round": round_.name, "member": "R9", "slots": 2})
    turn = next_turn(round_=round_, member=new)
    assert turn.issue.pk in {issue.pk for issue in world.issues[1:]}


@pytest.mark.world(issues=2, members=2)
def test_where_labels_stay_hidden_until_close_complete_issues_wait_again(world):
    round_ = world.round(reveal=Round.Reveal.ROUND_CLOSED)
    for member in world.members:
        world.submit(round_, world.issues[0], member, "C.2")
    assert complete(round_) == [1]
    new = factories.make_member(world.study, pseudonym="R9")
    assert queries.addition(round_, new) == VolunteerAddition(slots=2, revealed=0, returns=False)
    assert add_volunteer(round_=round_, member=new, by=world.lead) == 2
    assert complete(round_) == []
    world.submit(round_, world.issues[0], new, "C.2")
    assert complete(round_) == [1]


@pytest.mark.world(issues=2, members=2)
def test_who_is_added_to_a_k_of_n_round_claims(world):
    round_ = world.k_of_n(2)
    new = factories.make_member(world.study, pseudonym="R9")
    assert add_volunteer(round_=round_, member=new, by=world.lead) == 0
    assert Assignment.objects.filter(round=round_).count() == 4
    assert next_turn(round_=round_, member=new).issue in world.issues
    round_.refresh_from_db()
    assert round_.labels_per_issue == 2


@pytest.mark.world(issues=6, members=3)
@pytest.mark.parametrize("order", Round.Order.values)
def test_the_order_of_who_is_added_is_as_opening_would_have_made_it(world, order):
    planned = world.round(order=order, seed=7)
    late = world.round(order=order, seed=7, members=world.members[:2])
    add_volunteer(round_=late, member=world.members[2], by=world.lead)
    ranks = [
        list(
            Assignment.objects.filter(round=round_, volunteer=world.members[2])
            .order_by("issue")
            .values_list("issue", "slot", "rank")
        )
        for round_ in (planned, late)
    ]
    assert ranks[0] == ranks[1]


def test_only_members_who_label_and_do_not_yet_are_added(world):
    round_ = world.round()
    gone = factories.make_member(world.study, pseudonym="G")
    end_membership(member=gone, by=gone.user)
    unfit = "%s cannot label in this study. Choose an owner, a lead or a volunteer."
    for member, words in (
        (world.members[0], "R1 already labels in this round. Nothing was changed."),
        (factories.make_member(world.study, Role.VIEWER, pseudonym="V"), unfit % "V"),
        (factories.make_member(world.study, Role.MODEL, pseudonym="M"), unfit % "M"),
        (gone, unfit % "G"),
        (factories.make_member(factories.make_study(), pseudonym="S"), unfit % "S"),
    ):
        with pytest.raises(errors.VolunteerRefused) as refusal:
            add_volunteer(round_=round_, member=member, by=world.lead)
        assert str(refusal.value) == words
    assert RoundVolunteer.objects.filter(round=round_).count() == 3


def test_only_a_lead_changes_a_round_and_only_an_open_one(world):
    new = factories.make_member(world.study)
    planned, round_ = world.round(opened=False), world.round()
    with pytest.raises(errors.NotAllowed):
        add_volunteer(round_=round_, member=new, by=world.members[0])
    with pytest.raises(errors.NotAllowed):
        remove_volunteer(round_=round_, member=world.members[0], by=world.members[1])
    with pytest.raises(errors.RoundNotOpen):
        add_volunteer(round_=planned, member=new, by=world.lead)
    close_round(round_=round_, by=world.lead)
    for act in (
        lambda: add_volunteer(round_=round_, member=new, by=world.lead),
        lambda: remove_volunteer(round_=round_, member=world.members[0], by=world.lead),
        lambda: raise_labels_per_issue(round_=round_, to=9, by=world.lead),
        lambda: set_deadline(round_=round_, deadline=None, by=world.lead),
    ):
        with pytest.raises(errors.RoundClosed):
            act()


# Removing


@pytest.mark.world(issues=4, members=3)
def test_who_is_removed_from_a_crossed_round_keeps_labels_and_frees_what_waited_for_them(world):
    round_ = world.round()
    one, two, three = world.members
    for member in (one, two):
        world.submit(round_, world.issues[0], member, "C.2")
    for member, code in ((one, "C.2"), (two, "C.3")):
        world.submit(round_, world.issues[1], member, code)
    world.submit(round_, world.issues[2], three, "C.3", summary="mine")
    world.draft(round_, world.issues[3], three, None, "typed")
    assert queries.removal(round_, three) == VolunteerRemoval(
        labels=1, open_slots=3, handed=0, completed=2, left=2
    )
    assert remove_volunteer(round_=round_, member=three, by=world.lead) == RemovedVolunteer(0, 3, 2)
    assert slots_of(round_) == {
        (1, 1): "R1!", (1, 2): "R2!",
        (2, 1): "R1!", (2, 2): "R2!",
        (3, 1): "R1", (3, 2): "R2", (3, 3): "R3!",
        (4, 1): "R1", (4, 2): "R2",
    }  # fmt: skip
    assert complete(round_) == [1, 2]
    assert list(Decision.objects.values_list("issue", "method")) == [(world.issues[0].pk, "unanimous")]
    assert Label.objects.get(volunteer=three).summary == "mine"
    assert Draft.objects.get(volunteer=three).summary == "typed"
    assert RoundVolunteer.objects.get(round=round_, member=three).left_at is not None
    with pytest.raises(errors.RemovedFromRound):
        world.submit(round_, world.issues[3], three, "C.2")
    for member in (one, two):
        world.submit(round_, world.issues[2], member, "C.3")
    assert complete(round_) == [1, 2, 3]
    assert said()[-1] == (
        "rounds.volunteer_removed",
        {"round": round_.name, "member": "R3", "handed_over": 0, "given_back": 3, "to": ""},
    )


@pytest.mark.world(issues=3, members=2)
def test_adding_a_removed_volunteer_again_gives_the_same_column(world):
    round_ = world.round()
    one, two = world.members
    world.submit(round_, world.issues[0], two, "C.2")
    world.submit(round_, world.issues[1], one, "C.2")
    remove_volunteer(round_=round_, member=two, by=world.lead)
    assert complete(round_) == [2]
    assert queries.addition(round_, two) == VolunteerAddition(slots=1, revealed=1, returns=True)
    assert add_volunteer(round_=round_, member=two, by=world.lead) == 1
    assert RoundVolunteer.objects.get(round=round_, member=two).left_at is None
    assert slots_of(round_) == {
        (1, 1): "R1", (1, 2): "R2!",
        (2, 1): "R1!",
        (3, 1): "R1", (3, 2): "R2",
    }  # fmt: skip


@pytest.mark.world(issues=3, members=2)
def test_a_crossed_round_is_handed_over_to_somebody_new(world):
    round_ = world.round()
    one, two = world.members
    world.submit(round_, world.issues[0], two, "C.2")
    new = factories.make_member(world.study, pseudonym="R9")
    assert queries.removal(round_, two, new) == VolunteerRemoval(
        labels=1, open_slots=2, handed=2, completed=None, left=1
    )
    assert remove_volunteer(round_=round_, member=two, by=world.lead, to=new) == RemovedVolunteer(2, 0, 0)
    assert slots_of(round_) == {
        (1, 1): "R1", (1, 2): "R2!",
        (2, 1): "R1", (2, 3): "R9",
        (3, 1): "R1", (3, 3): "R9",
    }  # fmt: skip
    world.submit(round_, world.issues[1], new, "C.2")
    world.submit(round_, world.issues[1], one, "C.2")
    assert complete(round_) == [2]
    with pytest.raises(errors.VolunteerRefused, match="R9 already labels every issue of this round"):
        remove_volunteer(round_=round_, member=one, by=world.lead, to=new)
    # Back to the one who was removed: what they have labelled already they do not get again.
    assert remove_volunteer(round_=round_, member=one, by=world.lead, to=two) == RemovedVolunteer(1, 1, 1)
    assert slots_of(round_) == {
        (1, 2): "R2!",
        (2, 1): "R1!", (2, 3): "R9!",
        (3, 2): "R2", (3, 3): "R9",
    }  # fmt: skip


@pytest.mark.world(issues=4, members=3)
def test_a_k_of_n_round_gets_its_slots_back_or_a_named_person_gets_them(world):
    round_ = world.k_of_n(2)
    one, two, three = world.members
    free = Assignment.objects.filter(round=round_)
    for issue, member in ((0, one), (1, one), (2, two), (0, two)):
        slot = free.filter(issue=world.issues[issue], volunteer=None).first()
        Assignment.objects.filter(pk=slot.pk).update(
            volunteer=member, lease_until=timezone.now() + timedelta(hours=1)
        )
    assert queries.removal(round_, one, two) == VolunteerRemoval(
        labels=0, open_slots=2, handed=1, completed=None, left=2
    )
    assert remove_volunteer(round_=round_, member=one, by=world.lead, to=two) == RemovedVolunteer(1, 1, 0)
    assert sorted(slots_of(round_).values()) == ["R2", "R2", "R2", *["free"] * 5]
    held = Assignment.objects.get(issue=world.issues[1], volunteer=two)
    assert held.lease_until > timezone.now() + timedelta(minutes=59)
    assert remove_volunteer(round_=round_, member=two, by=world.lead) == RemovedVolunteer(0, 3, 0)
    assert set(slots_of(round_).values()) == {"free"}
    # A trace of what was theirs, for what they were typing.
    assert set(Draft.objects.values_list("volunteer__pseudonym", "summary", "revision")) == {
        ("R1", "", 0),
        ("R2", "", 0),
    }
    assert next_turn(round_=round_, member=three) is not None


@pytest.mark.world(issues=1, members=2)
def test_a_round_keeps_a_volunteer(world):
    round_ = world.round()
    one, two = world.members
    end_membership(member=two, by=two.user)
    with pytest.raises(errors.VolunteerRefused) as refusal:
        remove_volunteer(round_=round_, member=one, by=world.lead)
    assert str(refusal.value) == (
        "A round needs at least one volunteer. Add another volunteer first, or close the round."
    )
    with pytest.raises(errors.VolunteerRefused, match="Choose another volunteer for these issues"):
        remove_volunteer(round_=round_, member=one, by=world.lead, to=one)
    assert RoundVolunteer.objects.filter(round=round_, left_at=None).count() == 2
    with pytest.raises(errors.VolunteerRefused, match="Lead does not label in this round"):
        remove_volunteer(round_=round_, member=world.lead, by=world.lead)


@pytest.mark.world(issues=2, members=2)
def test_who_left_the_study_holds_up_a_crossed_round_until_they_are_removed(world):
    round_ = world.round()
    one, two = world.members
    end_membership(member=two, by=two.user)
    world.submit(round_, world.issues[0], one, "C.2")
    assert complete(round_) == []
    assert [seat.is_stuck for seat in queries.seats(round_)] == [False, True]
    assert remove_volunteer(round_=round_, member=two, by=world.lead).completed == 1
    assert complete(round_) == [1]
    assert [seat.is_stuck for seat in queries.seats(round_)] == [False, False]


@pytest.mark.world(issues=1, members=2)
def test_nothing_is_decided_nor_told_before_close_where_labels_stay_hidden(world):
    round_ = world.round(reveal=Round.Reveal.ROUND_CLOSED)
    world.submit(round_, world.issues[0], world.members[0], "C.2")
    assert queries.removal(round_, world.members[1]).completed is None
    remove_volunteer(round_=round_, member=world.members[1], by=world.lead)
    assert not Decision.objects.exists()
    close_round(round_=round_, by=world.lead)
    assert Decision.objects.get().method == "unanimous"


# More labels per issue


@pytest.mark.world(issues=3, members=3)
def test_k_is_raised_on_what_is_not_revealed(world):
    round_ = world.k_of_n(1)
    world.submit(round_, world.issues[0], world.members[0], "C.2")
    assert queries.raising(round_, 3) == LabelsRaise(issues=2, slots=4, revealed=1)
    assert raise_labels_per_issue(round_=round_, to=3, by=world.lead) == 4
    assert slots_of(round_) == {
        (1, 1): "R1!",
        **{(issue, slot): "free" for issue in (2, 3) for slot in (1, 2, 3)},
    }
    ranks = Assignment.objects.filter(issue=world.issues[1]).values_list("rank", flat=True)
    assert len(set(ranks)) == 1
    assert complete(round_) == [1]
    round_.refresh_from_db()
    assert round_.labels_per_issue == 3
    assert said()[-1][1] == {"round": round_.name, "before": 1, "after": 3, "slots": 4}


@pytest.mark.world(issues=2, members=5)
def test_raising_k_makes_complete_issues_wait_where_labels_stay_hidden_and_raises_the_majority(world):
    round_ = world.k_of_n(3, reveal=Round.Reveal.ROUND_CLOSED, rule=Round.Rule.MAJORITY, majority=2)
    for member in world.members[:3]:
        world.submit(round_, world.issues[0], member, "C.2")
    assert complete(round_) == [1]
    assert raise_labels_per_issue(round_=round_, to=5, by=world.lead) == 4
    assert complete(round_) == []
    round_.refresh_from_db()
    assert round_.majority == 3  # it stays more than half


@pytest.mark.world(issues=1, members=4)
@pytest.mark.parametrize(
    ("to", "words"),
    [
        (2, "Each issue of this round already gets 2 labels. Enter a higher number."),
        (1, "Each issue of this round already gets 2 labels. Enter a higher number."),
        (4, "4 labels per issue need 4 volunteers. This round has 3 volunteers: add more first."),
    ],
)
def test_k_only_grows_and_never_beyond_the_volunteers(world, to, words):
    round_ = world.k_of_n(2)
    remove_volunteer(round_=round_, member=world.members[3], by=world.lead)
    with pytest.raises(errors.VolunteerRefused) as refusal:
        raise_labels_per_issue(round_=round_, to=to, by=world.lead)
    assert str(refusal.value) == words
    assert Assignment.objects.count() == 2
    with pytest.raises(errors.VolunteerRefused, match="For one more label per issue, add a volunteer"):
        raise_labels_per_issue(round_=world.round(), to=4, by=world.lead)


# Quota, deadline, admission


@pytest.mark.world(issues=4, members=2)
def test_a_quota_ends_the_claims(world):
    round_ = world.k_of_n(1)
    one = world.members[0]
    assert set_quota(round_=round_, member=one, by=world.lead, quota=1).quota == 1
    assert said()[-1] == (
        "rounds.quota_set",
        {"round": round_.name, "member": "R1", "before": "", "after": 1},
    )
    world.submit(round_, world.issues[0], one, "C.2")
    assert next_turn(round_=round_, member=one) is None
    events = Event.objects.count()
    set_quota(round_=round_, member=one, by=world.lead, quota=1)
    assert Event.objects.count() == events
    set_quota(round_=round_, member=one, by=world.lead, quota=None)
    assert next_turn(round_=round_, member=one) is not None
    with pytest.raises(errors.VolunteerRefused, match="one label or more"):
        set_quota(round_=round_, member=one, by=world.lead, quota=0)
    with pytest.raises(errors.VolunteerRefused, match="nobody has a quota"):
        set_quota(round_=world.round(), member=one, by=world.lead, quota=3)


def test_a_deadline_is_set_moved_and_taken_away(world):
    round_ = world.round(opened=False)
    later = timezone.now() + timedelta(days=3)
    assert set_deadline(round_=round_, by=world.lead, deadline=later).deadline == later
    with pytest.raises(errors.VolunteerRefused, match="This deadline is in the past"):
        set_deadline(round_=round_, by=world.lead, deadline=timezone.now())
    assert set_deadline(round_=round_, by=world.lead, deadline=None).deadline is None
    assert [verb for verb, _detail in said()] == ["rounds.deadline_set"] * 2


@pytest.mark.world(issues=2, members=1)
def test_a_lead_lets_somebody_in_without_the_training(world):
    training = world.round(opened=False, name="Training")
    Round.objects.filter(pk=training.pk).update(kind="training")
    round_ = world.round()
    Round.objects.filter(pk=round_.pk).update(training=training)
    round_.refresh_from_db()
    one = world.members[0]
    with pytest.raises(errors.TrainingFirst):
        world.submit(round_, world.issues[0], one, "C.2")
    for reason, told in ((" \n", "Give the reason"), ("x" * 401, "longer than 400 characters")):
        with pytest.raises(errors.VolunteerRefused, match=told) as refused:
            admit(round_=round_, member=one, by=world.lead, reason=reason)
        assert refused.value.field == "reason"
    volunteer = admit(round_=round_, member=one, by=world.lead, reason=" Wrote the guideline. ")
    assert (volunteer.admitted_by, volunteer.admitted_reason) == (world.lead, "Wrote the guideline.")
    again = admit(round_=round_, member=one, by=world.lead, reason="Another")
    assert (again.admitted_at, again.admitted_reason) == (volunteer.admitted_at, "Wrote the guideline.")
    world.submit(round_, world.issues[0], one, "C.2")
    assert take_back_admission(round_=round_, member=one, by=world.lead).admitted_reason == ""
    with pytest.raises(errors.TrainingFirst):
        world.submit(round_, world.issues[1], one, "C.2")
    (first, detail), (second, _detail) = said()[-2:]
    assert (first, second) == ("rounds.admitted", "rounds.admission_taken_back")
    assert detail["reason"] == "Wrote the guideline."
    with pytest.raises(errors.VolunteerRefused, match="needs no training"):
        admit(round_=world.round(), member=one, by=world.lead, reason="Why not")
