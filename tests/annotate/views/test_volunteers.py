"""The pages on which an open round is changed: numbers first, then the change."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.actions.rounds import close_round
from annotate.actions.volunteers import remove_volunteer
from ingest.models import Issue
from rounds.models import Assignment, Round, RoundVolunteer
from studies.actions import end_membership
from studies.models import Role
from tests import factories
from tests.worlds.pages import client, queries_of, text_of
from tests.worlds.trained import label_as, main_after, training
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=4, members=3)]


def get(member, name, /, *args, **query):
    return client(member).get(reverse(name, args=args), query)


def post(member, name, /, *args, **form):
    return client(member).post(reverse(name, args=args), form)


def active(round_):
    found = RoundVolunteer.objects.filter(round=round_, left_at=None).order_by("column")
    return [one.member.pseudonym for one in found.select_related("member")]


def test_the_page_shows_who_labels(world):
    round_ = world.round()
    world.submit(round_, world.issues[0], world.members[0], "C.2")
    text = text_of(get(world.lead, "round_volunteers", round_.pk))
    one, two = (member.known_as for member in world.members[:2])
    assert f"1 R1 {one} 1 3 Take out … {one} 2 R2 {two} 0 4 Take out … {two}" in text
    assert "Change" in text_of(get(world.lead, "round", round_.pk))


def test_adding_is_shown_in_numbers_and_then_done(world):
    round_ = world.round()
    for member in world.members:
        world.submit(round_, world.issues[0], member, "C.2")
    new = factories.make_member(world.study, pseudonym="R9")
    page = text_of(get(world.lead, "add_volunteer", round_.pk, member=new.pk))
    assert f"Add {new.known_as} Nothing has changed yet." in page
    assert "Issues to label 3 Revealed issues, not changed 1" in page
    assert active(round_) == ["R1", "R2", "R3"]
    key = uuid4()
    for _ in range(2):
        answer = post(world.lead, "add_volunteer", round_.pk, member=new.pk, form_key=key)
        assert (answer.status_code, answer["Location"]) == (
            302,
            reverse("round_volunteers", args=[round_.pk]),
        )
    assert active(round_) == ["R1", "R2", "R3", "R9"]
    assert "at most" not in text_of(get(world.lead, "round", round_.pk))


def test_who_labels_already_is_not_to_be_chosen(world):
    round_ = world.round()
    answer = get(world.lead, "add_volunteer", round_.pk, member=world.members[0].pk)
    assert answer.status_code == 422
    assert "Select a valid choice." in text_of(answer)


def test_removing_is_shown_in_numbers_and_then_done(world):
    round_ = world.round()
    one, two, three = world.members
    world.submit(round_, world.issues[0], one, "C.2")
    world.submit(round_, world.issues[0], two, "C.2")
    world.submit(round_, world.issues[1], three, "C.2")
    page = text_of(get(world.lead, "remove_volunteer", round_.pk, three.pk))
    assert "Labels that are kept 1 Issues without a label of this volunteer 3" in page
    assert "Issues that become complete by this change 1" in page
    new = factories.make_member(world.study, pseudonym="R9")
    page = text_of(get(world.lead, "remove_volunteer", round_.pk, three.pk, to=new.pk))
    assert f"Issues that go to {new.known_as} 3" in page
    assert "become complete" not in page
    answer = post(world.lead, "remove_volunteer", round_.pk, three.pk, to="")
    assert answer.status_code == 302
    assert active(round_) == ["R1", "R2"]
    shown = text_of(get(world.lead, "round_volunteers", round_.pk))
    assert (
        f"{three.known_as} no longer labels in" in shown
        or f"R3 {three.known_as} taken out 1 0 Add again" in shown
    )
    assert "at most 3" in text_of(get(world.lead, "round", round_.pk))


def test_what_would_be_complete_is_not_told_while_labels_stay_hidden(world):
    round_ = world.round(reveal=Round.Reveal.ROUND_CLOSED)
    one, two, three = world.members
    world.submit(round_, world.issues[0], one, "C.2")
    world.submit(round_, world.issues[0], two, "C.2")
    assert "become complete" not in text_of(get(world.lead, "remove_volunteer", round_.pk, three.pk))
    assert "shown after closing" in text_of(get(world.lead, "close_round", round_.pk))
    assert get(world.lead, "incomplete_issues", round_.pk).status_code == 404
    signed_in = client(world.lead)
    signed_in.post(reverse("remove_volunteer", args=[round_.pk, three.pk]), {"to": ""})
    assert "become complete" not in text_of(signed_in.get(reverse("round_volunteers", args=[round_.pk])))


def test_who_left_the_study_is_shown_with_the_way_out(world):
    round_ = world.round()
    end_membership(member=world.members[2], by=world.members[2].user)
    page = get(world.lead, "round", round_.pk)
    left = world.members[2].known_as
    assert (
        f"{left} left the study. 4 issues of this round wait for their labels and cannot be complete."
        in text_of(page)
    )
    assert reverse("remove_volunteer", args=[round_.pk, world.members[2].pk]) in page.content.decode()
    assert "wait for their labels" not in text_of(get(world.members[0], "round", round_.pk))
    assert post(world.lead, "remove_volunteer", round_.pk, world.members[2].pk).status_code == 302
    assert "wait for their labels" not in text_of(get(world.lead, "round", round_.pk))


def test_k_is_raised_after_its_numbers(world):
    round_ = world.k_of_n(2)
    page = text_of(get(world.lead, "raise_labels", round_.pk, to=3))
    assert "Raise the labels per issue from 2 to 3" in page
    assert "Issues that get more labels 4 Additional assignments 4" in page
    assert Assignment.objects.filter(round=round_).count() == 8
    refused = get(world.lead, "raise_labels", round_.pk, to=9)
    assert refused.status_code == 409
    assert "9 labels per issue need 9 volunteers. This round has 3 volunteers: add more first." in text_of(
        refused
    )
    assert post(world.lead, "raise_labels", round_.pk, to=3).status_code == 302
    assert Assignment.objects.filter(round=round_).count() == 12


def test_quotas_are_set_and_say_when_they_are_too_small(world):
    round_ = world.k_of_n(2)
    for member in world.members:
        assert post(world.lead, "set_quota", round_.pk, member.pk, quota=2).status_code == 302
    text = text_of(get(world.lead, "round_volunteers", round_.pk))
    assert "2 assignments have no volunteer. Raise a quota or add a volunteer." in text
    assert post(world.lead, "set_quota", round_.pk, world.members[0].pk, quota="many").status_code == 422
    assert post(world.lead, "set_quota", round_.pk, world.members[0].pk, quota="").status_code == 302
    text = text_of(get(world.lead, "round_volunteers", round_.pk))
    assert "Raise a quota or add a volunteer" not in text


def test_the_deadline_is_set_and_overdue_is_said(world):
    round_ = world.round()
    day = (timezone.localtime() + timedelta(days=2)).date()
    assert post(world.lead, "set_deadline", round_.pk, deadline=day.isoformat()).status_code == 302
    round_.refresh_from_db()
    assert timezone.localtime(round_.deadline).date() == day
    assert "overdue" not in text_of(get(world.lead, "round", round_.pk))
    Round.objects.filter(pk=round_.pk).update(deadline=timezone.now() - timedelta(days=1))
    assert "overdue" in text_of(get(world.lead, "round", round_.pk))
    assert post(world.lead, "set_deadline", round_.pk, deadline="soon").status_code == 422
    assert post(world.lead, "set_deadline", round_.pk, deadline="2020-01-01").status_code == 409


def test_closing_a_complete_round_names_no_share_of_nothing(world):
    round_ = world.round(issues=Issue.objects.filter(pk=world.issues[0].pk))
    for member in world.members:
        world.submit(round_, world.issues[0], member, "C.2")
    page = text_of(get(world.lead, "close_round", round_.pk))
    assert "yet 0 of 3 Issues with missing labels 0 of 1 No label is missing." in page
    assert "disagreement is open" not in page


def test_closing_says_what_is_still_to_be_decided(world):
    round_ = world.round(issues=Issue.objects.filter(pk=world.issues[0].pk))
    for member, code in zip(world.members, ("C.2", "C.2", "C.9"), strict=True):
        world.submit(round_, world.issues[0], member, code)
    page = text_of(get(world.lead, "close_round", round_.pk))
    assert "1 disagreement is open. You can still decide this issue after closing." in page


def test_closing_lists_what_is_incomplete_and_the_file_says_how_much(world):
    round_ = world.round()
    for member in world.members:
        world.submit(round_, world.issues[0], member, "C.2")
    world.submit(round_, world.issues[1], world.members[0], "C.2")
    page = text_of(get(world.lead, "close_round", round_.pk))
    assert "Labels not given yet 8 67 % of 12 Issues with missing labels 3 75 % of 4" in page
    assert get(world.lead, "incomplete_csv", round_.pk).status_code == 404
    close_round(round_=round_, by=world.lead)
    shown = text_of(get(world.lead, "round", round_.pk))
    assert "3 issues had missing labels when the round was closed." in shown
    body = b"".join(get(world.lead, "incomplete_csv", round_.pk).streaming_content).decode()
    issues = world.issues[1:]
    assert body.splitlines() == [
        "Issue_URL,Repository,Number,Labels,Wanted",
        *(
            f"{issue.url},{world.repository.path},{issue.number},{given},3"
            for issue, given in zip(issues, (1, 0, 0), strict=True)
        ),
    ]
    assert get(world.lead, "close_round", round_.pk).status_code == 302


def test_incomplete_issues_come_in_pages(world, monkeypatch):
    monkeypatch.setattr("core.pages.ON_A_PAGE", 3)
    round_ = world.round()
    first = get(world.members[0], "incomplete_issues", round_.pk)
    assert [f"#{issue.number}" in text_of(first) for issue in world.issues] == [True, True, True, False]
    assert "?after=3" in first.content.decode()
    second = text_of(get(world.members[0], "incomplete_issues", round_.pk, after=3))
    assert f"#{world.issues[3].number}" in second
    assert "Show next issues" not in second
    assert get(world.members[0], "incomplete_issues", round_.pk, after="x").status_code == 404


@pytest.mark.parametrize(
    ("name", "most"),
    [("round", 18), ("round_volunteers", 15), ("close_round", 15), ("incomplete_issues", 15)],
)
@pytest.mark.slow(cases=2)
def test_pages_cost_the_same_for_one_and_for_three(name, most):
    counts = []
    for size in (1, 3):
        world = small_world(issues=size, members=size)
        counts.append(queries_of(client(world.lead), reverse(name, args=[world.round().pk])))
    assert counts[0] == counts[1] <= most


def test_a_round_is_changed_no_more_once_closed(world):
    round_ = world.round()
    remove_volunteer(round_=round_, member=world.members[2], by=world.lead)
    close_round(round_=round_, by=world.lead)
    text = text_of(get(world.lead, "round_volunteers", round_.pk))
    assert "The round is closed. You cannot change it any more." in text
    assert "Take" not in text
    refused = post(world.lead, "remove_volunteer", round_.pk, world.members[0].pk)
    assert refused.status_code == 409
    assert "This round is closed. Nothing was changed." in text_of(refused)


def test_who_is_taken_out_of_a_training_learns_no_right_label_and_may_come_back(world):
    other = factories.make_member(world.study, Role.LEAD, pseudonym="Lead 2")
    round_ = training(world, "C.1", "C.2", by=other, members=[world.lead, world.members[0]])
    remove_volunteer(round_=round_, member=world.lead, by=other)
    assert get(world.lead, "answers", round_.pk).status_code == 403
    assert get(other, "answers", round_.pk).status_code == 200
    close_round(round_=round_, by=other)
    assert get(world.lead, "answers", round_.pk).status_code == 200


@pytest.mark.parametrize(("kind", "page"), [("screening", "screening"), ("pilot", "pilot")])
def test_the_page_of_a_round_leads_to_what_came_of_it_once(world, kind, page):
    excludes = {"excludes": world.category("C")} if kind == "screening" else {}
    round_ = world.round(kind=kind, **excludes)
    body = get(world.lead, "round", round_.pk).content.decode()
    assert body.count(f'href="{reverse(page, args=[round_.pk])}"') == 1


def test_who_passed_the_training_is_told_once_it_is_closed_or_its_reader_may_watch_it(world):
    other = factories.make_member(world.study, Role.LEAD, pseudonym="Lead 2")
    asked = training(world, "C.1", "C.2", by=other, members=[*world.members[:2], world.lead])
    label_as(world, asked, world.members[0], "C.1", "C.2")
    label_as(world, asked, world.members[1], "C.1", "C.9")
    round_ = main_after(world, asked, members=world.members[:2])

    told = text_of(get(world.lead, "round_volunteers", round_.pk))
    assert told.count("Let in without the training") == 2
    assert "passed the training" not in told
    assert "has not passed the training" in text_of(get(other, "round_volunteers", round_.pk))

    close_round(round_=asked, by=world.lead)
    told = text_of(get(world.lead, "round_volunteers", round_.pk))
    one, two = (member.known_as for member in world.members[:2])
    assert f"1 R1 {one} passed the training 0 4 Take out" in told
    assert f"2 R2 {two} has not passed the training 0 4 Let in without the training {two}" in told
