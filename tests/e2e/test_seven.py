"""A consensus meeting of seven people in seven browsers, on the demonstration study."""

import time
from collections.abc import Iterator

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from consensus.models import Decision, Meeting, Participant
from consensus.queries.minutes import minutes
from demo.demonstration import load_demonstration
from tests.e2e.conftest import Open
from tests.e2e.room7 import Seven, choosing, seat
from tests.long import only_long

# tests/e2e/test_meeting_room.py holds a meeting of two in every run.
pytestmark = [pytest.mark.django_db(transaction=True), only_long]

PEOPLE = ("R1", "R2", "R3", "R4", "R5", "R6", "R7")
CHAIR = "R2"
TOLD = "[data-refusal=decide]:has-text('just decided this issue')"


@pytest.fixture
def seven(open_page: Open) -> Iterator[Seven]:
    load_demonstration()
    meeting = Meeting.objects.select_related("round__study").get(name="Second meeting")
    path = reverse("meeting", args=[meeting.pk])
    pages = {who: open_page(seat(meeting, who).user, path) for who in PEOPLE}
    # Seven browsers, and whoever else is at the processors.
    expect.set_options(timeout=20_000)
    for page in pages.values():
        page.set_default_timeout(40_000)
    yield Seven(meeting, pages, CHAIR)
    expect.set_options(timeout=5_000)


def test_seven_browsers_hold_a_meeting_and_show_the_same(seven: Seven):
    meeting, chair = seven.meeting, seven.pages[CHAIR]

    # The chair opens; all others are on the page of the planned meeting, and come along by themselves.
    chair.get_by_role("button", name="Open meeting").click()
    for page in seven.pages.values():
        expect(page.locator("#agenda")).to_be_visible()
    there = Participant.objects.filter(meeting=meeting, joined_at__isnull=False, left_at=None)
    wait_for(lambda: there.count() == 7)
    seven.follow("all are there", time.monotonic())
    assert seven.screen["quorum"] == ["Quorum met: 7 of 7, needs 5"]
    assert "0 of 20 decided" in seven.screen["agenda"][0]

    # Two ballots with discussion between: 4 to 3, then all for one.
    seven.turn_to("2950")
    seven.vote({"R1": "C.7", "R2": "C.9", "R3": "C.9", "R4": "C.9", "R5": "C.9", "R6": "C.7"})
    assert seven.screen["results"] == []
    assert "6 of 7 have voted" in seven.screen["tally"][0]
    seven.act("R7 votes", choosing("C.7"), by="R7")
    assert "4 × C.9, 3 × C.7, 7 of 7 voted" in seven.screen["results"][0]
    seven.say("R5", "One missing check in the handler, nothing of the interface changes.")
    seven.say("R7", "Then C.9 for me too.")
    seven.vote(dict.fromkeys(PEOPLE, "C.9") | {"R6": ""})
    assert "6 × C.9, 1 abstained, 7 of 7 voted" in seven.screen["results"][0]
    seven.decide(
        "C.9", "unanimity", "What lacks is the handling of a boundary value.", "guideline",
        guideline="A value at the boundary that nobody handles is C.9.",
    )  # fmt: skip
    assert "1 of 20 decided" in seven.screen["agenda"][0]

    # A majority, with an example that follows from it.
    seven.turn_to("1249")
    seven.vote({"R1": "C.5", "R2": "C.5", "R3": "C.6", "R4": "C.6", "R5": "C.5", "R6": "C.6", "R7": "C.5"})
    seven.decide("C.5", "majority", "The scheduler is built anew after loading.", "overlap", example="1")
    assert seven.screen["follow"] == [
        "example for a category C.5: The scheduler is built anew after loading."
    ]

    # Unanimous at once.
    seven.turn_to("3841")
    seven.vote(dict.fromkeys(PEOPLE, "A.3"))
    seven.decide("A.3", "unanimity", "An explanation settled it.", "slip")

    # One loses the connection: the others go on, and after half a minute that seat is empty.
    lost = seven.pages["R6"]
    seven.turn_to("455")
    lost.locator("#say-text").fill("I would look at who computes the norm.")
    seven.gone.add("R6")
    lost.context.set_offline(True)
    gone_at = time.monotonic()
    expect(lost.locator("#lost")).to_be_visible()

    # The chair's word, a park, and back to it.
    seven.say("R4", "The ranks are alive: C.5.")
    seven.decide("C.5", "chair", "All ranks exchange what they should; the clipping is wrong.", "issue")
    assert "by the chair" in seven.screen["decision"][0]
    seven.turn_to("733")
    seven.act("park", lambda page: park(page, "Read the fix first."))
    seven.turn_to("4803")
    seven.say("R7", "They ask how to deploy it.")
    seven.decide("C.1", "chair", "The image breaks on this platform.", "issue")
    seven.turn_to("733")
    seven.act("come back", lambda page: page.get_by_role("button", name="Return to agenda").click())

    # The silent seat is noticed; a vote does not wait for it.
    wait_for(lambda: there.count() == 6, seconds=45)
    seven.follow("R6 is away", time.monotonic())
    assert time.monotonic() - gone_at > 25
    assert seven.screen["quorum"] == ["Quorum met: 6 of 7, needs 5"]
    six = [who for who in PEOPLE if who != "R6"]
    seven.vote(dict.fromkeys(six, "C.8"))
    assert "6 × C.8, 6 of 6 voted" in seven.screen["results"][0]
    seven.decide("C.8", "unanimity", "By the guideline the cause decides.", "guideline")

    # Back: where the meeting is, and counted again.
    lost.context.set_offline(False)
    seven.gone.clear()
    expect(lost.locator("#lost")).to_be_hidden()
    seven.follow("R6 is back", time.monotonic())
    wait_for(lambda: there.count() == 7)
    seven.follow("all are there again", time.monotonic())
    assert seven.screen["quorum"] == ["Quorum met: 7 of 7, needs 5"]

    # A decision is reopened, and made anew: the chain says both.
    seven.turn_to("3841")
    seven.act("reopen", lambda page: reopen(page, "The numbers in the last comment were not read."))
    assert seven.screen["decision"] == []
    seven.vote(dict.fromkeys(PEOPLE, "C.2"))
    seven.decide(
        "C.2", "unanimity", "Dequantising costs more than it saves, and that can be repaired.", "issue"
    )
    assert "An explanation settled it." in seven.screen["chain"][0]
    assert "reopened" in seven.screen["chain"][0].lower()

    # Two windows of the chair decide at once: one wins, the other is told and keeps its text.
    seven.turn_to("2719")
    second = chair.context.new_page()
    second.goto(chair.url)
    second.wait_for_load_state("networkidle")
    both = {chair: ("C.5", "It does not stop."), second: ("C.7", "The configuration is not read.")}
    for page, (code, why) in both.items():
        seven.fill_decision(page, code, "chair", why)
    for page in both:
        page.evaluate("document.getElementById('decide').requestSubmit()")
    expect(chair.locator("#decision .stands").or_(chair.locator(TOLD)).first).to_be_visible()
    expect(second.locator("#decision .stands").or_(second.locator(TOLD)).first).to_be_visible()
    wait_for(lambda: sum(page.locator(TOLD).count() for page in both) == 1)
    standing = Decision.objects.get(round=meeting.round, issue__number="2719", superseded_at=None)
    [loser] = [page for page in both if page.locator(TOLD).count()]
    [winner] = [page for page in both if page is not loser]
    assert (standing.number, standing.rationale) == (1, both[winner][1])
    assert loser.locator("#decide-rationale").input_value() == both[loser][1]
    second.close()
    seven.follow("two at once", time.monotonic())

    # What one argument settles goes the same way at one stroke, each a decision of its own.
    seven.turn_to("455")
    others = [seven.item(number).issue_id for number in ("I8G5RV", "13144")]
    seven.act("alike", lambda page: alike(page, "The control logic is at fault in all of these."))
    assert "9 of 20 decided" in seven.screen["agenda"][0]
    assert Decision.objects.filter(bulk__kind="alike", issue__in=others, superseded_at=None).count() == 2

    # The end: whatever is not decided is free again.
    chair.locator("#bar details:has(form[action$='/close/']) > summary").click()
    chair.locator("#bar form[action$='/close/'] button").click()
    chair.locator("#confirm [value=yes]").click()
    for page in seven.pages.values():
        expect(page.locator("#bar[data-over]")).to_be_visible()
    seven.follow("closed", time.monotonic())
    assert seven.late() == []
    assert_minutes(seven)


def park(page: Page, why: str) -> None:
    page.keyboard.press("l")
    page.locator("#park-why").fill(why)
    page.locator("#park button").click()


def reopen(page: Page, why: str) -> None:
    page.locator("#reopening > summary").click()
    page.locator("#reopen-why").fill(why)
    page.locator("#reopen button").click()


def close(page: Page) -> None:
    page.locator("#bar form[action$='/close/'] button").click()
    page.locator("dialog[open] .primary, dialog[open] [value=yes]").first.click()


def alike(page: Page, rationale: str) -> None:
    """Decide what stands below a decision as alike."""
    page.locator("#alikes > summary").click()
    page.locator("#alike-rationale").fill(rationale)
    page.locator("#alike button").click()
    page.locator("#confirm [value=yes]").click()


def assert_minutes(seven: Seven) -> None:
    """The minutes hold every vote and decision, with who was there and who was not."""
    meeting = Meeting.objects.select_related("round__study", "round__version", "chair").get(
        pk=seven.meeting.pk
    )
    written = minutes(meeting, seat(meeting, CHAIR))
    lines = {line.number: line for group in written.groups for line in group.items}
    assert {
        number: (
            line.state,
            [(vote.present, vote.split, vote.abstained) for vote in line.votes],
            [(made.code, made.how, made.cause, bool(made.ended_at)) for made in line.decisions],
            [said.who for said in line.thread],
        )
        for number, line in lines.items()
    } == {
        "2950": (
            "decided", [(7, (("C.9", 4), ("C.7", 3)), 0), (7, (("C.9", 6),), 1)],
            [("C.9", "unanimity", "unclear guideline", False)], ["R5", "R7"],
        ),
        "1249": ("decided", [(7, (("C.5", 4), ("C.6", 3)), 0)], [("C.5", "majority", "overlapping categories", False)], []),
        "3841": (
            "decided", [(7, (("A.3", 7),), 0), (7, (("C.2", 7),), 0)],
            [("A.3", "unanimity", "slip", True), ("C.2", "unanimity", "unclear issue", False)], [],
        ),
        "455": ("decided", [], [("C.5", "chair", "unclear issue", False)], ["R4"]),
        "733": ("decided", [(6, (("C.8", 6),), 0)], [("C.8", "unanimity", "unclear guideline", False)], []),
        "4803": ("decided", [], [("C.1", "chair", "unclear issue", False)], ["R7"]),
        "2719": ("decided", [], [(lines["2719"].decisions[0].code, "chair", "", False)], []),
        "I8G5RV": ("decided", [], [("C.5", "chair", "", False)], []),
        "13144": ("decided", [], [("C.5", "chair", "", False)], []),
    }  # fmt: skip
    assert {number for number, line in lines.items() if not line.seconds} == {"I8G5RV", "13144"}
    assert len(written.not_reached) == 11
    assert {one.who for one in written.there} == set(PEOPLE)
    assert written.absent == ()
    following = [(one.kind, one.code) for line in lines.values() for one in line.following]
    assert sorted(following) == [("example for a category", "C.5"), ("guideline line", "")]
    assert written.totals.median_seconds is not None
    page = seven.pages["R1"]
    page.goto(reverse("minutes", args=[meeting.pk]))
    for line in lines.values():
        expect(page.locator("main")).to_contain_text(line.title)
        for made in line.decisions:
            expect(page.locator("main")).to_contain_text(made.rationale)


def wait_for(holds, seconds: float = 60.0) -> None:
    """Wait until this is so: seven browsers on a busy machine take their time."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)
