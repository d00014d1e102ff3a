"""Nothing fits: the name of the category that is missing, why, and what comes nearest."""

import pytest
from playwright.sync_api import expect

from annotate.models import Draft
from rounds.models import Label
from taxonomy.models import Proposal
from tests.e2e.axe import violations
from tests.e2e.room import answer, draft_saved, label_page, press, stored
from tests.long import only_long

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.world(issues=5)]


@only_long
def test_a_missing_category_is_proposed_by_keys_alone(open_page, world, member):
    page = open_page(member.user, label_page(world.round()))
    press(page, "c 3 Enter p")
    page.keyboard.type("Scheduler, starved")
    press(page, "Tab")
    page.keyboard.type("A wait that no theme is about")
    expect(page.locator("#near")).to_have_text("C.3 Name of C.3")
    expect(page.locator("#submit")).to_contain_text("Submit as open")
    draft_saved(page)
    draft = Draft.objects.get()
    assert (draft.category, draft.proposed_name) == (world.category("C.3"), "Scheduler, starved")
    # It is there after a reload, as it was.
    page.reload()
    expect(page.locator("#proposed_name")).to_have_value("Scheduler, starved")
    expect(page.locator("#submit")).to_contain_text("Submit as open")
    answer(page, "Enter")
    expect(page.locator("#said")).to_contain_text("Submitted as open.")
    stored(page)
    label, proposal = Label.objects.get(), Proposal.objects.get()
    assert (label.category, label.proposal) == (None, proposal)
    assert (proposal.name, label.proposed_reason, label.nearest) == (
        "Scheduler, starved",
        "A wait that no theme is about",
        world.category("C.3"),
    )
    assert Draft.objects.count() == 0
    # The next issue begins with nothing of it, and going back shows it again.
    expect(page.locator("#proposed_name")).to_have_value("")
    expect(page.locator("#misfit")).not_to_have_attribute("open", "")
    press(page, "b")
    page.wait_for_url("**/label/?issue=*")
    expect(page.locator("#proposed_name")).to_have_value("Scheduler, starved")
    expect(page.locator("#submit")).to_contain_text("Change to open")


@only_long
def test_nothing_is_near_and_a_proposal_can_be_taken_back(open_page, world, member):
    page = open_page(member.user, label_page(world.round()))
    press(page, "p")
    press(page, "Tab")
    page.keyboard.type("why, but what?")
    page.locator("#submit").click()
    expect(page.locator("#refusal")).to_contain_text("Enter a name for the missing category, and why")
    press(page, "c 3")
    expect(page.locator("#proposed_name")).to_have_value("c3")  # the name has the focus: no key fires
    page.locator("#take-back").click()
    expect(page.locator("#proposed_name")).to_have_value("")
    expect(page.locator("#proposed_reason")).to_have_value("")
    press(page, "c 2 Enter p")
    page.keyboard.type("Another one")
    page.locator("#proposed_reason").fill("Nothing like it")
    page.get_by_role("button", name="Clear nearest category").click()
    expect(page.locator("#near")).to_have_text("no category")
    press(page, "Escape")
    answer(page, "Enter")
    stored(page)
    label = Label.objects.get()
    assert label.proposal is not None
    assert (label.category, label.nearest, label.proposal.name) == (None, None, "Another one")


@only_long
def test_two_tabs_show_what_each_proposes(open_page, world, member):
    round_ = world.round()
    one = open_page(member.user, label_page(round_))
    two = one.context.new_page()
    two.goto(label_page(round_))
    press(one, "p")
    one.keyboard.type("From the first tab")
    draft_saved(one)
    press(two, "p")
    two.keyboard.type("From the second")
    refusal = two.locator("#refusal")
    expect(refusal).to_contain_text("open: “From the first tab”")
    expect(refusal).to_contain_text("open: “From the second”")
    refusal.get_by_role("button", name="Use the saved text").click()
    expect(two.locator("#proposed_name")).to_have_value("From the first tab")
    expect(two.locator("#submit")).to_contain_text("Submit as open")


@only_long
def test_it_works_without_script(open_page, world, member):
    page = open_page(member.user, label_page(world.round()), script=False)
    page.get_by_role("radio", name="C.9 Name of C.9").check()
    page.locator("#misfit summary").click()
    page.get_by_label("Name of the missing category").fill("No script")
    page.get_by_label("Why does no category fit?").fill("none at all")
    page.get_by_role("button", name="Submit").click()
    page.wait_for_load_state()
    label = Label.objects.get()
    assert label.proposal is not None
    assert (label.proposal.name, label.nearest) == ("No script", world.category("C.9"))


@pytest.mark.parametrize(("dark", "phone"), [(False, False), (True, True)], ids=["light", "dark phone"])
@only_long
def test_axe_finds_nothing_grave(open_page, world, member, dark, phone):
    page = open_page(member.user, label_page(world.round()), dark=dark, phone=phone)
    page.keyboard.type("/name")
    press(page, "Enter p")
    page.keyboard.type("Something else")
    page.locator("#proposed_reason").fill("It is new")
    assert violations(page) == []
    if phone:
        small = page.locator("button:visible, summary:visible, input:visible, .own a:visible").evaluate_all(
            """all => all.filter((one) => one.type !== "checkbox" && (one.offsetHeight < 44 || one.offsetWidth < 44))
              .map((one) => `${one.outerHTML.slice(0, 80)} ${one.offsetWidth} x ${one.offsetHeight}`)"""
        )
        assert small == []
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        page.locator("#submit").tap()
        stored(page)
        assert Label.objects.count() == 1
