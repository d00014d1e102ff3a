"""Agreement against printed examples; levels, confusion, JSON, bootstrap, words."""

import json

import numpy as np
import pytest

from agreement import Patterns, Reason, bootstrap, confusion, landis_koch, report
from agreement.coefficients import coefficient
from agreement.intervals.categories import category_kappas
from agreement.tally import Tally
from tests.worlds.labels import from_rows

# Fleiss (1971), Psychological Bulletin 76(5), table 1: 30 patients, 6 diagnoses each, as raters' columns in
# the form in which R's irr (`diagnoses`) and statsmodels' own tests hold it.
DIAGNOSES = """
444444 222555 233335 555555 222444 113333 333355 113334 114444 555555 144444 124444 222333 144444 224445
333335 111455 111112 224444 133555 555555 244444 224555 114444 144445 222224 111155 224444 133333 555555
"""
# The worked example of Fleiss' kappa in Wikipedia and in statsmodels' tests: 10 subjects, 14 raters.
TEN_SUBJECTS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]
# What irrCAC 1.0 (Gwet's R package, README, `cac.raw4raters`) holds and prints: 4 observers, 12 units. Others name
# Krippendorff (2011), Computing Krippendorff's alpha-reliability, example C, as its source, with 0.743; the paper
# itself was not opened here. 0 is a missing label.
FOUR_OBSERVERS = [
    "1101",
    "2232",
    "3333",
    "3333",
    "2222",
    "1234",
    "4444",
    "1121",
    "2222",
    "0555",
    "0011",
    "0030",
]
# irrCAC's README, `distrib.6raters`: the first 15 patients of Fleiss (1971).
SIX_RATERS = [row.replace(" ", "") for row in DIAGNOSES.split()[:15]]
# irrCAC's README, `cont3x3abstractors`: two abstractors, 100 pregnancies (ectopic, abnormal, normal).
ABSTRACTORS = [[13, 0, 0], [0, 20, 7], [0, 4, 56]]
# Cohen (1960), table 2: two judges, 200 patients.
COHEN = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]


# Two observers, ten units of two values, twelve units of five. Others' software is tested with 0.095 and 0.692 as
# examples A and B of Krippendorff (2011); the paper was not opened here. By hand: A, of 20 values 14 are "0" and 6
# "1", 4 units differ, 1 - 19 * 8 / (2 * 14 * 6); B, of 24 values a 4, b 6, c 6, d 6, e 2, and 3 units differ,
# 1 - 23 * 6 / (24 * 24 - 128).
MEG, OWEN = "0100000010", "1110010000"
BEN, GERRY = "aabbdcccedda", "babbbccceddd"


def patterns(rows, categories, missing="0"):
    return from_rows(
        [[-1 if digit == missing else int(digit) - 1 for digit in row] for row in rows], categories
    )


def table_patterns(table):
    q = len(table)
    cells = [(a, b) for a in range(q) for b in range(q)]
    return Patterns(np.array(cells), np.array([table[a][b] for a, b in cells]), q)


class TestPrintedExamples:
    def test_fleiss_1971(self):
        found = report(patterns(DIAGNOSES.split(), 5), ["1", "2", "3", "4", "5"])

        assert round(found.coefficients["fleiss_kappa"].value, 3) == 0.430
        # Kappas of the categories as in the article and in irr::kappam.fleiss(diagnoses, detail = TRUE).
        assert [round(each.kappa, 3) for each in found.categories] == [0.245, 0.245, 0.520, 0.471, 0.566]
        assert [each.labels for each in found.categories] == [26, 26, 30, 55, 43]
        # irr::kappam.light(diagnoses)
        assert round(found.coefficients["light_kappa"].value, 3) == 0.459
        assert (found.issues, found.raters, found.labels, found.equal_labels) == (30, 6, 180, True)

    def test_ten_subjects_fourteen_raters(self):
        rows = [np.repeat(np.arange(5), counts).tolist() for counts in TEN_SUBJECTS]
        found = report(from_rows(rows, 5), "12345")
        assert round(found.coefficients["fleiss_kappa"].value, 3) == 0.210

    def test_krippendorff_four_observers_with_missing_labels(self):
        found = report(patterns(FOUR_OBSERVERS, 5), "12345")
        printed = {
            "percent_agreement": (0.8181818, 0.12561, 0.542),
            "gwet_ac1": (0.77544, 0.14295, 0.461),
            "fleiss_kappa": (0.76117, 0.15302, 0.424),
            "brennan_prediger": (0.77273, 0.14472, 0.454),
            # irrCAC 1.0 prints 0.14557: it mixed the two forms of p_a there, and later releases do not.
            "krippendorff_alpha": (0.74342, 0.14548, 0.419),
        }

        for name, (value, se, low) in printed.items():
            coefficient_ = found.coefficients[name]
            assert coefficient_.value == pytest.approx(value, abs=5e-6), name
            assert coefficient_.se == pytest.approx(se, abs=5.1e-6), name
            assert coefficient_.low == pytest.approx(low, abs=5.1e-4), name
            assert coefficient_.high == 1.0, name
        assert (found.issues, found.compared, found.labels, found.equal_labels) == (12, 11, 41, False)

    @pytest.mark.parametrize(("one", "other", "alpha"), [(MEG, OWEN, 0.095), (BEN, GERRY, 0.692)])
    def test_krippendorff_two_observers(self, one, other, alpha):
        values = sorted(set(one + other))
        rows = [[values.index(value) for value in pair] for pair in zip(one, other, strict=True)]
        found = report(from_rows(rows, len(values)), values)
        assert round(found.coefficients["krippendorff_alpha"].value, 3) == alpha

    def test_distribution_of_six_raters(self):
        found = report(patterns(SIX_RATERS, 5), "12345").coefficients
        printed = {
            "gwet_ac1": (0.4448007, 0.08418757, 0.264, 0.625),
            "fleiss_kappa": (0.4139265, 0.08119291, 0.240, 0.588),
            "brennan_prediger": (0.4388889, 0.08312142, 0.261, 0.617),
            # The error is that of Fleiss' kappa: irrCAC 1.0 halved the chance part in its count tables.
            "krippendorff_alpha": (0.4204384, 0.08119291, 0.246, 0.595),
        }

        for name, expected in printed.items():
            numbers = (found[name].value, found[name].se, found[name].low, found[name].high)
            assert numbers[:2] == pytest.approx(expected[:2], abs=5.1e-8), name
            assert numbers[2:] == pytest.approx(expected[2:], abs=5.1e-4), name

    def test_four_raters_of_fifteen_subjects_in_two_groups(self):
        """irrCAC's README: "AC1 = 0.3518903" for `cac.dist4cat`, a count for each of three categories."""
        counts = "301 211 211 202 310 310 040 031 004 310 040 031 022 004 310".split()
        rows = [np.repeat(np.arange(3), [int(one) for one in row]).tolist() for row in counts]
        found = report(from_rows(rows, 3), "abc").coefficients["gwet_ac1"]
        assert round(found.value, 7) == 0.3518903

    def test_two_abstractors(self):
        found = report(table_patterns(ABSTRACTORS), ["ectopic", "abnormal", "normal"])

        assert found.pairs[0].kappa == pytest.approx(0.7964094, abs=5e-8)
        printed = {
            "percent_agreement": (0.89, 0.03128898),
            "fleiss_kappa": (0.7962397, 0.05905473),
            "gwet_ac1": (0.8493305, 0.04321747),
            "brennan_prediger": (0.835, 0.04693346),
        }
        for name, expected in printed.items():
            coefficient_ = found.coefficients[name]
            # The two-rater functions of irrCAC divide by N where its others, and Gwet (2021), have N - 1.
            se = coefficient_.se * (99 / 100) ** 0.5
            assert (coefficient_.value, se) == pytest.approx(expected, abs=1e-7), name
        assert found.coefficients["krippendorff_alpha"].value == pytest.approx(0.7972585, abs=5e-8)

    def test_cohen_1960(self):
        assert round(report(table_patterns(COHEN), "ABC").pairs[0].kappa, 3) == 0.492

    @pytest.mark.parametrize(("table", "kappa"), [([[40, 9], [6, 45]], 0.70), ([[80, 10], [5, 5]], 0.32)])
    def test_feinstein_and_cicchetti_1990(self, table, kappa):
        """The same agreement of 0.85, and two kappas: (0.85 - 0.5008) / 0.4992 and (0.85 - 0.78) / 0.22 by hand.

        Others' software is tested with these tables and values as those of Journal of Clinical Epidemiology
        43(6), 543-549; the paper was not opened here.
        """
        found = report(table_patterns(table), "AB")
        assert found.coefficients["percent_agreement"].value == pytest.approx(0.85)
        assert round(found.pairs[0].kappa, 2) == kappa


def test_the_paradox_of_one_frequent_category():
    """Two raters and 125 subjects, 118 times both "yes". Worked by hand: no printed source was found for it."""
    found = report(table_patterns([[118, 5], [2, 0]]), "AB")
    # Cohen: p_e = 0.984 * 0.96 + 0.016 * 0.04 = 0.94528, -0.00128 / 0.05472.
    assert round(found.pairs[0].kappa, 4) == -0.0234
    assert {name: round(one.value, 4) for name, one in found.coefficients.items() if one.se} == {
        "percent_agreement": 0.944,  # 118/125
        # p_e = 0.972² + 0.028² = 0.945568, -0.001568 / 0.054432; alpha: 1 - 249/250 * 0.056 / 0.054432.
        "fleiss_kappa": -0.0288,
        "krippendorff_alpha": -0.0247,
        "gwet_ac1": 0.9408,  # p_e = 2 * 0.972 * 0.028 = 0.054432, 0.889568 / 0.945568
        "brennan_prediger": 0.888,  # 0.444 / 0.5
        "conger_kappa": -0.0234,  # of two raters it is Cohen's
    }


class TestLevels:
    # Codebook: A, A.1, A.1.i, A.2, B, B.1; rolled up to the themes A.1, A.2, B.1 and to the types A, B.
    THEMES = (-1, 0, 0, 1, -1, 2)
    TYPES = (0, 0, 0, 0, 1, 1)

    def test_labels_above_the_level_are_left_out_and_counted(self):
        fine = Patterns(np.array([[2, 1, 0], [1, 2, 4], [3, 5, 5], [4, 4, 0]]), np.array([2, 3, 1, 10]), 6)
        rolled = fine.relabel(self.THEMES, 3)
        assert rolled.left_out == 2 + 3 + 30
        assert rolled.patterns.codes.tolist() == [[0, 0, -1], [1, 2, 2]]
        assert rolled.patterns.counts.tolist() == [5, 1]
        assert rolled.patterns.categories == 3
        assert rolled.patterns.labels == 13

    def test_missing_labels_are_not_left_out(self):
        rolled = from_rows([[2, -1], [3, 5]], 6).relabel(self.TYPES, 2)
        assert rolled.left_out == 0
        assert rolled.patterns.codes.tolist() == [[0, -1], [0, 1]]

    @pytest.mark.parametrize(("mapping", "categories"), [((0, 1), 2), ((0, 0, 0, 0, 1, 2), 2)])
    def test_a_mapping_must_fit_both_codebooks(self, mapping, categories):
        with pytest.raises(ValueError, match=r"mapping|indexes"):
            from_rows([[2, 5], [3, 5]], 6).relabel(mapping, categories)


def test_confusion_counts_issues_where_two_categories_meet():
    labels = Patterns(np.array([[0, 0, 1], [1, 0, 2], [2, 2, 2], [2, -1, -1]]), np.array([5, 3, 2, 1]), 4)
    assert confusion(labels).tolist() == [[8, 8, 3, 0], [8, 8, 3, 0], [3, 3, 6, 0], [0, 0, 0, 0]]


def test_category_kappa_is_fleiss_kappa_of_the_category_against_the_rest():
    """Over the issues with two labels or more: one of the twelve has a single label."""
    tally = Tally.of(patterns(FOUR_OBSERVERS, 5))
    for index, found in enumerate(category_kappas(tally, "12345")):
        rows = [
            [-1 if d == "0" else int(int(d) - 1 == index) for d in row]
            for row in FOUR_OBSERVERS
            if len(row) - row.count("0") >= 2
        ]
        expected = coefficient("fleiss_kappa", Tally.of(from_rows(rows, 2)))
        assert (found.kappa, found.se) == pytest.approx((expected.value, expected.se), abs=1e-12)


def test_category_kappa_keeps_issues_with_one_label_out_of_its_shares():
    """In 30 issues with one label, and 4 compared, a category that 2 of them dispute is no worse than -1."""
    rows = [[0, 1], [0, 1], [1, 1], [2, 2]] + [[1, -1]] * 20 + [[3, -1]] * 10

    kappas = {found.code: found for found in report(from_rows(rows, 5), "ABCDE").categories}

    # p = 1/4, two issues of four disagree: 1 - (2/4) / (2 * 1/4 * 3/4); C is agreed upon where it occurs.
    assert kappas["A"].kappa == pytest.approx(-1 / 3)
    assert kappas["B"].kappa == pytest.approx(1 - 0.5 / 0.5)
    assert kappas["C"].kappa == pytest.approx(1.0)
    few = Reason.FEW_OF_CATEGORY
    assert [(found.labels, found.issues, found.reason) for found in kappas.values()] == [
        (2, 2, few), (24, 3, few), (2, 1, few), (10, 0, Reason.CATEGORY_NOT_COMPARED), (0, 0, Reason.CATEGORY_UNUSED),
    ]  # fmt: skip
    assert kappas["D"].kappa is None


def test_category_kappa_is_undefined_where_every_compared_label_is_of_the_category():
    found = report(from_rows([[0, 0], [0, 0], [1, -1]], 2), "AB").categories

    assert [(one.kappa, one.labels, one.reason) for one in found] == [
        (None, 4, Reason.ONE_CATEGORY_COMPARED), (None, 1, Reason.CATEGORY_NOT_COMPARED),
    ]  # fmt: skip


def test_category_kappas_need_two_issues_with_two_labels():
    found = report(from_rows([[0, 1], [1, -1], [0, -1]], 2), "AB").categories

    assert [(one.kappa, one.reason) for one in found] == [(None, Reason.ONE_ISSUE)] * 2


def test_report_as_json_has_the_fields_of_the_contract():
    found = report(patterns(FOUR_OBSERVERS, 6), "123456", left_out={"incomplete": 2}).as_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert list(found) == ["issues", "raters", "labels", "left_out", "coefficients", "categories"]
    assert found["left_out"] == {"incomplete": 2}
    assert set(found["coefficients"]) == {
        "percent_agreement",
        "fleiss_kappa",
        "krippendorff_alpha",
        "gwet_ac1",
        "brennan_prediger",
        "light_kappa",
        "conger_kappa",
    }
    assert {tuple(each) for each in found["coefficients"].values()} == {
        ("value", "se", "low", "high", "reason", "doubt")
    }
    assert found["categories"][5] == {
        "code": "6",
        "labels": 0,
        "issues": 0,
        "kappa": None,
        "se": None,
        "low": None,
        "high": None,
        "reason": "nobody chose this category",
        "doubt": None,
    }


class TestBootstrap:
    def test_same_seed_same_intervals_whatever_the_order_of_rows(self):
        rows = [[0, 0, 1], [1, 1, 1], [2, 2, 0], [0, 0, 0], [1, -1, 2]] * 8
        one = bootstrap(from_rows(rows, 3), seed=7, replicates=200)
        other = bootstrap(Patterns(np.array(rows[::-1]), np.ones(40, dtype=int), 3), seed=7, replicates=200)
        assert one == other
        assert one != bootstrap(from_rows(rows, 3), seed=8, replicates=200)

    def test_intervals_lie_about_the_value_and_near_the_linearised_ones(self):
        rng = np.random.default_rng(3)
        truth = rng.integers(0, 4, 400)
        rows = np.where(rng.random((400, 5)) < 0.8, truth[:, None], rng.integers(0, 4, (400, 5)))
        labels = from_rows(rows.tolist(), 4)
        drawn = bootstrap(labels, seed=1, replicates=2000).intervals
        for name, found in report(labels, "ABCD").coefficients.items():
            assert drawn[name].low < found.value < drawn[name].high
            if found.se:
                assert (drawn[name].low, drawn[name].high) == pytest.approx((found.low, found.high), abs=0.01)

    def test_none_where_undefined(self):
        assert set(bootstrap(from_rows([[0, 1]], 2), seed=1).intervals.values()) == {None}
        one_category = bootstrap(from_rows([[0, 0]] * 5, 2), seed=1, replicates=50).intervals
        assert one_category["fleiss_kappa"] is None
        assert one_category["light_kappa"] is None
        assert one_category["percent_agreement"] is None  # nothing varies
        slots = bootstrap(from_rows([[0, 1], [1, 1]], 2), seed=1, replicates=9, columns_are_raters=False)
        assert slots.intervals["light_kappa"] is None
        assert slots.intervals["conger_kappa"] is None

    def test_replicates_that_define_nothing_are_counted_out(self):
        # Of ten issues one has the other category: in about 35 % of the replicates none.
        found = bootstrap(from_rows([[0, 0]] * 9 + [[0, 1]], 2), seed=1, replicates=400).intervals
        assert 220 < found["fleiss_kappa"].replicates < 300
        assert found["percent_agreement"].replicates == 400

    def test_nine_issues_give_no_interval_and_ten_do(self):
        rows = [[0, 0], [1, 1], [0, 1], [1, 0], [0, 0], [1, 1], [1, 1], [0, 0], [1, 1]]
        assert set(bootstrap(from_rows(rows, 2), seed=1, replicates=50).intervals.values()) == {None}
        ten = bootstrap(from_rows([*rows, [0, 0]], 2), seed=1, replicates=50).intervals
        assert None not in ten.values()

    def test_lights_kappa_counts_only_replicates_in_which_all_pairs_have_one(self):
        """The third rater has labelled two issues; in 40 % of the replicates both are drawn."""
        rows = [[*row, -1] for row in ([0, 0], [1, 1], [0, 1]) for _ in range(10)]
        rows[20][2] = 0
        found = bootstrap(from_rows(rows, 2), seed=1, replicates=400).intervals
        assert found["light_kappa"] is None  # the first rater agrees with the third on their only issue
        rows[21][2] = 1
        found = bootstrap(from_rows(rows, 2), seed=1, replicates=400).intervals
        assert report(from_rows(rows, 2), "AB").coefficients["light_kappa"].value is not None
        assert 120 < found["light_kappa"].replicates < 200


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (-0.2, "poor"),
        (0.0, "slight"),
        (0.2, "slight"),
        (0.21, "fair"),
        (0.41, "moderate"),
        (0.8, "substantial"),
        (0.81, "almost_perfect"),
        (1.0, "almost_perfect"),
    ],
)
def test_words_of_landis_and_koch(value, word):
    assert landis_koch(value) == word
