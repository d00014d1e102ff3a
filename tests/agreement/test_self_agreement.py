"""Agreement with oneself, against statsmodels and by hand."""

import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

from agreement import Coefficient, intra_rater
from agreement.reasons import Reason

TABLE = np.array([[31, 4, 2], [1, 22, 5], [3, 0, 12]])


def rows(table):
    return [(first, second, int(n)) for (first, second), n in np.ndenumerate(table) if n]


def test_kappa_and_its_error_are_those_of_statsmodels():
    found = intra_rater({"R1": rows(TABLE)}, 3).pooled
    expected = cohens_kappa(TABLE)
    assert found.issues == 80
    assert found.cohen_kappa.value == pytest.approx(expected.kappa, abs=1e-14)
    assert found.cohen_kappa.se == pytest.approx(expected.std_kappa, abs=1e-14)
    # Student's t with 79 degrees of freedom.
    assert found.cohen_kappa.low == pytest.approx(expected.kappa - 1.9904502 * expected.std_kappa, abs=1e-7)
    assert found.percent_agreement.value == 65 / 80
    interval = (found.percent_agreement.low, found.percent_agreement.high)
    assert interval == pytest.approx(proportion_confint(65, 80, method="wilson"), abs=1e-14)


def test_pooled_is_one_table_of_all_raters():
    other = np.array([[9, 1, 0], [0, 5, 0], [0, 0, 0]])
    found = intra_rater({"R1": rows(TABLE), "R2": rows(other)}, 3)
    assert [(one.rater, one.issues) for one in found.raters] == [("R1", 80), ("R2", 15)]
    assert found.pooled.cohen_kappa.value == pytest.approx(cohens_kappa(TABLE + other).kappa, abs=1e-14)
    # 14 of 15 the same; by chance 10/15 * 9/15 + 5/15 * 6/15.
    chance = (10 * 9 + 5 * 6) / 225
    two = found.raters[1].cohen_kappa
    assert (two.value, two.se, two.reason) == (
        pytest.approx((14 / 15 - chance) / (1 - chance)),
        None,
        Reason.FEW_TWICE,
    )


def test_missing_labels_are_not_compared():
    found = intra_rater(
        {"R1": [(0, 0, 2), (0, 1, 1), (-1, 1, 5), (1, -1, 7)]}, 2, left_out={"open_labels": 12}
    )
    assert found.pooled.issues == 3
    assert found.as_dict()["left_out"] == {"open_labels": 12}


@pytest.mark.parametrize(
    ("twice", "agreement", "reason"),
    [
        ([], None, Reason.NOT_TWICE),
        ([(-1, 0, 3)], None, Reason.NOT_TWICE),
        ([(0, 0, 1)], 1.0, Reason.TWICE_ONE_CATEGORY),
        ([(1, 1, 40)], 1.0, Reason.TWICE_ONE_CATEGORY),
    ],
)
def test_what_is_no_number_says_why(twice, agreement, reason):
    found = intra_rater({"R1": twice}, 2).raters[0]
    assert found.cohen_kappa == Coefficient(None, reason=reason)
    assert found.percent_agreement.value == agreement
    assert found.cohen_kappa.as_dict()["reason"] == reason.text


def test_one_issue_labelled_otherwise_is_a_table_like_any_other():
    found = intra_rater({"R1": [(0, 1, 1)]}, 2).pooled
    assert found.cohen_kappa == Coefficient(0.0, reason=Reason.FEW_TWICE)


def test_perfect_agreement_of_few_has_a_wide_interval():
    found = intra_rater({"R1": [(0, 0, 3), (1, 1, 2)]}, 2).pooled
    assert (found.percent_agreement.value, found.percent_agreement.high) == (1.0, 1.0)
    assert found.percent_agreement.low == pytest.approx(0.5655, abs=1e-4)


def test_as_dict_is_full_precision_with_reasons():
    found = intra_rater({"R1": [(0, 0, 1)]}, 2).as_dict()
    kappa = {
        "value": None,
        "se": None,
        "low": None,
        "high": None,
        "reason": "all labels, first and second, are the same category",
        "doubt": None,
    }
    assert found["pooled"]["cohen_kappa"] == kappa
    assert found["volunteers"][0]["volunteer"] == "R1"
    assert "volunteer" not in found["pooled"]


@pytest.mark.parametrize(
    ("table", "doubt"),
    [
        ([[30, 10], [10, 29]], Reason.FEW_COMPARED),
        ([[30, 10], [10, 30]], None),
        ([[70, 9], [10, 70]], Reason.FEW_DIFFERENT),
        ([[70, 10], [10, 70]], None),
        ([[10, 70], [70, 9]], Reason.FEW_DIFFERENT),
        ([[100, 10], [10, 19]], Reason.FEW_RARER),
        ([[100, 10], [10, 20]], None),
    ],
)
def test_a_kappa_of_few_issues_or_few_different_labels_is_in_doubt(table, doubt):
    rows = [(first, second, issues) for (first, second), issues in np.ndenumerate(np.array(table))]
    found = intra_rater({"R1": rows}, 2).pooled
    assert found.cohen_kappa.low is not None
    assert found.cohen_kappa.doubt is doubt
    assert found.percent_agreement.doubt is None
