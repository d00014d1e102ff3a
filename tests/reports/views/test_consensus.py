"""Before and after consensus as a page: who reads it, what it says, empty and full, and what it costs."""

import csv

import pytest
from django.urls import reverse

from consensus.actions.votes import close_vote
from studies.models import Membership
from tests.kept import kept
from tests.worlds.meeting import meeting_world
from tests.worlds.pages import client, queries_of, text_of

pytestmark = pytest.mark.django_db

ROWS = ("C.9 C.9 C.1", "C.9 C.1 C.1", "B.1 B.2 B.2")


@kept
def world():
    return meeting_world(issues=3, members=3, rows=ROWS)


def _get(member, round_, name="consensus"):
    return client(member).get(reverse(name, args=[round_.pk]))


def _vote(world, number, *codes):
    vote = world.vote(world.items[number], *codes)
    vote.refresh_from_db()
    if vote.closed_at is None:
        close_vote(vote=vote, by=world.lead)


def test_it_is_empty_before_a_vote_is_closed(world):
    text = text_of(_get(world.members[0], world.round_))
    assert "When a vote is closed, this page shows who changed their mind" in text
    assert "hidden until" not in text


def test_it_says_who_changed_their_mind_and_to_what(world):
    world.plan(quorum=2)
    world.arrive()
    _vote(world, 0, "C.9", "C.9", "C.9")
    _vote(world, 1, "C.9", "-", "C.10")
    page = _get(world.members[0], world.round_)
    text = text_of(page)
    for said in (
        "2 issues were voted on in meetings of this round.",
        "2 of 5 ballots differ from their author’s label",
        "R1 2 2 0 0 0 0 R2 2 1 0 0 0 1 R3 2 0 1 1 0 0 All 6 3 1 1 0 1",
        "Report the first number",
    ):
        assert said in text
    pair = f"{reverse('disagreements', args=[world.round_.pk])}?issue={world.issues[0].pk}"
    assert f'href="{pair}"' in page.content.decode()


def test_what_is_withheld_is_said_as_a_number_only(world):
    world.plan(quorum=2)
    world.arrive()
    _vote(world, 0, "C.10", "C.10", "C.10")
    world.waits_for(world.members[0], world.issues[0])
    withheld, other = (_get(member, world.round_).content.decode() for member in world.members[:2])
    assert ("1 issue is hidden until you label it" in withheld, "C.10" in withheld) == (True, False)
    assert ("hidden until" in other, "C.10" in other) == (False, True)
    # Nor does the agreement page show a ballot on it.
    withheld, other = (text_of(_get(member, world.round_, "agreement")) for member in world.members[:2])
    assert ("With the last ballots" in withheld, "With the last ballots" in other) == (False, True)


def test_the_agreement_page_leads_here_and_stays_as_it_was(world):
    before = _get(world.members[0], world.round_, "agreement").context["found"].as_dict()
    world.plan(quorum=2)
    world.arrive()
    _vote(world, 0, "C.9", "C.9", "C.9")
    page = _get(world.members[0], world.round_, "agreement")
    assert page.context["found"].as_dict() == before
    assert f'href="{reverse("consensus", args=[world.round_.pk])}"' in page.content.decode()


@pytest.mark.parametrize(("name", "most"), [("consensus", 30), ("agreement", 44)])
@pytest.mark.slow
def test_the_pages_cost_the_same_at_one_vote_and_at_three(world, name, most):
    """Four queries are of the bar of the round: the rounds, what is complete, the seat, open disagreements. Three
    of the agreement page ask for signs of dependence, and who led the study.
    """
    world.plan(quorum=2)
    world.arrive()
    counts = []
    for numbers in ((0,), (1, 2)):
        for number in numbers:
            _vote(world, number, "C.9", "C.9", "C.9")
        counts.append(queries_of(client(world.members[1]), reverse(name, args=[world.round_.pk])))
    assert counts[0] == counts[1] <= most


# --- the switch of the daily mail


def test_everybody_turns_their_own_mail_off_and_on(world):
    address = reverse("set_digest", args=[world.study.slug])
    member = world.members[0]
    people = reverse("people", args=[world.study.slug])
    for form, wants, button in (
        ({}, False, "Start daily mail"),
        ({"wants": "yes"}, True, "Stop daily mail"),
    ):
        response = client(member).post(address, form)
        assert (response.status_code, response["Location"]) == (302, people)
        assert Membership.objects.get(pk=member.pk).gets_digest is wants
        assert button in client(member).get(people).content.decode()
    assert Membership.objects.filter(gets_digest=False).count() == 0


def test_the_agreement_page_shows_both_numbers_once_a_vote_is_closed(world):
    address = reverse("agreement", args=[world.round_.pk])
    signed_in = client(world.members[1])
    assert "With the last ballots" not in text_of(signed_in.get(address))
    assert _lines(signed_in.get(f"{address}?format=csv&table=consensus")) == [
        "coefficient,before,low,high,reason,after,reason_after"
    ]
    world.plan(quorum=2)
    world.arrive()
    _vote(world, 0, "C.9", "C.9", "C.9")

    text = text_of(signed_in.get(address))

    # Before, two of three labels are the same on each of three issues: 1/3; after, all of the first: 5/9.
    assert "1 of 3 ballots differs from its author’s label" in text
    assert "Percent agreement 0.333 – 0.556 Gwet’s AC1" in text
    assert "does not show how clear the categories are" in text
    rows = _lines(signed_in.get(f"{address}?format=csv&table=consensus"))[1:]
    assert len(rows) == 7
    percent = next(csv.reader(rows))
    before, after = (float(percent[place]) for place in (1, 5))
    assert (before, after) == (pytest.approx(1 / 3), pytest.approx(5 / 9))
    # Below the depth nobody votes.
    assert "With the last ballots" not in text_of(signed_in.get(f"{address}?level=sub-theme"))


def _lines(response) -> list[str]:
    return response.content.decode().splitlines()


def test_a_nul_in_a_parameter_of_the_disagreements_is_refused(world):
    world.plan(quorum=2)
    answer = client(world.lead).get(
        reverse("api_disagreements", args=[world.round_.pk]), {"volunteer": "R1\x00"}
    )
    assert (answer.status_code, answer.json()) == (400, {"volunteer": ["It holds a NUL."]})
