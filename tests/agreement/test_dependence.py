"""Whether labels look independent: silent on independent ones, and not on planted ones."""

import csv
from itertools import product
from math import factorial, log

import numpy as np
import pytest

from agreement import SignKind, signs_of_dependence
from agreement.dependence.breadth import _given_margins, breadths, evenness, plurality
from tests.long import only_long

REPOSITORIES = ("ColossalAI", "Megatron-LM", "MindSpeed", "mindspore", "pytorch", "vllm")


def independent(rng, issues=600, raters=7, categories=6, missing=0.0):
    """Labels of raters who err on 2 to 30 % of the easy issues, four times as often on hard ones."""
    popular = rng.dirichlet(np.full(categories, 2.0))
    truth = rng.choice(categories, size=issues, p=popular)
    errs = np.exp(rng.uniform(np.log(0.02), np.log(0.3), raters))
    hard = rng.random(issues) < 1 / 3
    errs = np.where(hard[:, None], np.minimum(0.65, 4 * errs), errs)
    wrong = rng.choice(categories, size=(issues, raters), p=popular)
    labels = np.where(rng.random((issues, raters)) < errs, wrong, truth[:, None])
    labels[rng.random(labels.shape) < missing] = -1
    return labels


def majority(labels):
    return plurality(labels)[0]


def found_in(labels, decided=None):
    decided = majority(labels) if decided is None else decided
    return {(sign.kind, sign.raters) for sign in signs_of_dependence({"ember/engine": (labels, decided)})}


def planted(seed=5, issues=1500):
    rng = np.random.default_rng(seed)
    labels = independent(rng, issues)
    return rng, labels, majority(labels)


@only_long
@pytest.mark.slow
def test_independent_raters_of_unequal_skill_give_no_sign():
    """Holm promises at most one false report in 1,000; none of these 200 has a sign."""
    rng = np.random.default_rng(1)
    kinds = [{}, {"raters": 4}, {"categories": 2}, {"missing": 0.3}]
    signs = [found_in(independent(rng, 300, **kinds[number % 4])) for number in range(200)]
    assert [sign for sign in signs if sign] == []


class TestPlanted:
    def test_the_labels_of_one_are_the_decisions(self):
        _rng, labels, decided = planted()
        labels[:, 2] = decided
        assert (SignKind.EQUALS_DECISION, (2,)) in found_in(labels, decided)

    def test_the_labels_of_one_are_the_decisions_for_long(self):
        _rng, labels, decided = planted()
        labels[300:900, 2] = decided[300:900]
        (sign,) = (
            sign
            for sign in signs_of_dependence({"one": (labels[:0], decided[:0]), "two": (labels, decided)})
            if sign.kind is SignKind.LONG_EQUAL
        )
        assert (sign.part, sign.raters, sign.issues) == ("two", (2,), 1500)
        assert sign.observed >= 600 > sign.reference
        assert sign.first <= 300
        assert sign.first + sign.observed >= 900

    def test_one_copies_another(self):
        _rng, labels, decided = planted()
        labels[:, 5] = labels[:, 1]
        assert found_in(labels, decided) == {(SignKind.NEVER_DIFFER, (1, 5))}

    def test_one_follows_whatever_all_others_agree_on(self):
        rng, labels, _decided = planted(issues=6000)
        others = np.delete(labels, 4, axis=1)
        agree = (others == others[:, :1]).all(axis=1)
        labels[agree, 4] = others[agree, 0]
        decided = np.where(rng.random(len(labels)) < 0.9, majority(labels), 0)
        assert (SignKind.NEVER_ALONE, (4,)) in found_in(labels, decided)

    def test_dissents_are_dealt_out(self):
        rng = np.random.default_rng(6)
        truth = rng.integers(0, 6, 1400)
        labels = np.tile(truth[:, None], 7)
        lone = np.arange(0, 1400, 2)
        labels[lone, rng.permutation(np.arange(700) % 7)] = (truth[lone] + 1) % 6
        assert (SignKind.ALONE_TOO_EVENLY, ()) in found_in(labels)

    def test_dissents_go_in_turn(self):
        _rng, labels, decided = planted()
        for number, issue in enumerate(range(200, 320)):
            labels[issue] = decided[issue]
            labels[issue, (6, 0, 3)[number % 3]] = (decided[issue] + 1) % 6
        assert (SignKind.IN_TURN, (0, 3, 6)) in found_in(labels, decided)

    def test_rows_are_copied(self):
        _rng, labels, decided = planted()
        row = np.flatnonzero(labels.min(axis=1) != labels.max(axis=1))[100]
        labels[row : row + 12], decided[row : row + 12] = labels[row], decided[row]
        (sign,) = signs_of_dependence({"": (labels, decided)})
        assert (sign.kind, sign.observed, sign.first) == (SignKind.SAME_ROWS, 12, row)
        assert sign.reference <= 3

    def test_one_category_is_clicked_through(self):
        _rng, labels, decided = planted()
        labels[700:760, 3] = 1
        assert found_in(labels, decided) == {(SignKind.SAME_LABEL, (3,))}

    def test_never_more_than_two_dissent(self):
        _rng, labels, decided = planted(issues=4000)
        differs = labels != decided[:, None]
        late = np.cumsum(differs, axis=1) > 2
        labels = np.where(differs & late, decided[:, None], labels)
        signs = signs_of_dependence({"": (labels, decided)})
        at_once = [sign for sign in signs if sign.kind is SignKind.TOO_FEW_AT_ONCE]
        assert [(sign.differing, sign.observed) for sign in at_once] == [(3, 0)]
        assert at_once[0].reference > 20


def test_p_is_exact_and_holm_counts_all_tests():
    """The second of two raters differs 12 times: 2^-12. Four kinds for each of two, and one of rows: seven."""
    labels = np.zeros((100, 2), dtype=int)
    labels[50:, :] = 1
    labels[[3, 8, 14, 21, 30, 44, 52, 60, 71, 77, 85, 96], 1] = 2
    decided = labels[:, 0]

    (sign,) = signs_of_dependence({"ember/engine": (labels, decided)}, alpha=0.01)

    assert (sign.kind, sign.raters, sign.issues) == (SignKind.EQUALS_DECISION, (0,), 100)
    assert (sign.observed, sign.reference, sign.first) == (0, 12, None)
    assert (sign.p, sign.adjusted) == (2**-12, 7 * 2**-12)
    assert signs_of_dependence({"ember/engine": (labels, decided)}) == ()


@pytest.mark.parametrize(
    "labels", [np.empty((0, 3), dtype=int), np.full((5, 3), -1), [[0, -1], [1, -1]], [[0, 0, 0]], [[0, 1, 2]]]
)
def test_little_gives_no_sign(labels):
    assert signs_of_dependence({"": (labels, np.full(len(labels), -1))}) == ()


def test_labels_and_decisions_must_fit():
    with pytest.raises(ValueError, match="are expected"):
        signs_of_dependence({"": ([[0, 1]], [0, 1])})


def test_every_kind_has_words_for_its_numbers():
    numbers = {"volunteers": "R1", "issues": 9, "observed": 3, "reference": 2, "differing": 3}
    assert len({kind.text % numbers for kind in SignKind}) == len(SignKind)


class TestBreadth:
    def test_the_exact_distribution_equals_counting(self):
        """n!/(n0! n1! n2!) w0^n0 w1^n1 w2^n2 over all that share 9 issues and n1 + 2 n2 = 10."""
        weights = (1.0, 0.7, 0.2)
        chances = {}
        for first, second, third in product(range(10), repeat=3):
            if first + second + third == 9 and second + 2 * third == 10:
                ways = factorial(9) / (factorial(first) * factorial(second) * factorial(third))
                chances[third] = ways * weights[0] ** first * weights[1] ** second * weights[2] ** third
        least, found = _given_margins(np.array([2, 4, 3]), np.array([log(each) for each in weights]))
        assert least == min(chances) == 1
        assert found.tolist() == pytest.approx([chances[k] / sum(chances.values()) for k in sorted(chances)])

    def test_issues_that_are_equally_hard_have_as_many_as_expected(self):
        rng = np.random.default_rng(2)
        labels = (rng.random((20_000, 7)) < [0.03, 0.05, 0.06, 0.08, 0.1, 0.12, 0.14]).astype(int)
        for found in breadths(labels)[:2]:
            assert found.observed == pytest.approx(found.expected, rel=0.1)
            assert 0.001 < found.p < 0.999

    def test_hard_issues_have_more(self):
        labels = independent(np.random.default_rng(3), 5000)
        assert [found.p > 0.05 for found in breadths(labels)] == [True, True, True]
        assert breadths(labels)[1].observed > breadths(labels)[1].expected

    def test_evenness_of_equal_counts_is_exact(self):
        """Seven dissents of seven raters, one each: 7! / 7^7."""
        observed, p = evenness(np.ones(7, dtype=int))
        assert observed == 0
        assert p == pytest.approx(factorial(7) / 7**7, rel=0.6)
        assert evenness(np.array([30, 1, 1, 1])) == (pytest.approx(76.5, abs=1), pytest.approx(1, abs=0.01))


def test_signs_in_the_published_labels(published):
    """Five of the six repositories; the sixth has 80 issues, too few to tell."""
    with (published / "taxonomy.csv").open(encoding="utf-8") as file:
        index = {row["code"]: number for number, row in enumerate(csv.DictReader(file))}
    parts = {}
    for name in REPOSITORIES:
        with (published / name / f"{name}.csv").open(encoding="utf-8") as file:
            rows = np.array([[index[code] for code in line[1:9]] for line in list(csv.reader(file))[1:]])
        parts[name] = (rows[:, :7], rows[:, 7])

    signs = signs_of_dependence(parts)

    assert [
        (sign.part, sign.kind.name.lower(), sign.raters, sign.observed, sign.differing) for sign in signs
    ] == [
        ("ColossalAI", "too_few_at_once", (), 232, 3),
        ("ColossalAI", "too_few_at_once", (), 5, 4),
        ("Megatron-LM", "equals_decision", (0,), 0, None),
        ("Megatron-LM", "too_few_at_once", (), 0, 3),
        ("mindspore", "equals_decision", (0,), 0, None),
        ("mindspore", "never_alone", (0,), 0, None),
        ("mindspore", "too_few_at_once", (), 0, 3),
        ("pytorch", "equals_decision", (0,), 0, None),
        ("pytorch", "never_alone", (0,), 0, None),
        ("pytorch", "too_few_at_once", (), 0, 3),
        ("vllm", "long_equal", (0,), 11434, None),
        ("vllm", "too_few_at_once", (), 208, 3),
        ("vllm", "too_few_at_once", (), 0, 4),
    ]


def knowing(rng, issues, errs, area):
    """Labels of six categories by volunteers who err independently of each other: `errs` [areas, R]."""
    truth = rng.integers(0, 6, issues)
    of_area = truth if area == "category" else rng.integers(0, len(errs), issues)
    wrong = (truth[:, None] + rng.integers(1, 6, (issues, errs.shape[1]))) % 6
    labels = np.where(rng.random(wrong.shape) < errs[of_area], wrong, truth[:, None])
    return labels, majority(labels)


class TestAreasOfKnowledge:
    """bench/signs_coverage.py and docs/coverage.md have more kinds of volunteers."""

    @pytest.mark.slow
    def test_volunteers_who_know_different_categories_give_no_sign(self):
        """The tests compare within a category, so that what is weak there shows in the lone dissents."""
        rng = np.random.default_rng(8)
        for _report in range(3):
            errs = np.where(rng.random((6, 7)) < 0.5, 0.03, 0.25)
            assert found_in(*knowing(rng, 3000, errs, "category")) == set()

    def test_volunteers_who_know_different_parts_of_a_category_can_give_a_sign_that_says_so(self):
        """Each errs where the others do not: no decision tells these areas from each other."""
        rng = np.random.default_rng(9)
        errs = np.where(np.eye(7, dtype=bool), 0.3, 0.02)
        labels, decided = knowing(rng, 6000, errs, "inside")
        signs = signs_of_dependence({"": (labels, decided)})
        assert {sign.kind for sign in signs} == {SignKind.TOO_FEW_AT_ONCE}
        assert "know different areas of one category" in SignKind.TOO_FEW_AT_ONCE.text
