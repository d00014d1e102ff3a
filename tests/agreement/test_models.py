"""A model beside the volunteers, by hand and beside another library."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from agreement import Coefficient, PairKappa, Patterns, Reason, light_kappa, model_rater, pairs
from agreement.reasons import Counted

A, B, C = 0, 1, 2


def test_values_of_a_small_example():
    """Four issues of three volunteers; the model did not label the fourth."""
    patterns = Patterns([[A, A, A], [A, B, B], [B, B, C], [C, C, C]], [1, 1, 1, 1], 3)
    found = model_rater(patterns, [A, B, C, -1], [A, B, B, C])

    # Like three of three, two of three, one of three.
    assert (found.labels, found.compared) == (3, 3)
    assert found.agreement.value == pytest.approx((1 + 2 / 3 + 1 / 3) / 3)
    assert found.agreement.se == pytest.approx(np.std([1, 2 / 3, 1 / 3], ddof=1) / 3**0.5)
    # On the same three issues the volunteers agree in 3, 1 and 1 of 3 pairs.
    assert found.among_agreement.value == pytest.approx((1 + 1 / 3 + 1 / 3) / 3)
    # With R1: 1 of 3 alike, expected 2/3·1/3 + 1/3·1/3 = 1/3: 0. With R2: 2 of 3, expected 1/9 + 2/9 = 1/3: 1/2.
    # With R3: alike throughout, 1.
    assert found.kappa.value == pytest.approx((0 + 1 / 2 + 1) / 3)
    # R1 and R2: A A, A B, B B: 2 of 3, expected 2/9 + 2/9: 2/5. R1 and R3: 1 of 3, as above 0. R2 and R3: 1/2.
    assert found.among_kappa.value == pytest.approx((2 / 5 + 0 + 1 / 2) / 3)
    assert (found.decision.issues, found.decision.agreement) == (3, pytest.approx(2 / 3))
    assert found.decision.kappa == pytest.approx(1 / 2)


def test_kappas_equal_another_library_issue_by_issue():
    rng = np.random.default_rng(9)
    truth = rng.integers(0, 3, 200)
    labels = np.where(rng.random((200, 4)) < 0.7, truth[:, None], rng.integers(0, 3, (200, 4)))
    labels[rng.random((200, 4)) < 0.1] = -1
    model = np.where(rng.random(200) < 0.6, truth, rng.integers(0, 3, 200))
    model[rng.random(200) < 0.2] = -1
    decided = np.where(rng.random(200) < 0.9, truth, -1)
    found = model_rater(Patterns(labels, np.ones(200, dtype=int), 3), model, decided)

    def kappa(one, other):
        both = (one >= 0) & (other >= 0) & (model >= 0)
        return cohen_kappa_score(one[both], other[both])

    assert found.kappa.value == pytest.approx(np.mean([kappa(model, own) for own in labels.T]))
    two = [(one, other) for one in range(4) for other in range(one + 1, 4)]
    among = np.mean([kappa(labels[:, one], labels[:, other]) for one, other in two])
    assert found.among_kappa.value == pytest.approx(among)
    assert found.decision.kappa == pytest.approx(kappa(model, decided))
    assert found.decision.issues == ((model >= 0) & (decided >= 0)).sum()


def test_rows_that_stand_for_several_issues_count_as_often():
    rows = [[A, B], [A, A], [B, B]]
    several = model_rater(Patterns(rows, [3, 1, 2], 2), [A, B, B], [A, A, -1])
    each = [row for row, count in zip(rows, [3, 1, 2], strict=True) for _ in range(count)]
    one_by_one = model_rater(Patterns(each, [1] * 6, 2), [A, A, A, B, B, B], [A, A, A, A, -1, -1])
    assert several == one_by_one


def test_what_volunteers_do_where_the_model_said_nothing_is_not_compared():
    patterns = Patterns([[A, A], [B, A], [B, B]], [5, 1, 5], 2)
    found = model_rater(patterns, [A, A, -1], [-1, -1, -1])
    assert found.labels == 6
    assert found.among_agreement.value == pytest.approx(5 / 6)
    assert found.among_kappa == light_kappa(pairs(Patterns([[A, A], [B, A]], [5, 1], 2)))


def test_undefined_is_none_with_a_reason():
    alone = Patterns([[A, -1], [B, -1]], [1, 1], 2)
    found = model_rater(alone, [A, -1], [-1, -1])
    assert (found.labels, found.compared) == (1, 1)
    assert found.agreement == Coefficient(1.0, reason=Reason.ONE_ISSUE)
    assert found.kappa == Coefficient(None, reason=Counted(Reason.SOME_PAIRS, 1, 1))
    assert found.among_kappa == Coefficient(None, reason=Reason.NO_PAIR)
    assert found.among_agreement.value is None
    assert found.decision == PairKappa(2, 3, 0, 0, None, None, Reason.NO_DECISION)

    none = model_rater(Patterns([[-1, -1]], [1], 2), [A], [A])
    assert none.agreement == Coefficient(None, reason=Reason.NO_OVERLAP)
    assert none.decision == PairKappa(2, 3, 1, 0, 1.0, None, Reason.ONE_CATEGORY_DECIDED)
    same = model_rater(Patterns([[A, A]], [4], 2), [A], [A])
    assert same.agreement.value == 1.0
    assert same.kappa == Coefficient(None, reason=Counted(Reason.SOME_PAIRS, 2, 2))
    assert same.decision == PairKappa(2, 3, 4, 0, 1.0, None, Reason.ONE_CATEGORY_DECIDED)
    nothing = model_rater(Patterns([[A, A]], [4], 2), [-1], [A])
    assert (nothing.labels, nothing.compared) == (0, 0)


def test_slots_have_no_kappas_but_shares_and_a_decision():
    found = model_rater(Patterns([[A, A], [A, B]], [1, 1], 2), [A, B], [A, B], columns_are_raters=False)
    assert found.agreement.value == pytest.approx(3 / 4)
    assert found.kappa == found.among_kappa == Coefficient(None, reason=Reason.SLOTS)
    assert found.decision.kappa == 1.0


def test_labels_must_fit():
    with pytest.raises(ValueError, match="for 1 rows"):
        model_rater(Patterns([[A, B]], [1], 2), [A, B], [A])
