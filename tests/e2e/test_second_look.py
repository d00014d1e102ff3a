"""A version is published while somebody labels, and what it took away is looked at again: in a real browser."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotate.models import Draft
from rounds.models import CurrentLabel, Label, Round
from taxonomy.actions import publish
from taxonomy.tree.drafts import MERGE, RETIRE, SPLIT
from tests.annotate.actions.test_version_upgrade import change
from tests.e2e.axe import violations
from tests.e2e.room import answer, held, press, stored
from tests.long import only_long
from tests.worlds.world import World

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.world(issues=6, members=2)]


def published(world: World) -> None:
    publish(taxonomy=world.version.taxonomy, by=world.lead.user, note="As the issues say.")


@only_long
def test_a_page_that_was_open_keeps_what_was_chosen_and_the_next_has_the_new_categories(open_page, world):
    round_ = world.round()
    old = world.version
    page = open_page(world.members[0].user, reverse("label", args=[round_.pk]))
    held(page, 2)
    change(world, MERGE, "C.2", into="C.1")
    published(world)
    gone = world.category("C.2")
    answer(page, "c 2 Enter Enter")
    stored(page)
    label = Label.objects.get()
    assert (label.category, label.version) == (gone, old)
    assert CurrentLabel.objects.get().category == world.category("C.1")
    # What the page had in hand already was made for the old version too; then it is loaded anew.
    answer(page, "c 3 Enter Enter")
    press(page, "c 3 Enter Enter")
    expect(page.get_by_text("The taxonomy now has version 2")).to_be_visible()
    assert Label.objects.count() == 3
    expect(page.locator(".badge", has_text="Taxonomy v2")).to_be_visible()
    expect(page.locator("#tree")).not_to_contain_text("Name of C.2")


@only_long
def test_a_category_that_was_split_and_is_still_there_is_not_chosen_again(open_page, world):
    round_ = world.round()
    page = open_page(world.members[0].user, reverse("label", args=[round_.pk]))
    held(page, 2)
    change(world, SPLIT, "C.9", parts=[{"name": "Part of C.9"}], stays=True)
    published(world)
    press(page, "c 9 Enter s")
    page.keyboard.type("a long thought")
    press(page, "Escape Enter")
    page.get_by_role("link", name="Open issue").click()
    expect(page.locator(".badge", has_text="Taxonomy v2")).to_be_visible()
    expect(page.locator("#summary")).to_have_value("a long thought")
    expect(page.locator("#refusal")).to_contain_text("has split C.9 Name of C.9")
    expect(page.locator("#submit")).not_to_contain_text("C.9")
    page.reload()
    expect(page.locator("#summary")).to_have_value("a long thought")
    expect(page.locator("#submit")).not_to_contain_text("C.9")


@only_long
def test_a_category_that_vanished_asks_again_and_keeps_the_text(open_page, world):
    round_ = world.round()
    page = open_page(world.members[0].user, reverse("label", args=[round_.pk]))
    change(world, RETIRE, "C.9")
    published(world)
    press(page, "c 9 Enter s")
    page.keyboard.type("a long thought")
    press(page, "Escape Enter")
    note = page.locator("#returned, #refusal").get_by_text("does not have C.9 Name of C.9 any more").first
    expect(note).to_be_visible()
    assert not Label.objects.exists()
    draft = Draft.objects.get()
    assert (draft.category, draft.summary) == (None, "a long thought")


@only_long
def test_a_second_look_by_keys(open_page, world):
    round_ = world.round()
    for member in world.members:
        world.submit(round_, world.issues[0], member, "C.9", summary=f"seen by {member}")
    change(world, RETIRE, "C.9")
    published(world)
    look = Round.objects.get(of=round_)
    page = open_page(world.members[0].user, reverse("home"))
    expect(page.get_by_text("issue to look at again")).to_be_visible()
    page.get_by_role("link", name="Start labelling").first.click()
    expect(page.locator("#before")).to_contain_text(
        "In version 1 you chose C.9 Name of C.9. This category no longer exists."
    )
    expect(page.locator("#summary")).to_have_value("seen by R1")
    assert "seen by R2" not in page.content()
    assert violations(page) == []
    answer(page, "c 3 Enter Enter")
    page.wait_for_url("**/label/")
    label = Label.objects.get(round=look)
    assert (label.category, label.summary) == (world.category("C.3"), "seen by R1")


@only_long
def test_labels_that_nobody_sees_are_asked_for_on_the_page_itself(open_page, world):
    round_ = world.round()
    world.submit(round_, world.issues[0], world.members[0], "C.9")
    change(world, RETIRE, "C.9")
    published(world)
    page = open_page(world.members[0].user, reverse("label", args=[round_.pk]))
    expect(page.locator("#lost")).to_contain_text("1 of your labels needs a new category from version 2")
    page.get_by_role("link", name="Choose again").click()
    answer(page, "c 3 Enter Enter")
    expect(page.locator("#lost")).to_have_count(0)
    assert Label.objects.get().category == world.category("C.3")
    other = open_page(world.members[1].user, reverse("own_labels", args=[round_.pk]))
    expect(other.locator("#lost")).to_have_count(0)
