"""How many issues or volunteers it takes, how sure that is, and what is known before any label."""

import numpy as np
import pytest

from agreement import (
    Patterns,
    Range,
    Reason,
    Volunteers,
    issues_before,
    issues_for,
    issues_range,
    volunteers_for,
    volunteers_range,
)
from agreement.coefficients import coefficient
from agreement.coefficients import half_width as half_width_of
from agreement.forecasts.ranges import spread_terms
from agreement.tally import Tally
from tests.long import sampled
from tests.worlds.labels import from_rows


def labelled(rng, issues, raters):
    """Labels of five categories, of which some are frequent; a third of the issues is hard."""
    truth = rng.choice(5, size=issues, p=[0.45, 0.25, 0.15, 0.1, 0.05])
    right = np.where(rng.random(issues) < 1 / 3, 0.45, 0.9)
    guess = rng.choice(5, size=(issues, raters), p=[0.3, 0.3, 0.2, 0.1, 0.1])
    return np.where(rng.random((issues, raters)) < right[:, None], truth[:, None], guess)


def of(rows):
    return Patterns(rows, np.ones(len(rows), dtype=int), 5).merged()


def half_width(rows):
    found = coefficient("fleiss_kappa", Tally.of(of(rows)))
    return found.value - found.low


class TestIssues:
    def test_by_hand(self):
        # The error of one issue is 0.5: n = 387 is the first with t(n - 1) 0.5 / sqrt(n) <= 0.05.
        assert issues_for(0.05, 0.05, 100) == 387

    def test_few_issues_pay_for_students_t(self):
        # With the normal quantile 16 would do.
        assert issues_for(0.245, 0.05, 100) == 19

    def test_labels_that_never_vary_need_two_issues(self):
        assert issues_for(0.01, 0.0, 50) == 2

    def test_a_pilot_says_how_large_the_study_must_be(self):
        rng = np.random.default_rng(5)
        pilot = coefficient("fleiss_kappa", Tally.of(of(labelled(rng, 400, 5))))
        needed = issues_for(0.02, pilot.se, 400)
        widths = [half_width(labelled(rng, needed, 5)) for _ in range(20)]
        assert np.mean(widths) == pytest.approx(0.02, rel=0.07)

    def test_a_population_ends_at_its_size(self):
        # t(n - 1) 0.5 sqrt((1 - n / 500) / n) <= 0.05, tried one by one.
        first = next(n for n in range(2, 501) if half_width_of(0.5 * np.sqrt((1 - n / 500) / n), n) <= 0.05)
        assert issues_for(0.05, 0.05, 100, 500) == first == 219
        assert issues_for(0.001, 0.05, 100, 500) == 500
        assert issues_for(0.05, 0.05, 100, 10**9) == issues_for(0.05, 0.05, 100) == 387

    @pytest.mark.parametrize("asked", [(0.0, 0.1, 10), (0.1, -0.1, 10), (0.1, 0.1, 1)])
    def test_what_cannot_be_planned_is_refused(self, asked):
        with pytest.raises(ValueError, match="half width above 0"):
            issues_for(*asked)


class TestVolunteers:
    def test_what_five_say_of_more(self):
        """The width that 5 volunteers foretell for 3, 8 and 16 is that which so many then have."""
        rng = np.random.default_rng(6)
        few = of(labelled(rng, 4000, 5))
        for raters in (3, 8, 16):
            width = half_width(labelled(rng, 4000, raters))
            assert volunteers_for(few, 1.015 * width).needed <= raters
            assert volunteers_for(few, 0.985 * width).needed > raters - (raters == 3)

    def test_the_half_width_that_no_number_of_volunteers_passes(self):
        rng = np.random.default_rng(7)
        found = volunteers_for(of(labelled(rng, 4000, 7)), 0.005)
        assert (found.needed, found.reason) == (None, Reason.MORE_VOLUNTEERS_DO_NOT_HELP)
        assert found.narrowest == pytest.approx(half_width(labelled(rng, 4000, 100)), rel=0.05)

    def test_a_width_that_is_reached_already(self):
        rng = np.random.default_rng(8)
        rows = labelled(rng, 500, 5)
        assert volunteers_for(of(rows), half_width(rows) * 1.0001).needed <= 5
        assert volunteers_for(of(rows), 0.5).needed == 2

    def test_missing_labels_count_as_volunteers_who_miss_as_many(self):
        rng = np.random.default_rng(9)
        rows = labelled(rng, 4000, 10)
        rows[rng.random(rows.shape) < 0.3] = -1
        found = volunteers_for(of(rows[:, :6]), half_width(rows))
        assert 9 <= found.needed <= 11

    def test_raters_in_another_order_need_as_many(self):
        rows = labelled(np.random.default_rng(10), 300, 5)
        width = half_width(rows) * 0.9
        assert volunteers_for(of(rows), width) == volunteers_for(of(rows[:, ::-1]), width)

    @pytest.mark.parametrize(
        ("rows", "reason"),
        [
            ([[0, 1], [1, 1]], Reason.TWO_RATERS),
            ([[0, 1, -1], [1, 1, -1]], Reason.TWO_RATERS),
            ([[0, 0, 0], [0, 0, 0]], Reason.ONE_CATEGORY),
            ([[0, 1, 1]], Reason.ONE_ISSUE),
            ([[0, -1, -1], [-1, 1, -1], [-1, -1, 1]], Reason.NO_OVERLAP),
        ],
    )
    def test_undefined_is_none_with_a_reason(self, rows, reason):
        assert volunteers_for(from_rows(rows, 3), 0.1) == Volunteers(None, None, reason)

    def test_perfect_agreement_needs_two(self):
        assert volunteers_for(from_rows([[0, 0, 0], [1, 1, 1]], 2), 0.1) == Volunteers(2, 0.0)


class TestRanges:
    def test_the_terms_of_the_issues_give_the_error(self):
        rows = labelled(np.random.default_rng(11), 300, 5)
        rows[np.random.default_rng(12).random(rows.shape) < 0.3] = -1
        patterns = of(rows)
        terms, has_label = spread_terms(patterns)
        issues = int(patterns.counts @ has_label)
        found = coefficient("fleiss_kappa", Tally.of(patterns)).se
        assert np.sqrt(patterns.counts @ terms / (issues * (issues - 1))) == pytest.approx(found, abs=1e-14)

    @pytest.mark.slow
    def test_the_ranges_hold_what_many_labels_say(self):
        """Of many pilots, nearly all have ranges with the numbers that 200,000 issues give; ranges half as wide
        would hold them in two thirds. Errors vary like 1 / n, so widths are halved on this scale.
        """
        rng, pilots = np.random.default_rng(13), sampled(300, 100)
        large = coefficient("fleiss_kappa", Tally.of(of(labelled(rng, 200_000, 6))))
        width, wide = 0.02, half_width(labelled(rng, 200_000, 10)) * np.sqrt(200_000 / 400)
        right = (issues_for(width, large.se, 200_000), 10)
        held, held_by_half = np.zeros(2), np.zeros(2)
        for _ in range(pilots):
            pilot = of(labelled(rng, 400, 6))
            for place, found in enumerate((issues_range(pilot, width), volunteers_range(pilot, wide))):
                low, high = 1 / (found.high or np.inf), 1 / found.low
                away = abs(1 / right[place] - (low + high) / 2)
                held[place] += away <= (high - low) / 2 + 1e-12
                held_by_half[place] += away <= (high - low) / 4
        # Of 100 ranges that hold 95 % each, 86 to 100 do in all but 2 of 10,000 cases.
        assert (held >= 0.86 * pilots).all()
        assert (held_by_half < 0.8 * pilots).all()

    def test_the_same_labels_have_the_same_ranges_and_more_labels_narrower_ones(self):
        rows = labelled(np.random.default_rng(14), 4000, 7)
        few, many = of(rows[:400]), of(rows)
        assert issues_range(few, 0.02) == issues_range(few, 0.02)
        assert volunteers_range(many, 0.0105) == volunteers_range(many, 0.0105)
        one, other = issues_range(few, 0.02), issues_range(many, 0.02)
        assert one.high / one.low > 1.5 * other.high / other.low - 0.5

    def test_a_range_without_an_end(self):
        rows = labelled(np.random.default_rng(15), 400, 7)
        assert volunteers_range(of(rows), 0.0001) == Range(None, None)
        found = volunteers_range(of(rows), half_width(rows) * 0.84)
        assert 7 < found.low < 40
        assert found.high is None

    def test_a_population_ends_a_range(self):
        rows = of(labelled(np.random.default_rng(16), 400, 5))
        assert issues_range(rows, 0.0005, 600) == Range(600, 600)

    def test_issues_without_a_label_at_the_level_change_no_range(self):
        rows = labelled(np.random.default_rng(18), 300, 5)
        gaps = np.vstack([rows, np.full((150, 5), -1)])
        longer = Patterns(gaps, np.ones(450, dtype=int), 5)
        assert issues_range(longer, 0.03) == issues_range(of(rows), 0.03)
        assert volunteers_range(longer, 0.03) == volunteers_range(of(rows), 0.03)

    @pytest.mark.parametrize("raters", [5, 7])
    def test_one_volunteer_who_alone_chose_another_category_leaves_no_range(self, raters):
        rows = np.zeros((60, raters), dtype=int)
        rows[:7, 2] = 1
        assert volunteers_range(of(rows), 0.1) is None

    @pytest.mark.parametrize("rows", [[[0, 0, 0], [0, 0, 0]], [[0, 1, 1]], [[0, -1, -1], [-1, 1, -1]]])
    def test_undefined_is_none(self, rows):
        assert issues_range(from_rows(rows, 3), 0.1) is None
        assert volunteers_range(from_rows(rows, 3), 0.1) is None

    def test_two_volunteers_tell_nothing_of_more(self):
        assert volunteers_range(from_rows([[0, 1], [1, 1], [0, 0]], 2), 0.1) is None


class TestBeforeLabels:
    @pytest.mark.parametrize(
        ("kappa", "shares", "raters"), [(0.4, (5, 3, 1, 1), 3), (0.7, (90, 6, 3, 1), 2), (0.8, (1,) * 18, 7)]
    )
    def test_labels_of_such_a_kappa_have_the_width_that_was_asked_for(self, kappa, shares, raters):
        """Drawn in another way than the forecast: each issue has its own shares, from a Dirichlet law."""
        rng = np.random.default_rng(17)
        needed = issues_before(0.04, kappa, shares, raters)
        p = np.array(shares) / sum(shares)
        widths, kappas = [], []
        for _ in range(30):
            own = rng.dirichlet(p * (1 - kappa) / kappa, size=needed).cumsum(axis=1)
            rows = np.minimum((rng.random((needed, raters, 1)) > own[:, None]).sum(axis=2), len(p) - 1)
            found = coefficient("fleiss_kappa", Tally.of(Patterns(rows, np.ones(needed, int), len(p))))
            widths.append(found.value - found.low)
            kappas.append(found.value)
        assert np.mean(widths) == pytest.approx(0.04, rel=0.06)
        assert np.mean(kappas) == pytest.approx(kappa, abs=0.015)

    def test_two_raters_and_two_equal_categories_have_a_formula(self):
        # Donner and Eliasziw (1992): variance (1 - k) ((1 - k)(1 - 2k) + k (2 - k) / (2 p (1 - p))) / n.
        variance = 0.4 * (0.4 * (1 - 1.2) + 0.6 * 1.4 / 0.5)
        assert issues_before(0.1, 0.6, (1, 1), 2) == pytest.approx(variance * (1.96 / 0.1) ** 2, rel=0.03)

    def test_scale_of_shares_does_not_matter(self):
        assert issues_before(0.05, 0.5, (0.9, 0.1), 3) == issues_before(0.05, 0.5, (90, 10), 3)

    @pytest.mark.parametrize(
        "asked", [(1.0, (1, 1), 2), (-0.1, (1, 1), 2), (0.5, (1,), 2), (0.5, (1, -1, 1), 2), (0.5, (1, 1), 1)]
    )
    def test_what_cannot_be_is_refused(self, asked):
        with pytest.raises(ValueError, match="expected"):
            issues_before(0.05, *asked)
