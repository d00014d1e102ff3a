"""The pictures of the agreement page as a browser draws them, under the policy that the page has."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from tests.e2e.axe import violations
from tests.long import only_long
from tests.worlds.pages import label_all
from tests.worlds.world import small_world

pytestmark = pytest.mark.django_db(transaction=True)

ROWS = ("C.1 C.1 C.1", "C.1 C.2 C.1", "A.1 A.1 A.1", "C.2 A.1 C.1", "B.1 B.1 C.1", "C.2 C.2 C.2")
NAMES = ["coefficients", "types", "repositories", "pairs", "categories", "confusion", "distribution"]


@pytest.fixture
def world():
    return small_world(issues=len(ROWS))


@pytest.fixture
def path(world) -> str:
    round_ = world.round(name="Main round")
    label_all(world, round_, *ROWS)
    return reverse("agreement", args=[round_.pk])


def see_all(page: Page) -> None:
    for figure in page.locator("#pictures figure").all():
        figure.scroll_into_view_if_needed()
        expect(figure).to_have_attribute("data-drawn", "", timeout=20_000)


def fills(page: Page) -> list[str]:
    """The colours of cells, dots and bars as the browser resolves them."""
    return page.locator("#pictures").evaluate(
        "section => [...section.querySelectorAll('.cells_marks path, .dots_marks path, .bars_marks path')]"
        ".map(mark => getComputedStyle(mark).fill)"
    )


@only_long
def test_all_are_drawn_and_reached_by_keys_and_follow_the_theme(open_page, world, path):
    page = open_page(world.lead.user, path)
    assert page.evaluate("typeof vega") == "undefined"
    see_all(page)
    shown = page.locator("#pictures figure").evaluate_all("all => all.map(one => one.dataset.picture)")
    assert shown == NAMES
    assert page.locator("#pictures svg.marks").count() == len(NAMES)
    assert violations(page) == []

    page.set_viewport_size({"width": 1300, "height": 900})
    figure = page.locator("#pictures figure").first
    plot, told = figure.locator(".plot"), figure.locator(".told")
    plot.focus()
    expect(told).to_have_text("Use the arrow keys to move between values.")
    page.keyboard.press("End")
    expect(told).to_contain_text("Conger’s kappa: ")
    page.keyboard.press("ArrowUp")
    expect(told).to_contain_text("Light’s kappa: ")
    page.keyboard.press("Escape")
    expect(told).to_be_empty()

    figure.locator(".dots_marks path").first.hover()
    expect(told).to_contain_text("Percent agreement: ")

    light = fills(page)
    page.locator("[data-do=theme]").click()
    dark = fills(page)
    assert all(before != after for before, after in zip(light, dark, strict=True))
    assert violations(page, colours=True) == []


@only_long
def test_on_a_phone_they_fit_or_are_scrolled(open_page, world, path):
    page = open_page(world.lead.user, path, phone=True)
    see_all(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(page) == []


@only_long
def test_without_script_there_are_files_and_tables(open_page, world, path):
    page = open_page(world.lead.user, path, script=False)
    section = page.locator("#pictures")
    assert section.locator(".plot").first.is_hidden()
    section.locator("details summary").first.click()
    expect(section.locator("details table").first).to_contain_text("Fleiss’ kappa")
    assert section.locator("a", has_text="PDF").count() == 2 * len(NAMES)
