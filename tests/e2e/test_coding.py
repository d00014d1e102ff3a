"""Coding an interview by keys, in the browser: painted at once, sent in the background, taken back."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from interviews.actions.codings import open_coding
from interviews.models import Quote
from tests.e2e.axe import violations
from tests.factories.interviews import make_transcript
from tests.interviews.coding import quote, said
from tests.interviews.world import interview_world
from tests.long import only_long

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def coded(said=None):
    world = interview_world(stored=said is None)
    if said:
        make_transcript(world.session, world.lead, said=said)
    both = [world.coder, world.other]
    return world, open_coding(session=world.session, version=world.version, coders=both, by=world.lead)


def sent(page) -> None:
    """Wait until nothing is on its way."""
    expect(page.locator("body")).to_have_attribute("data-waiting", "0")


def test_a_finger_selects_by_the_handles_of_the_system_and_a_button_codes(open_page):
    world, coding = coded(("So?", "We train models at night."))
    page = open_page(world.coder.user, coding.get_absolute_url(), phone=True)
    select = "at => getSelection().setBaseAndExtent(...at.flatMap((place) => [t1.querySelector('p').firstChild, place]))"
    page.evaluate(select, [3, 15])
    page.get_by_role("button", name="Code selection").tap()
    expect(page.locator("#quoted q")).to_have_text("train models")
    page.locator("#find").fill("c9")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Save quote").tap()
    sent(page)
    assert said(coding) == [("R3", "train models", ("C.9",))]


def test_words_are_selected_coded_and_undone_by_keys(open_page):
    world, coding = coded(("So?", "We 😀 train models at night."))
    page = open_page(world.coder.user, coding.get_absolute_url())
    main = page.locator("#main")
    main.focus()
    for key in ("j", "j", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#find")).to_be_focused()
    expect(page.locator("#quoted q")).to_have_text("train models")
    page.keyboard.type("c9")
    page.keyboard.press("Enter")
    page.keyboard.type("night work")
    expect(page.locator("#fresh")).to_contain_text("night work")
    page.keyboard.press("Enter")
    assert violations(page) == []
    page.keyboard.press("Enter")
    expect(page.locator("#turns mark")).to_have_text("train models")
    sent(page)
    assert said(coding) == [("R3", "train models", ("C.9", "night work"))]
    page.keyboard.press("u")
    expect(page.locator("#turns mark")).to_have_count(0)
    sent(page)
    assert said(coding) == []
    page.keyboard.press("r")
    sent(page)
    assert said(coding) == [("R3", "train models", ("C.9", "night work"))]

    page.keyboard.press("]")
    page.keyboard.press("Enter")
    page.locator("#memo").fill("why")
    page.get_by_label("strong").check()
    page.keyboard.press("Escape")
    page.locator("#find").fill("B.1")
    page.keyboard.press("Control+Enter")
    sent(page)
    stored = Quote.objects.get()
    assert (stored.memo, stored.strength, stored.codes.count()) == ("why", 3, 3)
    page.keyboard.press("k")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("#toasts")).to_contain_text("interviewer are not coded")
    page.reload()
    expect(page.locator("#turns .quote .memo")).to_have_text("why")


@only_long
def test_words_that_are_selected_stay_selected_while_quotes_are_painted(open_page):
    """The first 24 turns with quotes are painted at once, from the address on, and the others later."""
    said = [text for place in range(40) for text in ("So?", f"It fails {place} times.")]
    world, coding = coded(said)
    for place in range(40):
        quote(coding, world.coder, f"fails {place} times", "C.9")
    page = open_page(world.coder.user, reverse("home"))
    page.add_init_script("window.requestIdleCallback = (later) => { window.goOn = later; };")
    page.goto(f"{coding.get_absolute_url()}#t41")
    while not page.evaluate("Boolean(window.goOn)"):
        page.wait_for_timeout(50)
    painted = "places => places.map((place) => document.querySelectorAll(`#t${place} .quote`).length)"
    assert page.evaluate(painted, [41, 79, 7, 9, 39]) == [1, 1, 1, 0, 0]
    page.evaluate("""() => {
        const text = t39.querySelector("p").firstChild;
        getSelection().setBaseAndExtent(text, 3, text, 8);
    }""")
    while not page.evaluate("document.body.dataset.painted !== undefined"):
        page.evaluate("goOn()")
    assert page.evaluate(painted, [9, 39]) == [1, 1]
    assert page.evaluate("String(getSelection())") == "fails"


def test_a_key_comes_before_the_quotes_that_are_still_to_be_painted(open_page):
    """While a key waits nothing else is painted; what the key saves is painted at once, beside the stored quote."""
    said_ = [text for place in range(40) for text in ("So?", f"It fails {place} times.")]
    world, coding = coded(said_)
    for place in range(40):
        quote(coding, world.coder, f"fails {place} times", "C.9")
    page = open_page(world.coder.user, reverse("home"))
    page.add_init_script("""
        window.requestIdleCallback = (later) => { window.goOn = later; };
        navigator.scheduling.isInputPending = () => window.isTyping;
        window.isTyping = true;
    """)
    page.goto(f"{coding.get_absolute_url()}?turn=79")
    expect(page.locator("#t79")).to_have_class("turn now")
    quotes, here = page.locator("#turns .quote"), page.locator("#t79")
    page.evaluate("goOn()")
    expect(quotes).to_have_count(24)
    page.locator("#main").focus()
    for key in ("a", "Enter", "c", "1", "Control+Enter"):
        page.keyboard.press(key)
    expect(here.locator(".quote")).to_have_count(2)
    expect(here.locator("mark")).to_have_text(["It ", "fails 39 times"])
    expect(quotes).to_have_count(26)
    sent(page)
    while page.evaluate("document.body.dataset.painted === undefined"):
        page.evaluate("() => { window.isTyping = false; goOn(); }")
    expect(quotes).to_have_count(41)
    expect(here.locator(".quote")).to_have_count(2)
    assert ("R3", "It fails 39 times", ("C.1",)) in said(coding)


@only_long
def test_what_is_coded_without_a_connection_is_sent_later(open_page):
    world, coding = coded()
    page = open_page(world.coder.user, coding.get_absolute_url())
    page.context.set_offline(True)
    page.get_by_text("The memory runs out, often.").select_text()
    page.get_by_text("The memory runs out, often.").dispatch_event("pointerup")
    page.locator("#find").fill("a1")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#state")).to_contain_text("No connection")
    assert said(coding) == []
    page.context.set_offline(False)
    page.reload()
    sent(page)
    assert said(coding) == [("R3", "The memory runs out, often.", ("A.1",))]
