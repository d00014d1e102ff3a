"""Each volunteer beside the others and the decision."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from agreement import (
    MISSING,
    Coefficient,
    PairKappa,
    Patterns,
    Reason,
    Stretch,
    against_decision,
    dissents_by_place,
    lone_dissents,
    raters,
)
from agreement.coefficients import coefficient
from agreement.tally import Tally
from tests.worlds.labels import from_rows

ROWS = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [1, 1, 1, 1], [1, 1, 0, 1], [0, 1, 2, 2], [2, 2, 2, -1]])
COUNTS = np.array([5, 3, 4, 2, 1, 1])
DECIDED = np.array([0, 0, 1, 1, 2, -1])


def each_issue():
    return np.repeat(ROWS, COUNTS, axis=0), np.repeat(DECIDED, COUNTS)


def fleiss_kappa(labels):
    return coefficient("fleiss_kappa", Tally.of(Patterns(labels, np.ones(len(labels), dtype=int), 3))).value


class TestRaters:
    def test_values_of_a_small_example(self):
        last = raters(Patterns(ROWS, COUNTS, 3), DECIDED)[3]

        assert (last.column, last.labels, last.compared) == (3, 15, 15)
        # Alike with all three on 9 issues, with none on 3, with two on 2, with one on 1.
        assert last.agreement.value == pytest.approx((9 + 2 * 2 / 3 + 1 / 3) / 15)
        assert (last.alone, last.others_agree) == (3, 12)
        # Right on 5 + 4 + 2 + 1 of 15 decided issues.
        assert (last.decision.issues, last.decision.agreement) == (15, 12 / 15)

    def test_kappas_equal_other_libraries_issue_by_issue(self):
        labels, decided = each_issue()
        whole = fleiss_kappa(labels)
        for found in raters(Patterns(ROWS, COUNTS, 3), DECIDED):
            own = labels[:, found.column]
            both = (own >= 0) & (decided >= 0)
            assert found.decision.kappa == pytest.approx(cohen_kappa_score(own[both], decided[both]))
            kappas = [
                cohen_kappa_score(own[seen], labels[seen, other])
                for other in range(4)
                if other != found.column
                for seen in [(own >= 0) & (labels[:, other] >= 0)]
            ]
            assert found.kappa.value == pytest.approx(np.mean(kappas))
            without = fleiss_kappa(np.delete(labels, found.column, axis=1))
            assert found.without.value == pytest.approx(without)
            assert found.effect == pytest.approx(without - whole)

    def test_others_agree_better_without_a_rater_who_guesses(self):
        rng = np.random.default_rng(4)
        truth = rng.integers(0, 4, 300)
        labels = np.where(rng.random((300, 4)) < 0.85, truth[:, None], rng.integers(0, 4, (300, 4)))
        labels[:, 2] = rng.integers(0, 4, 300)

        found = raters(from_rows(labels.tolist(), 4), np.full(len(from_rows(labels.tolist(), 4).counts), -1))

        assert [one.effect > 0 for one in found] == [False, False, True, False]

    def test_undefined_is_none_with_a_reason(self):
        alone = raters(from_rows([[0, -1], [1, -1]], 2), [-1, 0])
        assert len(alone) == 1
        assert (alone[0].labels, alone[0].compared, alone[0].alone, alone[0].others_agree) == (2, 0, 0, 0)
        assert alone[0].agreement == Coefficient(None, reason=Reason.NO_OVERLAP)
        assert alone[0].kappa == Coefficient(None, reason=Reason.NO_PAIR)
        assert alone[0].without == Coefficient(None, reason=Reason.NO_LABELS)
        assert alone[0].effect is None
        assert alone[0].decision == PairKappa(0, 2, 1, 1, 0.0, 0.0)

    def test_no_decision_at_all_and_one_category_throughout(self):
        two = from_rows([[0, 0], [0, 1]], 2)
        assert raters(two, [-1, -1])[0].decision == PairKappa(0, 2, 0, 0, None, None, Reason.NO_DECISION)
        assert raters(two, [0, 0])[0].decision == PairKappa(
            0, 2, 2, 0, 1.0, None, Reason.ONE_CATEGORY_DECIDED
        )

    def test_decisions_must_fit(self):
        with pytest.raises(ValueError, match="decisions for 6 rows"):
            raters(Patterns(ROWS, COUNTS, 3), DECIDED[:5])


@given(
    st.integers(1, 5).flatmap(
        lambda width: st.lists(
            st.lists(st.integers(-1, 2), min_size=width, max_size=width), min_size=1, max_size=12
        )
    )
)
def test_lone_dissents_equal_looking_at_each_issue(rows):
    base, alone = lone_dissents(rows)
    for number, row in enumerate(rows):
        for column, own in enumerate(row):
            others = [label for place, label in enumerate(row) if place != column and label != MISSING]
            agree = own != MISSING and len(others) >= 2 and len(set(others)) == 1
            assert base[number, column] == agree
            assert alone[number, column] == (agree and own != others[0])


def test_lone_dissents_of_no_issue():
    assert [table.shape for table in lone_dissents(np.empty((0, 3), dtype=np.int32))] == [(0, 3), (0, 3)]


class TestDissentsByPlace:
    def test_a_tenth_each(self):
        places = np.arange(0, 200, 2)
        found = dissents_by_place(places, places >= 180, of=200)
        assert found == (Stretch(10, 0),) * 9 + (Stretch(10, 10),)

    def test_parts_that_hold_no_issue_are_there_too(self):
        assert dissents_by_place([1, 8], [True, False], of=9, parts=3) == (
            Stretch(1, 1),
            Stretch(0, 0),
            Stretch(1, 0),
        )
        assert dissents_by_place([], [], of=0, parts=2) == (Stretch(0, 0), Stretch(0, 0))

    @pytest.mark.parametrize(("places", "alone"), [([9], [True]), ([-1], [True]), ([1, 2], [True])])
    def test_places_must_fit(self, places, alone):
        with pytest.raises(ValueError, match="places from 0 to 8"):
            dissents_by_place(places, alone, of=9)


class TestAgainstDecision:
    def test_labels_by_their_issues_decision(self):
        found = against_decision(Patterns(ROWS, COUNTS, 3), DECIDED)
        # Five issues of four, three of three, two of one dissent, and one of three different labels.
        assert found.tolist() == [[20 + 9, 2, 1], [3, 16 + 6, 1], [0, 0, 2]]

    def test_every_label_of_a_decided_issue_counts_once(self):
        labels, decided = each_issue()
        found = against_decision(Patterns(labels, np.ones(len(labels), dtype=int), 3), decided)
        assert found.sum() == (labels[decided >= 0] >= 0).sum()
        assert found.tolist() == against_decision(Patterns(ROWS, COUNTS, 3), DECIDED).tolist()

    def test_nothing_decided(self):
        assert against_decision(Patterns(ROWS, COUNTS, 3), np.full(6, -1)).sum() == 0

    @pytest.mark.parametrize("decided", [DECIDED[:4], np.full(6, 3)])
    def test_decisions_must_fit(self, decided):
        with pytest.raises(ValueError):
            against_decision(Patterns(ROWS, COUNTS, 3), decided)
