"""Groups of alike texts: what holds for any texts, and what comes out for some."""

import csv
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensus.likeness import AlikeTexts, like, stars, words_of

PUBLISHED = Path(__file__).resolve().parents[3] / "shared/data/published/bug_symptoms.csv"
WORDS = (
    "cuda",
    "oom",
    "torch.compile",
    "CUDA_ERROR",
    "wheel",
    "fails",
    "the",
    "显存",
    "泄漏",
    "ﬁle",
    "\x00",
    "🙂",
    "",
)
texts = st.lists(
    st.one_of(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), st.text(max_size=40)), max_size=24
)


def groups(texts, **fields):
    """The texts by groups of alike ones, as places."""
    return [list(group.members) for group in stars(texts, **fields)]


def together(found):
    return {frozenset(group) for group in found}


@given(texts, st.sampled_from([0.2, 0.35, 0.7, 1.0]))
def test_groups_any_texts_every_one_is_in_exactly_one_group(given_texts, threshold):
    found = groups(given_texts, threshold=threshold)

    assert sorted(place for group in found for place in group) == list(range(len(given_texts)))
    assert [len(group) for group in found] == sorted((len(group) for group in found), reverse=True)


@given(texts, st.randoms(use_true_random=False))
def test_groups_in_another_order_are_the_same_groups(given_texts, random):
    order = list(range(len(given_texts)))
    random.shuffle(order)
    shuffled = [given_texts[place] for place in order]

    def said(found, of):
        return Counter(tuple(sorted(of[place] for place in group)) for group in found)

    assert said(groups(shuffled), shuffled) == said(groups(given_texts), given_texts)
    assert groups(given_texts) == groups(list(given_texts))


@given(texts, st.integers(0, 23), st.integers(0, 24))
def test_groups_of_equal_texts_are_always_together(given_texts, which, where):
    if not given_texts:
        return
    twice = given_texts[which % len(given_texts)]
    given_texts.insert(where % (len(given_texts) + 1), twice)
    places = {place for place, text in enumerate(given_texts) if text == twice}

    home = [group for group in groups(given_texts) if places & set(group)]

    if words_of([twice])[0]:
        assert len(home) == 1
    else:
        assert home == [[place] for place in sorted(places)]


@given(texts)
def test_stars_members_share_a_word_with_the_centre_and_the_words_are_theirs(given_texts):
    for group in stars(given_texts, threshold=0.2):
        centre = words_of([given_texts[group.members[0]]])[0]
        for member in group.members[1:]:
            assert centre.keys() & words_of([given_texts[member]])[0].keys()
        for word in group.words:
            assert word in centre
            assert any(word in words_of([given_texts[member]])[0] for member in group.members[1:])
        assert bool(group.words) == (len(group.members) > 1)


@given(texts, st.integers(0, 23))
def test_like_is_mutual(given_texts, place):
    if place < len(given_texts):
        found = like(given_texts, place)
        assert place not in found
        assert all(place in like(given_texts, other) for other in found)


def test_groups_of_nothing():
    assert groups([]) == []
    assert groups(["", "  ", "\x00", "…!", "🙂"]) == [[0], [1], [2], [3], [4]]
    assert like(["", ""], 0) == []


@pytest.mark.parametrize("threshold", [0, -0.1, 1.01])
def test_groups_with_a_threshold_that_says_nothing_are_refused(threshold):
    with pytest.raises(ValueError, match="a threshold is above 0"):
        groups(["a"], threshold=threshold)


def test_stars_the_largest_first_with_the_words_they_share():
    found = stars(
        [
            "Spelling error in README",
            "CUDA out of memory in torch.compile",
            "torch.compile: CUDA out of memory again",
            "Docs link broken",
            "Out of memory with torch.compile on CUDA",
            "Docs: a link is broken",
        ]
    )

    assert [sorted(group.members) for group in found] == [[1, 2, 4], [3, 5], [0]]
    assert set(found[0].words) == {"torch.compile", "cuda", "memory", "out", "of"}
    assert set(found[1].words) == {"docs", "link", "broken"}
    assert found[2] == AlikeTexts((0,))


def test_groups_chinese_titles_by_pairs_of_characters():
    assert together(groups(["训练时显存泄漏", "显存泄漏导致训练失败", "文档链接失效", "文档链接已失效"])) == {
        frozenset({0, 1}),
        frozenset({2, 3}),
    }


def test_groups_in_any_case_width_and_composition():
    said = ["ＣＵＤＡ Straße", "cuda STRASSE", "caf\u00e9 wheel", "Cafe\u0301 Wheel"]
    assert together(groups(said)) == {frozenset({0, 1}), frozenset({2, 3})}


def test_groups_ten_thousand_characters_and_odd_ones():
    long = "segfault in the loader " * 450
    assert together(groups([long, long + "\x00\ud800", "\udfff loader\x00segfault", "quota"])) == {
        frozenset({0, 1, 2}),
        frozenset({3}),
    }


def test_groups_what_everybody_says_ties_nobody_together():
    said = [
        f"the build fails with {word}" for word in ("nccl", "triton", "cutlass", "openmpi", "pybind", "ninja")
    ]

    assert len(groups(said * 1)) <= len(
        groups([f"{text} {text.split()[-1]}x{i}" for i, text in enumerate(said)])
    )
    assert groups(["the nccl ring", "the triton cache", "the wheel tag", "the ring nccl"])[0] == [0, 3]


def test_words_of_code_keep_it_whole_and_in_parts():
    code, marks = words_of(
        ["torch.compile raises CUDA_ERROR; std::vector, v2.1.0 __init__ end.", "___ . :: 显 存储器"]
    )

    assert code == Counter(
        "torch.compile torch compile raises cuda_error cuda error std::vector std vector v2.1.0 v2 init end".split()
    )
    assert marks == Counter(["显", "存储", "储器"])


@pytest.mark.skipif(not PUBLISHED.exists(), reason="needs the published summaries")
def test_groups_of_published_summaries_hold_what_belongs_together():
    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        said = [
            (summary.strip(), row["subcategory"])
            for row in csv.DictReader(file)
            for summary in row["symptoms"].split(",")
        ]
    found = [group for group in groups([summary for summary, _home in said]) if len(group) > 1]
    pure = sum(Counter(said[place][1] for place in group).most_common(1)[0][1] for group in found)

    # 45 sub-categories: groups drawn by chance would hold about a tenth of one.
    assert len(said) == 1586
    assert pure / sum(map(len, found)) > 0.5
