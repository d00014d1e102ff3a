"""The taxonomies that come with Crosscheck, and how a volunteer can use them."""

import csv
import re

import pytest

from taxonomy.presets import PRESETS, load_preset
from taxonomy.tree import SUB_THEME, TEXTS, THEME, TYPE, phrases, text_in


def codes_after_arrows(text):
    return [found.rstrip(".)") for found in re.findall(r"→\s*([^\s;,]+)", text)]


@pytest.fixture(params=sorted(PRESETS))
def tree(request):
    return load_preset(request.param)


def test_presets_are_the_two_that_are_promised():
    assert sorted(PRESETS) == ["llm-frameworks", "relevance"]
    assert [preset.name for preset in PRESETS.values()] == list(PRESETS)


def test_unknown_preset_is_a_key_error():
    with pytest.raises(KeyError):
        load_preset("../tree/nodes")


def test_llm_frameworks_has_the_reference_studys_size():
    tree = load_preset("llm-frameworks")

    assert [len(tree.at_level(level)) for level in (TYPE, THEME, SUB_THEME)] == [3, 18, 69]
    assert [node.name for node in tree.children()] == ["Question", "Requirement", "Bug"]
    assert [len(tree.children(node.code)) for node in tree.children()] == [4, 4, 10]


def test_llm_frameworks_has_the_published_codes_and_names(published):
    with (published / "taxonomy.csv").open(encoding="utf-8", newline="") as file:
        theirs = [(row["code"], row["level"], row["name"]) for row in csv.DictReader(file)]

    levels = {TYPE: "type", THEME: "theme", SUB_THEME: "sub-theme"}
    ours = [(node.code, levels[node.level], node.name) for node in load_preset("llm-frameworks")]

    assert ours == theirs


def test_relevance_says_relevant_or_why_not():
    tree = load_preset("relevance")

    assert [(node.code, node.level, node.name) for node in tree] == [
        ("R", TYPE, "Relevant"),
        ("F", TYPE, "False positive"),
        ("F.1", THEME, "Lightweight model"),
        ("F.2", THEME, "Keyword only in a user name, path or commit"),
        ("F.3", THEME, "LLM-named component without LLM behaviour"),
    ]


def test_every_category_is_explained(tree):
    silent = [(node.code, column) for node in tree for column in TEXTS if not node.texts[column]]

    assert silent == []


def test_every_explanation_fits_the_picker(tree):
    """Definitions of one or two sentences, entries of at most a line and a half."""
    long_definitions = [node.code for node in tree if len(node.definition) > 240]
    long_entries = [
        entry
        for node in tree
        for column in ("includes", "excludes", "examples")
        for entry in phrases(node.texts[column])
        if len(entry) > 110
    ]

    assert (long_definitions, long_entries) == ([], [])


def test_every_exclusion_points_at_one_category_elsewhere(tree):
    """An entry that leads nowhere, or back into its own branch, leaves the volunteer where they are."""
    wrong = []
    for node in tree:
        own_branch = {each.code for each in tree.ancestors(node.code)}
        for entry in phrases(node.excludes):
            codes = codes_after_arrows(entry)
            known = len(codes) == 1 and codes[0] in tree
            if (
                not known
                or codes[0] in own_branch
                or node.code in {each.code for each in tree.ancestors(codes[0])}
            ):
                wrong.append((node.code, entry))

    assert wrong == []


def test_no_two_categories_are_explained_alike(tree):
    for column in TEXTS:
        texts = [node.texts[column] for node in tree]
        assert len(set(texts)) == len(texts)


def test_every_text_has_its_chinese(tree):
    """The study's own text is shown where the Chinese is empty: without it a reader meets English."""
    english = [
        (node.code, column)
        for node in tree
        for column in ("name", *TEXTS)
        if not re.search(r"[\u4e00-\u9fff]", text_in(node, column, "zh-hans"))
    ]

    assert english == []


@pytest.mark.parametrize("column", ["includes", "excludes", "examples"])
def test_the_chinese_has_the_same_phrases_and_leads_to_the_same_categories(tree, column):
    """Phrase by phrase: a volunteer who reads Chinese is sent to the same place."""
    for node in tree:
        own, chinese = phrases(node.texts[column]), phrases(node.texts[f"{column}_zh"])
        assert [codes_after_arrows(entry) for entry in chinese] == [
            codes_after_arrows(entry) for entry in own
        ], node.code


def test_chinese_phrases_are_parted_by_full_width_semicolons_only(tree):
    """Both separators part phrases; one of them keeps the files alike, and no phrase ends in a stop."""
    texts = [node.texts[f"{column}_zh"] for node in tree for column in ("includes", "excludes", "examples")]

    assert [text for text in texts if "; " in text or "\n" in text] == []
    assert [
        entry for text in texts for entry in text.split("；") if not entry or entry[-1] in "，。、；;,."
    ] == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C.1", "C.7"), ("C.1", "C.8"), ("C.7", "C.8"), ("C.7", "C.9"), ("C.8", "C.9"),
        ("B.1", "B.2"), ("A.2", "A.3"),
    ],
)  # fmt: skip
def test_neighbouring_themes_point_at_each_other(one, other):
    """The pairs that volunteers confuse most."""
    tree = load_preset("llm-frameworks")

    themes = {
        code: {
            reached.code
            for each in codes_after_arrows(tree[code].excludes)
            for reached in tree.ancestors(each)[1:2]
        }
        for code in (one, other)
    }

    assert other in themes[one]
    assert one in themes[other]
