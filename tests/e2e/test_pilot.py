"""From a sample to a training, in a browser; and what axe says of the pages on the way."""

from itertools import cycle

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotate.models import Sample
from rounds.models import Answer
from taxonomy.models import Taxonomy
from tests import factories
from tests.e2e.test_accessibility import LOOKS, look_at
from tests.long import LONG, only_long
from tests.worlds.world import small_world

pytestmark = pytest.mark.django_db(transaction=True)


@only_long
def test_from_a_sample_to_a_training(open_page):
    world = small_world(issues=6, members=2)
    slug = world.study.slug
    page = open_page(world.lead.user, reverse("samples", args=[slug]))
    page.get_by_role("link", name="Draw a sample").click()
    page.get_by_label("Name").fill("Pilot sample")
    page.get_by_label("Seed").fill("7")
    page.get_by_label("Margin of error, in %").fill("40")
    page.get_by_label("Margin of error, in %").press("Tab")
    expect(page.get_by_role("status").filter(has_text="of 6 issues")).to_have_text("4 of 6 issues")
    page.get_by_role("button", name="Draw sample").click()
    page.get_by_role("button", name="Draw again and compare").click()
    expect(page.locator("#check .note")).to_contain_text("The same 4 issues, in the same order.")
    page.get_by_role("link", name="Plan a pilot with this sample").click()
    sample = Sample.objects.get()
    assert page.locator('[name="kind"]').input_value() == "pilot"
    assert page.locator('[name="source"]').input_value() == f"sample:{sample.pk}"

    round_ = world.round(name="Pilot", kind="pilot", members=[world.lead])
    for issue, code in zip(world.issues, ("C.1", "C.1", "A.2", "A.2", "C.9"), strict=False):
        world.submit(round_, issue, world.lead, code, summary=f"shows {code}")
    world.submit(
        round_,
        world.issues[5],
        world.lead,
        "C.9",
        proposed_name="Deadlock",
        proposed_reason="Nobody goes on.",
    )
    page.goto(reverse("pilot", args=[round_.pk]))
    page.get_by_role("button", name="Show draft as CSV").click()
    page.wait_for_load_state("networkidle")  # the script that checks while one types is there
    text = page.get_by_label("Tree as CSV text")
    expect(page.locator("#checked")).to_contain_text("The text has no mistakes:")
    draft = text.input_value()
    text.fill(draft + "C.1,theme,Again\n")
    expect(page.locator("#checked")).to_contain_text("The text has mistakes.")
    text.fill(draft.replace("Deadlock", "Standstill"))
    expect(page.locator("#checked")).to_contain_text("The text has no mistakes:")
    page.locator("#id_name").fill("After the pilot")
    page.get_by_role("button", name="Publish taxonomy").click()
    page.wait_for_url("**/taxonomies/*/")
    version = Taxonomy.objects.get(name="After the pilot").versions.get()

    page.goto(f"{reverse('pilot_training', args=[round_.pk])}?version={version.pk}")
    page.get_by_role("button", name="Plan training").click()
    page.wait_for_url("**/rounds/*/")
    assert Answer.objects.count() == 5
    assert {answer.explanation for answer in Answer.objects.all()} == {"shows C.1", "shows A.2", "shows C.9"}


@only_long
def test_what_is_typed_while_a_preview_is_on_its_way_stays(open_page):
    world = small_world(issues=6, members=2)
    factories.make_issues(factories.make_repository(world.study), 5)
    page = open_page(world.lead.user, reverse("new_sample", args=[world.study.slug]))

    def slowly(route):
        page.wait_for_timeout(400)
        route.continue_()

    page.route("**/samples/new/", slowly)
    first, second = (page.locator("input[name^=own_]").nth(n) for n in (0, 1))
    first.fill("1")
    first.press("Tab")
    page.wait_for_timeout(250)
    second.fill("2")
    status = page.get_by_role("status").filter(has_text="issues")
    expect(status).to_have_text("3 of 11 issues")
    expect(first).to_have_value("1")
    expect(second).to_have_value("2")

    page.goto(reverse("new_round", args=[world.study.slug]))
    page.unroute("**/samples/new/")
    page.route("**/rounds/new/", slowly)
    members = page.locator('[name="members"]')
    members.nth(1).uncheck()
    page.wait_for_timeout(250)
    members.nth(2).uncheck()
    expect(page.locator("#preview")).to_contain_text("No volunteer chosen yet.")


@only_long
def test_pages_of_samples_and_pilots_in_light_dark_and_on_a_phone(open_page):
    world, bare = small_world(issues=6, members=2), small_world(issues=0)
    slug = world.study.slug
    page = open_page(world.lead.user, reverse("new_sample", args=[slug]))
    page.get_by_label("Name").fill("Pilot sample")
    page.get_by_role("button", name="Draw sample").click()
    page.wait_for_url("**/samples/*/")
    sample = Sample.objects.get()
    empty = world.round(name="Empty pilot", kind="pilot", members=[world.lead])
    round_ = world.round(name="Pilot", kind="pilot", members=[world.lead])
    world.submit(round_, world.issues[0], world.lead, "C.1", summary="shows it")
    world.submit(round_, world.issues[1], world.lead, "C.1", summary="or not", unsure=True)
    world.submit(
        round_, world.issues[2], world.lead, "C.9", proposed_name="Deadlock", proposed_reason="None goes on."
    )
    found = {}
    turns = cycle([LOOKS] if LONG else [[look] for look in LOOKS])
    for path in (
        reverse("samples", args=[slug]),
        reverse("new_sample", args=[slug]),
        f"{sample.get_absolute_url()}?check=1",
        reverse("pilot", args=[round_.pk]),
        reverse("pilot_training", args=[round_.pk]),
        reverse("pilot", args=[empty.pk]),
        reverse("pilot_training", args=[empty.pk]),
    ):
        found |= look_at(page, path, next(turns))
    other = open_page(bare.lead.user)
    for name in ("samples", "new_sample"):
        found |= look_at(other, reverse(name, args=[bare.study.slug]), next(turns))
    assert found == {}
