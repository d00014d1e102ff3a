"""A lead answers an item, a rater tells a background, and axe looks at each page, in Chinese as well."""

import os
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from accounts.models import User
from tests.e2e.axe import violations
from tests.e2e.conftest import PHONE
from tests.findings.world import finding_world
from tests.long import only_long

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def keep(page, name: str) -> None:
    """A picture of the page, where a folder is named for it."""
    if folder := os.environ.get("CROSSCHECK_PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


@only_long
def test_items_are_answered_and_each_page_is_accessible(open_page):
    world = finding_world()
    slug = world.study.slug
    page = open_page(world.lead.user, reverse("standards", args=[slug]))
    expect(page.get_by_text("57 items.")).to_be_visible()
    item = page.locator("#item-R11")
    item.locator("summary").first.click()
    item.get_by_role("textbox").fill("Frameworks for language models only.")
    assert violations(page) == []
    keep(page, "standards")
    item.get_by_role("button", name="Save answer").click()
    expect(page.locator("#item-R11 .answer")).to_have_text("Frameworks for language models only.")
    page.get_by_role("link", name="Show method section").click()
    expect(page.get_by_role("main")).to_contain_text("Frameworks for language models only.")
    keep(page, "standards-method")
    paths = [
        reverse(name, args=[slug]) for name in ("standards_method", "citation", "my_background", "study")
    ]
    for language in ("en", "zh-hans"):
        User.objects.filter(pk=world.lead.user_id).update(language=language)
        for path in [reverse("standards", args=[slug]), *paths]:
            page.goto(page.url.partition("/studies/")[0] + path)
            assert violations(page) == [], (language, path)
            keep(page, f"{path.strip('/').replace('/', '-')}-{language}")
    page.set_viewport_size(PHONE)
    for path in [reverse("standards", args=[slug]), *paths]:
        page.goto(page.url.partition("/studies/")[0] + path)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
