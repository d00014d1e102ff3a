"""Rounds: the list, one round, opening and closing it, and what each shows before reveal."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.actions import rounds as actions
from annotate.actions.rounds import close_round
from core import jobs
from core.models import Job
from rounds.models import Assignment, Round
from rounds.queries.rounds import OPENING, round_lines
from studies.models import Membership, Role
from tests import factories
from tests.worlds.meeting import meeting_world
from tests.worlds.pages import client, queries_of
from tests.worlds.planned import get, post, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=4, members=3)]


# --- the list


def test_the_list_says_what_comes_next(world):
    world.round(name="Planned", opened=False)
    opened = world.round(name="Opened")
    world.submit(opened, world.issues[0], world.members[0], "C.2")
    closed = world.round(name="Closed", kind=Round.Kind.PILOT)
    close_round(round_=closed, by=world.lead)
    text = text_of(get(world.members[0], "rounds", world.study.slug))
    assert re.findall(
        r"(Closed|Opened|Planned) (?:pilot|main), Taxonomy 1 v1 (\w+) (\d+) (\d+) (\d+)", text
    ) == [
        ("Closed", "closed", "4", "3", "3"),
        ("Opened", "open", "4", "3", "3"),
        ("Planned", "planned", "4", "3", "3"),
    ]
    assert "0 % of 4 1 Label Opened" in text
    assert "0 % of 4 0 Show agreement Closed" in text
    assert "Show plan Planned" in text
    lead = text_of(get(world.lead, "rounds", world.study.slug))
    assert "0 % of 4 – Show disagreements Opened" in lead
    assert "Check plan Planned" in lead


def test_a_closed_round_leads_to_its_open_disagreements_first(world):
    round_ = world.round(name="Closed")
    for member, code in zip(world.members, ("C.2", "C.9", "C.2"), strict=True):
        world.submit(round_, world.issues[0], member, code)
    close_round(round_=round_, by=world.lead)
    elsewhere = world.waits_for(world.members[1], world.issues[0])
    ends = {
        member.pseudonym: re.search(r"Show (\w+) Closed", text_of(get(member, "rounds", world.study.slug)))[1]
        for member in (world.lead, world.members[0], world.members[1])
    }
    assert list(ends.values()) == ["disagreements", "disagreements", "agreement"], "one is hidden from R2"
    close_round(round_=elsewhere, by=world.lead)
    world.settle(round_, world.issues[0], "C.2")
    assert "Show agreement Closed" in text_of(get(world.lead, "rounds", world.study.slug))


def test_lines_count_what_may_be_seen(world):
    round_ = world.round()
    for member in world.members:
        world.submit(round_, world.issues[0], member, "C.2")
    world.submit(round_, world.issues[1], world.members[0], "C.2")
    lines = {
        name: [
            (line.issues, line.volunteers, line.complete, line.own)
            for line in round_lines(world.study, member)
        ]
        for name, member in {"lead": world.lead, "R1": world.members[0], "R2": world.members[1]}.items()
    }
    assert lines == {"lead": [(4, 3, 1, None)], "R1": [(4, 3, 1, 2)], "R2": [(4, 3, 1, 1)]}


def test_before_a_late_reveal_nobody_sees_how_many_issues_are_complete(world):
    round_ = world.round(reveal=Round.Reveal.ROUND_CLOSED)
    before = text_of(get(world.members[0], "rounds", world.study.slug))
    for member in world.members[1:]:
        world.submit(round_, world.issues[0], member, "C.2")
    assert text_of(get(world.members[0], "rounds", world.study.slug)) == before
    assert "shown after closing" in before
    world.submit(round_, world.issues[0], world.members[0], "C.2")
    assert [line.complete for line in round_lines(world.study, world.lead)] == [None]
    assert "Complete issues shown after closing" in text_of(get(world.lead, "round", round_.pk))
    close_round(round_=round_, by=world.lead)
    assert [line.complete for line in round_lines(world.study, world.lead)] == [1]
    assert "Complete issues 25 % of 4" in text_of(get(world.lead, "round", round_.pk))


def test_the_list_costs_the_same_for_one_round_and_for_three(world):
    counts = []
    for rounds in (1, 2):
        for _more in range(rounds):
            world.round()
        counts.append(queries_of(client(world.members[0]), reverse("rounds", args=[world.study.slug])))
    assert Round.objects.count() == 3
    assert counts[0] == counts[1] <= 9


def test_empty_states_say_what_to_do():
    study = factories.make_study()
    lead, volunteer = factories.make_member(study, Role.LEAD), factories.make_member(study)
    assert "Import issues" in text_of(get(lead, "rounds", study.slug))
    assert "Import issues" in text_of(get(lead, "new_round", study.slug))
    assert "A lead plans the first round." in text_of(get(volunteer, "rounds", study.slug))
    factories.make_issue(factories.make_repository(study))
    assert "Load taxonomy" in text_of(get(lead, "rounds", study.slug))
    assert "Load taxonomy" in text_of(get(lead, "new_round", study.slug))
    factories.make_version(study)
    response = get(lead, "rounds", study.slug)
    assert "Plan round" in text_of(response)
    assert reverse("new_round", args=[study.slug]) in response.content.decode()


# --- one round


def test_a_training_keeps_its_version(world):
    planned = world.round(opened=False, kind=Round.Kind.TRAINING)
    text = text_of(get(world.lead, "round", planned.pk))
    assert "A training keeps its version of the taxonomy." in text
    assert "the round moves to that version" not in text
    assert "Unanimous labels decide" not in text  # only its right labels do


def test_a_planned_round_shows_its_numbers_and_opens(world):
    round_ = world.round(opened=False, name="Main")
    text = text_of(get(world.lead, "round", round_.pk))
    assert "Opening makes 4 × 3 = 12 assignments" in text
    assert "When you publish a new version of the taxonomy, the round moves to that version." in text
    assert "Open round" not in text_of(get(world.members[0], "round", round_.pk))
    answer = post(world.lead, "open_round", round_.pk)
    assert (answer.status_code, answer["Location"]) == (302, reverse("round", args=[round_.pk]))
    assert Assignment.objects.filter(round=round_).count() == 12
    page = get(world.lead, "round", round_.pk)
    assert "Labels given 0 % of 12" in text_of(page)
    assert 'data-dialog="blind"' in page.content.decode()


def test_counts_of_labels_and_nothing_else_show_who_is_how_far(world):
    round_ = world.round()
    world.submit(round_, world.issues[0], world.members[0], "C.10", summary="canary")
    world.submit(round_, world.issues[1], world.members[0], "C.9", summary="canary")
    page = get(world.members[1], "round", round_.pk)
    text = text_of(page)
    one, two, three = (member.known_as for member in world.members)
    assert f"1 R1 {one} 50 % of 4 2 R2 {two} you 0 % of 4 3 R3 {three} 0 % of 4" in text
    assert "Labels given 17 % of 12" in text
    assert not {word for word in ("canary", "C.10", "C.9") if word in page.content.decode()}


@pytest.mark.parametrize(
    ("name", "said"), [("open_round", "open already"), ("close_round", "closed already")]
)
def test_twice_is_refused_in_words(world, name, said):
    round_ = world.round(opened=name == "close_round")
    assert post(world.lead, name, round_.pk).status_code == 302
    answer = post(world.lead, name, round_.pk)
    assert answer.status_code == 409
    assert said in text_of(answer)
    round_.refresh_from_db()
    assert round_.is_open == (name == "open_round")
    page = get(world.lead, "round", round_.pk)
    assert ("Close round" in text_of(page)) == round_.is_open
    assert ('data-dialog="blind"' in page.content.decode()) == round_.is_open


def test_a_round_whose_volunteer_left_does_not_open(world):
    round_ = world.round(opened=False)
    Membership.objects.filter(pk=world.members[0].pk).update(left_at=timezone.now())
    answer = post(world.lead, "open_round", round_.pk)
    assert answer.status_code == 409
    assert "R1 can no longer label in this study." in text_of(answer)
    assert not Assignment.objects.exists()


# --- a round too large for a request


@pytest.fixture
def large(world, monkeypatch) -> Round:
    """A planned round with more slots than a request opens."""
    monkeypatch.setattr(actions, "SLOTS_AT_ONCE", 11)
    return world.round(opened=False)


def test_a_large_round_is_opened_by_a_job(world, large):
    assert post(world.lead, "open_round", large.pk).status_code == 302
    large.refresh_from_db()
    job = Job.objects.get(kind=OPENING)
    assert (large.opened_at, job.created_by, job.state) == (None, world.lead.user, "queued")
    page = get(world.lead, "round", large.pk)
    assert f'hx-get="{reverse("round", args=[large.pk])}" hx-trigger="every 1s"' in page.content.decode()
    assert "Open round" not in text_of(page)
    # Asked again, it is the same job.
    post(world.lead, "open_round", large.pk)
    assert Job.objects.filter(kind=OPENING).count() == 1

    assert jobs.run(job.pk).state == "done"
    large.refresh_from_db()
    assert large.opened_at is not None
    assert Assignment.objects.filter(round=large).count() == 12
    answer = get(world.lead, "round", large.pk, **{"HX-Request": "true", "HX-Target": "job"})
    assert answer["HX-Redirect"] == reverse("round", args=[large.pk])


def test_a_job_killed_after_its_commit_ends_well(world, large):
    post(world.lead, "open_round", large.pk)
    actions.open_round(round_=large, by=world.lead)
    job = Job.objects.get(kind=OPENING)
    lost = timezone.now() - timedelta(minutes=5)
    Job.objects.filter(pk=job.pk).update(state="running", started_at=lost, heartbeat_at=lost, attempt=1)
    assert jobs.run(job.pk).state == "done"
    assert Assignment.objects.filter(round=large).count() == 12


def test_a_job_that_is_refused_says_why_and_can_be_asked_for_again(world, large):
    post(world.lead, "open_round", large.pk)
    Membership.objects.filter(pk=world.members[0].pk).update(left_at=timezone.now())
    job = jobs.run(Job.objects.get(kind=OPENING).pk)
    assert (job.state, "R1 can no longer label in this study." in job.error) == ("failed", True)
    text = text_of(get(world.lead, "round", large.pk))
    assert "R1 can no longer label in this study." in text
    assert "Open round" in text
    Membership.objects.filter(pk=world.members[0].pk).update(left_at=None)
    post(world.lead, "open_round", large.pk)
    assert jobs.run(Job.objects.filter(kind=OPENING).latest("pk").pk).state == "done"


# --- to a meeting


def test_who_plans_meetings_is_led_to_one_when_disagreements_wait():
    world = meeting_world(4, members=3)
    plan = f"{reverse('new_meeting', args=[world.round_.pk])}?all=1"

    page = get(world.lead, "round", world.round_.pk)

    assert "4 disagreements wait for a decision and are not on an agenda. Plan a meeting" in text_of(page)
    assert plan in page.content.decode()
    assert plan not in get(world.members[0], "round", world.round_.pk).content.decode()
    world.plan()
    assert plan not in get(world.lead, "round", world.round_.pk).content.decode()


def test_disagreements_that_are_withheld_lead_to_no_meeting():
    world = meeting_world(1, members=3)
    factories.make_round(world.version, world.issues, [world.lead], name="Once more")
    assert "Plan a meeting" not in text_of(get(world.lead, "round", world.round_.pk))
