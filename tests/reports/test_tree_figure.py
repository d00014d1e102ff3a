"""The tree as SVG: everything is in it, inside the sheet, and nothing lies on anything else."""

from itertools import combinations
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawing.text_width import _table, ruler
from reports.tree_figure import COLUMNS, HUES, NO_HUE, SMALL, WIDTH, Leaf, tree_figure
from taxonomy.presets import load_preset

SVG = "{http://www.w3.org/2000/svg}"
A4_LESS_MARGINS = (297 - 2 * 25) / 25.4 * 72


def texts_of(leaves):
    for leaf in leaves:
        yield from (leaf.code, leaf.name, leaf.share)
        yield from texts_of(leaf.below)


def draw(types, *notes, name="Root cause", version="version 3"):
    return tree_figure(name, version, types, notes, ruler((name, version, " ", *notes, *texts_of(types))))


def height_of(drawing):
    return float(ET.fromstring(drawing).get("height").removesuffix("pt"))  # noqa: S314 - our own


def parts(drawing):
    """Texts and frames as (left, top, right, bottom, what); tops and bottoms of texts are those of most letters."""
    root = ET.fromstring(drawing)  # noqa: S314 - our own
    measure = ruler(["".join(root.itertext()) + " "])
    texts, frames = [], []
    for one in root.iter(f"{SVG}text"):
        size, x, y = (float(one.get(name)) for name in ("font-size", "x", "y"))
        width = measure(one.text, size, bold=one.get("font-weight") == "700")
        left = x - width if one.get("text-anchor") == "end" else x
        texts.append((left, y - 0.75 * size, left + width, y + 0.22 * size, one.text))
    for one in root.iter(f"{SVG}rect"):
        x, y, width, height = (float(one.get(name)) for name in ("x", "y", "width", "height"))
        frames.append((x, y, x + width, y + height, "frame"))
    return texts, frames


def meet(one, other):
    return (
        min(one[2], other[2]) - max(one[0], other[0]) > 0.05
        and min(one[3], other[3]) - max(one[1], other[1]) > 0.05
    )


def inside(one, other):
    return one[0] >= other[0] and one[1] >= other[1] and one[2] <= other[2] + 0.05 and one[3] <= other[3]


def assert_sound(drawing):
    texts, frames = parts(drawing)
    sheet = (0, 0, WIDTH, height_of(drawing))
    assert [one for one in (*texts, *frames) if not inside(one, sheet)] == []
    assert [(one, other) for one, other in combinations(texts, 2) if meet(one, other)] == []
    assert [(one, other) for one, other in combinations(frames, 2) if meet(one, other)] == []
    # A text is inside of a frame or outside of it, never across its edge.
    assert [
        (one, frame) for one in texts for frame in frames if meet(one, frame) and not inside(one, frame)
    ] == []


def preset_leaves(tree, code=None):
    return [
        Leaf(
            node.code, node.name, "12.3 % of 5,214" if node.level < 3 else "", preset_leaves(tree, node.code)
        )
        for node in tree.children(code)
    ]


@pytest.fixture(scope="module")
def preset():
    return preset_leaves(load_preset("llm-frameworks"))


def test_the_reference_taxonomy_fits_one_page(preset):
    drawing = draw(preset, "Shares of 5,214 decided issues of “Main round”. " * 3)
    texts, frames = parts(drawing)
    said = [text for *_box, text in texts]

    assert height_of(drawing) < 660 < A4_LESS_MARGINS
    assert len(frames) == 3 + 18
    assert [said.count(leaf.code) for leaf in preset] == [1, 1, 1]
    assert sum(said.count(sub.code) for leaf in preset for theme in leaf.below for sub in theme.below) == 69
    assert said.count("12.3 % of 5,214") == 21
    assert_sound(drawing)


def test_every_word_of_a_small_tree_stands_in_its_place():
    types = [
        Leaf(
            "A",
            "Question",
            "75.0 % of 4",
            [Leaf("A.1", "How & <why>", "25.0 % of 4", [Leaf("A.1.i", "One")])],
        )
    ]
    texts, (outer, inner) = parts(draw(types, "A note."))

    assert [text for *_box, text in texts] == [
        "Root cause", "version 3", "A", "Question", "75.0 % of 4", "A.1", "How & <why>", "25.0 % of 4", "A.1.i", "One", "A note.",
    ]  # fmt: skip
    places = {text: box for *box, text in texts}
    assert inside((*places["Question"], ""), outer)
    assert inside((*places["25.0 % of 4"], ""), inner)
    assert places["A.1.i"][0] > inner[2] > inner[0] > outer[2]
    assert places["Root cause"][3] < outer[1]
    assert places["A note."][1] > outer[3]


def test_letters_are_large_enough_for_print():
    assert min(SMALL, *(column.size for column in COLUMNS)) >= 6.5


def test_types_have_the_hues_of_the_platform_and_a_fourth_has_none():
    svg = draw([Leaf(code, "Name") for code in "ABCD"])
    root = ET.fromstring(svg)  # noqa: S314 - our own
    fills = [one.get("fill") for one in root.iter(f"{SVG}rect")]
    assert fills == [*(hue.line for hue in HUES), NO_HUE.line]
    assert [svg.count(f'class="{hue.css}"') for hue in HUES] == [1, 1, 1]


HARD = [
    "a" * 200,
    "W" * 199,
    "one " * 50,
    "分类系统的一个非常长的名称没有空格" * 8,
    "العربية نص طويل جدا للتجربة " * 5,
    "<script>&amp;\"'" * 10,
    "x",
]


@pytest.mark.parametrize("name", HARD)
@pytest.mark.slow(cases=2)
def test_names_of_any_script_and_length_wrap(name):
    name = name[:200].strip()
    types = [
        Leaf("A" * 32, name, "under 0.1 % of 1,234,567", [
            Leaf("A.1", name, "99.9 % of 1,234,567", [Leaf("A.1.i", name), Leaf("A." + "1" * 30, name)]),
            Leaf("B" * 32, name, "0.0 % of 1"),
        ]),
        Leaf("B", name),
    ]  # fmt: skip
    drawing = draw(types, name, name=name[:120])
    texts, _frames = parts(drawing)

    assert_sound(drawing)
    drawn = "".join(text for *_box, text in texts).replace(" ", "")
    assert drawn.count(name.replace(" ", "")) >= 5


LETTERS = st.text(st.sampled_from(sorted(_table())), min_size=1, max_size=60).map(
    lambda text: text.strip() or "x"
)
CODES = LETTERS.map(lambda text: text[:32])
SUB_THEMES = st.lists(st.builds(Leaf, CODES, LETTERS), max_size=3)
THEMES = st.lists(st.builds(Leaf, CODES, LETTERS, st.just("1.0 % of 100"), SUB_THEMES), max_size=3)
TYPES = st.lists(st.builds(Leaf, CODES, LETTERS, st.just("1.0 % of 100"), THEMES), max_size=4)


@given(TYPES)
def test_whatever_the_tree_nothing_overlaps(types):
    assert_sound(draw(types))


def test_a_larger_taxonomy_is_higher_and_no_wider(preset):
    drawing = draw(preset * 3)
    assert height_of(drawing) > 2.5 * height_of(draw(preset))
    assert_sound(drawing)


def test_the_same_tree_is_the_same_file(preset):
    assert draw(preset) == draw(preset)


@pytest.mark.parametrize(
    ("types", "frames"), [([], 0), ([Leaf("A", "One")], 1), ([Leaf("A", "One", "", [Leaf("A.1", "Two")])], 2)]
)
def test_trees_of_fewer_levels_take_the_whole_width(types, frames):
    drawing = draw(types)
    found = parts(drawing)[1]
    assert len(found) == frames
    assert max((frame[2] for frame in found), default=WIDTH) == pytest.approx(WIDTH, abs=1)
    assert_sound(drawing)
