"""The discussion below the labels of an issue, with JavaScript and without."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from consensus.actions.threads import say
from consensus.models import Comment, Decision, Mention
from tests.e2e.axe import violations
from tests.long import only_long
from tests.worlds.meeting import meeting_world

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def world():
    world = meeting_world(issues=1, members=3, rows=("C.9 C.9 C.1",))
    say(round_=world.round_, issue=world.issues[0], author=world.members[1], text="@R1, what do you say?")
    return world


def _page_of(world) -> str:
    return f"{reverse('disagreements', args=[world.round_.pk])}?issue={world.issues[0].pk}"


def _script(page) -> None:
    page.wait_for_load_state("networkidle")


@only_long
def test_who_is_named_reads_it_answers_and_is_not_told_again(open_page, world):
    page = open_page(world.members[0].user, _page_of(world))
    thread = page.locator("#thread")
    expect(thread.locator("li.new")).to_have_count(1)
    # The thread itself sends the word that it was shown.
    expect(thread.get_by_role("button", name="Mark as read")).to_have_count(0)
    assert Mention.objects.get().seen_at is not None
    _script(page)
    page.get_by_label("Comment", exact=True).fill("C.9: see `@R3` <b>here</b>, @r2.")
    page.locator("#say-for").select_option("C.9")
    thread.get_by_role("button", name="Send").click()
    expect(thread.locator("li")).to_have_count(2)
    expect(thread.locator("li.new")).to_have_count(0)
    expect(thread.locator("li .words").last).to_have_text("C.9: see `@R3` <b>here</b>, @r2.")
    expect(thread.locator("li .call").last).to_have_text("@r2")
    expect(page.get_by_label("Comment", exact=True)).to_have_value("")
    expect(thread).to_have_class(re.compile("in-panel"))
    assert Comment.objects.latest("pk").category == world.category("C.9")
    assert list(Mention.objects.filter(seen_at=None).values_list("member__pseudonym", flat=True)) == ["R2"]
    assert violations(page) == []


@only_long
def test_ctrl_enter_sends_the_form_of_the_field(open_page, world):
    lead = open_page(world.lead.user, _page_of(world))
    _script(lead)
    lead.locator("#say-text").fill("Look at the log.")
    lead.keyboard.press("Control+Enter")
    expect(lead.locator("#thread li .words").last).to_have_text("Look at the log.")
    lead.locator('#decide [name="choice"]').first.check()
    lead.locator("#decide [name=rationale]").fill("The log says so.")
    lead.keyboard.press("Control+Enter")
    expect(lead.locator("#toasts")).to_contain_text("C.9")
    assert Decision.objects.get().rationale == "The log says so."
    # A page of its own, without a script of its own.
    lead.goto(lead.url.partition("?")[0] + f"{world.issues[0].pk}/reopen/")
    lead.locator("[name=why]").fill("Too soon.")
    lead.keyboard.press("Control+Enter")
    lead.wait_for_url("**/disagreements/?issue=*")
    assert Decision.objects.get().superseded_why == "Too soon."
    assert Comment.objects.count() == 2


@only_long
def test_without_javascript_a_form_does_the_same(open_page, world):
    page = open_page(world.members[0].user, _page_of(world), script=False)
    page.get_by_role("button", name="Mark as read").click()
    expect(page.locator("#thread li.new")).to_have_count(0)
    page.get_by_label("Comment", exact=True).fill("I agree.")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#thread li")).to_have_count(2)
    assert page.url.endswith(f"issue={world.issues[0].pk}#thread")
