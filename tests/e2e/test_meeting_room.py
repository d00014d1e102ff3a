"""Two people in the room of a meeting, in two browsers: what is typed stays, and a lost connection rejoins."""

from collections.abc import Iterator

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from consensus.actions.consensus import decide_item
from consensus.actions.meetings import turn_to
from consensus.actions.presence import here
from consensus.actions.threads import say
from consensus.models import Ballot, Comment, Decision, Meeting, Vote
from tests.e2e.axe import violations
from tests.e2e.conftest import Open
from tests.long import only_long
from tests.worlds.meeting import MeetingWorld, meeting_world

pytestmark = pytest.mark.django_db(transaction=True)

PATIENT = 20_000


@pytest.fixture
def world() -> MeetingWorld:
    world = meeting_world(3, members=3, rows=("C.9 C.9 C.1", "C.1 C.9 C.9", "B.1 B.2 B.1"))
    world.plan(quorum=2)
    turn_to(meeting=world.meeting, item=world.items[0], by=world.lead)
    return world


@pytest.fixture
def two(world: MeetingWorld, open_page: Open) -> Iterator[tuple[Page, Page]]:
    """The screens of the chair and of R1; both are there."""
    path = reverse("meeting", args=[world.meeting.pk])
    pages = open_page(world.lead.user, path), open_page(world.members[0].user, path)
    for page in pages:
        expect(page.locator("#bar")).to_contain_text("Quorum met: 2 of", timeout=PATIENT)
    yield pages
    # Who leaves says so: that is to arrive before the tables are emptied.
    for page in pages:
        page.goto("about:blank")
        page.wait_for_timeout(300)


def title(world: MeetingWorld, place: int) -> str:
    return f"Title of {world.issues[place].number}"


def test_a_key_right_after_next_is_said_and_acts_on_no_issue(world, open_page):
    page = open_page(world.lead.user, reverse("meeting", args=[world.meeting.pk]))
    expect(page.locator("#issue")).to_contain_text(title(world, 0), timeout=PATIENT)
    page.evaluate(
        """() => {
            const plain = fetch;
            window.fetch = (url, options) => String(url).includes("/turn/")
                ? new Promise((resolve) => setTimeout(() => resolve(plain(url, options)), 1500))
                : plain(url, options);
        }"""
    )
    for key in ("n", "v", "v"):
        page.keyboard.press(key)
    said = page.locator("#toasts .toast.warn")
    expect(said).to_contain_text("The key v was not used, because the next issue was not here yet.")
    expect(page.locator("#issue")).to_contain_text(title(world, 1), timeout=PATIENT)
    expect(said).to_have_count(1)
    assert not Vote.objects.exists()
    page.goto("about:blank")
    page.wait_for_timeout(300)


@only_long
def test_two_people_turn_vote_decide_and_park(world, two):
    chair, member = two
    assert violations(chair) == []
    # What is typed stays while sections are swapped around it, and focus and caret with it.
    text = member.locator("#say-text")
    text.click()
    member.keyboard.type("The trigger is ")
    say(round_=world.round_, issue=world.issues[0], author=world.members[1], text="I think of C.9.")
    expect(member.locator("#thread")).to_contain_text("I think of C.9.", timeout=PATIENT)
    expect(text).to_be_focused()
    member.keyboard.type("the driver.")
    expect(text).to_have_value("The trigger is the driver.")
    # Keys never fire while typing.
    assert Ballot.objects.count() == 0
    # Another issue, and back: the text is there again.
    chair.keyboard.press("n")
    expect(member.locator("h1")).to_have_text(title(world, 1), timeout=PATIENT)
    expect(member.locator("#say-text")).to_have_value("")
    chair.keyboard.press("p")
    expect(member.locator("h1")).to_have_text(title(world, 0), timeout=PATIENT)
    expect(member.locator("#say-text")).to_have_value("The trigger is the driver.")
    member.locator("#say-text").press("Enter")
    expect(chair.locator("#thread")).to_contain_text("the driver.", timeout=PATIENT)
    assert Comment.objects.count() == 2
    # A vote: hidden, then closed with the last ballot.
    chair.keyboard.press("v")
    expect(member.locator("#ballot")).to_contain_text("0 of 2 have voted", timeout=PATIENT)
    member.keyboard.press("Escape")
    member.keyboard.press("1")
    expect(member.locator("#ballot")).to_contain_text("Your vote is in", timeout=PATIENT)
    expect(chair.locator("#ballot")).to_contain_text("1 of 2 have voted", timeout=PATIENT)
    assert violations(member) == []
    chair.keyboard.press("a")
    expect(member.locator("#ballot")).to_contain_text("1 abstained, 2 of 2 voted", timeout=PATIENT)
    # Somebody was faster: the chair is told, and what was typed is still there.
    chair.keyboard.press("r")
    chair.keyboard.type("Because of the log")
    decide_item(
        item=world.items[0],
        by=world.lead,
        category=world.category("C.1"),
        how="chair",
        rationale="Said in another window.",
        seen_number=0,
    )
    expect(chair.locator("#decision .stands")).to_contain_text("C.1", timeout=PATIENT)
    expect(chair.locator("[data-refusal=decide]")).to_contain_text("Your text is still here")
    expect(chair.locator("#decide-rationale")).to_have_value("Because of the log")
    chair.keyboard.press("Control+Enter")
    expect(member.locator("#decision .why")).to_have_text("Because of the log", timeout=PATIENT)
    assert Decision.objects.filter(item=world.items[0]).count() == 2
    # Later, once the chair's own page has the decision and the keys are free again.
    expect(chair.locator("#decision .why")).to_have_text("Because of the log", timeout=PATIENT)
    expect(chair.locator("#decide-rationale:focus")).to_have_count(0, timeout=PATIENT)
    chair.keyboard.press("n")
    expect(chair.locator("h1")).to_have_text(title(world, 1), timeout=PATIENT)
    chair.keyboard.press("l")
    chair.keyboard.type("Ask the author")
    chair.keyboard.press("Enter")
    expect(member.locator("#decision")).to_contain_text("Parked: Ask the author", timeout=PATIENT)
    assert violations(chair) == []


@only_long
def test_after_an_argument_a_vote_key_votes(world, two):
    chair, member = two
    chair.keyboard.press("v")
    expect(member.locator("#ballot")).to_contain_text("0 of 2 have voted", timeout=PATIENT)
    member.keyboard.press("c")
    member.keyboard.type("The driver is old.")
    member.keyboard.press("Control+Enter")
    expect(member.locator("#thread .text")).to_have_text("The driver is old.", timeout=PATIENT)
    expect(member.locator("#main")).to_be_focused()
    member.keyboard.press("1")
    expect(member.locator("#ballot")).to_contain_text("Your vote is in", timeout=PATIENT)
    assert (Comment.objects.count(), Ballot.objects.count()) == (1, 1)


def test_a_question_is_answered_although_its_column_was_renewed_meanwhile(world, two):
    """A part of the page comes anew each time that somebody arrives: the confirmed form is no longer in it."""
    chair, _member = two
    closing = "form[action*='/close/'][data-confirm]"
    assert chair.locator(closing).count()
    chair.evaluate(
        """closing => {
            document.querySelector(closing).requestSubmit();
            for (const form of document.querySelectorAll(closing)) form.replaceWith(form.cloneNode(true));
        }""",
        closing,
    )
    chair.locator("#confirm [value=yes]").click()
    expect(chair.locator(closing)).to_have_count(0, timeout=PATIENT)
    world.meeting.refresh_from_db()
    assert world.meeting.closed_at is not None


@only_long
def test_a_group_of_one_issue_stands_open_and_leads_to_it(world, two):
    chair, member = two
    for page in two:
        expect(page.locator("#agenda .items")).to_have_count(2)
        expect(page.locator("#agenda .it")).to_have_count(3)
    chair.locator("#agenda .it", has_text=title(world, 2)).click()
    expect(member.locator("h1")).to_have_text(title(world, 2), timeout=PATIENT)
    # The group of two issues is folded again, and that of one is the open one.
    expect(chair.locator("#agenda .it")).to_have_count(1)


@only_long
def test_the_breadcrumb_keeps_the_name_of_the_meeting(world, open_page):
    world.study.name = "Challenges of deep learning frameworks that are centred on large language models"
    world.study.save()
    world.meeting.name = "Configuration and versions, over the week"
    world.meeting.save()
    for width, least in ((1440, 1), (390, 0.45)):
        page = open_page(world.lead.user, reverse("meeting", args=[world.meeting.pk]))
        page.set_viewport_size({"width": width, "height": 900})
        name = page.locator(".crumbs [aria-current]")
        expect(name).to_have_text(world.meeting.name)
        expect(name).to_have_attribute("title", world.meeting.name)
        assert name.evaluate("one => one.clientWidth / one.scrollWidth") >= least
        page.goto("about:blank")


@only_long
def test_a_lost_connection_keeps_what_was_typed_and_rejoins(world, two):
    chair, member = two
    member.context.set_offline(True)
    expect(member.locator("#lost")).to_contain_text("Connection lost. Trying again", timeout=PATIENT)
    member.locator("#say-text").fill("typed in a tunnel")
    member.locator("#say-text").press("Enter")
    expect(member.locator("#say [data-refusal]")).to_contain_text("Not sent: no connection.")
    chair.keyboard.press("n")
    expect(chair.locator("h1")).to_have_text(title(world, 1), timeout=PATIENT)
    chair.keyboard.press("p")
    expect(chair.locator("h1")).to_have_text(title(world, 0), timeout=PATIENT)
    assert violations(member) == []
    member.context.set_offline(False)
    expect(member.locator("#lost")).to_be_hidden(timeout=PATIENT)
    expect(member.locator("#say [data-refusal]")).to_contain_text(
        "The connection is back. Send your text now."
    )
    expect(member.locator("#say-text")).to_have_value("typed in a tunnel")
    member.locator("#say-text").press("Enter")
    expect(chair.locator("#thread")).to_contain_text("typed in a tunnel", timeout=PATIENT)
    assert Comment.objects.count() == 1
    # Looking at another issue on one's own, and back to the meeting.
    member.locator("#agenda .it:not([aria-current])").last.click()
    expect(member.locator("#issue")).to_contain_text("You are reading another issue", timeout=PATIENT)
    chair.keyboard.press("n")
    expect(chair.locator("h1")).to_have_text(title(world, 1), timeout=PATIENT)
    member.locator("[data-back]").click()
    expect(member.locator("h1")).to_have_text(title(world, 1), timeout=PATIENT)
    # The end: the screens say so and ask no more.
    chair.locator("#more summary").click()
    chair.get_by_role("button", name="Close meeting").click()
    chair.locator("#confirm").get_by_role("button", name="Close meeting").click()
    expect(member.locator("#bar")).to_contain_text("Closed", timeout=PATIENT)
    assert Meeting.objects.get().closed_at is not None


@only_long
def test_without_a_script_forms_post_and_links_link(world, open_page):
    path = reverse("meeting", args=[world.meeting.pk])
    page = open_page(world.members[0].user, path, script=False)
    page.get_by_role("button", name="Join meeting").click()
    expect(page.locator("h1")).to_have_text(title(world, 0))
    here(meeting=world.meeting, member=world.lead)
    chair = open_page(world.lead.user, path, script=False)
    chair.get_by_role("button", name="Open vote").click()
    page.reload()
    page.locator("#vote").get_by_role("button", name="C.9").click()
    expect(page.locator("#ballot")).to_contain_text("Your vote is in")
    page.locator("#say-text").fill("Said without a script.")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#thread")).to_contain_text("Said without a script.")
