"""What tests of the labelling page do again and again."""

from django.urls import reverse
from playwright.sync_api import Page, expect

from ingest.models import Issue
from rounds.models import Round
from tests.worlds.world import World


def title(page: Page) -> str:
    return page.locator("h1").inner_text()


def issue_on(page: Page, world: World) -> Issue:
    """The issue that the page shows."""
    number = page.locator("#turn").get_attribute("data-name")
    return next(issue for issue in world.issues if str(issue) == number)


def press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def answer(page: Page, keys: str) -> None:
    """Press the keys, and wait for the next issue: keys that are pressed while it is fetched choose nothing."""
    before = title(page)
    press(page, keys)
    expect(page.locator("h1")).not_to_have_text(before)
    expect(page.locator("[data-when=fetching]")).to_be_hidden(timeout=30_000)


def draft_saved(page: Page) -> None:
    expect(page.locator("#state")).to_contain_text("Draft saved")


def stored(page: Page) -> None:
    """Wait until all answers have left the browser."""
    waiting(page, 0)


def waiting(page: Page, count: int) -> None:
    """Wait until so many answers are being sent."""
    expect(page.locator("body")).to_have_attribute("data-outbox", str(count))


def held(page: Page, count: int) -> None:
    """Wait until the browser holds so many turns after the one it shows."""
    expect(page.locator("body")).to_have_attribute("data-held", str(count))


def label_page(round_: Round) -> str:
    return reverse("label", args=[round_.pk])
