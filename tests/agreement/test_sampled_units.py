"""Intervals over repositories and over raters: the jackknife, by hand and against a naive one; when there is none."""

import csv
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from scipy import stats

from agreement import FROM_COUNTS, Patterns, Reason, over_clusters, over_raters
from agreement.coefficients import coefficient
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


def naive(values, whole, degrees):
    """The error and the half width of the jackknife."""
    count = len(values)
    se = sqrt((count - 1) / count * sum((value - whole) ** 2 for value in values))
    return se, stats.t.ppf(0.975, degrees) * se


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("name", FROM_COUNTS)
def test_over_raters_is_the_naive_jackknife(name, missing):
    codes = made(np.random.default_rng(3), missing=missing)
    found = over_raters(of(codes, q=3))
    one, whole = found.coefficients[name], coefficient(name, Tally.of(of(codes, q=3)))
    rests = [coefficient(name, Tally.of(of(np.delete(codes, at, axis=1), q=3))).value for at in range(4)]
    se, half = naive(rests, whole.value, 3)
    assert (found.units, found.effective, one.value) == (4, None, whole.value)
    assert one.se == pytest.approx(se, rel=1e-9)
    assert (one.low, one.high) == pytest.approx((one.value - half, min(1.0, one.value + half)), rel=1e-9)


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
    se, half = naive(rests, whole.value, effective - 1)
    assert (found.units, found.effective) == (5, pytest.approx(effective))
    assert one.value == whole.value
    assert one.se == pytest.approx(se, rel=1e-9)
    assert (one.low, one.high) == pytest.approx((one.value - half, one.value + half), rel=1e-9)


def test_by_hand():
    """Two raters agree on all issues of two clusters and on half of those of the third: 2/3, 2/3 and 1 without."""
    codes = np.array([[0, 0], [1, 1], [0, 0], [1, 1], [0, 1], [1, 1]])
    found = over_clusters(of(codes, 2), [0, 0, 1, 1, 2, 2])
    agreement = found.coefficients["percent_agreement"]
    assert agreement.value == 5 / 6
    squares = 2 * Fraction(1, 12) ** 2 + Fraction(1, 6) ** 2
    assert agreement.se == pytest.approx(sqrt(Fraction(2, 3) * squares), rel=1e-15)
    half = stats.t.ppf(0.975, 2) * agreement.se
    assert (agreement.low, agreement.high) == (pytest.approx(agreement.value - half, rel=1e-12), 1.0)


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
    """Six repositories; an outside review of all eleven gave ± 0.079 over volunteers, by the same jackknife."""
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
    assert [round(one, 4) for one in (kappa.value, kappa.low, kappa.high)] == [0.7865, 0.7286, 0.8444]
    assert [round(one, 4) for one in (volunteers.low, volunteers.high)] == [0.6985, 0.8745]
    # Student's t with 1.94 degrees of freedom, as the repositories count as 2.94 of equal size.
    assert (kappa.high - kappa.low) / 2 / kappa.se == pytest.approx(stats.t.ppf(0.975, 1.9408), rel=1e-3)
