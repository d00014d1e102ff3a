"""Labels that propose a name, in a meeting and its minutes: beside one category, and alone."""

import re
from html import unescape

import pgtrigger
import pytest
from django.db import DatabaseError, transaction
from django.urls import reverse

from consensus.actions.agendas import put_on_agenda
from consensus.actions.consensus import decide_item
from consensus.actions.meetings import close_meeting, open_meeting, plan_meeting, turn_to
from consensus.actions.presence import here
from consensus.actions.votes import cast_ballot, open_vote
from consensus.errors import VotesDoNotSuffice
from consensus.models import Ballot, Decision
from consensus.queries.changed_votes import changed_votes
from tests.worlds.pages import client, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=3, members=2)]
SAID = ("C.9 ?Driver", "?Driver ?Toolchain", "C.2 C.9")


@pytest.fixture
def meeting(world):
    """An open meeting on three issues: C.9 and a name, two names, C.2 and C.9."""
    round_ = world.round()
    for issue, codes in zip(world.issues, SAID, strict=True):
        for member, code in zip(world.members, codes.split(), strict=True):
            world.submit(round_, issue, member, code)
    made = plan_meeting(round_=round_, by=world.lead, name="Names", chair=world.lead, quorum=1)
    put_on_agenda(meeting=made, by=world.lead, issues=[issue.pk for issue in world.issues])
    open_meeting(meeting=made, by=world.lead)
    return made


def _headings(page: str) -> list[str]:
    links = re.findall(r'<a class="group".*?</a>', page, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", link).split()) for link in links]


def test_a_group_of_the_agenda_says_that_names_were_proposed(world, meeting):
    page = client(world.lead).get(meeting.get_absolute_url()).content.decode()
    assert _headings(page) == ["C.9 or a proposed name 0 of 1", "Proposed names 0 of 1", "C.2 C.9 0 of 1"]
    # Each code has the name of its category.
    assert page.count('title="Name of C.9"') >= 2


def test_minutes_say_that_names_were_proposed(world, meeting):
    here(meeting=meeting, member=world.lead)
    for item in meeting.items.order_by("position")[:2]:
        turn_to(meeting=meeting, item=item, by=world.lead)
        decide_item(
            item=item,
            by=world.lead,
            category=world.category("C.9"),
            how="chair",
            rationale="The driver.",
            seen_number=0,
        )
    close_meeting(meeting=meeting, by=world.lead)
    text = client(world.lead).get(reverse("minutes_md", args=[meeting.pk])).content.decode()
    assert re.findall(r"^## (.*)", text, re.MULTILINE)[2:] == [
        "C.9 Name of C.9 or a proposed name",
        "Proposed names",
        "Not reached",
    ]
    assert "**Labels:** R1 C.9, R2 proposed name: Driver" in text
    assert "**Labels:** R1 proposed name: Driver, R2 proposed name: Toolchain" in text
    page = text_of(client(world.lead).get(reverse("minutes", args=[meeting.pk])))
    assert "C.9 Name of C.9 or a proposed name 1 issue" in page
    assert "Proposed names 1 issue" in page
    pdf = client(world.lead).get(reverse("minutes_pdf", args=[meeting.pk]))
    assert pdf.content.startswith(b"%PDF-")


def _vote_on_a_name(world, meeting, *given: str):
    """The first issue, on which the members and the lead vote: a code, "-" to abstain, "0" if none fits."""
    for member in (*world.members, world.lead):
        here(meeting=meeting, member=member)
    item = meeting.items.order_by("position")[0]
    turn_to(meeting=meeting, item=item, by=world.lead)
    open_vote(item=item, by=world.lead)
    for member, said in zip((*world.members, world.lead), given, strict=False):
        category = None if said in "-0" else world.category(said)
        cast_ballot(item=item, member=member, category=category, none_fits=said == "0")
    return item


def _page(world, meeting, member=None) -> str:
    shown = client(member or world.lead).get(meeting.get_absolute_url()).text
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", shown)).split())


def test_who_finds_no_category_says_so_and_the_issue_waits(world, meeting):
    item = _vote_on_a_name(world, meeting, "0")
    shown = _page(world, meeting, world.members[1])
    assert "Choose none: no category fits" in shown
    assert "You cannot vote for a proposed name here. All members vote on new categories separately." in shown
    assert f'href="{reverse("put_to_vote", args=[world.version.taxonomy_id])}?' in (
        client(world.members[1]).get(meeting.get_absolute_url()).text
    )
    assert "votes that no category fits" not in shown  # hidden until the vote closes

    posted = client(world.members[1]).post(
        reverse("cast_ballot", args=[meeting.pk, item.pk]), {"category": "none"}
    )
    assert posted.status_code == 302
    cast_ballot(item=item, member=world.lead, category=None)

    shown = _page(world, meeting)
    assert "2 vote that no category fits, 1 abstained, 3 of 3 voted" in shown
    assert "The votes say that no category fits. Park the issue until a new category is voted on." in shown
    assert not Decision.objects.filter(item=item).exists()
    # No category enters a number: the label stays, as after an abstention.
    (move,) = [one for one in changed_votes(meeting.round, world.lead).moves if one.before is not None]
    assert (move.after, move.what) == (None, "none_fits")
    why = "No category fits: the issue waits for a new one."
    client(world.lead).post(reverse("park", args=[meeting.pk, item.pk]), {"why": why})
    item.refresh_from_db()
    assert item.parked_why == why
    close_meeting(meeting=meeting, by=world.lead)
    minutes = client(world.lead).get(reverse("minutes_md", args=[meeting.pk])).text
    assert "Lead abstained, R1 no category fits, R2 no category fits" in minutes


def test_one_who_finds_no_category_is_against_each(world, meeting):
    item = _vote_on_a_name(world, meeting, "C.9", "0", "C.9")

    def decide():
        nine = world.category("C.9")
        decide_item(item=item, by=world.lead, category=nine, how="unanimity", rationale="", seen_number=0)

    with pytest.raises(VotesDoNotSuffice):
        decide()
    assert "The votes say that no category fits." not in _page(world, meeting)
    # The database counts them alike.
    with pytest.raises(DatabaseError, match="do not suffice"), transaction.atomic():
        Decision.objects.create(
            round=meeting.round, issue=item.issue, number=1, category=world.category("C.9"), method="meeting",
            version=world.version, item=item, how="unanimity", vote=item.votes.get(), decided_by=world.lead,
            decided_at=item.votes.get().closed_at,
        )  # fmt: skip
    with pytest.raises(DatabaseError, match="no_category_fits"), pgtrigger.ignore(), transaction.atomic():
        Ballot.objects.filter(none_fits=True).update(category=world.category("C.9"))
