"""Intervals over repositories and over raters: the jackknife, by hand and against a naive one; when there is
none, and when it is in doubt.
"""

import csv
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from scipy import special, stats

from agreement import FROM_COUNTS, Patterns, Reason, over_clusters, over_raters
from agreement.coefficients import coefficient, lowest
from agreement.intervals.sampled_units import logit_interval
from agreement.tally import Tally
from tests.worlds.labels import from_rows

REPOSITORIES = ("ColossalAI", "Megatron-LM", "MindSpeed", "mindspore", "pytorch", "vllm")


def of(codes, categories=4, q=None):
    return Patterns(codes, np.ones(len(codes), dtype=int), categories, q)


def made(rng, issues=120, raters=4, missing=0.0):
    truth = rng.integers(0, 4, issues)
    guess = rng.integers(0, 4, (issues, raters))
    codes = np.where(rng.random((issues, raters)) < 0.7, truth[:, None], guess)
    codes[rng.random(codes.shape) < missing] = -1
    return codes


def naive(values, whole, degrees, least, widened=1.0):
    """The error and the interval of the jackknife, on a logit scale; least is -inf without a lowest value."""
    count = len(values)
    se = sqrt((count - 1) / count * sum((value - whole) ** 2 for value in values))
    half = stats.t.ppf(0.975, degrees) * se * widened
    if least == -np.inf:
        return se, (whole - half, min(1, whole + half))
    share = (whole - least) / (1 - least)
    y, half = special.logit(share), half / (1 - least) / (share * (1 - share))
    return se, tuple(least + (1 - least) * special.expit(y + side) for side in (-half, half))


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("name", FROM_COUNTS)
def test_over_raters_is_the_naive_jackknife(name, missing):
    codes = made(np.random.default_rng(3), missing=missing)
    found = over_raters(of(codes, q=3))
    one, whole = found.coefficients[name], coefficient(name, Tally.of(of(codes, q=3)))
    rests = [coefficient(name, Tally.of(of(np.delete(codes, at, axis=1), q=3))).value for at in range(4)]
    least = lowest(name, Tally.of(of(codes, q=3)))
    se, bounds = naive(rests, whole.value, 3, least, widened=sqrt(4 / 3))
    assert (found.units, found.effective, one.value) == (4, None, whole.value)
    assert one.se == pytest.approx(se, rel=1e-9)
    assert (one.low, one.high) == pytest.approx(bounds, rel=1e-9)


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("name", FROM_COUNTS)
def test_over_clusters_is_the_naive_jackknife(name, missing):
    codes = made(np.random.default_rng(4), missing=missing)
    clusters = np.repeat([7, 2, 9, 4, 5], [40, 20, 30, 20, 10])
    found = over_clusters(of(codes), clusters)
    one, whole = found.coefficients[name], coefficient(name, Tally.of(of(codes)))
    rests = [coefficient(name, Tally.of(of(codes[clusters != at]))).value for at in np.unique(clusters)]
    sizes = [int(((codes >= 0).any(axis=1) & (clusters == at)).sum()) for at in np.unique(clusters)]
    effective = sum(sizes) ** 2 / sum(size**2 for size in sizes)
    se, bounds = naive(rests, whole.value, effective - 1, lowest(name, Tally.of(of(codes))))
    assert (found.units, found.effective) == (5, pytest.approx(effective))
    assert one.value == whole.value
    assert one.se == pytest.approx(se, rel=1e-9)
    assert (one.low, one.high) == pytest.approx(bounds, rel=1e-9)


@pytest.mark.parametrize("name", ["fleiss_kappa", "krippendorff_alpha"])
def test_one_issue_with_a_single_label_moves_no_bound_far(name):
    """The lowest value of kappa is -inf then: on a scale without an end the lower bound was -16.9."""
    rng = np.random.default_rng(8)
    codes = np.repeat(rng.integers(0, 3, 200)[:, None], 3, axis=1)
    codes[:30, 2] = (codes[:30, 2] + 1) % 3
    single = np.vstack([codes, [[0, -1, -1]]])
    without = over_raters(of(codes, q=3)).coefficients[name]
    found = over_raters(of(single, q=3)).coefficients[name]
    assert found.low is not None
    assert without.low is not None
    assert -1 < found.low < found.value < found.high <= 1
    assert abs(found.value - without.value) < 0.01


def test_by_hand():
    """Two raters agree on all issues of two clusters and on half of those of the third: 2/3, 2/3 and 1 without."""
    codes = np.array([[0, 0], [1, 1], [0, 0], [1, 1], [0, 1], [1, 1]])
    found = over_clusters(of(codes, 2), [0, 0, 1, 1, 2, 2])
    agreement = found.coefficients["percent_agreement"]
    assert agreement.value == 5 / 6
    squares = 2 * Fraction(1, 12) ** 2 + Fraction(1, 6) ** 2
    assert agreement.se == pytest.approx(sqrt(Fraction(2, 3) * squares), rel=1e-15)
    # Odds of 5, moved by t(2) SE / (5/6 * 1/6) on the scale of their logarithms.
    moved = np.exp(stats.t.ppf(0.975, 2) * agreement.se * 36 / 5)
    assert agreement.low == pytest.approx(5 / (5 + moved), rel=1e-12)
    assert agreement.high == pytest.approx(5 * moved / (5 * moved + 1), rel=1e-12)


def test_a_logit_interval_at_the_ends_of_the_range_and_far_beyond():
    assert logit_interval(0.5, 0.1, -np.inf) == (0.4, 0.6)
    assert logit_interval(0.0, 0.1, 0.0) == (0.0, 0.1)
    assert logit_interval(1.0, 0.1, 0.0) == (0.9, 1.0)
    low, high = logit_interval(0.999999, 5.0, -0.5)
    assert (low, high) == pytest.approx((-0.5, 1.0))
    assert -0.5 <= low < high <= 1.0
    assert logit_interval(0.999999, 5.0, -np.inf)[1] <= 1.0


def test_order_and_splitting_of_rows_change_no_digit():
    rng = np.random.default_rng(5)
    codes, clusters = made(rng, missing=0.2), rng.integers(0, 6, 120)
    order = rng.permutation(120)
    for function in (lambda rows, at: over_clusters(of(rows), at), lambda rows, _at: over_raters(of(rows))):
        assert function(codes, clusters) == function(codes[order], clusters[order])


@pytest.mark.parametrize(
    ("sizes", "effective", "has_interval"),
    [
        ([10, 10], 2.0, False),
        ([10, 10, 1], 2.19, True),
        ([40, 10, 8, 2], 2.04, True),
        ([40, 10, 8], 1.91, False),
    ],
)
def test_clusters_that_are_too_few_or_too_unequal_give_no_interval(sizes, effective, has_interval):
    codes = made(np.random.default_rng(6), issues=sum(sizes))
    found = over_clusters(of(codes), np.repeat(np.arange(len(sizes)), sizes))
    kappa = found.coefficients["fleiss_kappa"]
    assert found.effective == pytest.approx(effective, abs=0.01)
    assert (kappa.low is not None) is has_interval
    assert kappa.reason is (None if has_interval else Reason.FEW_CLUSTERS)


def test_two_raters_give_no_interval_over_raters():
    codes = made(np.random.default_rng(7), raters=3)
    assert over_raters(of(codes)).coefficients["fleiss_kappa"].low is not None
    assert over_raters(of(codes[:, :2])).coefficients["fleiss_kappa"].reason is Reason.FEW_RATERS


def test_a_unit_that_decides_and_units_that_change_nothing_are_told():
    alike = from_rows([[0, 0, 0], [1, 1, 1], [0, 0, 0]], 2)
    kappa = over_raters(alike).coefficients["fleiss_kappa"]
    assert (kappa.value, kappa.se, kappa.reason) == (1.0, None, Reason.SAME_UNITS)
    # Without the second cluster, all labels are of one category.
    codes = np.array([[0, 0], [0, 0], [0, 1], [1, 1], [0, 0], [0, 0]])
    kappa = over_clusters(of(codes, 2), [0, 0, 1, 1, 2, 2]).coefficients["fleiss_kappa"]
    assert (kappa.low, kappa.reason) == (None, Reason.UNIT_DECIDES)


@pytest.mark.parametrize("codes", [np.empty((0, 3), dtype=int), np.full((2, 3), -1), np.array([[0, -1, -1]])])
def test_nothing_to_compare_has_the_reason_of_the_coefficient(codes):
    for found in (over_raters(of(codes)), over_clusters(of(codes), np.zeros(len(codes), dtype=int))):
        for name, one in found.coefficients.items():
            assert (one.value, one.reason) == (None, coefficient(name, Tally.of(of(codes))).reason)


def test_clusters_must_fit():
    with pytest.raises(ValueError, match="clusters for"):
        over_clusters(from_rows([[0, 1]], 2), [0, 1])


def test_intervals_of_the_published_labels(published):
    """Six repositories; an outside review of all eleven gave an error of 0.0323 over volunteers, by the same
    jackknife.
    """
    with (published / "taxonomy.csv").open(encoding="utf-8") as file:
        themes = [row["code"] for row in csv.DictReader(file) if row["level"] == "theme"]
    rows, clusters = [], []
    for place, name in enumerate(REPOSITORIES):
        with (published / name / f"{name}.csv").open(encoding="utf-8") as file:
            found = [[themes.index(code) for code in line[1:8]] for line in list(csv.reader(file))[1:]]
        rows += found
        clusters += [place] * len(found)
    patterns = of(np.array(rows), 18)
    repositories = over_clusters(patterns, clusters)
    volunteers = over_raters(patterns).coefficients["fleiss_kappa"]
    kappa = repositories.coefficients["fleiss_kappa"]
    assert (repositories.units, repositories.effective) == (6, pytest.approx(2.941, abs=0.001))
    assert [round(one, 4) for one in (kappa.value, kappa.low, kappa.high)] == [0.7865, 0.7224, 0.8385]
    assert [round(one, 4) for one in (volunteers.low, volunteers.high)] == [0.6749, 0.8659]
    # Student's t with 1.94 degrees of freedom, as the repositories count as 2.94 of equal size.
    to_odds = np.log((kappa.value + 1 / 6) / (1 - kappa.value)) - np.log(
        (kappa.low + 1 / 6) / (1 - kappa.low)
    )
    half = to_odds / (1 / (kappa.value + 1 / 6) + 1 / (1 - kappa.value))
    assert half / kappa.se == pytest.approx(stats.t.ppf(0.975, 1.9408), rel=1e-3)
    assert kappa.doubt is Reason.UNEQUAL_CLUSTERS


def clustered(sizes, rates, raters=3):
    """Repositories of so many issues of two categories in turn; on such a share of them one rater differs."""
    rows, clusters = [], []
    for place, (size, rate) in enumerate(zip(sizes, rates, strict=True)):
        for issue in range(size):
            row = [issue % 2] * raters
            row[issue % raters] ^= (issue * 7) % 100 < 100 * rate
            rows.append(row)
            clusters.append(place)
    return of(np.array(rows), 2), clusters


@pytest.mark.parametrize(
    ("sizes", "rates", "doubt"),
    [
        ([200] * 3, [0.1, 0.3, 0.5], None),
        ([200, 200, 190], [0.1, 0.3, 0.5], Reason.UNEQUAL_CLUSTERS),
        ([200] * 4, [0.3, 0.3, 0.31, 0.3], Reason.NARROWER),
        ([100] * 3, [0.01, 0.06, 0.12], Reason.FEW_DIFFERENT),
        ([100] * 3, [0.01, 0.06, 0.13], None),
    ],
)
def test_which_intervals_over_repositories_are_in_doubt(sizes, rates, doubt):
    patterns, clusters = clustered(sizes, rates)
    found = over_clusters(patterns, clusters).coefficients["gwet_ac1"]
    issues = coefficient("gwet_ac1", Tally.of(patterns))
    assert found.doubt is doubt
    assert (found.high - found.low < issues.high - issues.low) is (doubt is Reason.NARROWER)


@pytest.mark.parametrize(
    ("of_first", "of_second", "name", "doubt"),
    [
        (399, 201, "fleiss_kappa", None),
        (400, 200, "fleiss_kappa", Reason.DOMINANT_CATEGORY),
        (400, 200, "krippendorff_alpha", Reason.DOMINANT_CATEGORY),
        (400, 200, "gwet_ac1", None),
    ],
)
def test_a_category_with_two_thirds_of_the_labels_is_a_doubt_of_kappa_over_repositories(
    of_first, of_second, name, doubt
):
    """Each of 300 issues has two labels; those of 30, 20 and 10 of three repositories differ."""
    rows = [[0, 1]] * 60 + [[0, 0]] * ((of_first - 60) // 2) + [[1, 1]] * ((of_second - 60) // 2)
    if of_first % 2:
        rows += [[0, 1]]
    rows = np.array(rows)
    differ = rows[:, 0] != rows[:, 1]
    clusters = np.empty(len(rows), dtype=int)
    clusters[differ] = np.repeat([0, 1, 2], [30, 20, differ.sum() - 50])
    clusters[~differ] = np.repeat([0, 1, 2], [70, 80, (~differ).sum() - 150])
    found = over_clusters(of(rows, 2), clusters).coefficients[name]
    assert np.bincount(rows.ravel()).tolist() == [of_first, of_second]
    assert found.doubt is doubt


def test_a_low_kappa_is_a_doubt_over_repositories():
    patterns, clusters = clustered([200] * 3, [0.1, 0.3, 0.5])
    assert over_clusters(patterns, clusters).coefficients["fleiss_kappa"].doubt is None
    patterns, clusters = clustered([200] * 3, [0.7, 1.0, 1.0])
    found = over_clusters(patterns, clusters).coefficients
    assert found["fleiss_kappa"].value < 0.2
    assert found["fleiss_kappa"].doubt is found["krippendorff_alpha"].doubt is Reason.LOW_KAPPA
    assert found["brennan_prediger"].doubt is None


@pytest.mark.parametrize(
    ("issues", "differ", "doubt"),
    [
        (100, 19, Reason.FEW_DIFFERENT),
        (100, 20, None),
        (800, 59, Reason.HIGH_AGREEMENT),
        (800, 60, Reason.HIGH_AGREEMENT),
        (800, 61, None),
    ],
)
def test_which_intervals_over_raters_are_in_doubt(issues, differ, doubt):
    """On `differ` issues one of three raters differs: a third of the pairs agree. 60 of 800 make 0.95."""
    rows = np.arange(issues)[:, np.newaxis] % 2 + np.zeros((1, 3), dtype=int)
    rows[np.arange(differ), np.minimum(np.arange(differ) % 5, 2)] ^= 1
    found = over_raters(of(rows, 2)).coefficients["percent_agreement"]
    assert found.low is not None
    assert found.doubt is doubt
