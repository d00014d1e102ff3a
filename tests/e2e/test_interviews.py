"""The way of an interview before its coding, in the browser: guide, participant, transcript, names, ranking."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from interviews.models import Ranking, Transcript
from studies.models import Role
from tests.e2e.axe import violations
from tests.factories import make_member, make_study, make_version
from tests.long import only_long

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

GUIDE = """## Part I. Bugs (10 minutes)

**Objective:** Learn what fails.

### For LLM users:
- Please rank the top 3 bugs.
- What is missing?
"""
TRANSCRIPT = "Ann: Where do you work?\nZuzana: At Quetzal Labs, with Peter.\nAnn: Thank you."


@only_long
def test_a_lead_brings_an_interview_to_its_coding(open_page):
    study = make_study(slug="talks")
    make_version(study)
    lead = make_member(study, Role.LEAD, pseudonym="R2")
    page = open_page(lead.user, reverse("interviews", args=[study.slug]))
    assert violations(page) == []

    page.get_by_role("main").get_by_role("link", name="Guide", exact=True).click()
    page.get_by_role("link", name="Write guide").click()
    page.get_by_role("textbox", name="Text").first.fill(GUIDE)
    page.get_by_role("button", name="Preview guide").click()
    expect(page.get_by_role("heading", name="Part I. Bugs")).to_be_visible()
    page.get_by_label("Please rank the top 3 bugs.").select_option(label="themes of C Name of C")
    expect(page.get_by_label("First places")).to_have_value("3")
    assert violations(page) == []
    page.get_by_role("button", name="Publish version 1").click()
    expect(page.get_by_text("ranking of the first 3")).to_be_visible()

    page.get_by_role("navigation", name="Section").get_by_role("link", name="Participants").click()
    page.get_by_role("main").get_by_role("link", name="Add participant").click()
    page.get_by_label("Role").fill("Engineer")
    page.get_by_role("button", name="Add participant").click()
    expect(page.get_by_role("heading", name="U1")).to_be_visible()
    page.get_by_role("link", name="Add interview").click()
    page.get_by_role("button", name="Add interview").click()

    page.get_by_role("link", name="Import transcript").click()
    page.get_by_role("textbox", name="Text").first.fill(TRANSCRIPT)
    page.get_by_role("button", name="Import transcript").click()
    assert "Quetzal" not in page.content()
    page.get_by_role("button", name="Show transcript with names").click()
    page.get_by_label("Replacement of Quetzal Labs").fill("[company]")
    page.get_by_role("button", name="Replace Quetzal Labs").click()
    expect(page.locator(".places mark")).to_have_text("[company]")
    page.get_by_label("Text to replace").fill("Peter")
    page.get_by_label("Replacement", exact=True).fill("[colleague]")
    page.get_by_role("button", name="Add replacement").click()
    expect(page.locator(".places mark")).to_have_count(2)
    assert violations(page) == []
    page.get_by_role("button", name="Store transcript").click()
    expect(page.get_by_text("At [company], with [colleague].")).to_be_visible()
    assert [turn.speaker for turn in Transcript.objects.get().turns.all()] == ["R2", "U1", "R2"]

    page.get_by_role("link", name="Record rankings").click()
    page.get_by_label("C.3 Name of C.3").focus()
    page.keyboard.type("1")
    page.get_by_label("C.1 Name of C.1").fill("2")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The ranking of U1 is saved.")).to_be_visible()
    assert Ranking.objects.get().places.count() == 2
    assert violations(page) == []
    phone = open_page(
        lead.user, reverse("pseudonymise", args=[Transcript.objects.get().session_id]), phone=True
    )
    expect(phone.get_by_text("At [company], with [colleague].")).to_be_visible()
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
