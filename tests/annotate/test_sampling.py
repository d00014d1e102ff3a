import hashlib
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from annotate.sampling import draw, margin_reached, sample_size

# Retained reports of arXiv 2506.13114 per repository: the lines of its replication package's lists of URLs.
RETAINED = {
    "pytorch": 4181,
    "mindspore": 3014,
    "tensorflow": 2424,
    "vllm": 13546,
    "DeepSpeed": 3750,
    "Megatron-LM": 1114,
    "ColossalAI": 3855,
    "TensorRT-LLM": 3172,
    "MindSpeed": 80,
    "mindformers": 1780,
    "mindnlp": 1826,
}

shares = st.floats(0.01, 0.99)
margins = st.floats(0.005, 0.5)
confidences = st.floats(0.5, 0.999)
roundings = st.sampled_from(["up", "cochran"])


def test_the_reference_study_draws_its_pilot_of_3437():
    assert sum(RETAINED.values()) == 38_742
    assert {name: sample_size(size) for name, size in RETAINED.items()} == {
        "pytorch": 353,
        "mindspore": 342,
        "tensorflow": 333,
        "vllm": 375,
        "DeepSpeed": 350,
        "Megatron-LM": 287,
        "ColossalAI": 351,
        "TensorRT-LLM": 344,
        "MindSpeed": 67,
        "mindformers": 317,
        "mindnlp": 318,
    }
    assert sum(sample_size(size) for size in RETAINED.values()) == 3_437


def test_cochrans_form_with_its_correction_of_one():
    """At 99 % the correction is seen in the sum as well, and at 95 % in one repository."""
    assert sample_size(1_780, rounding="cochran") == 317
    assert sum(sample_size(size, rounding="cochran") for size in RETAINED.values()) == 3_429
    assert sum(sample_size(size, 0.99, rounding="cochran") for size in RETAINED.values()) == 5_412


@pytest.mark.parametrize(
    ("population", "asked", "size"),
    [
        (0, {}, 0),
        (1, {}, 1),
        (2, {}, 2),
        (10**9, {}, 385),
        (10**9, {"rounding": "cochran"}, 385),
        (10**9, {"confidence": 0.99}, 664),
        (10**9, {"confidence": 0.9}, 271),
        (10**9, {"margin": 0.03}, 1068),
        (10**9, {"share": 0.1}, 139),
        (500, {"share": 0.1}, 109),
    ],
)
def test_sample_size(population, asked, size):
    assert sample_size(population, **asked) == size


@pytest.mark.parametrize(
    ("population", "asked"),
    [
        (-1, {}),
        (5, {"confidence": 1}),
        (5, {"confidence": 0}),
        (5, {"margin": 0}),
        (5, {"margin": 1}),
        (5, {"share": 0}),
        (5, {"share": 1}),
    ],
)
def test_sample_size_of_numbers_that_are_no_shares(population, asked):
    with pytest.raises(ValueError):
        sample_size(population, **asked)


@given(st.integers(1, 10**7), confidences, margins, shares, roundings)
def test_a_sample_is_part_of_its_population(population, confidence, margin, share, rounding):
    assert 1 <= sample_size(population, confidence, margin, share, rounding) <= population


@given(confidences, margins, shares, roundings)
def test_of_one_issue_the_sample_is_that_issue(confidence, margin, share, rounding):
    assert sample_size(1, confidence, margin, share, rounding) == 1


@given(st.integers(1, 10**6), confidences, margins, shares, roundings)
def test_a_larger_population_never_needs_fewer(population, confidence, margin, share, rounding):
    asked = (confidence, margin, share, rounding)
    assert sample_size(population, *asked) <= sample_size(population + 1, *asked)


@given(st.integers(1, 10**6), confidences, margins, shares, roundings)
def test_more_confidence_and_a_narrower_margin_never_need_fewer(
    population, confidence, margin, share, rounding
):
    size = sample_size(population, confidence, margin, share, rounding)
    assert size <= sample_size(population, (1 + confidence) / 2, margin, share, rounding)
    assert size <= sample_size(population, confidence, margin / 2, share, rounding)
    assert size <= sample_size(population, confidence, margin, 0.5, rounding)


@given(st.integers(1, 10**6), confidences, margins, shares)
def test_the_roundings_differ_by_one_at_most(population, confidence, margin, share):
    unrounded = sample_size(population, confidence, margin, share, "cochran")
    assert abs(sample_size(population, confidence, margin, share, "up") - unrounded) <= 1


@given(st.integers(1, 10**6), confidences, margins, shares)
def test_the_size_is_that_of_the_formula_with_scipys_quantile(population, confidence, margin, share):
    endless = norm.ppf(0.5 + confidence / 2) ** 2 * share * (1 - share) / margin**2
    for rounding, n0, less in (("up", math.ceil(endless), 0), ("cochran", endless, 1)):
        exact = n0 / (1 + (n0 - less) / population)
        if abs(exact - round(exact)) > 1e-6 and abs(endless - round(endless)) > 1e-6:
            assert sample_size(population, confidence, margin, share, rounding) == math.ceil(exact)


# --- the draw

URLS = {
    "ember": [f"https://github.com/ember/engine/issues/{number}" for number in range(1, 101)],
    "kiln": [f"https://gitee.com/kiln/kiln/issues/I{number}" for number in range(1, 31)],
}


def test_the_draw_is_the_three_lines_of_the_recipe():
    seed, n = 2024, 7
    key = lambda url: hashlib.blake2b(f"{seed}/{url}".encode()).digest()  # noqa: E731 - as documented
    assert draw(URLS, {"ember": n, "kiln": n}, seed) == {
        "ember": sorted(URLS["ember"], key=key)[:n],
        "kiln": sorted(URLS["kiln"], key=key)[:n],
    }


def test_a_draw_is_the_same_on_every_machine_and_in_every_version():
    assert draw(URLS, {"kiln": 3}, 7) == {
        "ember": [],
        "kiln": [f"https://gitee.com/kiln/kiln/issues/I{number}" for number in (17, 18, 12)],
    }


def test_the_order_in_which_urls_come_does_not_matter():
    shuffled = {name: random.Random(1).sample(found, len(found)) for name, found in URLS.items()}
    sizes = {"ember": 20, "kiln": 20}
    assert draw(shuffled, sizes, 5) == draw(URLS, sizes, 5) != draw(URLS, sizes, 6)


def test_a_url_given_twice_is_drawn_once():
    assert draw({"x": ["u", "u", "v"]}, {"x": 2}, 1)["x"] in (["u", "v"], ["v", "u"])


@pytest.mark.parametrize("size", [-1, 31])
def test_what_a_stratum_cannot_fill_is_refused(size):
    with pytest.raises(ValueError):
        draw(URLS, {"kiln": size}, 1)


@given(st.sets(st.text(min_size=1), min_size=2, max_size=40), st.integers(), st.data())
def test_one_more_url_displaces_at_most_one(urls, seed, data):
    late = data.draw(st.sampled_from(sorted(urls)))
    size = data.draw(st.integers(0, len(urls) - 1))
    before = draw({"x": sorted(urls - {late})}, {"x": size}, seed)["x"]
    after = draw({"x": sorted(urls)}, {"x": size}, seed)["x"]
    assert len(set(before) - set(after)) <= 1
    assert set(after) - set(before) <= {late}


@given(st.sets(st.text(min_size=1), max_size=40), st.integers(), st.data())
def test_a_larger_draw_begins_with_the_smaller_one(urls, seed, data):
    size = data.draw(st.integers(0, len(urls)))
    whole = draw({"x": sorted(urls)}, {"x": len(urls)}, seed)["x"]
    assert draw({"x": sorted(urls)}, {"x": size}, seed)["x"] == whole[:size]


@pytest.mark.parametrize("population", [40, 251, 13_000])
def test_a_calculated_size_reaches_its_margin_and_one_less_does_not(population):
    size = sample_size(population, rounding="cochran")
    assert margin_reached([(population, size)]) <= 0.05 < margin_reached([(population, size - 1)])


def test_the_margin_of_few_and_of_strata_by_hand():
    """z = 1.95996; 20 of 245: z sqrt(0.25 x 225/244 / 20). Two equal strata add a quarter of each variance."""
    assert margin_reached([(245, 20)]) == pytest.approx(0.210426, abs=1e-6)
    assert margin_reached([(100, 10), (100, 10)]) == pytest.approx(0.208933, abs=1e-6)
    assert margin_reached([(245, 20), (0, 0)]) == margin_reached([(245, 20)])


def test_there_is_no_margin_for_what_was_not_drawn():
    assert margin_reached([(245, 245), (10, 10)]) == 0
    assert margin_reached([(245, 20), (10, 0)]) is None
    assert margin_reached([(0, 0)]) is None
