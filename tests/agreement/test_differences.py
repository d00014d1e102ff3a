"""Differences of kappas: paired by issue, and of separate groups."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from agreement import Coefficient, Difference, Patterns, Reason, adjusted, beside_others, between, left_out
from agreement.coefficients import coefficient
from agreement.differences import ENOUGH_DIFFER, FEWEST
from agreement.tally import Tally
from tests.long import sampled
from tests.worlds.labels import from_rows


def terms(labels):
    """Fleiss' kappa of labels (an issue per row, -1 for none), and what each issue adds, by the definition."""
    present = labels >= 0
    q = labels.max() + 1
    counts = np.array([[(row == k).sum() for k in range(q)] for row in labels], dtype=float)
    sizes = present.sum(axis=1)
    counted = sizes >= 1
    n, two = counted.sum(), (sizes >= 2).sum()
    shares = np.divide(counts, sizes[:, None], where=counted[:, None], out=np.zeros_like(counts))
    p = shares[counted].mean(axis=0)
    p_a = np.where(sizes >= 2, ((counts * (counts - 1)).sum(axis=1) / np.maximum(sizes * (sizes - 1), 1)), 0)
    p_e = (p**2).sum()
    kappa = (p_a.sum() / two - p_e) / (1 - p_e)
    own = np.where(sizes >= 2, n / two * (p_a - p_e), 0) / (1 - p_e)
    own -= 2 * (1 - kappa) * (shares @ p - p_e) / (1 - p_e)
    return kappa, np.where(counted, own - kappa, 0.0) / n


def made(seed, issues, raters, right=0.8, shares=(0.5, 0.3, 0.2), missing=0.0):
    rng = np.random.default_rng(seed)
    truth = rng.choice(len(shares), size=issues, p=shares)
    guess = rng.choice(len(shares), size=(issues, raters), p=shares)
    labels = np.where(rng.random((issues, raters)) < right, truth[:, None], guess)
    return np.where(rng.random((issues, raters)) < missing, -1, labels)


@pytest.mark.parametrize("missing", [0.0, 0.5])
def test_left_out_equals_the_difference_issue_by_issue(missing):
    labels = made(1, 90, 4, missing=missing)
    labels = labels[(labels >= 0).any(axis=1)]
    n = len(labels)
    whole, of_all = terms(labels)

    found = left_out(from_rows(labels.tolist(), 3))

    assert list(found) == [0, 1, 2, 3]
    for column, one in found.items():
        without, of_others = terms(np.delete(labels, column, axis=1))
        se = sqrt(n / (n - 1) * ((of_others - of_all) ** 2).sum())
        half = stats.t.ppf(0.975, n - 1) * se
        assert one.value == pytest.approx(without - whole, abs=1e-14)
        assert one.se == pytest.approx(se, rel=1e-12)
        assert (one.low, one.high) == (pytest.approx(one.value - half), pytest.approx(one.value + half))
        assert one.p == pytest.approx(2 * stats.t.sf(abs(one.value) / se, n - 1))
        assert one.reason is None


def test_left_out_is_corrected_for_all_volunteers():
    found = left_out(from_rows(made(2, 200, 3).tolist(), 3)).values()
    p = sorted(one.p for one in found)
    assert sorted(one.adjusted for one in found) == pytest.approx(
        [3 * p[0], max(3 * p[0], min(1, 2 * p[1])), max(3 * p[0], min(1, 2 * p[1]), p[2])]
    )


def test_a_volunteer_who_guesses_is_found_and_others_are_not_ground_for_it():
    labels = made(4, 300, 4, right=0.85)
    labels[:, 2] = np.random.default_rng(5).integers(0, 3, 300)
    found = left_out(from_rows(labels.tolist(), 3))
    assert [one.low > 0 for one in found.values()] == [False, False, True, False]
    assert found[2].adjusted < 1e-10


def test_the_paired_interval_is_narrower_than_that_of_two_groups():
    labels = made(3, 400, 5)
    paired = left_out(from_rows(labels.tolist(), 3))[0]
    one, other = (
        coefficient("fleiss_kappa", Tally.of(from_rows(rows.tolist(), 3))) for rows in (labels[:, 1:], labels)
    )
    apart = between(one, other, (400, 400))
    assert paired.value == pytest.approx(apart.value, abs=1e-14)
    assert paired.se < apart.se / 3


def test_left_out_without_an_interval():
    # Without the second one nobody is left beside the first.
    two = left_out(from_rows([[0, 0], [0, 1]] * 20, 2))
    assert two[0] == Difference(None, reason=Reason.NO_OVERLAP)
    same, differ = [[0, 0, 0]] * 50 + [[1, 1, 1]] * 50, [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]] * 5
    few = left_out(from_rows([*same, *differ[: FEWEST - 1]], 2))[0]
    assert (few.value is None, few.low, few.adjusted, few.reason) == (False, None, None, Reason.FEW_DIFFER)
    enough = left_out(from_rows([*same, *differ[:FEWEST]], 2))[0]
    assert enough.reason is None
    assert enough.low is not None
    assert left_out(from_rows([[0, 0, 0], [1, 1, 1]] * 20, 2))[0] == Difference(
        0.0, reason=Reason.SAME_DIFFERENCE
    )
    assert left_out(from_rows([[0, 0, 0]] * 30, 2))[1].reason is Reason.ONE_CATEGORY
    assert left_out(Patterns(np.empty((0, 3), dtype=int), [], 2)) == {}


labels_of_three = st.lists(
    st.lists(st.integers(-1, 2), min_size=3, max_size=3), min_size=FEWEST, max_size=3 * FEWEST
)


@given(labels_of_three)
def test_left_out_does_not_depend_on_the_order_of_issues_or_how_they_are_grouped(rows):
    every = Patterns(np.array(rows), np.ones(len(rows), dtype=int), 3)
    back = Patterns(np.array(rows[::-1]), np.ones(len(rows), dtype=int), 3)
    assert left_out(every) == left_out(back) == left_out(every.merged())


@given(labels_of_three)
def test_bounds_stay_inside_the_possible_range(rows):
    for one in left_out(from_rows(rows, 3)).values():
        if one.low is not None:
            assert -2 <= one.low <= one.value <= one.high <= 2
            assert 0 <= one.p <= one.adjusted <= 1


class TestBesideOthers:
    def test_values_of_a_small_example(self):
        patterns = Patterns([[0, 0, 0], [0, 0, 1], [1, 0, -1], [1, -1, -1], [1, 1, 1]], [20, 15, 5, 5, 7], 2)
        model = [0, 1, 1, 1, -1]

        found = beside_others(patterns, model)

        own = np.repeat([1, 1 / 3, 1 / 2, 1], [20, 15, 5, 5])
        among = np.repeat([1, 1 / 3, 0], [20, 15, 5])
        influence = (own - own.mean()) / 45 - np.append((among - among.mean()) / 40, np.zeros(5))
        se = sqrt(45 / 44 * (influence**2).sum())
        assert found.value == pytest.approx(own.mean() - among.mean())
        assert found.se == pytest.approx(se)
        assert found.low == pytest.approx(found.value - stats.t.ppf(0.975, 44) * se)
        assert found.p == pytest.approx(2 * stats.t.sf(found.value / se, 44))

    def test_equal_numbers_of_labels_are_a_mean_of_differences(self):
        labels = made(7, 80, 4)
        found = beside_others(Patterns(labels[:, :3], np.ones(80, dtype=int), 3), labels[:, 3])
        own = (labels[:, :3] == labels[:, 3:]).mean(axis=1)
        among = np.mean(
            [labels[:, one] == labels[:, other] for one, other in ((0, 1), (0, 2), (1, 2))], axis=0
        )
        expected = stats.ttest_rel(own, among)
        assert found.p == pytest.approx(expected.pvalue)
        low, high = expected.confidence_interval()
        assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))

    def test_without_an_interval(self):
        assert beside_others(Patterns([[0, 1]], [3], 2), [-1]).reason is Reason.NO_OVERLAP
        assert beside_others(Patterns([[0, -1]], [3], 2), [0]).reason is Reason.NO_TWO_VOLUNTEERS
        assert beside_others(Patterns([[0, 1]], [1], 2), [0]) == Difference(0.5, reason=Reason.ONE_ISSUE)
        assert beside_others(Patterns([[0, 1]], [30], 2), [0]) == Difference(
            0.5, reason=Reason.SAME_DIFFERENCE
        )

    def test_the_column_must_fit(self):
        with pytest.raises(ValueError, match="labels for 2 rows"):
            beside_others(Patterns([[0, 1], [1, 1]], [1, 1], 2), [0])


class TestBetween:
    def test_equals_welch(self):
        rng = np.random.default_rng(8)
        first, second = rng.normal(0.7, 0.2, 40), rng.normal(0.6, 0.4, 90)
        one, other = (
            Coefficient(each.mean(), each.std(ddof=1) / sqrt(len(each)), 0.0, 1.0) for each in (first, second)
        )
        expected = stats.ttest_ind(first, second, equal_var=False)

        found = between(one, other, (40, 90))

        low, high = expected.confidence_interval()
        assert found.p == pytest.approx(expected.pvalue)
        assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))

    def test_without_an_interval(self):
        known, point = Coefficient(0.7, 0.1, 0.5, 0.9), Coefficient(1.0, reason=Reason.NO_SPREAD)
        nothing = Coefficient(None, reason=Reason.ONE_CATEGORY)
        assert between(known, nothing, (50, 50)) == Difference(None, reason=Reason.ONE_CATEGORY)
        assert between(nothing, known, (50, 50)) == Difference(None, reason=Reason.ONE_CATEGORY)
        assert between(known, point, (50, 50)) == Difference(0.7 - 1.0, reason=Reason.NO_SPREAD)
        assert between(known, known, (FEWEST - 1, 50)).reason is Reason.FEW_IN_GROUP
        assert between(known, known, (FEWEST, 50)).reason is None
        # Twenty issues, of which fewer than ten have two labels.
        few = Coefficient(0.6, 0.2, reason=Reason.FEW_ISSUES)
        for pair in ((few, known), (known, few)):
            assert between(*pair, (50, 50)) == Difference(
                pair[0].value - pair[1].value, reason=Reason.FEW_ISSUES
            )

    def test_is_in_doubt_where_one_of_the_two_is(self):
        plain = Coefficient(0.7, 0.1, 0.5, 0.9)
        few, rarer = (replace(plain, doubt=one) for one in (Reason.FEW_COMPARED, Reason.FEW_RARER))
        assert between(plain, plain, (90, 90)).doubt is None
        assert between(few, rarer, (90, 90)).doubt is Reason.FEW_COMPARED
        assert between(plain, rarer, (90, 90)).doubt is Reason.FEW_RARER
        assert between(few, plain, (FEWEST - 1, 90)).doubt is None  # has no interval


class TestDoubtOfPairs:
    """Of three volunteers; ENOUGH_DIFFER issues with different labels, and more than enough with equal ones."""

    SAME = [[0, 0, 0]] * 60 + [[1, 1, 1]] * 60
    DIFFER = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]] * (ENOUGH_DIFFER // 4)

    def test_few_issues_with_different_labels(self):
        for differ, doubt in ((self.DIFFER, None), (self.DIFFER[1:], Reason.FEW_DIFFER_PAIRED)):
            rows = [*self.SAME, *differ]
            assert [one.doubt for one in left_out(from_rows(rows, 2)).values()] == [doubt] * 3
            labels = np.array(rows)
            ones = np.ones(len(rows), dtype=int)
            assert beside_others(Patterns(labels[:, :2], ones, 2), labels[:, 2]).doubt is doubt

    def test_a_number_in_doubt_on_one_side(self):
        # Without the first volunteer, the others nearly always agree.
        differ = [[1, 0, 0], [0, 1, 1]] * (ENOUGH_DIFFER // 2)
        found = left_out(from_rows([*self.SAME, *differ], 2))
        assert found[0].doubt is Reason.FEW_DIFFERENT
        assert found[1].doubt is None
        labels = np.array([*self.SAME, *differ])
        ones = np.ones(len(labels), dtype=int)
        # Between the others percent agreement is 1 but for a few issues.
        assert beside_others(Patterns(labels[:, 1:], ones, 2), labels[:, 0]).doubt is Reason.FEW_DIFFERENT
        # Fewer than 80 issues.
        assert left_out(from_rows([*self.SAME[55:65], *self.DIFFER], 2))[0].doubt is Reason.FEW_COMPARED


def test_only_differences_with_a_p_are_corrected():
    found = adjusted([Difference(0.1, p=0.01), Difference(None), Difference(0.2, p=0.04)])
    assert [one.adjusted for one in found] == [0.02, None, 0.04]
    assert replace(found[0], adjusted=None) == Difference(0.1, p=0.01)


def covered(issues, raters, right, shares, *, samples, seed):
    """How many of the intervals cover the true effect of leaving the first volunteer out, who is worse."""
    rng = np.random.default_rng(seed)

    def draw(number):
        truth = rng.choice(len(shares), size=number, p=shares)
        guess = rng.choice(len(shares), size=(number, raters), p=shares)
        chances = np.array([right - 0.15, *[right] * (raters - 1)])
        return np.where(rng.random((number, raters)) < chances, truth[:, None], guess)

    large = draw(400_000)
    true = terms_fast(large[:, 1:], len(shares)) - terms_fast(large, len(shares))
    hits = known = 0
    for _sample in range(samples):
        one = left_out(Patterns(draw(issues), np.ones(issues, dtype=int), len(shares)))[0]
        if one.low is not None:
            known += 1
            hits += one.low <= true <= one.high
    return hits / known


def terms_fast(labels, q):
    counts = np.stack([(labels == k).sum(axis=1) for k in range(q)], axis=1)
    r = labels.shape[1]
    p_a = (counts * (counts - 1)).sum() / (len(labels) * r * (r - 1))
    p_e = ((counts.mean(axis=0) / r) ** 2).sum()
    return (p_a - p_e) / (1 - p_e)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("issues", "raters", "right", "shares"),
    [
        (50, 4, 0.8, (0.5, 0.3, 0.2)),
        (200, 7, 0.9, (0.9, 0.06, 0.03, 0.01)),
        (100, 3, 0.7, (0.4, 0.3, 0.2, 0.1)),
        (400, 7, 0.95, (0.5, 0.3, 0.2)),
    ],
)
def test_the_paired_interval_covers_the_true_difference(issues, raters, right, shares):
    share = covered(issues, raters, right, shares, samples=sampled(4000, 600), seed=9)
    assert 0.925 <= share <= 0.97
