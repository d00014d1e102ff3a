"""Labels that propose a name, in a meeting and its minutes: beside one category, and alone."""

import re

import pytest
from django.urls import reverse

from consensus.actions.agendas import put_on_agenda
from consensus.actions.consensus import decide_item
from consensus.actions.meetings import close_meeting, open_meeting, plan_meeting, turn_to
from consensus.actions.presence import here
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
