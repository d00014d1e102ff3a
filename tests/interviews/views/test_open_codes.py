"""Open codes: listed once they are revealed, and proposed as categories."""

import pytest
from django.urls import reverse

from interviews.actions.codings import open_coding
from interviews.actions.identities import name_participant
from interviews.models import Coding, OpenCode
from studies.models import Event
from taxonomy.models import Proposal
from tests.factories.interviews import make_participant, make_session, make_transcript
from tests.interviews.coding import quote, reveal
from tests.interviews.test_api import get as api_get
from tests.interviews.test_api import post as api_post
from tests.interviews.world import InterviewWorld, interview_world
from tests.kept import kept
from tests.worlds.pages import client, queries_of, text_of

pytestmark = pytest.mark.django_db


@kept
def world() -> InterviewWorld:
    return interview_world()


def opened(world) -> Coding:
    session = make_session(make_participant(world.study, world.lead), world.lead)
    make_transcript(session, world.lead)
    both = [world.coder, world.other]
    return open_coding(session=session, version=world.version, coders=both, by=world.lead)


def page(world, member):
    return client(member).get(reverse("open_codes", args=[world.study.slug]))


def listed(world, member) -> list[tuple[str, str, int, int]]:
    lines = page(world, member).context["lines"]
    return [(line.code.name, line.code.made_by.pseudonym, line.quotes, line.interviews) for line in lines]


def propose(world, member, name):
    return client(member).post(reverse("propose_open_code", args=[world.study.slug]), {"name": name})


def test_open_codes_are_counted_in_revealed_interviews_only(world):
    first, second = opened(world), opened(world)
    quote(first, world.coder, "models", "night work")
    quote(first, world.coder, "often", "night work", "A.1")
    quote(first, world.other, "models", "night work")
    quote(second, world.coder, "models", "night work", "hidden")
    assert listed(world, world.coder) == []
    reveal(first)
    # The common quote of both does not count again.
    expected = [("night work", "R3", 2, 1), ("night work", "R4", 1, 1)]
    assert [listed(world, one) for one in (world.coder, world.owner)] == [expected, expected]
    assert listed(world, world.viewer) == []
    before = queries_of(client(world.lead), reverse("open_codes", args=[world.study.slug]))
    reveal(second)
    assert listed(world, world.lead)[0] == ("night work", "R3", 3, 2)
    assert queries_of(client(world.lead), reverse("open_codes", args=[world.study.slug])) == before


def test_an_open_code_becomes_one_proposal_whoever_made_it(world):
    coding = opened(world)
    quote(coding, world.coder, "models", "Night work")
    quote(coding, world.other, "often", "night  work")
    assert propose(world, world.lead, "night work").status_code == 422
    reveal(coding)
    assert propose(world, world.viewer, "night work").status_code == 403
    assert propose(world, world.lead, "something else").status_code == 422
    assert not Proposal.objects.exists()
    for member in (world.lead, world.coder):
        assert propose(world, member, "night work").status_code == 302
    made = Proposal.objects.get()
    assert (made.name, made.proposed_by, made.version) == ("Night work", world.lead, world.version)
    assert set(OpenCode.objects.values_list("proposal", flat=True)) == {made.pk}
    assert Event.objects.filter(verb="open_codes.proposed").count() == 1
    assert text_of(page(world, world.lead)).count("proposed") == 2
    proposals = client(world.coder).get(reverse("proposals", args=[world.version.taxonomy_id]))
    assert "Open codes of interviews" in text_of(proposals)
    assert "Night work" in text_of(proposals)


def test_the_same_over_rest(world):
    coding = opened(world)
    quote(coding, world.coder, "models", "Night work")
    path = f"studies/{world.study.slug}/open-codes/"
    assert api_get(world.coder, path).json() == []
    assert api_post(world.coder, path, {"name": "night work"}).json()["code"] == "NotAnOpenCode"
    reveal(coding)
    line = {"name": "Night work", "made_by": "R3", "quotes": 1, "interviews": 1, "taxonomy": None}
    assert api_get(world.lead, path).json() == [line]
    proposed = line | {"taxonomy": world.version.taxonomy_id}
    assert api_post(world.coder, path, {"name": "night work"}).json() == [proposed]


def test_a_code_with_a_listed_name_is_not_proposed_and_only_leads_read_it(world):
    name_participant(participant=world.participant, name="Ann Canaryova", contact="", by=world.lead)
    coding = opened(world)
    quote(coding, world.coder, "models", "What ann CANARYOVA does")
    reveal(coding)
    refused = propose(world, world.other, "What ann CANARYOVA does")
    assert refused.status_code == 422
    assert "The name of this open code of R3 contains a listed name of a participant." in text_of(refused)
    body = {"name": "what Ann Canaryova does"}
    rest = api_post(world.coder, f"studies/{world.study.slug}/open-codes/", body)
    assert (rest.status_code, rest.json()["code"], "anaryova" in rest.text.lower()) == (
        422,
        "NamesLeft",
        False,
    )
    told = text_of(propose(world, world.lead, "What ann CANARYOVA does"))
    assert "The open code “What ann CANARYOVA does” of R3 contains a listed name." in told
    assert (Proposal.objects.count(), Event.objects.filter(verb="open_codes.proposed").count()) == (0, 0)
