"""Finding a category: by code, by words, by words with a mistake in them, in the browser alone."""

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from rounds.models import Label
from taxonomy.models import CategoryState, Version
from tests import factories
from tests.e2e.room import answer, held, label_page, press, stored, title
from tests.long import only_long
from tests.worlds.world import World, small_world

pytestmark = pytest.mark.django_db(transaction=True)

TEXTS = {
    "A": {"name": "Question"},
    "A.1": {"name": "Usage of functions", "excludes": "an OOM that nobody can explain → C.2"},
    "A.1.i": {"name": "Parameters"},
    "A.1.ii": {"name": "Return values"},
    "B.1": {"name": "Environment", "examples": "#12 OOM on another device"},
    "B.2": {"name": "Less memory", "definition": "A wish for less use"},
    "C": {"name": "Bug"},
    "C.1": {"name": "Installation"},
    "C.2": {"name": "Memory management", "includes": "OOM at a load that should fit; a leak"},
    "C.3": {"name": "Distributed training", "name_zh": "分布式训练"},
    "C.9": {"name": "Numerical accuracy", "definition": "A memory of wrong numbers"},
}


def version_with_texts(world: World) -> Version:
    version = factories.make_version(world.study, published=False)
    for code, texts in TEXTS.items():
        CategoryState.objects.filter(version=version, code=code).update(**texts)
    Version.objects.filter(pk=version.pk).update(published_at=timezone.now())
    version.refresh_from_db()
    return version


@pytest.fixture
def world() -> World:
    world = small_world(issues=4)
    world.version = version_with_texts(world)
    return world


def found(page: Page, query: str) -> list[str]:
    """The codes that a search finds, in the order of the tree."""
    page.locator("#find").fill(query)
    return page.locator("#tree li:visible:not(.path) .code").all_inner_texts()


def best(page: Page, query: str) -> str:
    """The code of the category that Enter chooses."""
    page.locator("#find").fill(query)
    return page.locator("#tree .active .code").inner_text()


@only_long
def test_the_best_match_is_offered_and_all_keep_their_places(open_page, world, member):
    page = open_page(member.user, label_page(world.round()))
    requests: list[str] = []
    page.wait_for_load_state("networkidle")
    page.on("request", lambda request: requests.append(request.url))
    assert found(page, "c.1") == ["C.1", "C.1.i", "C.10"]
    assert found(page, "C2") == ["C.2"]
    assert found(page, "a1ii") == ["A.1.ii"]
    # Name, then includes, then examples; excludes last.
    assert found(page, "oom") == ["A.1", "B.1", "C.2"]
    assert best(page, "oom") == "C.2"
    # In the name before in the definition; a whole name before a part of one.
    assert found(page, "memory") == ["B.2", "C.2", "C.9"]
    assert best(page, "memory") == "B.2"
    assert found(page, "memo man") == ["C.2"]
    # A letter swapped, missing, too many or wrong; at the end of a word that is still being typed.
    for typed in ("memroy manag", "managment", "mannagement", "manegement", "memory menage"):
        assert found(page, typed) == ["C.2"], typed
    assert found(page, "instalation") == ["C.1"]
    assert found(page, "zzzz") == []
    expect(page.locator("#about")).to_contain_text("No category matches.")
    assert requests == []


@only_long
def test_a_hit_says_where_it_is_and_why_and_the_tree_comes_back(open_page, world, member):
    page = open_page(member.user, label_page(world.round()))
    rows = page.locator("#tree li:visible")
    before = rows.all_inner_texts()
    press(page, "/")
    page.keyboard.type("oom")
    # Each hit is below what it belongs to, in the order of the tree.
    assert page.locator("#tree li:visible .code").all_inner_texts() == ["A", "A.1", "B", "B.1", "C", "C.2"]
    assert page.locator("#tree .path .code").all_inner_texts() == ["A", "B", "C"]
    assert page.locator("#tree .why").all_inner_texts() == ["excludes: OOM", "example: OOM", "includes: OOM"]
    assert page.locator("#tree mark").all_inner_texts() == ["OOM"] * 3
    expect(page.locator("#found")).to_have_text("3 of 15")
    # The best one is preselected and described; a screen reader hears the places among what is in sight.
    expect(page.locator("#tree .active .code")).to_have_text("C.2")
    expect(page.locator("#about")).to_contain_text("OOM at a load that should fit")
    last = rows.last
    assert [last.get_attribute(f"aria-{name}") for name in ("level", "posinset", "setsize")] == [
        "2",
        "1",
        "1",
    ]
    assert page.locator("#find").get_attribute("aria-activedescendant") == last.get_attribute("id")
    # Arrows go from hit to hit, over what only leads to them.
    press(page, "ArrowUp")
    expect(page.locator("#tree .active .code")).to_have_text("B.1")
    press(page, "Escape")
    assert rows.all_inner_texts() == before
    assert page.locator("#tree .why").count() == 0


@only_long
def test_a_code_that_is_typed_exactly_comes_before_words_that_begin_alike(open_page, world, member):
    world.version = version = factories.make_version(
        world.study, ["A", "A.1", "B", "IO", "IOPS"], published=False
    )
    for code, name in {"A.1": "IO of files", "B": "io", "IO": "Reading and writing", "IOPS": "Speed"}.items():
        CategoryState.objects.filter(version=version, code=code).update(name=name, definition="")
    CategoryState.objects.filter(version=version, code="A").update(definition="")
    Version.objects.filter(pk=version.pk).update(published_at=timezone.now())
    version.refresh_from_db()
    page = open_page(member.user, label_page(world.round(depth=1)))
    assert found(page, "io") == ["A.1", "B", "IO", "IOPS"]
    assert best(page, "io") == "IO"
    assert best(page, "iop") == "IOPS"


@only_long
def test_the_definition_folds_while_there_is_nothing_to_define(open_page, world, member):
    page = open_page(member.user, label_page(world.round()))
    about = page.locator("#about")
    row = page.locator("#tree li", has_text="Memory management")
    folded = about.bounding_box()["height"]
    room = page.locator("#tree").bounding_box()["height"]
    assert folded < 80
    row.hover()
    expect(about).to_contain_text("OOM at a load that should fit")
    assert about.bounding_box()["height"] > 100
    page.locator("#find").hover()
    expect(about).to_have_class("about folded")
    assert page.locator("#tree").bounding_box()["height"] == room
    row.click()
    expect(about).to_have_class("about")
    answer(page, "Enter")
    assert about.bounding_box()["height"] == folded
    press(page, "/")
    page.keyboard.type("zzzz")
    expect(about).to_have_class("about folded")


@only_long
def test_the_definition_does_not_open_over_the_category_that_is_pointed_at(open_page, world, member):
    codes = [f"A.{number}" for number in range(1, 40)]
    world.version = factories.make_version(world.study, ["A", *codes])
    page = open_page(member.user, label_page(world.round()))
    about, tree = page.locator("#about"), page.locator("#tree").bounding_box()
    page.mouse.move(tree["x"] + 80, tree["y"] + tree["height"] - 20)
    under = page.evaluate(
        "([x, y]) => document.elementFromPoint(x, y).closest('#tree li')?.id",
        [tree["x"] + 80, tree["y"] + tree["height"] - 20],
    )
    assert under
    expect(about).to_have_class("about folded")
    page.mouse.click(tree["x"] + 80, tree["y"] + tree["height"] - 20)
    expect(about).to_have_class("about")
    expect(page.locator(f"#{under}")).to_have_attribute("aria-selected", "true")
    expect(page.locator(f"#{under}")).to_be_in_viewport()


@only_long
def test_four_key_presses_for_every_known_theme(open_page, world, member):
    round_ = world.round()
    page = open_page(member.user, label_page(round_))
    page.evaluate("addEventListener('keydown', () => { window.pressed = (window.pressed ?? 0) + 1; }, true)")
    for keys in ("c 3 Enter Enter", "c 2 Enter Enter", "b 1 Enter Enter"):
        answer(page, keys)
    assert page.evaluate("window.pressed") == 12
    press(page, "c 1 0 Control+Enter")  # holding Control is no press of its own for a hand on the keyboard
    expect(page.locator("h1")).to_have_text("All done")
    codes = Label.objects.order_by("pk").values_list("category__states__code", flat=True)
    assert list(codes.filter(category__states__version=world.version)) == ["C.3", "C.2", "B.1", "C.10"]


@only_long
def test_a_category_that_is_too_broad_opens(open_page, world, member):
    state = world.version.states.get(code="A.1")
    page = open_page(member.user, label_page(world.round(depth=3)))
    press(page, "a 1 Enter")  # A.1 has parts: the first of them is offered, nothing is chosen
    expect(page.locator("#tree .active")).to_contain_text("Parameters")
    expect(page.locator("#said")).to_contain_text("A.1 is too broad for this round.")
    assert page.locator("#tree [aria-selected=true]").count() == 0
    assert page.locator(f"#c{state.category_id} input").count() == 0


@only_long
def test_a_sub_theme_says_the_theme_that_it_counts_as(open_page, world, member):
    page = open_page(member.user, label_page(world.round()))
    press(page, "a 1 i i")
    expect(page.locator("#about h2")).to_contain_text("counts as A.1")
    press(page, "Enter")
    expect(page.locator("#implied")).to_have_text("A.1.ii · counts as A.1")
    expect(page.locator("#said")).to_contain_text("A.1.ii · counts as A.1")
    answer(page, "Enter")
    expect(page.locator("#implied")).to_be_empty()
    stored(page)
    assert Label.objects.get().category == world.category("A.1.ii")


SEARCHES = """() => {
  const find = document.getElementById("find");
  const start = performance.now();
  for (const query of ["n", "na", "nam", "name of c.27", "naem", "definitoin", "d2", ""]) {
    find.value = query;
    find.dispatchEvent(new Event("input"));
    document.getElementById("tree").getBoundingClientRect();
  }
  return performance.now() - start;
}"""


@only_long
def test_a_thousand_categories_take_in_proportion_to_a_hundred(open_page, world, member):
    pages = {}
    for size in (25, 250):
        codes = [f"{letter}.{number}" for letter in "ABCD" for number in range(1, size + 1)]
        world.version = factories.make_version(world.study, ["A", "B", "C", "D", *codes])
        pages[size] = open_page(member.user, label_page(world.round()))
    took = {size: [page.evaluate(SEARCHES)] for size, page in pages.items()}
    for size, page in pages.items():
        page.reload()
        took[size].append(page.evaluate(SEARCHES))
    # Ten times as many: three times as much again for what else is at the processors; their square is a hundred.
    assert min(took[250]) < 30 * min(took[25])
    assert found(pages[250], "name of c.77") == ["C.77"]


@only_long
def test_on_a_phone_the_categories_are_a_sheet(open_page, world, member):
    page = open_page(member.user, label_page(world.round()), phone=True)
    held(page, 2)
    before = title(page)
    expect(page.locator("#tree")).to_be_hidden()
    page.locator(".grab").tap()
    expect(page.locator("#tree")).to_be_visible()
    page.locator("#tree li", has_text="Numerical accuracy").tap()
    page.get_by_role("button", name="Submit C.9").tap()
    expect(page.locator("h1")).not_to_have_text(before)
    expect(page.locator("#tree")).to_be_hidden()
    stored(page)
    assert Label.objects.get().category == world.category("C.9")
    sizes = page.locator("#submit, #back, #skip-button, .grab, #recent button, .bar summary").evaluate_all(
        "all => all.map((one) => Math.min(one.offsetHeight, one.offsetWidth))"
    )
    assert min(sizes) >= 44
    assert page.evaluate("document.documentElement.scrollWidth") == 390


@only_long
def test_a_category_is_found_by_its_name_in_the_other_language(open_page, world, member):
    page = open_page(member.user, label_page(world.round()))
    page.wait_for_load_state("networkidle")
    assert found(page, "分布") == ["C.3"]
    assert best(page, "式训练") == "C.3"
    expect(page.locator("#tree .active .why")).to_have_text("分布式训练")
    expect(page.locator("#tree .active .name")).to_have_text("Distributed training")
