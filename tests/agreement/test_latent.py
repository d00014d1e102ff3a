"""Models of erring raters: Dawid and Skene, and MACE."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import Patterns
from agreement.latent import posterior
from agreement.latent.dawid_skene import dawid_skene
from agreement.latent.mace import mace
from agreement.latent.posterior import TOLERANCE

BOTH = pytest.mark.parametrize("model", [dawid_skene, mace])
ROWS = [
    [0, 0, 0, 1], [0, 0, 1, 0], [1, 1, 1, 1], [1, 0, 1, 1], [2, 2, 0, 2], [2, 2, 2, -1],
    [0, 1, 2, 2], [1, 1, 0, -1], [0, 0, 0, 0], [2, 1, 2, 2], [1, 2, 1, 1], [0, -1, 0, 2],
]  # fmt: skip
COUNTS = [5, 3, 8, 4, 6, 3, 2, 2, 9, 3, 2, 2]
SMALL = Patterns([[0, 0], [1, 1], [0, 1]], [2, 1, 1], 2)


class TestDawidSkene:
    def test_a_step_by_hand(self):
        # The votes give the shares 5/8 and 3/8. The first rater says 0 always where 0 is right, and 1/3 of the
        # time where 1 is; the second says 0 four times of five, and never. So [0, 1] is
        # 5/8 * 1 * 1/5 against 3/8 * 1/3 * 1: equal, as before, and nothing changes any more.
        found = dawid_skene(SMALL, most=1)
        assert found.probabilities == pytest.approx(np.array([[1, 0], [0, 1], [0.5, 0.5]]), abs=1e-9)
        assert found.confusion == pytest.approx(
            np.array([[[1, 0], [1 / 3, 2 / 3]], [[4 / 5, 1 / 5], [0, 1]]]), abs=1e-9
        )
        assert found.skill == pytest.approx([5 / 8 + 3 / 8 * 2 / 3, 5 / 8 * 4 / 5 + 3 / 8], abs=1e-9)
        assert not found.is_converged
        assert dawid_skene(SMALL).is_converged
        assert dawid_skene(SMALL).probabilities == pytest.approx(found.probabilities)

    def test_equals_crowd_kit_1_4_2(self):
        # DawidSkene(n_iter=30, tol=-1e9) of the same labels, an issue each.
        found = dawid_skene(Patterns(ROWS, COUNTS, 3), most=30, tolerance=-1)
        assert found.iterations == 30
        assert found.probabilities[11] == pytest.approx([0.001514483171, 0, 0.998485516829], abs=2e-10)
        assert (
            pytest.approx(
                np.array([[1, 0.25, 0], [0, 0.625, 0.3571428571], [0, 0.125, 0.6428571429]]), abs=2e-10
            )
            == found.confusion[1].T
        )
        shares = found.probabilities.T @ COUNTS / sum(COUNTS)
        assert shares == pytest.approx([0.3470005911, 0.3265306122, 0.3264687966], abs=2e-10)
        assert found.likely.tolist() == [0, 0, 1, 1, 2, 2, 2, 1, 0, 2, 1, 2]

    def test_a_rater_who_swaps_two_categories_is_understood(self):
        rng = np.random.default_rng(3)
        truth = rng.integers(0, 3, 400)
        labels = np.where(rng.random((400, 4)) < 0.9, truth[:, None], rng.integers(0, 3, (400, 4)))
        labels[:, 3] = np.array([1, 0, 2])[labels[:, 3]]
        found = dawid_skene(Patterns(labels, np.ones(400, dtype=int), 3))
        assert found.is_converged
        assert found.confusion[3].argmax(axis=1).tolist() == [1, 0, 2]
        assert found.confusion[0].argmax(axis=1).tolist() == [0, 1, 2]
        assert found.skill[3] < 0.5
        assert found.skill[0] > 0.9
        assert (found.likely == truth).mean() > 0.97

    def test_likelihood_never_falls(self):
        steps = [dawid_skene(Patterns(ROWS, COUNTS, 3), most=n, tolerance=-1) for n in range(1, 25)]
        grown = np.diff([one.log_likelihood for one in steps])
        assert (grown > -1e-7).all()


class TestMace:
    def test_a_step_by_hand(self):
        # Everybody knows half of the time and else chooses 0 or 1 at random: the right one with 3/4.
        found = mace(SMALL, most=1)
        assert found.probabilities == pytest.approx(np.array([[0.9, 0.1], [0.1, 0.9], [0.5, 0.5]]))
        # Known: 0.9 * 2/3 of three labels and 0.5 * 2/3 of one; smoothed by 0.01 / 2.
        assert found.skill == pytest.approx([(3 * 0.6 + 1 / 3 + 0.005) / 4.01] * 2)
        assert found.log_likelihood == pytest.approx(3 * np.log((9 / 16 + 1 / 16) / 2) + np.log(6 / 16 / 2))
        assert found.confusion is None

    def test_equals_crowd_kit_1_4_2(self):
        # The best of MACE(n_iter=200, n_restarts=5, method="em"): each of its random starts ends here too.
        found = mace(Patterns(ROWS, COUNTS, 3), most=200, tolerance=-1)
        assert found.skill == pytest.approx([0.90481004, 0.63250621, 0.62137552, 0.79132233], abs=1e-8)
        assert found.probabilities[11] == pytest.approx([0.6262, 0.0184, 0.3554], abs=5e-5)
        assert found.probabilities[0] == pytest.approx([0.961, 0.0332, 0.0057], abs=6e-5)

    def test_who_never_looks_counts_for_nothing(self):
        rng = np.random.default_rng(4)
        truth = rng.integers(0, 4, 500)
        labels = np.where(rng.random((500, 3)) < 0.8, truth[:, None], rng.integers(0, 4, (500, 3)))
        labels[:, 2] = 0
        found = mace(Patterns(labels, np.ones(500, dtype=int), 4))
        assert found.skill[2] < 0.05
        assert found.skill[0] == pytest.approx(0.8, abs=0.06)


@BOTH
class TestBoth:
    def test_converges_and_says_so(self, model):
        whole = model(Patterns(ROWS, COUNTS, 3))
        assert whole.is_converged
        before = model(Patterns(ROWS, COUNTS, 3), most=whole.iterations - 1)
        assert not before.is_converged
        labels = sum(n * sum(one >= 0 for one in row) for row, n in zip(ROWS, COUNTS, strict=True))
        assert abs(whole.log_likelihood - before.log_likelihood) < TOLERANCE * labels

    def test_differs_from_a_decision_only_where_another_category_is_more_probable(self, model):
        found = model(SMALL, most=1)
        # The last row is a tie: neither decision is less probable.
        assert found.differs([0, 1, 0]).tolist() == [False, False, False]
        assert found.differs([1, -1, 1]).tolist() == [True, False, False]
        # A category that nobody chose.
        three = model(Patterns([[0, 0], [1, 1], [0, 1]], [2, 1, 1], 3), most=1)
        assert three.differs([2, 2, 2]).tolist() == [True, True, True]
        assert three.of([2, 0, -1])[0] == 0
        assert three.of([0, 1, 0])[0] == found.probabilities[0, 0]

    def test_a_rater_without_a_label_has_no_skill_and_a_row_without_one_no_category(self, model):
        found = model(Patterns([[0, -1, 0], [3, -1, 3], [-1, -1, -1]], [4, 4, 2], 5))
        assert found.categories.tolist() == [0, 3]
        assert np.isnan(found.skill).tolist() == [False, True, False]
        assert found.likely.tolist() == [0, 3, -1]
        assert found.differs([3, 3, 3]).tolist() == [True, False, False]

    def test_without_a_label(self, model):
        found = model(Patterns(np.empty((0, 2), dtype=int), [], 3))
        assert (found.likely.tolist(), found.is_converged, found.iterations) == ([], True, 0)
        empty = model(Patterns([[-1, -1]], [3], 3))
        assert (empty.likely.tolist(), empty.differs([0]).tolist(), empty.of([0]).tolist()) == (
            [-1],
            [False],
            [0],
        )


@BOTH
def test_a_large_study_ends_after_the_iterations_that_its_size_allows(model, monkeypatch):
    patterns = Patterns(ROWS, COUNTS, 3)
    cells = 45 * 3
    assert posterior.Labels.of(patterns).most == posterior.MOST
    monkeypatch.setattr(posterior, "WORK", 12 * cells + 1)
    found = model(patterns, tolerance=-1)
    assert (found.iterations, found.is_converged) == (12, False)
    monkeypatch.setattr(posterior, "WORK", 3 * cells)
    assert model(patterns, tolerance=-1).iterations == posterior.FEWEST


rows_of_three = st.lists(st.lists(st.integers(-1, 2), min_size=3, max_size=3), min_size=1, max_size=20)


@BOTH
@given(rows=rows_of_three)
def test_rows_may_repeat_and_come_in_any_order(model, rows):
    every = Patterns(rows, np.ones(len(rows), dtype=int), 3)
    merged = every.merged()
    one, other = (model(each, most=5, tolerance=-1) for each in (every, merged))
    by_row = {tuple(row): p for row, p in zip(merged.codes.tolist(), other.probabilities, strict=True)}
    for row, p in zip(rows, one.probabilities, strict=True):
        if set(row) != {-1}:
            assert p == pytest.approx(by_row[tuple(row)], abs=1e-6)
            assert p.sum() == pytest.approx(1)
    assert one.skill == pytest.approx(other.skill, abs=1e-6, nan_ok=True)
