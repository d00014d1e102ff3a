"""The board, in the browser: sorted by keys, by dragging, on a phone, by two people at once, and apart."""

import json

import pytest
from playwright.sync_api import Page, Route, expect

from boards.models import Board, Move, Pile
from taxonomy.queries.drafts import drafted
from tests import factories
from tests.e2e.axe import violations
from tests.long import only_long
from tests.worlds.board import BoardWorld, board_world, places

pytestmark = pytest.mark.django_db(transaction=True)

TEXTS = (
    "Crash at start",
    "Crash at exit",
    "Hangs for ever",
    "Slow loading",
    "Leak of memory",
    "Wrong result",
)

# How often elements were put in or taken out below the board, and how many attributes of cards were written.
WATCH = """() => {
  window.seen = { children: 0, cards: new Set() };
  new MutationObserver((records) => {
    for (const record of records) {
      if (record.type === "childList") window.seen.children += record.addedNodes.length + record.removedNodes.length;
      const card = record.target.closest?.(".bcard");
      if (card) window.seen.cards.add(card);
    }
  }).observe(document.getElementById("board"), { childList: true, attributes: true, characterData: true, subtree: true });
}"""
SEEN = "() => [window.seen.children, window.seen.cards.size]"


@pytest.fixture
def world() -> BoardWorld:
    return board_world(TEXTS)


def opened(open_page, who, board: Board, **browser) -> Page:
    page = open_page(who.user, f"/boards/{board.pk}/", **browser)
    expect(page.locator("#board")).to_have_attribute("aria-busy", "false")
    return page


def card(page: Page, text: str):
    return page.locator(".bcard", has_text=text)


def pile(page: Page, name: str):
    return page.locator(".pile", has=page.locator(".name", has_text=name))


def stored(page: Page, board: Board) -> dict[str, str | None]:
    """Where each card lies, once all that the page has sent is answered."""
    expect(page.locator("#board")).to_have_attribute("data-waits", "no")
    return places(board)


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_a_board_is_sorted_by_keys_only(open_page, world):
    page = opened(open_page, world.one, world.board)
    expect(page.locator("#sorted")).to_have_text("0 of 6 cards sorted, 0 left aside, 6 to sort")
    # A new pile with two cards, then a card into it by its number, another by letters of its name.
    press(page, "j", "x", "j", "x", "n")
    page.keyboard.type("Crashes")
    press(page, "Enter")
    expect(pile(page, "Crashes").locator(".bcard")).to_have_count(2)
    expect(card(page, "Hangs for ever")).to_be_focused()
    press(page, "1", "Enter")
    expect(page.locator("#said")).to_have_text("1 card sent to 1 Crashes. 3 cards left to sort.")
    expect(card(page, "Slow loading")).to_be_focused()
    press(page, "n")
    page.keyboard.type("Slowness")
    press(page, "Enter")
    expect(pile(page, "Slowness").locator(".bcard")).to_have_count(1)
    expect(page.locator("#said")).to_have_text("1 card sent to Slowness. 2 cards left to sort.")
    press(page, "Enter")
    page.keyboard.type("slo")
    press(page, "Enter")
    expect(pile(page, "Slowness").locator(".bcard")).to_have_count(2)
    press(page, "a")
    expect(page.locator("#sorted")).to_have_text("5 of 6 cards sorted, 1 left aside, 0 to sort")
    expect(page.locator("#all-sorted")).to_be_visible()
    assert stored(page, world.board) == {
        "Crash at start": "Crashes", "Crash at exit": "Crashes", "Hangs for ever": "Crashes",
        "Slow loading": "Slowness", "Leak of memory": "Slowness", "Wrong result": "aside",
    }  # fmt: skip
    # Taken back, step by step, and done again.
    press(page, "u")
    expect(card(page, "Wrong result")).to_be_visible()
    expect(page.locator("#left")).to_have_text("1")
    press(page, "u")
    expect(page.locator("#left")).to_have_text("2")
    press(page, "U")
    expect(page.locator("#left")).to_have_text("1")
    assert stored(page, world.board)["Leak of memory"] == "Slowness"
    assert violations(page) == []


@only_long
def test_a_pile_is_named_described_and_taken_apart_in_its_place(open_page, world):
    world.pile("Crashes", *world.cards[:2])
    page = opened(open_page, world.one, world.board)
    press(page, "j", "l")
    expect(card(page, "Crash at start")).to_be_focused()
    press(page, "e")
    expect(page.locator("#pile-name")).to_be_focused()
    page.keyboard.type("It dies")
    press(page, "Tab")
    page.keyboard.type("The process ends.")
    assert violations(page) == []
    press(page, "Control+Enter")
    expect(pile(page, "It dies").locator(".def")).to_have_text("The process ends.")
    expect(pile(page, "It dies").locator(".name")).to_be_focused()
    described = Pile.objects.get(sorting__board=world.board)
    assert (described.name, described.definition) == ("It dies", "The process ends.")
    page.locator(".pile .name", has_text="It dies").click()
    page.locator("#take-apart").click()
    page.locator("#confirm button[value=yes]").click()
    expect(page.locator("#left")).to_have_text("6")
    expect(pile(page, "It dies")).to_have_count(0)
    assert set(stored(page, world.board).values()) == {None}


@only_long
def test_cards_are_split_and_merged(open_page, world):
    page = opened(open_page, world.one, world.board)
    press(page, "j", "s")
    page.locator("#split-texts").fill("Crash")
    press(page, "Control+Enter")
    expect(page.locator("#split .refused")).to_be_visible()
    page.locator("#split-texts").fill("Crash\nAt start")
    press(page, "Control+Enter")
    expect(page.locator("#unsorted .bcard")).to_have_count(7)
    card(page, "Slow loading").click()
    card(page, "Leak of memory").click()
    press(page, "m")
    expect(page.locator("#merge-list li")).to_have_text(["Slow loading", "Leak of memory"])
    page.locator("#merge-text").fill("Wastes time and memory")
    press(page, "Control+Enter")
    expect(page.locator("#unsorted .bcard")).to_have_count(6)
    assert set(stored(page, world.board)) == {
        "Crash", "At start", "Crash at exit", "Hangs for ever", "Wrong result", "Wastes time and memory"
    }  # fmt: skip


@only_long
def test_a_split_that_is_refused_stays_typed(open_page, world):
    page = opened(open_page, world.one, world.board)
    press(page, "j", "s")
    typed = f"Crash\n{'x' * 501}"
    page.locator("#split-texts").fill(typed)
    press(page, "Control+Enter")
    expect(page.locator(".toast", has_text="500")).to_be_visible()
    expect(page.locator("#split")).to_be_visible()
    expect(page.locator("#split-texts")).to_have_value(typed)
    page.locator("#split-texts").fill("Crash\nAt start")
    press(page, "Control+Enter")
    expect(page.locator("#unsorted .bcard")).to_have_count(7)


@only_long
def test_several_cards_are_dragged_at_once(open_page, world):
    world.pile("Crashes")
    page = opened(open_page, world.one, world.board)
    for text in ("Crash at start", "Crash at exit"):
        card(page, text).click()
    card(page, "Crash at exit").drag_to(pile(page, "Crashes"))
    expect(pile(page, "Crashes").locator(".bcard")).to_have_count(2)
    card(page, "Slow loading").drag_to(page.locator("#aside-pile"))
    expect(page.locator("#left")).to_have_text("3")
    card(page, "Leak of memory").drag_to(page.locator("#new-pile"))
    page.keyboard.type("Leaks")
    press(page, "Enter")
    expect(pile(page, "Leaks").locator(".bcard")).to_have_count(1)
    # And back.
    card(page, "Crash at start").drag_to(page.locator("#unsorted"))
    expect(pile(page, "Crashes").locator(".bcard")).to_have_count(1)
    expect(page.locator("#left")).to_have_text("3")
    assert stored(page, world.board) == {
        "Crash at start": None, "Crash at exit": "Crashes", "Hangs for ever": None,
        "Slow loading": "aside", "Leak of memory": "Leaks", "Wrong result": None,
    }  # fmt: skip


@only_long
def test_what_is_searched_for_is_chosen_at_once(open_page, world):
    page = opened(open_page, world.one, world.board)
    press(page, "/")
    page.keyboard.type("crash")
    expect(page.locator("#found-n")).to_have_text("2 cards found, 2 to sort")
    expect(card(page, "Slow loading")).to_be_hidden()
    page.locator("#choose-found").click()
    press(page, "n")
    page.keyboard.type("Crashes")
    press(page, "Enter")
    expect(pile(page, "Crashes").locator(".bcard")).to_have_count(2)
    page.locator("#find").fill("")
    expect(card(page, "Slow loading")).to_be_visible()


@only_long
def test_cards_that_are_alike_stand_together_and_are_chosen_by_one_key(open_page):
    texts = (
        "segfault at exit of the worker",
        "Slow",
        "segfault at exit of a worker",
        "segfault at exit, worker",
    )
    world = board_world(texts)
    page = opened(open_page, world.one, world.board)
    together = page.locator("#unsorted [data-group] .bcard")
    expect(together).to_have_count(3)
    press(page, "j", "g")
    expect(page.locator("#about-n")).to_have_text("3 cards selected")
    press(page, "x", "n")
    page.keyboard.type("Ends")
    press(page, "Enter")
    expect(pile(page, "Ends").locator(".bcard")).to_have_count(2)
    # The one that stayed says where the others are.
    together.first.focus()
    expect(page.locator("#about-alike")).to_have_text("Similar cards: 2 in 1 Ends")


@only_long
def test_what_another_does_arrives_and_a_clash_is_told(open_page, world):
    crashes = world.pile("Crashes")
    first = opened(open_page, world.one, world.board)
    second = opened(open_page, world.two, world.board)
    card(first, "Crash at start").focus()
    press(first, "1", "Enter")
    expect(pile(second, "Crashes").locator(".bcard", has_text="Crash at start")).to_be_visible()
    expect(second.locator("#said")).to_have_text("Another member moved a card.")

    # The second page hears nothing for a while, and sends a card that the first has put elsewhere meanwhile.
    second.route("**/state/**", lambda route: route.fulfill(status=204))
    card(first, "Crash at exit").focus()
    press(first, "1", "Enter")
    expect(first.locator("#left")).to_have_text("4")
    assert stored(first, world.board)["Crash at exit"] == "Crashes"
    card(second, "Crash at exit").focus()
    press(second, "a")
    told = second.locator("#toasts .toast.bad")
    expect(told).to_contain_text("Crashes")
    expect(pile(second, "Crashes").locator(".bcard", has_text="Crash at exit")).to_be_visible()
    assert stored(second, world.board)["Crash at exit"] == "Crashes"
    assert Pile.objects.get(pk=crashes).name == "Crashes"


@only_long
def test_what_could_not_be_sent_is_sent_again_and_done_once(open_page, world):
    world.pile("Crashes")
    page = opened(open_page, world.one, world.board)
    dropped: list[str] = []

    def lose_the_first_answer(route: Route) -> None:
        if dropped:
            route.continue_()
            return
        dropped.append(route.request.post_data or "")
        route.fetch()
        route.abort()

    page.route("**/acts/", lose_the_first_answer)
    card(page, "Crash at start").focus()
    with page.expect_console_message():
        press(page, "1", "Enter")
        expect(page.locator("#lost")).to_be_visible()
    expect(page.locator("#lost")).to_be_hidden()
    expect(pile(page, "Crashes").locator(".bcard")).to_have_count(1)
    assert json.loads(dropped[0])["act"] == "move"
    assert Move.objects.filter(sorting__board=world.board, kind=Move.Kind.MOVE).count() == 1


@only_long
def test_who_sorts_apart_sees_nothing_of_the_others(open_page):
    world = board_world(TEXTS, apart=True)
    world.pile("Crashes of the second", *world.cards[:3], by=world.two)
    page = opened(open_page, world.one, world.board)
    expect(page.locator("#left")).to_have_text("6")
    expect(page.locator("#piles > .pile:not(.aside)")).to_have_count(0)
    assert "Crashes of the second" not in page.content()
    state = page.request.get(f"/boards/{world.board.pk}/state/").text()
    assert "Crashes of the second" not in state
    looks_on = opened(open_page, world.lead, world.board)
    expect(looks_on.locator("#left")).to_have_text("6")
    expect(looks_on.locator("#bar")).to_be_hidden()
    assert "Crashes of the second" not in looks_on.content()


@only_long
def test_two_sort_apart_and_go_on_together(open_page):
    """Apart by keys, done, together: what both put together lies in piles, and the rest says who had it where."""
    world = board_world(TEXTS, apart=True)
    crash, at_exit, hangs, slow, *_rest = world.cards
    world.pile("Ends", crash, at_exit, hangs, by=world.two)
    world.pile("Slow", slow, by=world.two)
    world.act(world.two, "done")
    page = opened(open_page, world.one, world.board)
    press(page, "j", "x", "j", "x", "n")
    page.keyboard.type("Crashes")
    press(page, "Enter")
    expect(pile(page, "Crashes").locator(".bcard")).to_have_count(2)
    page.locator("#done").click()
    page.locator("#confirm button[value=yes]").click()
    expect(page.locator(".phase")).to_contain_text("You have finished sorting.")
    expect(page.locator("#bar")).to_be_hidden()

    lead = opened(open_page, world.lead, world.board)
    expect(lead.locator("#sorters .done:visible")).to_have_count(2)
    expect(lead.locator("#sorted")).to_have_text("6 cards")
    lead.locator("#together").click()
    lead.locator("#confirm button[value=yes]").click()
    # The page of who waited goes on by itself.
    for each in (lead, page):
        expect(pile(each, "Crashes / Ends").locator(".bcard")).to_have_count(2)
        expect(card(each, "Hangs for ever").locator(".had")).to_have_text("R2: Ends")
        expect(each.locator("#left")).to_have_text("4")
    assert violations(lead) == []
    lead.get_by_role("link", name="Compare sortings").click()
    expect(lead.get_by_role("row", name="R1 and R2")).to_contain_text("100 % of 1".replace(" %", "\u00a0%"))
    assert violations(lead) == []


@only_long
def test_a_pile_becomes_a_sub_theme_of_the_draft(open_page, world):
    world.pile("Crashes", *world.cards[:2])
    theme = factories.category(world.version, "A.1")
    page = opened(open_page, world.lead, world.board)
    page.locator(".pile .name", has_text="Crashes").click()
    page.locator("#make").click()
    expect(page.locator("#pile-theme")).to_be_focused()
    page.locator("#pile-theme").select_option("A.1")
    page.locator("#make").click()
    made = pile(page, "Crashes").locator(".code")
    expect(made).to_have_class("code solid")
    entry = next(each for each in drafted(world.version.taxonomy).draft if each.name == "Crashes")
    expect(made).to_have_text(entry.code)
    assert entry.parent == str(theme.key)
    assert set(entry.examples.splitlines()) == {"Crash at start", "Crash at exit"}


@pytest.mark.parametrize("dark", [False, True])
@only_long
def test_on_a_phone_a_card_is_sent_by_choosing_its_pile(open_page, world, dark):
    world.pile("Crashes")
    page = opened(open_page, world.one, world.board, phone=True, dark=dark)
    card(page, "Crash at start").tap()
    card(page, "Crash at exit").tap()
    expect(page.locator("#about-n")).to_have_text("2 cards selected")
    page.locator("#to").tap()
    page.locator("#to-list li", has_text="Crashes").tap()
    expect(page.locator("#left")).to_have_text("4")
    page.locator("#show-piles").tap()
    expect(pile(page, "Crashes").locator(".bcard")).to_have_count(2)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@only_long
def test_a_move_touches_what_it_moves_and_nothing_else(open_page):
    """Of 2,000 cards, a move of fifty takes fifty elements out and puts them in; no other card is written to."""
    world = board_world([f"Symptom number {number} of its own kind" for number in range(2000)])
    world.pile("Crashes")
    page = opened(open_page, world.one, world.board)
    expect(page.locator(".bcard")).to_have_count(2000)
    press(page, "j")
    for _ in range(49):
        press(page, "J")
    expect(page.locator("#about-n")).to_have_text("50 cards selected")
    page.keyboard.press("1")
    page.evaluate(WATCH)
    page.keyboard.press("Enter")
    expect(page.locator("#left")).to_have_text("1,950")
    page.wait_for_function("() => document.activeElement.matches('#unsorted .bcard')")
    children, cards = page.evaluate(SEEN)
    assert cards <= 52  # the fifty, the one that has the focus now, and the one that had it
    assert children <= 150  # fifty out, fifty in, and the numbers and the list of piles
