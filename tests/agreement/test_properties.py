"""Agreement against exact fractions, other libraries, and what must hold for any labels."""

from fractions import Fraction
from itertools import combinations

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binom
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats import inter_rater

from agreement import Patterns, Reason, confusion, report
from agreement.coefficients import coefficient, lowest
from agreement.intervals.bootstrap import FROM_COUNTS
from agreement.tally import Tally
from tests.agreement.test_forecasts import labelled
from tests.long import only_long
from tests.worlds.labels import from_rows

# The first interval of a process loads SciPy, which may take longer than Hypothesis' deadline.

CHANCE_CORRECTED = ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "brennan_prediger")


@st.composite
def labels(draw, *, missing=True, min_issues=0, max_issues=12):
    """Rows of labels (-1 is missing), and the number of categories of the codebook."""
    categories = draw(st.integers(1, 5))
    raters = draw(st.integers(1, 5))
    label = st.integers(-1 if missing else 0, categories - 1)
    row = st.lists(label, min_size=raters, max_size=raters)
    return draw(st.lists(row, min_size=min_issues, max_size=max_issues)), categories


def codes(categories):
    return [f"C.{k}" for k in range(categories)]


def same(one, other):
    """Two reports say the same, but for the order of categories and pairs."""
    left = [(c.value, c.se, c.low, c.high, c.reason) for c in one.coefficients.values()]
    right = [(c.value, c.se, c.low, c.high, c.reason) for c in other.coefficients.values()]
    for a, b in zip(left, right, strict=True):
        assert a[-1] == b[-1]
        for x, y in zip(a[:-1], b[:-1], strict=True):
            assert (x is None) == (y is None)
            assert x is None or x == pytest.approx(y, abs=1e-9)


def exact(rows, categories):
    """The definitions of the literature, one issue at a time, in fractions; None where 0/0 or one issue."""
    issues = [[x for x in row if x >= 0] for row in rows]
    issues = [row for row in issues if row]
    several = [row for row in issues if len(row) > 1]
    names = ("percent_agreement", *CHANCE_CORRECTED)
    if not several:
        return dict.fromkeys(names)
    p_a = sum(
        Fraction(sum(row.count(k) * (row.count(k) - 1) for k in range(categories)), len(row) * (len(row) - 1))
        for row in several
    ) / len(several)
    shares = [
        sum(Fraction(row.count(k), len(row)) for row in issues) / len(issues) for k in range(categories)
    ]
    total = sum(len(row) for row in several)
    chosen = [sum(row.count(k) for row in several) for k in range(categories)]
    unlike = sum(
        Fraction(len(row) ** 2 - sum(row.count(k) ** 2 for k in range(categories)), len(row) - 1)
        for row in several
    )
    expected = {
        "fleiss_kappa": sum(p * p for p in shares),
        "gwet_ac1": sum(p * (1 - p) for p in shares) / (categories - 1) if categories > 1 else 1,
        "brennan_prediger": Fraction(1, categories),
    }
    found = {name: None if p_e == 1 else (p_a - p_e) / (1 - p_e) for name, p_e in expected.items()}
    spread = total**2 - sum(n * n for n in chosen)
    found["krippendorff_alpha"] = 1 - (total - 1) * unlike / spread if spread else None
    if len(several) == 1:
        found = dict.fromkeys(found)
    return found | {"percent_agreement": p_a}


@given(labels())
def test_coefficients_equal_the_definitions_in_fractions(drawn):
    rows, categories = drawn
    found = report(from_rows(rows, categories), codes(categories)).coefficients
    for name, fraction in exact(rows, categories).items():
        if fraction is None:
            assert found[name].value is None, name
            assert found[name].reason is not None, name
        else:
            assert found[name].value == pytest.approx(float(fraction), abs=1e-12), name


@given(labels())
def test_never_a_nan_and_always_a_reason(drawn):
    rows, categories = drawn
    found = report(from_rows(rows, categories), codes(categories))
    for each in found.coefficients.values():
        assert (each.value is None or each.low is None) == (each.reason is not None)
        assert each.low is None or (each.se is not None and each.high is not None)
        assert each.doubt is None or each.low is not None
        assert all(x is None or np.isfinite(x) for x in (each.value, each.se, each.low, each.high))
        # No lower bound: issues with one label can bring p_e above 1/2 while p_a is 0.
        assert each.value is None or each.value <= 1
        assert each.low is None or each.low <= each.value <= each.high <= 1
    for each in found.categories:
        assert (each.kappa is None or each.low is None) == (each.reason is not None)
        assert each.low is None or np.isfinite([each.kappa, each.low, each.high]).all()
        assert each.low is None or each.low <= each.kappa <= each.high <= 1
        assert each.doubt is None or each.low is not None
    for pair in found.pairs:
        assert (pair.kappa is None) == (pair.reason is not None)


@given(labels(min_issues=2))
def test_no_value_and_no_interval_is_below_the_lowest_possible_value(drawn):
    rows, categories = drawn
    tally = Tally.of(from_rows(rows, categories))
    assume(tally.compared >= 2)
    for name in FROM_COUNTS:
        found = coefficient(name, tally)
        if found.value is not None:
            least = found.value if found.low is None else found.low
            assert lowest(name, tally) <= least <= found.value, name
    for each in report(from_rows(rows, categories), codes(categories)).categories:
        assert each.low is None or lowest("fleiss_kappa", tally.several()) <= each.low <= each.kappa


@pytest.mark.parametrize(
    ("rows", "categories", "fleiss", "alpha", "ac1"),
    [
        # Two raters who never agree, and three or four who cannot agree less.
        ([[0, 1], [1, 0]], 2, -1, -0.5, -1),
        ([[0, 1, 2], [1, 2, 0]], 3, -0.5, -0.25, -0.5),
        ([[0, 0, 1, 1], [1, 1, 0, 0]], 2, -1 / 3, -1 / 6, -1 / 3),
    ],
)
def test_the_lowest_values_are_reached(rows, categories, fleiss, alpha, ac1):
    tally = Tally.of(from_rows(rows, categories))
    found = {name: coefficient(name, tally).value for name in CHANCE_CORRECTED}
    assert found == pytest.approx(
        {"fleiss_kappa": fleiss, "krippendorff_alpha": alpha, "gwet_ac1": ac1, "brennan_prediger": ac1}
    )
    assert [lowest(name, tally) for name in CHANCE_CORRECTED] == [fleiss, fleiss, ac1, ac1]


@pytest.mark.parametrize(
    ("rows", "name", "end", "bound"),
    [
        ([[0, 1, 2]] * 9 + [[0, 0, 1]], "percent_agreement", "low", 0.0),
        ([[0, 1, 2]] * 9 + [[0, 0, 1]], "fleiss_kappa", "low", -0.5),
        ([[0, 1, 2]] * 9 + [[0, 0, 1]], "gwet_ac1", "low", -0.5),
        ([[0, 0, 0], [1, 1, 1]] * 5 + [[0, 0, 1]], "fleiss_kappa", "high", 1.0),
        ([[0, 0, 0], [1, 1, 1]] * 5 + [[0, 0, 1]], "percent_agreement", "high", 1.0),
    ],
)
def test_an_interval_of_few_issues_ends_inside_the_possible_range(rows, name, end, bound):
    found = report(from_rows(rows, 3), codes(3)).coefficients[name]
    assert getattr(found, end) == bound


def test_with_issues_of_one_label_kappa_has_no_lowest_value():
    rows = [[0, 1], [1, 0]] * 5 + [[0, -1]] * 100
    found = coefficient("fleiss_kappa", Tally.of(from_rows(rows, 2)))
    assert found.low < found.value < -1


@given(labels(), st.randoms(use_true_random=False))
def test_order_of_raters_issues_and_categories_changes_nothing(drawn, random):
    rows, categories = drawn
    before = report(from_rows(rows, categories), codes(categories))

    columns = list(range(len(rows[0]) if rows else 0))
    random.shuffle(columns)
    shuffled = [[row[c] for c in columns] for row in rows]
    random.shuffle(shuffled)
    same(report(from_rows(shuffled, categories), codes(categories)), before)

    new = list(range(categories))
    random.shuffle(new)
    renamed = [[new[x] if x >= 0 else -1 for x in row] for row in rows]
    after = report(from_rows(renamed, categories), codes(categories))
    same(after, before)
    for old, moved in enumerate(new):
        assert after.categories[moved].labels == before.categories[old].labels
        assert after.categories[moved].reason is before.categories[old].reason
        if before.categories[old].kappa is not None:
            assert after.categories[moved].kappa == pytest.approx(before.categories[old].kappa, abs=1e-9)


@given(labels(min_issues=2), st.integers(2, 5))
def test_every_issue_several_times_leaves_kappas_as_they_are(drawn, times):
    rows, categories = drawn
    once = from_rows(rows, categories)
    before = report(once, codes(categories))
    assume(before.compared > 1)
    after = report(Patterns(once.codes, once.counts * times, categories), codes(categories))
    # Alpha corrects for the number of labels, so it alone may move.
    for name in ("percent_agreement", "fleiss_kappa", "gwet_ac1", "brennan_prediger"):
        assert (after.coefficients[name].value is None) == (before.coefficients[name].value is None)
        if before.coefficients[name].value is not None:
            assert after.coefficients[name].value == pytest.approx(before.coefficients[name].value, abs=1e-9)
    for one, other in zip(before.categories, after.categories, strict=True):
        assert one.kappa is None or other.kappa == pytest.approx(one.kappa, abs=1e-9)


@given(labels(min_issues=2))
def test_counted_patterns_say_the_same_as_single_issues(drawn):
    rows, categories = drawn
    counted = from_rows(rows + rows, categories)
    single = Patterns(np.array(rows + rows), np.ones(2 * len(rows), dtype=int), categories)
    same(report(counted, codes(categories)), report(single, codes(categories)))
    slots = {"columns_are_raters": False, "raters": 9}
    same(report(counted.as_counts(), codes(categories), **slots), report(single, codes(categories), **slots))
    assert confusion(counted).tolist() == confusion(single).tolist()


@given(labels(missing=False, min_issues=2, max_issues=30))
def test_fleiss_equals_statsmodels(drawn):
    rows, categories = drawn
    counts = np.array([[row.count(k) for k in range(categories)] for row in rows])
    assume(len(rows[0]) > 1)
    found = report(from_rows(rows, categories), codes(categories)).coefficients
    if found["fleiss_kappa"].value is None:
        assert found["fleiss_kappa"].reason is Reason.ONE_CATEGORY
        assert len({x for row in rows for x in row}) == 1
    else:
        for name, method in (("fleiss_kappa", "fleiss"), ("brennan_prediger", "randolph")):
            expected = inter_rater.fleiss_kappa(counts, method=method)
            assert found[name].value == pytest.approx(expected, abs=1e-12)


@given(labels(min_issues=2, max_issues=30))
def test_alpha_equals_the_krippendorff_package(drawn):
    rows, categories = drawn
    several = [row for row in rows if sum(x >= 0 for x in row) > 1]
    assume(len(several) > 1)
    assume(len({x for row in several for x in row if x >= 0}) > 1)
    counts = np.array([[row.count(k) for k in range(categories)] for row in rows])
    expected = krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")
    found = report(from_rows(rows, categories), codes(categories)).coefficients["krippendorff_alpha"]
    assert found.value == pytest.approx(expected, abs=1e-12)


@given(labels(min_issues=2, max_issues=30))
def test_cohen_and_light_equal_scikit_learn(drawn):
    rows, categories = drawn
    found = report(from_rows(rows, categories), codes(categories))
    kappas = []
    for pair in found.pairs:
        both = [
            (row[pair.first], row[pair.second]) for row in rows if min(row[pair.first], row[pair.second]) >= 0
        ]
        assert pair.issues == len(both)
        kappas.append(None)
        if pair.kappa is None:
            assert len({x for two in both for x in two}) < 2
            continue
        first, second = zip(*both, strict=True)
        kappas[-1] = cohen_kappa_score(first, second)
        assert pair.kappa == pytest.approx(kappas[-1], abs=1e-12)
        assert pair.agreement == pytest.approx(np.mean(np.equal(first, second)))
    light = found.coefficients["light_kappa"].value
    if None in kappas:
        assert light is None
    else:
        assert light is None or light == pytest.approx(np.mean(kappas), abs=1e-12)


@given(labels())
def test_confusion_equals_counting_issue_by_issue(drawn):
    rows, categories = drawn
    expected = np.zeros((categories, categories), dtype=int)
    for row in rows:
        used = sorted({x for x in row if x >= 0})
        for a, b in [*combinations(used, 2), *((x, x) for x in used)]:
            expected[a, b] += 1
            expected[b, a] += a != b
    assert confusion(from_rows(rows, categories)).tolist() == expected.tolist()


def weighted(name, rows, categories, weights):
    """Coefficients of issues (r_i > 1) that count `weights` each; alpha without its small-sample term."""
    n = np.array([[row.count(k) for k in range(categories)] for row in rows], dtype=float)
    r = n.sum(axis=1)
    p_a_i = (n * (n - 1)).sum(axis=1) / (r * (r - 1))
    p_a = weights @ p_a_i / weights.sum()
    shares = (weights / weights.sum()) @ (n / r[:, None])
    if name == "krippendorff_alpha":
        shares = weights @ n / (weights @ r)
        p_a = 1 - (weights * r * (1 - p_a_i)).sum() / (weights @ r)
    p_e = {
        "percent_agreement": 0,
        "fleiss_kappa": (shares**2).sum(),
        "krippendorff_alpha": (shares**2).sum(),
        "gwet_ac1": (shares * (1 - shares)).sum() / (categories - 1),
        "brennan_prediger": 1 / categories,
    }[name]
    return (p_a - p_e) / (1 - p_e)


@pytest.mark.parametrize("name", FROM_COUNTS)
@given(drawn=labels(min_issues=4, max_issues=15))
def test_linearised_error_is_the_infinitesimal_jackknife(name, drawn):
    """k_i - kappa is N times the derivative of the coefficient by the weight of issue i, here a difference.

    For issues with two labels or more: Gwet takes the share of issues with a single label as given.
    """
    rows, categories = drawn
    rows = [row for row in rows if sum(x >= 0 for x in row) > 1]
    assume(len(rows) > 1)
    assume(len({x for row in rows for x in row if x >= 0}) > 1)
    n, step = len(rows), 1e-5
    slopes = [
        (
            weighted(name, rows, categories, 1 + step * issue)
            - weighted(name, rows, categories, 1 - step * issue)
        )
        / (2 * step)
        for issue in np.eye(n)
    ]
    expected = np.sqrt(np.square(n * np.array(slopes)).sum() / (n * (n - 1)))
    found = coefficient(name, Tally.of(from_rows(rows, categories)))
    assert (found.se or 0.0) == pytest.approx(expected, rel=1e-5, abs=1e-7)  # None where nothing varies


def population(rng, issues, raters, *, incomplete):
    rows = labelled(rng, issues, raters)
    if incomplete:
        rows[rng.random(rows.shape) < 0.3] = -1
    return rows


@only_long
@pytest.mark.slow
@pytest.mark.parametrize("incomplete", [False, True], ids=["complete", "incomplete"])
@pytest.mark.parametrize("issues", [50, 200])
def test_intervals_cover_the_truth_as_often_as_they_promise(issues, incomplete):
    """95 % intervals hold the population's value in 95 % of the samples, as closely as 600 of them can tell.

    Where the promise holds exactly, how many of them hold it is binomial: each of the twenty counts here falls
    outside of these bounds, 551 and 586, in one run of a thousand.
    """
    fewest, most = binom.ppf([0.0005, 0.9995], 600, 0.95)
    rng = np.random.default_rng(20250530)
    rows = population(rng, 1_000_000, 5, incomplete=incomplete)
    whole = Tally.of(Patterns(rows, np.ones(len(rows), dtype=int), 5))
    truth = {name: coefficient(name, whole).value for name in FROM_COUNTS}
    covered = dict.fromkeys(FROM_COUNTS, 0)
    for _ in range(600):
        sample = population(rng, issues, 5, incomplete=incomplete)
        tally = Tally.of(Patterns(sample, np.ones(issues, dtype=int), 5))
        for name in FROM_COUNTS:
            found = coefficient(name, tally)
            covered[name] += found.low <= truth[name] <= found.high
    assert {name: times for name, times in covered.items() if not fewest <= times <= most} == {}
