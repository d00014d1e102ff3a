"""An open meeting whose study becomes read-only, or whose server has a full disk: the page reads on in peace."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from consensus.actions.meetings import turn_to
from core import clock
from studies.models import Study
from tests.e2e.axe import violations
from tests.e2e.conftest import Open
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
def page(world: MeetingWorld, open_page: Open) -> Page:
    page = open_page(world.members[0].user, reverse("meeting", args=[world.meeting.pk]))
    expect(page.locator("#bar")).to_contain_text("1 of", timeout=PATIENT)
    return page


def test_an_archived_study_says_so_and_the_page_asks_no_more(world, page):
    asked: list[str] = []
    page.on("request", lambda request: asked.append(f"{request.method} {request.url.partition('?')[0][-6:]}"))
    Study.objects.filter(pk=world.study.pk).update(archived_at=clock.now())
    expect(page.locator("#bar")).to_contain_text("Read-only", timeout=PATIENT)
    expect(page.locator("#lost")).to_contain_text("This study is read-only")
    expect(page.locator("#toasts > *")).to_have_count(0)
    assert violations(page) == []
    asked.clear()
    page.wait_for_timeout(2500)
    assert asked == []
    # What is there can still be read, and nobody is said to be present by that.
    page.locator("#agenda a[data-look]").nth(1).click()
    expect(page.locator("#issue")).to_contain_text(f"Title of {world.issues[1].number}", timeout=PATIENT)
    assert asked == ["GET /here/"]


def test_a_full_disk_is_told_and_the_page_follows_the_chair(world, page, settings):
    room = settings.DISK_MARGIN
    settings.DISK_MARGIN = 1 << 60
    lost = page.locator("#lost")
    expect(lost).to_contain_text("The disk of the server is full.", timeout=PATIENT)
    expect(lost).not_to_contain_text("Connection lost", use_inner_text=True)
    turn_to(meeting=world.meeting, item=world.items[1], by=world.lead)
    expect(page.locator("#issue")).to_contain_text(f"Title of {world.issues[1].number}", timeout=PATIENT)
    expect(page.locator("#toasts > *")).to_have_count(0)
    settings.DISK_MARGIN = room
    page.goto("about:blank")
    page.wait_for_timeout(300)
