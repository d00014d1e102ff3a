"""Whatever comes between a volunteer and their label, what they typed survives: on the server, and in the answer."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.actions.rounds import close_round
from annotate.actions.turns import next_turn
from annotate.actions.volunteers import remove_volunteer
from annotate.models import Draft, Repeat
from annotate.queries.turns import current_turn
from rounds.models import Answer, Assignment, Label, Round, RoundVolunteer
from studies.actions import mark_guideline_read, publish_guideline
from studies.models import GuidelineReading
from tests.annotate.views.test_labels import FRAGMENT, JSON, _client, _form, _post, _text

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=1, members=1)]

TYPED = {
    "summary": "a thought of mine",
    "proposed_name": "Overheating",
    "proposed_reason": "None is of heat.",
}


def _drafts() -> list[tuple]:
    return list(Draft.objects.values_list("summary", "proposed_name", "proposed_reason"))


def _guideline(world, text, made_from=None):
    return publish_guideline(study=world.study, text=text, made_from=made_from, by=world.lead.user)


@pytest.mark.world(issues=2, members=1)
def test_a_guideline_that_changed_is_read_first_and_the_text_kept(world):
    round_, member = world.round(), world.members[0]
    old = _guideline(world, "Label what broke.")
    mark_guideline_read(member=member, guideline=old)
    page = _text(_client(member).get(reverse("label", args=[round_.pk])))
    assert f'name="guideline" value="{old.pk}"' in page
    form = _form(world, round_, member) | TYPED | {"guideline": old.pk}
    new = _guideline(world, "Label what the user wanted.", made_from=1)
    refused = _post(member, "submit_label", round_, form, **JSON)
    answer = refused.json()
    assert (refused.status_code, answer["code"], answer["kept"]) == (409, "StaleGuideline", True)
    assert answer["guideline"]["id"] == new.pk
    assert "<ins>the user wanted</ins>" in answer["guideline"]["changes"]
    assert f'name="guideline" value="{new.pk}"' in answer["turn"]
    assert 'data-proposed-name="Overheating"' in answer["turn"]
    assert _drafts() == [tuple(TYPED.values())]
    assert Label.objects.count() == 0
    assert GuidelineReading.objects.filter(guideline=new, member=member).count() == 0
    again = _post(member, "submit_label", round_, form | {"guideline": new.pk}, **JSON)
    assert again.status_code == 200
    assert Label.objects.get().guideline == new
    assert GuidelineReading.objects.filter(guideline=new, member=member).count() == 1
    assert Draft.objects.count() == 0


def test_a_first_guideline_is_new_to_a_page_that_showed_none(world):
    round_, member = world.round(), world.members[0]
    form = _form(world, round_, member) | {"guideline": ""}
    new = _guideline(world, "Label what broke.")
    refused = _post(member, "submit_label", round_, form, **JSON)
    assert refused.json()["code"] == "StaleGuideline"
    assert refused.json()["guideline"] == {"id": new.pk, "changes": ""}
    page = _post(member, "submit_label", round_, form)
    assert page.status_code == 409
    assert f'name="guideline" value="{new.pk}"' in _text(page)
    assert 'value="a short summary"' in _text(page)


def test_without_a_guideline_a_label_has_none(world):
    round_, member = world.round(), world.members[0]
    form = _form(world, round_, member) | {"guideline": ""}
    assert _post(member, "submit_label", round_, form, **JSON).status_code == 200
    assert Label.objects.get().guideline is None


@pytest.mark.world(issues=2, members=3)
@pytest.mark.parametrize("name", ["submit_label", "save_draft"])
def test_who_is_taken_out_of_the_round_keeps_what_they_typed(world, name):
    round_, member = world.round(), world.members[0]
    form = _form(world, round_, member) | TYPED
    remove_volunteer(round_=round_, member=member, by=world.lead)
    refused = _post(member, name, round_, form, **JSON)
    answer = refused.json()
    assert (refused.status_code, answer["code"], answer["kept"]) == (409, "RemovedFromRound", True)
    assert (_drafts(), Label.objects.count()) == ([tuple(TYPED.values())], 0)
    page = _post(member, name, round_, form)
    assert page.status_code == 409
    assert "a lead has taken you out" in _text(page)
    assert 'value="a thought of mine"' in _text(page)
    assert "You no longer label in this round" in _text(
        _client(member).get(reverse("label", args=[round_.pk]))
    )
    assert _client(member).post(reverse("ahead", args=[round_.pk]), headers=JSON).json() == {"next": None}


@pytest.mark.world(issues=2, members=2)
@pytest.mark.parametrize("name", ["submit_label", "save_draft"])
def test_who_has_a_training_to_pass_first_keeps_what_they_typed(world, name):
    round_, member = world.round(), world.members[0]
    form = _form(world, round_, member) | TYPED
    training = world.round(name="Training", opened=False, kind=Round.Kind.TRAINING, pass_mark=50)
    for issue in world.issues:
        Answer.objects.create(
            round=training,
            issue=issue,
            category=world.category("C.2"),
            explanation="So.",
            given_by=world.lead,
        )
    Round.objects.filter(pk=round_.pk).update(training=training)
    answer = _post(member, name, round_, form, **JSON)
    assert (answer.status_code, answer.json()["code"], answer.json()["kept"]) == (409, "TrainingFirst", True)
    assert (_drafts(), Label.objects.count()) == ([tuple(TYPED.values())], 0)


@pytest.mark.world(issues=1, members=2)
def test_a_lost_lease_keeps_the_work_as_a_surplus_label(world):
    round_ = world.k_of_n(1)
    slow, quick = world.members
    issue = next_turn(round_=round_, member=slow).issue
    form = _form(world, round_, slow) | TYPED
    Assignment.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert next_turn(round_=round_, member=quick).issue == issue
    answer = _post(slow, "submit_label", round_, form, **JSON)
    assert answer.status_code == 200
    label = Label.objects.get()
    assert (label.surplus, label.summary, label.proposal.name) == (True, "a thought of mine", "Overheating")


def test_an_ended_session_is_said_as_json_and_shows_what_was_typed(world):
    round_, member = world.round(), world.members[0]
    form = _form(world, round_, member) | TYPED
    for name in ("submit_label", "save_draft", "skip_issue", "ahead"):
        answer = Client().post(reverse(name, args=[round_.pk]), form, headers=JSON)
        assert (answer.status_code, answer["Content-Type"]) == (401, "application/json")
        assert "Your session has ended." in _text(answer)
    fragment = Client().post(reverse("submit_label", args=[round_.pk]), form, headers=FRAGMENT)
    assert fragment.status_code == 401
    assert "Your session has ended." in _text(fragment)
    page = Client().post(reverse("submit_label", args=[round_.pk]), form)
    assert page.status_code == 401
    assert all(text in _text(page) for text in TYPED.values())


def test_two_tabs_see_both_texts_and_what_each_proposes(world):
    round_, member = world.round(), world.members[0]
    form = _form(world, round_, member) | TYPED
    world.draft(
        round_,
        world.issues[0],
        member,
        "C.9",
        "there",
        unsure=True,
        proposed_name="Fire",
        proposed_reason="It burns.",
    )
    answer = _post(member, "save_draft", round_, form, **JSON)
    assert answer.status_code == 409
    assert answer.json() == {
        "detail": "You changed this draft in another window. Both texts are below: choose which text to keep.",
        "code": "StaleDraft",
        "kept": False,
        "issue": world.issues[0].pk,
        "stored": {
            "category": world.category("C.9").pk,
            "summary": "there",
            "unsure": True,
            "proposed_name": "Fire",
            "proposed_reason": "It burns.",
            "revision": 1,
        },
    }
    page = _post(member, "save_draft", round_, form)
    assert page.status_code == 409
    assert all(text in _text(page) for text in (*TYPED.values(), "there"))
    assert Draft.objects.get().proposed_name == "Fire"


@pytest.mark.world(issues=2, members=1)
def test_a_double_click_on_an_open_label_proposes_once(world):
    round_, member = world.round(), world.members[0]
    form = _form(world, round_, member, None) | TYPED
    answers = [_post(member, "submit_label", round_, form, **JSON).json() for _ in range(2)]
    assert [answer["saved"]["category"] for answer in answers] == [None, None]
    assert answers[0]["next"]["issue"] == answers[1]["next"]["issue"]
    assert answers[0]["said"] == "Saved “Overheating”."
    assert Label.objects.get().proposal.name == "Overheating"


# What the page has ahead


def _ahead(member, round_, *have):
    turn = (
        _client(member).post(reverse("ahead", args=[round_.pk]), {"have": have}, headers=JSON).json()["next"]
    )
    return turn["issue"] if turn else None


@pytest.mark.world(issues=4, members=1)
def test_the_turns_ahead_follow_those_in_hand_and_submitting_skips_them(world):
    round_, member = world.round(), world.members[0]
    slots = Assignment.objects.filter(round=round_, volunteer=member).order_by("rank")
    order = list(slots.values_list("issue", flat=True))
    assert _ahead(member, round_) == order[0]
    assert _ahead(member, round_, order[0]) == order[1]
    assert _ahead(member, round_, order[0], order[1]) == order[2]
    form = _form(world, round_, member)
    answer = _post(member, "submit_label", round_, form | {"have": order[1:3]}, **JSON).json()
    assert (answer["next"]["issue"], answer["go"]) == (order[3], None)
    answer = _post(
        member, "submit_label", round_, _form(world, round_, member) | {"have": order[2:]}, **JSON
    ).json()
    assert (answer["next"], answer["go"]) == (None, None)  # two are in hand: no end yet
    assert Assignment.objects.exclude(submitted_at=None).count() == 2


@pytest.mark.world(issues=8, members=2)
def test_in_a_round_of_some_three_slots_are_held_at_most_and_the_first_comes_first(world):
    round_, member = world.k_of_n(1), world.members[0]
    first = _ahead(member, round_)
    second = _ahead(member, round_, first)
    third = _ahead(member, round_, first, second)
    assert len({first, second, third}) == 3
    assert _ahead(member, round_, first, second, third) is None
    assert _ahead(member, round_, first) in {second, third}  # one that is held comes before another claim
    held = Assignment.objects.filter(round=round_, volunteer=member)
    assert held.count() == 3
    assert current_turn(round_, member).issue.pk == first
    form = _form(world, round_, member)
    answer = _post(member, "submit_label", round_, form | {"have": [second, third]}, **JSON).json()
    assert answer["next"]["issue"] not in {first, second, third}
    assert current_turn(round_, member).issue.pk == second
    Assignment.objects.filter(submitted_at=None, volunteer=member).update(
        lease_until=timezone.now() + timedelta(minutes=1)
    )
    _post(member, "save_draft", round_, form | {"issue": second, "revision": 0}, **JSON)
    leases = held.filter(submitted_at=None).values_list("lease_until", flat=True)
    assert min(leases) > timezone.now() + timedelta(minutes=round_.lease_minutes - 1)
    assert current_turn(round_, member).issue.pk == second


@pytest.mark.world(issues=8, members=2)
def test_nobody_claims_beyond_their_quota(world):
    round_, member = world.k_of_n(1), world.members[0]
    RoundVolunteer.objects.filter(member=member).update(quota=2)
    first = _ahead(member, round_)
    second = _ahead(member, round_, first)
    assert second is not None
    assert _ahead(member, round_, first, second) is None
    for _ in range(2):
        answer = _post(member, "submit_label", round_, _form(world, round_, member), **JSON)
    assert (answer.json()["next"], answer.json()["go"]) == (None, reverse("label", args=[round_.pk]))
    assert _ahead(member, round_) is None
    assert _ahead(world.members[1], round_) is not None
    client = _client(member)
    done = client.post(reverse("next_issue", args=[round_.pk])).content.decode()
    assert "You have given all labels that the lead asked for. Thank you." in done
    assert "Continue labelling" not in client.get(reverse("own_labels", args=[round_.pk])).content.decode()


@pytest.mark.world(issues=2, members=1)
def test_a_training_gives_nothing_ahead_and_goes_to_its_answer(world):
    round_ = world.round(opened=False, kind=Round.Kind.TRAINING, pass_mark=50)
    for issue in world.issues:
        Answer.objects.create(
            round=round_, issue=issue, category=world.category("C.3"), explanation="So.", given_by=world.lead
        )
    Round.objects.filter(pk=round_.pk).update(opened_at=timezone.now())
    round_.refresh_from_db()
    member = world.members[0]
    assert _ahead(member, round_) is None
    form = _form(world, round_, member)
    answer = _post(member, "submit_label", round_, form, **JSON).json()
    assert (answer["next"], answer["go"]) == (
        None,
        f"{reverse('label', args=[round_.pk])}?issue={form['issue']}",
    )
    page = _text(_client(member).get(answer["go"]))
    assert "The right label" in page
    assert 'id="label-form"' not in page
    change = form | {
        "seen": Label.objects.get().submitted_at.isoformat(),
        "category": world.category("C.9").pk,
    }
    assert _post(member, "change_label", round_, change, **JSON).json()["code"] == "LabelRevealed"
    assert Repeat.objects.count() == 0


# Two devices, one issue


def test_a_refused_answer_does_not_overwrite_what_another_device_has_saved(world):
    round_, member = world.round(), world.members[0]
    form = _form(world, round_, member) | TYPED  # as the page was before the other device wrote
    _post(member, "save_draft", round_, form | {"summary": "a long thought, elsewhere"}, **JSON)
    close_round(round_=round_, by=world.lead)
    answer = _post(member, "submit_label", round_, form, **JSON).json()
    assert (answer["code"], answer["kept"]) == ("RoundClosed", False)
    assert Draft.objects.get().summary == "a long thought, elsewhere"
    page = _text(_post(member, "submit_label", round_, form))
    assert all(text in page for text in (*TYPED.values(), "a long thought, elsewhere"))


def test_a_change_that_comes_after_reveal_is_shown_back_without_script(world):
    round_, member = world.round(), world.members[0]
    form = _form(world, round_, member)
    _post(member, "submit_label", round_, form, **JSON)
    seen = Label.objects.get().submitted_at.isoformat()
    page = _post(member, "change_label", round_, form | TYPED | {"seen": seen})
    assert page.status_code == 409
    assert all(text in _text(page) for text in ("Your change came too late", *TYPED.values()))


def test_a_refused_answer_that_says_more_than_its_draft_takes_its_place(world):
    round_, member = world.round(), world.members[0]
    form = _form(world, round_, member) | TYPED
    _post(member, "save_draft", round_, form | {"summary": "a thought"}, **JSON)
    close_round(round_=round_, by=world.lead)
    assert _post(member, "submit_label", round_, form, **JSON).json()["kept"] is True
    assert _drafts() == [tuple(TYPED.values())]


@pytest.mark.world(issues=1, members=2)
@pytest.mark.parametrize(
    ("elsewhere", "knew", "stays"),
    [
        ({"summary": "a long thought, elsewhere"}, 0, True),
        ({"summary": "a long thought, elsewhere"}, 1, False),
        ({"summary": "a short"}, 0, False),
        ({"summary": "", "proposed_name": "Fire", "proposed_reason": "It burns."}, 0, True),
    ],
)
def test_a_label_leaves_a_draft_that_its_form_did_not_know_as_a_change_to_come(world, elsewhere, knew, stays):
    round_, member = world.round(), world.members[0]
    form = _form(world, round_, member)
    _post(member, "save_draft", round_, form | elsewhere, **JSON)
    assert _post(member, "submit_label", round_, form | {"revision": knew}, **JSON).status_code == 200
    assert Label.objects.get().summary == "a short summary"
    assert Draft.objects.count() == stays
    page = _text(_client(member).get(reverse("label", args=[round_.pk]) + f"?issue={form['issue']}"))
    assert (elsewhere["summary"] or "It burns.") in page or not stays


@pytest.mark.world(issues=1, members=2)
def test_a_change_made_under_an_older_guideline_is_read_first_too(world):
    round_, member = world.round(), world.members[0]
    old = _guideline(world, "Label what broke.")
    form = _form(world, round_, member) | {"guideline": old.pk}
    _post(member, "submit_label", round_, form, **JSON)
    new = _guideline(world, "Label what the user wanted.", made_from=1)
    seen = Label.objects.get().submitted_at.isoformat()
    change = form | {"seen": seen, "category": world.category("C.3").pk}
    answer = _post(member, "change_label", round_, change, **JSON).json()
    assert (answer["code"], answer["guideline"]["id"]) == ("StaleGuideline", new.pk)
    assert (Label.objects.get().guideline, Label.objects.get().category) == (old, world.category("C.2"))
    assert _post(member, "change_label", round_, change | {"guideline": new.pk}, **JSON).status_code == 200
    assert (Label.objects.get().guideline, Label.objects.get().category) == (new, world.category("C.3"))
