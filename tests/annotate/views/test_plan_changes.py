"""Pages on which a plan is edited, copied and deleted, and an opening is taken back."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from rounds.models import Round
from tests.worlds.pages import client, queries_of, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=6, members=3)]


def page(member, name, *args, query=""):
    return client(member).get(reverse(name, args=args) + query)


def posted(member, answer, address, **changes):
    form = answer.context["form"]
    held = {field.html_name: field.value() for field in form}
    return client(member).post(
        address, {name: value for name, value in (held | changes).items() if value not in (None, "", False)}
    )


def test_the_form_holds_the_plan_and_stores_a_changed_one(world):
    round_ = world.k_of_n(2, name="Main", quota=6, opened=False, deadline=timezone.now() + timedelta(days=9))
    address = reverse("edit_plan", args=[round_.pk])
    answer = page(world.lead, "edit_plan", round_.pk)
    said = text_of(answer)
    assert "Edit the plan of Main" in said
    form = answer.context["form"]
    assert {name: form[name].value() for name in ("name", "allocation", "labels_per_issue", "reveal")} == {
        "name": "Main", "allocation": "k_of_n", "labels_per_issue": 2, "reveal": "issue_complete",
    }  # fmt: skip
    assert form["members"].value() == [one.pk for one in world.members]
    assert [form[f"quota_{one.pk}"].value() for one in world.members] == [6, 6, 6]
    assert form["deadline"].value() == timezone.localdate(round_.deadline)

    answer = posted(
        world.lead, answer, address, name="Other name", members=[world.members[0].pk, world.members[2].pk]
    )

    assert answer.status_code == 302, answer.context["form"].errors
    now = Round.objects.get()
    assert (now.name, now.volunteers.count(), now.labels_per_issue) == ("Other name", 2, 2)


def test_a_refused_change_stays_in_the_form(world):
    world.round(name="Pilot", kind="pilot", opened=False)
    round_ = world.round(name="Main", opened=False)
    answer = posted(
        world.lead,
        page(world.lead, "edit_plan", round_.pk),
        reverse("edit_plan", args=[round_.pk]),
        name="Pilot",
    )
    assert answer.status_code == 422
    assert "The study already has a round with this name." in text_of(answer)
    assert Round.objects.get(pk=round_.pk).name == "Main"


def test_an_open_round_has_no_plan_to_edit(world):
    round_ = world.round(name="Main")
    assert page(world.lead, "edit_plan", round_.pk)["Location"] == round_.get_absolute_url()
    assert "Edit plan" not in text_of(page(world.lead, "round", round_.pk))


def test_an_opening_is_taken_back_and_the_round_deleted(world):
    round_ = world.round(name="Main")
    said = text_of(page(world.lead, "round", round_.pk))
    assert "Nobody has begun to label." in said
    answer = client(world.lead).post(reverse("take_back_opening", args=[round_.pk]), follow=True)
    assert "Main is a plan again." in answer.text
    assert "Edit plan" in text_of(answer)
    said = text_of(page(world.lead, "delete_round", round_.pk))
    assert "Delete Main?" in said
    assert "Issues in the plan 6 Volunteers in the plan 3" in said
    assert Round.objects.exists()
    answer = client(world.lead).post(reverse("delete_round", args=[round_.pk]), follow=True)
    assert "The round Main is deleted." in answer.text
    assert not Round.objects.exists()


def test_a_round_with_a_label_offers_neither(world):
    round_ = world.round(name="Main")
    world.submit(round_, world.issues[0], world.members[0], "C.2")
    said = text_of(page(world.lead, "round", round_.pk))
    assert "Delete round" not in said
    assert "Take back opening" not in said
    assert "Copy plan" in said
    answer = client(world.lead).post(reverse("delete_round", args=[round_.pk]))
    assert answer.status_code == 409
    assert "Somebody has begun to label in Main. Nothing was changed." in text_of(answer)


def test_a_copy_begins_with_the_plan(world):
    round_ = world.k_of_n(2, name="Main", rule="majority", majority=2, depth=1)
    answer = page(world.lead, "new_round", world.study.slug, query=f"?copy={round_.pk}")
    form = answer.context["form"]
    assert {name: form[name].value() for name in ("name", "depth", "rule", "majority", "labels_per_issue")} == {
        "name": "Main 2", "depth": 1, "rule": "majority", "majority": 2, "labels_per_issue": 2,
    }  # fmt: skip
    answer = posted(world.lead, answer, reverse("new_round", args=[world.study.slug]))
    assert answer.status_code == 302, answer.context["form"].errors
    assert list(Round.objects.order_by("pk").values_list("name", flat=True)) == ["Main", "Main 2"]


def test_a_copy_of_another_study_is_an_empty_form(world):
    from tests.worlds.world import small_world

    other = small_world().round(name="Of others")
    answer = page(world.lead, "new_round", world.study.slug, query=f"?copy={other.pk}")
    assert answer.context["form"]["name"].value() == "Main round"


def test_a_source_that_is_gone_becomes_the_issues_of_the_round(world):
    round_ = world.round(name="Main", opened=False, selection={"source": "filter:99999"})
    form = page(world.lead, "edit_plan", round_.pk).context["form"]
    assert form["source"].value() == f"round:{round_.pk}"


def test_a_pilot_is_not_coached_by_itself(world):
    pilot = world.round(name="Pilot", kind="pilot", opened=False, selection={"source": "issues"})
    answer = page(world.lead, "edit_plan", pilot.pk)
    assert answer.context["form"]["source"].value() == "issues"
    assert answer.context["preview"].coached == 0
    main = world.round(name="Main", opened=False)
    assert page(world.lead, "edit_plan", main.pk).context["preview"].coached == 6


def test_people_are_picked_by_name_too(world):
    member = world.members[0]
    round_ = world.round(name="Main", opened=False)
    known = f"{member.pseudonym} · {member.user.name}"
    for name in ("edit_plan", "round", "round_volunteers"):
        assert known in text_of(page(world.lead, name, round_.pk)), name
    assert known in text_of(page(world.lead, "new_round", world.study.slug))
    world.submit(world.round(name="Open"), world.issues[0], member, "C.2")
    assert known in text_of(page(world.lead, "new_meeting", Round.objects.get(name="Open").pk))


def test_a_viewer_sees_no_names(world):
    round_ = world.round(name="Main")
    member = world.members[0]
    member.user.name = "Somebody Secret"
    member.user.save()
    assert "Somebody Secret" in text_of(page(world.members[1], "round", round_.pk))
    viewer = world.members[2]
    viewer.role = "viewer"
    viewer.save()
    assert "Somebody Secret" not in text_of(page(viewer, "round", round_.pk))


def test_queries_do_not_grow_with_people(world):
    round_ = world.round(name="Main", opened=False, members=world.members[:1])
    reader = client(world.lead)
    few = queries_of(reader, reverse("edit_plan", args=[round_.pk]))
    other = world.round(name="Other", opened=False)
    assert queries_of(reader, reverse("edit_plan", args=[other.pk])) == few
