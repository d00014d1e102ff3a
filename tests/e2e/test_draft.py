"""The editor of a taxonomy, in the browser: typed by keys, merged, split, taken back, published."""

import pytest
from playwright.sync_api import Page, Route, expect

from studies.models import Membership, Role, Study
from taxonomy.actions import start_taxonomy
from taxonomy.models import Remap, Taxonomy
from taxonomy.presets import load_preset
from taxonomy.queries.codebooks import codebook
from taxonomy.queries.drafts import drafted
from tests.e2e.axe import violations
from tests.factories import make_member, make_study, make_version
from tests.long import LONG, only_long, sampled

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study() -> Study:
    return make_study()


@pytest.fixture
def lead(study: Study) -> Membership:
    return make_member(study, role=Role.LEAD)


def after(page: Page, act) -> None:
    """Do something that changes the draft, and wait until the page shows it."""
    edition = page.locator("#editor").get_attribute("data-edition")
    act()
    expect(page.locator(f'#editor:not([data-edition="{edition}"])')).to_be_attached()


def type_in(page: Page, name: str, *, steps: int = 0) -> None:
    """Type one category into the field that has the focus: so many levels down (or up) from the last one."""
    expect(page.locator("#add-name")).to_be_focused()
    expect(page.locator("#add-name")).to_have_value("")
    for _ in range(abs(steps)):
        page.keyboard.press("Alt+ArrowRight" if steps > 0 else "Alt+ArrowLeft")
    page.keyboard.type(name)
    after(page, lambda: page.keyboard.press("Enter"))


@only_long
def test_the_reference_taxonomy_is_typed_into_an_empty_study_by_keys_only(open_page, study, lead):
    tree = list(load_preset("llm-frameworks"))[: sampled(90, 19)]
    counts = "3 types · 18 themes · 69 sub-themes" if LONG else "2 types · 5 themes · 12 sub-themes"
    page = open_page(lead.user, f"/studies/{study.slug}/taxonomies/new/")
    page.locator('[name="source"][value="empty"]').check()
    page.locator("#id_name").fill("Root cause")
    page.keyboard.press("Enter")
    page.wait_for_url("**/draft/")
    assert violations(page) == []
    level = 1
    for node in tree:
        type_in(page, node.name, steps=node.level - level)
        level = node.level

    taxonomy = Taxonomy.objects.get()
    draft = drafted(taxonomy).draft
    assert [(e.name, draft.level(e.key)) for e in draft] == [(node.name, node.level) for node in tree]
    assert [e.code for e in draft][:4] == ["A", "A.1", "A.1.i", "A.1.ii"]
    assert {e.code for e in draft} == {node.code for node in tree}
    expect(page.locator("h1 + p")).to_contain_text(counts)
    # Merged, split, taken back, done again: the chosen category is the last sub-theme.
    page.keyboard.press("Escape")
    last = list(draft)[-1]
    expect(page.locator(f"#node-{last.key}")).to_be_focused()
    page.keyboard.press("s")
    page.keyboard.type("First part")
    after(page, lambda: page.keyboard.press("Control+Enter"))
    expect(page.locator("#tree")).to_contain_text("First part")
    after(page, lambda: page.keyboard.press("z"))
    expect(page.locator("#tree")).not_to_contain_text("First part")
    page.keyboard.press("m")
    page.keyboard.type(f"{tree[-2].code} ")
    expect(page.locator("#merge-into")).to_be_focused()
    after(page, lambda: page.keyboard.press("Control+Enter"))
    assert len(drafted(taxonomy).draft) == len(tree) - 1
    after(page, lambda: page.keyboard.press("z"))
    assert len(drafted(taxonomy).draft) == len(tree)
    after(page, lambda: page.keyboard.press("Shift+Z"))
    after(page, lambda: page.keyboard.press("z"))
    page.get_by_role("button", name="Publish v1").click()
    assert violations(page) == []
    page.get_by_role("button", name="Publish version 1").click()
    page.wait_for_url(f"**/taxonomies/{taxonomy.pk}/")
    assert [(s.code, s.name) for s in codebook(taxonomy.versions.get()).states] == [
        (node.code, node.name) for node in tree
    ]
    assert not Remap.objects.exists()


@only_long
def test_names_typed_faster_than_they_are_stored_all_arrive(open_page, study, lead):
    taxonomy = start_taxonomy(study=study, name="Cause", by=None)
    page = open_page(lead.user, f"/taxonomies/{taxonomy.pk}/draft/")
    expect(page.locator("#add-name")).to_be_focused()
    page.keyboard.type("Alpha bravo\nCharlie delta\nEcho")
    page.keyboard.press("Alt+ArrowRight")
    page.keyboard.type(" foxtrot\nGolf hotel\n")
    expect(page.locator("#tree")).to_contain_text("Golf hotel")
    expect(page.locator("#add-name")).to_have_value("")

    draft = drafted(taxonomy).draft
    assert [(e.code, e.name) for e in draft] == [
        ("A", "Alpha bravo"), ("B", "Charlie delta"), ("B.1", "Echo foxtrot"), ("B.2", "Golf hotel"),
    ]  # fmt: skip


def test_the_tree_is_walked_by_keys_and_nothing_typed_is_left_unasked(open_page, study, lead):
    taxonomy = make_version(study, ["A", "A.1", "A.1.i", "A.2", "B"]).taxonomy
    page = open_page(lead.user, f"/taxonomies/{taxonomy.pk}/draft/")
    keys = {entry.code: entry.key for entry in drafted(taxonomy).entries}
    page.locator(f"#node-{keys['A']}").focus()
    for press, code in (("ArrowDown", "A.1"), ("ArrowDown", "A.2"), ("ArrowDown", "B"), ("ArrowUp", "A.2")):
        page.keyboard.press(press)
        expect(page.locator(f"#node-{keys[code]}")).to_be_focused()
    page.locator("#f-definition").fill("Words that are not saved")
    asked = []
    page.once("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    page.locator(f"#node-{keys['B']}").click()
    expect(page.locator("#f-definition")).to_have_value("Words that are not saved")
    assert asked == ["Your text in this form is not saved. Leave the form?"]
    after(
        page,
        lambda: (
            page.keyboard.press("Control+Enter") if page.locator("#f-definition").focus() is None else None
        ),
    )
    assert drafted(taxonomy).draft[keys["A"]].definition == "Words that are not saved"
    page.locator(f"#node-{keys['B']}").click()
    expect(page.locator("#category-h")).to_contain_text("Name of B")


@only_long
def test_a_key_acts_on_the_category_that_has_the_focus(open_page, study, lead):
    taxonomy = make_version(study, ["A", "A.1", "A.2", "B"]).taxonomy
    keys = {entry.code: entry.key for entry in drafted(taxonomy).entries}
    page = open_page(lead.user, f"/taxonomies/{taxonomy.pk}/draft/?category=A.1")
    page.locator(f"#node-{keys['A.1']}").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("m")
    expect(page.locator("#category-h")).to_contain_text("Name of A.2")
    expect(page.locator("#merge-into")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(f"#node-{keys['A.2']}")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Delete")
    expect(page.locator(f"#node-{keys['B']}")).to_have_count(0)
    assert {entry.code for entry in drafted(taxonomy).draft} == {"A", "A.1", "A.2"}

    page.locator("#f-definition").fill("Words that are not saved")
    shown = page.locator("#category-h").inner_text()
    other = page.locator("#tree a.node:not([aria-current])").first
    page.once("dialog", lambda dialog: dialog.dismiss())
    other.focus()
    page.keyboard.press("Delete")
    expect(page.locator("#f-definition")).to_have_value("Words that are not saved")
    expect(page.locator("#category-h")).to_have_text(shown, use_inner_text=True)
    assert {entry.code for entry in drafted(taxonomy).draft} == {"A", "A.1", "A.2"}


@only_long
def test_a_dry_run_that_comes_late_shuts_nothing(open_page, study, lead):
    taxonomy = make_version(study, ["A", "A.1", "B"]).taxonomy
    page = open_page(lead.user, f"/taxonomies/{taxonomy.pk}/draft/?category=A.1")
    page.locator("#add-name").fill("Another one")
    after(page, lambda: page.keyboard.press("Enter"))
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/draft/dry-run/**", hold)
    page.reload()
    page.wait_for_function("() => document.querySelector('#dry-run.htmx-request')")
    page.keyboard.press("s")
    expect(page.locator("#split-parts")).to_be_focused()
    page.keyboard.type("One")
    for route in held:
        route.continue_()
    expect(page.locator("#dry-run")).to_contain_text("No label changes")
    page.keyboard.type(" part")
    expect(page.locator("#split-parts")).to_be_focused()
    expect(page.locator("#split-parts")).to_have_value("One part")


@pytest.mark.parametrize("by_key", [True, False])
def test_what_can_be_done_opens_in_view_with_its_first_field_ready(open_page, study, lead, by_key):
    taxonomy = make_version(study, ["A", "A.1", "A.2", "B"]).taxonomy
    page = open_page(lead.user, f"/taxonomies/{taxonomy.pk}/draft/?category=A.1")
    page.set_viewport_size({"width": 1280, "height": 500})
    for key, name, field in (
        ("v", "Move", "move-to"),
        ("m", "Merge", "merge-into"),
        ("s", "Split", "split-parts"),
    ):
        page.evaluate("document.activeElement.blur()")
        if by_key:
            page.keyboard.press(key)
        else:
            page.locator("summary", has_text=name).last.click()
        expect(page.locator(f"#{field}")).to_be_focused()
        expect(page.locator(f"#act-{name.lower()} button[type=submit]").first).to_be_in_viewport()


@only_long
def test_a_refused_split_stays_open_with_its_field_ready(open_page, study, lead):
    taxonomy = make_version(study, ["A", "A.1", "A.2"]).taxonomy
    page = open_page(lead.user, f"/taxonomies/{taxonomy.pk}/draft/")
    keys = {entry.code: entry.key for entry in drafted(taxonomy).entries}
    page.locator(f"#node-{keys['A.1']}").click()
    expect(page.locator("#f-code")).to_have_value("A.1")
    page.locator(f"#node-{keys['A.1']}").focus()
    page.keyboard.press("s")
    page.keyboard.type("Twice\nTwice")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#editor [role=alert]").first).to_be_visible()
    expect(page.locator("#split-parts")).to_be_focused()
    expect(page.locator("#split-parts")).to_have_value("Twice\nTwice")
    assert not drafted(taxonomy).changes
