"""The page of rankings in the browser: users against developers, then by experience, at two widths."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from interviews.actions.rankings import record_ranking
from studies.models import Role
from taxonomy.models import Level
from tests.e2e.axe import violations
from tests.factories import category, make_member, make_study, make_version
from tests.factories.interviews import make_audience, make_guide, make_participant, make_session
from tests.long import only_long

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

THEMES = ("C.1", "C.2", "C.3", "C.9", "C.10")


@only_long
def test_a_lead_compares_users_with_developers_and_then_by_experience(open_page):
    study = make_study(slug="talks")
    version = make_version(study)
    lead = make_member(study, Role.LEAD, pseudonym="R2")
    for prefix, name in (("U", "LLM users"), ("D", "Framework developers")):
        make_audience(study, prefix, name)
    ranks = {
        "is_ranking": True,
        "taxonomy": version.taxonomy,
        "level": Level.THEME,
        "under": category(version, "C"),
    }
    guide = make_guide(study, lead, {"text": "Please rank all bugs.", **ranks})
    ids = [category(version, code).pk for code in THEMES]
    for number in range(19):
        prefix, experience = ("U", "1 year") if number < 11 else ("D", f"{number} years")
        made = make_participant(study, lead, prefix, experience=experience)
        session = make_session(made, lead, guide=guide)
        turn = number % 3 + (2 if prefix == "D" else 0)
        places = {one: (place + turn) % 5 + 1 for place, one in enumerate(ids)}
        question = guide.parts.get().questions.get()
        record_ranking(session=session, question=question, places=places, by=lead)

    page = open_page(lead.user, reverse("rankings", args=[study.slug]))
    expect(page.get_by_role("heading", name="LLM users (11) and Framework developers (8)")).to_be_visible()
    expect(page.get_by_text("Kendall’s W")).to_be_visible()
    assert page.locator("svg.ranks .whisker").count() == len(THEMES)
    assert violations(page) == []
    page.get_by_label("Compare groups by").select_option(label="Experience")
    page.get_by_role("button", name="Compare groups").click()
    expect(page.get_by_label("Second group from")).to_have_value("11")
    page.get_by_label("Second group from").fill("15")
    page.get_by_role("button", name="Compare groups").click()
    expect(page.get_by_role("heading", name="below 15 (15) and 15 or more (4)")).to_be_visible()
    expect(page.get_by_text("Fewer than five participants in a group")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 800})
    assert violations(page) == []
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0
