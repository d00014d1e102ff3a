"""The guideline beside the issue: what is new in it is read once, and before a label counts as made under it."""

import pytest
from playwright.sync_api import expect

from rounds.models import Label
from studies.actions import publish_guideline
from studies.models import Guideline
from tests.e2e.axe import violations
from tests.e2e.room import answer, held, label_page, press, stored
from tests.long import only_long
from tests.worlds.world import World

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.world(issues=6)]

FIRST = "# How to label\n\nChoose the theme of the **cause**.\n\nA wish is a requirement.\n"
SECOND = FIRST + "\nA leak is `C.2`.\n"


def publish(world: World, text: str) -> Guideline:
    return publish_guideline(study=world.study, by=world.lead.user, text=text, made_from=None)


@only_long
def test_a_guideline_that_changed_meanwhile_is_read_before_answers_go_out(open_page, world, member):
    publish(world, FIRST)
    page = open_page(member.user, label_page(world.round()))
    held(page, 2)
    second = publish(world, SECOND)
    answer(page, "c 3 Enter Enter")
    note = page.locator("#returned .note")
    expect(note).to_contain_text("The guideline changed while you had this page open.")
    expect(note.locator("ins")).to_contain_text("A leak is")
    expect(page.locator("#outbox")).to_contain_text("1 answer waits: the guideline has changed")
    assert Label.objects.count() == 0
    assert violations(page) == []
    press(page, "Enter")  # its button has the focus
    stored(page)
    expect(note).to_have_count(0)
    assert Label.objects.get().guideline == second
    # The turns that were held before count as made under it too.
    answer(page, "c 2 Enter Enter")
    stored(page)
    assert list(Label.objects.order_by("pk").values_list("guideline", flat=True)) == [second.pk] * 2


@only_long
def test_where_no_turn_is_held_the_form_comes_back_with_what_is_new(open_page, world, member):
    publish(world, FIRST)
    page = open_page(member.user, label_page(world.round()))
    page.route("**/ahead/", lambda route: route.abort())
    page.reload()
    page.wait_for_load_state()
    second = publish(world, SECOND)
    press(page, "c 3 Enter s")
    page.keyboard.type("under the first")
    press(page, "Escape Enter")
    refusal = page.locator("#refusal")
    expect(refusal.locator("ins")).to_contain_text("A leak is")
    expect(page.locator("#summary")).to_have_value("under the first")
    expect(page.locator("#submit")).to_contain_text("Submit C.3")
    answer(page, "Enter")
    stored(page)
    label = Label.objects.get()
    assert (label.guideline, label.summary) == (second, "under the first")
