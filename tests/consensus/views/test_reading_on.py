"""Where the server takes no signs of life, an open page of a meeting asks without them, and reads on."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from consensus.actions.meetings import turn_to
from consensus.actions.threads import say
from consensus.models import Mention
from core import clock
from studies.models import Study
from tests.kept import kept
from tests.worlds.meeting import MeetingWorld, meeting_world, there
from tests.worlds.pages import client

pytestmark = pytest.mark.django_db

JSON = {"Accept": "application/json"}


@kept
def world() -> MeetingWorld:
    world = meeting_world(4)
    world.plan()
    return world


def ask(signed_in: Client, world: MeetingWorld, method: str, **form):
    return getattr(signed_in, method)(reverse("here", args=[world.meeting.pk]), form, headers=JSON)


def revision(signed_in: Client, world: MeetingWorld) -> str:
    body = signed_in.get(reverse("meeting", args=[world.meeting.pk])).text
    found = re.search(r'data-revision="(\d+)"', body)
    assert found
    return found[1]


def test_a_get_brings_what_changed_and_is_no_sign_of_life(world):
    member = world.members[0]
    reader = client(member)
    known = revision(reader, world)
    assert ask(reader, world, "get", revision=known).status_code == 204
    turn_to(meeting=world.meeting, item=world.items[1], by=world.lead)
    say(round_=world.round_, issue=world.issues[1], author=world.lead, text=f"@{member.pseudonym}, look.")
    answer = ask(reader, world, "get", revision=known)
    assert answer.status_code == 200
    assert "look." in answer.json()["parts"]["thread"]
    assert there(world.meeting) == set()
    assert Mention.objects.get().seen_at is None
    assert ask(reader, world, "post", revision=known).status_code == 200
    assert there(world.meeting) == {"R1"}
    assert Mention.objects.get().seen_at is not None


def test_a_read_only_study_refuses_signs_of_life_and_tells_the_page_to_stop(world):
    reader = client(world.members[0])
    known = revision(reader, world)
    Study.objects.filter(pk=world.study.pk).update(archived_at=clock.now())
    refused = ask(reader, world, "post", revision=known)
    assert (refused.status_code, refused.json()["code"]) == (409, "StudyIsReadOnly")
    answer = ask(reader, world, "get", revision=known)
    assert answer.status_code == 200, "although nothing changed in the meeting"
    bar = answer.json()["parts"]["bar"]
    assert "data-over" in bar
    assert "Read-only" in bar
    body = reader.get(reverse("meeting", args=[world.meeting.pk])).text
    assert "data-over" in body


def test_the_room_of_a_read_only_study_has_no_form_for_anybody(world):
    turn_to(meeting=world.meeting, item=world.items[0], by=world.lead)
    page = reverse("meeting", args=[world.meeting.pk])
    forms = {}
    for archived in (False, True):
        Study.objects.filter(pk=world.study.pk).update(archived_at=clock.now() if archived else None)
        for member in (world.lead, world.members[0]):
            main = client(member).get(page).text.partition("<main")[2].partition("</main>")[0]
            forms[archived, member.pseudonym] = re.findall(r'<form[^>]+action="([^"]+)"', main)
    assert min(len(forms[False, who]) for who in ("Lead", "R1")) >= 1
    assert (forms[True, "Lead"], forms[True, "R1"]) == ([], [])


def test_a_full_disk_takes_no_signs_of_life(world, settings):
    reader = client(world.members[0])
    known = revision(reader, world)
    settings.DISK_MARGIN = 1 << 60
    refused = ask(reader, world, "post", revision=known)
    assert (refused.status_code, refused.json()["code"]) == (507, "disk_full")
    assert ask(reader, world, "get", revision=known).status_code == 204
