"""A category that labels miss, from the labels to the draft: three browsers vote, and nobody sees how before the end."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotate.queries.examples import example_line
from taxonomy.models import Motion, Proposal
from taxonomy.queries.drafts import drafted
from tests.e2e.axe import violations
from tests.long import only_long
from tests.worlds.world import small_world

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def world():
    world = small_world(issues=3, members=2)
    round_ = world.round()
    for member in world.members:
        world.submit(
            round_,
            world.issues[0],
            member,
            "C.9",
            proposed_name="Deadlock",
            proposed_reason=f"{member} sees no other",
        )
        world.submit(round_, world.issues[1], member, "C.1")
    return world


def _page_of(world) -> str:
    return reverse("proposals", args=[world.version.taxonomy_id])


def _vote(page, choice, argument=""):
    if argument:
        page.get_by_label("Your argument").fill(argument)
    page.get_by_role("button", name=choice, exact=True).click()
    expect(page.get_by_text("Your vote on proposal")).to_be_visible()


@only_long
def test_from_a_label_to_the_draft(open_page, world):
    lead = open_page(world.lead.user, _page_of(world))
    one, two = (open_page(member.user, _page_of(world)) for member in world.members)
    missing = lead.locator(".missing")
    expect(missing).to_contain_text("2 labels")
    expect(missing).to_contain_text("R1 sees no other")
    assert violations(lead) == []

    missing.get_by_role("link", name="Put to the vote").click()
    expect(lead.get_by_label("New name")).to_have_value("Deadlock")
    expect(lead.get_by_label("Reasons")).to_have_value("R1: R1 sees no other\nR2: R2 sees no other")
    expect(lead.get_by_label("Example issues")).to_have_value(world.issues[0].url)
    assert violations(lead) == []
    lead.get_by_role("button", name="Start vote").click()
    expect(lead.get_by_text("The vote on proposal 1 has started. 3 members can vote.")).to_be_visible()

    one.reload()
    _vote(one, "Vote for", "Twelve issues want it.")
    two.reload()
    card = two.locator("#p1")
    expect(card).to_contain_text("1 of 3 voted")
    expect(card).not_to_contain_text("Twelve issues want it.")
    card.locator(".thread summary").click()
    card.get_by_label("Comment on proposal 1").fill("@R1, why below C?")
    card.get_by_role("button", name="Send").click()
    expect(two.locator("#p1 .thread")).to_contain_text("@R1, why below C?")
    _vote(two, "Vote for")
    lead.reload()
    expect(lead.locator("#p1")).to_contain_text("2 of 3 voted, Lead still to vote")
    expect(lead.locator("#p1")).not_to_contain_text("Twelve issues want it.")
    assert violations(lead) == []
    assert not drafted(world.version.taxonomy).changes

    _vote(lead, "Vote for")
    one.reload()
    expect(one.locator("#p1")).to_contain_text("accepted")
    expect(one.locator("#p1")).to_contain_text("Twelve issues want it.")
    expect(one.locator("#p1 .thread li.new")).to_have_count(1)
    assert violations(one) == []
    assert [entry.name for entry in drafted(world.version.taxonomy).draft][-1] == "Deadlock"
    assert set(Proposal.objects.values_list("motion__number", flat=True)) == {1}
    lead.goto(lead.url.split("/taxonomies/")[0] + reverse("draft", args=[world.version.taxonomy_id]))
    expect(lead.locator("#tree")).to_contain_text("Deadlock")


@only_long
def test_one_vote_against_a_new_category_changes_nothing(open_page, world):
    lead = open_page(
        world.lead.user, f"{reverse('put_to_vote', args=[world.version.taxonomy_id])}?name=Deadlock"
    )
    lead.get_by_role("button", name="Start vote").click()
    for member, choice in zip(world.members, ("Vote for", "Vote against"), strict=True):
        _vote(open_page(member.user, _page_of(world)), choice)
    _vote(lead, "Vote for")
    expect(lead.locator("#p1")).to_contain_text("declined")
    expect(lead.locator(".missing").get_by_role("link", name="Put to the vote")).to_have_count(1)
    assert not drafted(world.version.taxonomy).changes


def test_the_editor_puts_what_is_typed_to_the_vote_and_takes_an_example(open_page, world):
    page = open_page(world.lead.user, f"{reverse('draft', args=[world.version.taxonomy_id])}?category=C.1")
    page.get_by_role("link", name="Add examples from issues").click()
    take = page.locator("#examples").get_by_role("button", name="Use as example")
    expect(take).to_have_count(1)
    assert violations(page) == []
    take.click()
    expect(page.locator("#f-examples")).to_have_value(example_line(world.issues[1]))
    expect(page.locator("#examples")).to_contain_text("an example")
    page.locator("#f-definition").fill("Said better.")
    page.locator("#describe").get_by_role("button", name="Propose change").click()
    expect(page.locator("#p-definition")).to_have_value("Said better.")
    page.get_by_label("Reasons").fill("It was unclear.")
    page.get_by_role("button", name="Start vote").click()
    expect(page.get_by_text("The vote on proposal 1 has started. 3 members can vote.")).to_be_visible()
    assert Motion.objects.get().values == {"definition": "Said better."}
