"""How many issues or volunteers it takes."""

import numpy as np
import pytest

from agreement import Patterns, Reason, Volunteers, issues_for, volunteers_for
from agreement.coefficients import coefficient
from agreement.tally import Tally
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
