"""The list of interviews, and an interview: for each role what it may read, and nothing else."""

from datetime import UTC, date, datetime

import pytest
from django.urls import reverse
from django.utils import timezone

from core import clock
from interviews.actions.sessions import add_session
from interviews.errors import InterviewRefused
from interviews.models import Session
from tests.factories.interviews import make_participant, make_session, make_transcript
from tests.interviews.world import InterviewWorld, interview_world
from tests.kept import kept
from tests.worlds.pages import client, queries_of

pytestmark = pytest.mark.django_db
SAID = "The memory runs out, often."


@kept
def world() -> InterviewWorld:
    return interview_world()


def listed(world, member) -> list[str]:
    page = client(member).get(reverse("interviews", args=[world.study.slug]))
    return [str(line.session) for line in page.context["lines"]]


def read(world, member) -> tuple[int, bool]:
    page = client(member).get(world.session.get_absolute_url())
    return page.status_code, SAID in page.text


def test_who_may_read_an_interview_follows_its_coding(world):
    def now() -> dict[str, tuple[int, bool]]:
        names = ("owner", "lead", "coder", "other", "viewer", "model", "stranger")
        return {name: read(world, getattr(world, name)) for name in names}

    yes, no = (200, True), (403, False)
    before = {
        "owner": yes,
        "lead": yes,
        "coder": no,
        "other": no,
        "viewer": no,
        "model": no,
        "stranger": (404, False),
    }
    assert now() == before
    coding = world.open_coding()
    assert now() == before | {"coder": yes}
    assert [listed(world, one) for one in (world.coder, world.other, world.viewer)] == [["U1"], [], []]
    coding.revealed_at = timezone.now()
    coding.save()
    assert now() == before | {"coder": yes, "other": yes}
    coding.settled_at, coding.settled_by = timezone.now(), world.lead
    coding.save()
    assert now() == before | {"coder": yes, "other": yes, "viewer": yes}
    assert [listed(world, one) for one in (world.coder, world.other, world.viewer)] == [["U1"]] * 3


def test_a_model_and_a_stranger_get_no_list(world):
    address = reverse("interviews", args=[world.study.slug])
    assert client(world.model).get(address).status_code == 403
    assert client(world.stranger).get(address).status_code == 404


def test_an_empty_list_explains_the_way_to_leads_only(world):
    Session.objects.filter(pk=make_session(world.participant, world.lead).pk).delete()
    world.session.transcripts.all().delete()
    Session.objects.all().delete()
    address = reverse("interviews", args=[world.study.slug])
    page = client(world.lead).get(address)
    assert "Two or more members code each interview" in page.text
    assert reverse("new_interview", args=[world.study.slug]) in page.text
    assert "Write guide" in page.text
    other = client(world.coder).get(address).text
    assert "Two or more members code each interview" not in other
    assert "No interview to read yet." in other


def test_an_interview_is_added_and_changed(world):
    lead, address = client(world.lead), reverse("new_interview", args=[world.study.slug])
    fields = {
        "participant": world.participant.pk,
        "held_on": "2025-05-07",
        "interviewer": world.owner.pk,
        "minutes": 35,
    }
    made = lead.post(address, fields)
    found = Session.objects.latest("pk")
    assert (made.url, found.held_on, found.interviewer, found.minutes) == (
        found.get_absolute_url(), date(2025, 5, 7), world.owner, 35,
    )  # fmt: skip
    assert lead.post(address, fields | {"held_on": "2999-01-01"}).status_code == 422
    edit = reverse("edit_interview", args=[found.pk])
    assert (
        lead.post(edit, {"held_on": "2025-05-08", "interviewer": world.lead.pk, "minutes": ""}).status_code
        == 302
    )
    found.refresh_from_db()
    assert (found.held_on, found.interviewer, found.minutes) == (date(2025, 5, 8), world.lead, None)
    assert client(world.coder).post(edit, fields).status_code == 403
    assert client(world.stranger).post(address, fields).status_code == 404


def test_an_earlier_version_can_be_read(world):
    make_transcript(world.session, world.lead, ("Anew?", "Corrected."))
    page = client(world.lead).get(world.session.get_absolute_url())
    assert "Corrected." in page.text
    assert SAID not in page.text
    earlier = client(world.lead).get(f"{world.session.get_absolute_url()}?version=1")
    assert SAID in earlier.text
    assert client(world.lead).get(f"{world.session.get_absolute_url()}?version=9").status_code == 404


@pytest.mark.parametrize("who", ["lead", "coder"])
@pytest.mark.slow
def test_the_list_costs_the_same_at_one_interview_and_at_three(world, who):
    member, counts = getattr(world, who), []
    world.open_coding()
    for wanted in (1, 3):
        while Session.objects.count() < wanted:
            session = make_session(make_participant(world.study, world.lead, "D"), world.lead)
            make_transcript(session, world.lead)
            world.open_coding(session)
        assert len(listed(world, member)) == wanted
        counts.append(queries_of(client(member), reverse("interviews", args=[world.study.slug])))
    assert counts[0] == counts[1]


def test_the_day_of_a_member_east_of_the_server_is_not_in_the_future(world):
    with clock.at(datetime(2026, 11, 26, 17, 0, tzinfo=UTC)):  # 01:00 of the next day in Shanghai
        own = {"participant": world.participant, "interviewer": world.lead, "by": world.lead}
        assert add_session(held_on=date(2026, 11, 27), **own).held_on == date(2026, 11, 27)
        with pytest.raises(InterviewRefused, match="in the future"):
            add_session(held_on=date(2026, 11, 28), **own)
