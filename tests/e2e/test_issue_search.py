"""The list of issues: it searches as one types, without JavaScript on Enter, and long titles hide no column."""

import re

import pytest
from playwright.sync_api import expect

from tests import factories
from tests.long import only_long

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.world(issues=1)]

LONG = "A_title_of_one_word_that_never_ends_" * 12


def prepare(world) -> str:
    for fields in (
        {"title": "Memory leak"},
        {"title": "Slow", "body": "a leak of memory"},
        {"title": "显存不足", "body": "训练时内存泄漏"},
        {"title": LONG, "state": "open", "comment_count": 12},
    ):
        factories.make_issue(world.repository, **fields)
    return f"/studies/{world.study.slug}/issues/"


@only_long
def test_a_search_goes_on_while_one_types(open_page, world, member):
    page = open_page(member.user, prepare(world))
    field, rows = page.get_by_role("searchbox"), page.locator("#found tbody tr")
    expect(rows).to_have_count(5)
    field.press_sequentially("leak mem", delay=20)
    expect(page.locator("#headline")).to_contain_text("2 of 5 issues found")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("Memory leak")
    expect(rows.last).to_contain_text("found in the text")
    expect(page).to_have_url(re.compile(r"\?q=leak\+mem$|\?q=leak%20mem$"))
    expect(field).to_be_focused()
    field.press_sequentially("ory", delay=20)
    expect(field).to_have_value("leak memory")
    expect(page.get_by_role("link", name="Clear filters")).to_be_visible()
    field.fill("泄漏")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("显存不足")
    field.fill("")
    expect(rows).to_have_count(5)
    expect(page.locator("#headline")).to_contain_text("5 issues")


def test_a_search_without_javascript(open_page, world, member):
    page = open_page(member.user, prepare(world), script=False)
    page.get_by_role("searchbox").fill("leak")
    page.get_by_role("searchbox").press("Enter")
    expect(page.locator("#headline")).to_contain_text("2 of 5 issues found")
    expect(page.locator("#found tbody tr")).to_have_count(2)
    expect(page.get_by_role("searchbox")).to_have_value("leak")


@only_long
def test_a_long_title_hides_no_column(open_page, world, member):
    page = open_page(member.user, prepare(world))
    expect(page.locator("#found tbody tr").first).to_contain_text(LONG[:40])
    for name in ("Number", "State", "Comments", "Opened"):
        box = page.get_by_role("columnheader", name=name).bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 1440
    table = page.locator("#found .scroll-x")
    assert table.evaluate("box => box.scrollWidth <= box.clientWidth")
