"""Where menus and small forms open: inside of the window, with their button in view."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from consensus.actions.meetings import turn_to
from tests.long import only_long
from tests.worlds.meeting import meeting_world

pytestmark = pytest.mark.django_db(transaction=True)

SIZE = {"width": 1440, "height": 900}


@pytest.fixture
def world():
    return meeting_world(4)


@only_long
def test_the_menus_of_the_filters_open_inside_of_the_window(open_page, world):
    page = open_page(world.lead.user, reverse("disagreements", args=[world.round_.pk]))
    page.set_viewport_size(SIZE)
    for summary in page.locator(".filters details.menu > summary").all():
        summary.click()
        # The script moves the sheet when the menu tells that it has opened, which is after the click.
        expect(page.locator(".filters details.menu[open] > .sheet")).to_be_in_viewport(ratio=0.99)
        page.keyboard.press("Escape")


@only_long
def test_an_issue_is_put_off_with_room_to_say_why_and_closing_is_named(open_page, world):
    world.plan()
    world.arrive()
    turn_to(meeting=world.meeting, item=world.items[0], by=world.lead)
    page = open_page(world.lead.user, reverse("meeting", args=[world.meeting.pk]))
    page.set_viewport_size(SIZE)
    page.locator("#parking summary").click()
    assert page.locator("#park-why").bounding_box()["width"] > 250
    expect(page.locator("#park button")).to_be_in_viewport()
    page.locator("#park-why").fill("Ask the author.")
    page.locator("#park button").click()
    expect(page.locator("#decision")).to_contain_text("Parked: Ask the author.")
    expect(page.locator("#ballot")).not_to_contain_text("Open vote")
    page.locator("#more summary").click()
    page.get_by_role("button", name="Close meeting").click()
    confirm = page.locator("#confirm")
    expect(confirm.get_by_role("button")).to_have_text(["Cancel", "Close meeting"])
    confirm.get_by_role("button", name="Cancel").click()


@only_long
def test_what_went_well_is_said_with_a_tick(open_page, world):
    page = open_page(world.lead.user, reverse("home"))
    page.evaluate(
        "import('/static/js/core/page.js').then(({ toast }) => { toast('Done'); toast('Not done', 'bad') })"
    )
    ok, bad = (page.locator(f".toast.{kind} > svg").inner_html() for kind in ("ok", "bad"))
    assert ok != bad
