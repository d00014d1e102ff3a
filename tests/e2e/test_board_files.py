"""What comes onto an open board, and what goes out of it, in the browser."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from boards.actions.boards import start_board
from tests.e2e.axe import violations
from tests.long import only_long
from tests.worlds.board import places
from tests.worlds.world import small_world

pytestmark = pytest.mark.django_db(transaction=True)


@only_long
def test_new_summaries_are_brought_and_the_file_says_what_it_leaves_out(open_page):
    world = small_world(issues=2, members=2)
    round_ = world.round()

    def say(issue, *said):
        for member, summary in zip(world.members, said, strict=True):
            world.submit(round_, issue, member, "C.1", summary=summary)

    say(world.issues[0], "Crash at start", "Leak of memory")
    about = world.category("C")
    board = start_board(taxonomy=world.version.taxonomy, name="All", about=about, by=world.lead)
    say(world.issues[1], "Crash at start up", "Odd colours")
    page = open_page(world.lead.user, f"/boards/{board.pk}/")
    expect(page.locator("#news")).to_contain_text("2 new summaries")
    page.locator("#bring").click()
    page.locator("#confirm button[value=yes]").click()
    expect(page.locator("#unsorted .bcard")).to_have_count(4)
    expect(page.locator("#news")).to_be_hidden()
    # What was alone stands with the new one that is like it.
    expect(page.locator("#unsorted [data-group] .bcard .text")).to_have_text(
        ["Crash at start", "Crash at start up"]
    )
    page.locator(".bcard", has_text="Odd colours").click()
    page.keyboard.press("a")
    expect(page.locator("#board")).to_have_attribute("data-waits", "no")
    assert places(board)["Odd colours"] == "aside"
    page.locator("#open-mapping").click()
    expect(page.locator("#mapping-in")).to_have_text("The file contains 0 cards in 0 piles.")
    expect(page.locator("#mapping-out")).to_contain_text("1 left aside, 3 still to sort")
    assert violations(page) == []
    with page.expect_download() as download:
        page.locator("#mapping button[type=submit]").click()
    assert Path(download.value.path()).read_text() == "rootcause,subcategory,symptoms\n"
    expect(page.locator("#mapping")).to_be_hidden()
    page.goto(f"/boards/{board.pk}/piles/")
    expect(page.get_by_role("heading", name="Left aside")).to_be_visible()
    assert violations(page) == []


@only_long
def test_without_a_script_the_board_leads_to_its_piles(open_page):
    world = small_world(issues=1, members=2)
    round_ = world.round()
    for member in world.members:
        world.submit(round_, world.issues[0], member, "C.1", summary="Crash at start")
    about = world.category("C")
    board = start_board(taxonomy=world.version.taxonomy, name="All", about=about, by=world.lead)
    page = open_page(world.lead.user, f"/boards/{board.pk}/", script=False)
    page.get_by_role("link", name="Show piles and cards").click()
    expect(page.get_by_role("heading", name="To sort")).to_be_visible()
    expect(page.get_by_text("Crash at start")).to_be_visible()
