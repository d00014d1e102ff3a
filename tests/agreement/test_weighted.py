"""Agreement with partial credit: against irrCAC, by hand, and what must hold for any labels and weights."""

from fractions import Fraction

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import Patterns, Reason, report
from agreement.intervals.bootstrap import bootstrap
from agreement.intervals.categories import category_kappas
from agreement.tally import Tally
from agreement.weighted.coefficients import PLAIN, weighted, weighted_bootstrap
from agreement.weighted.matrix import MatrixError, read_matrix, tree_matrix
from agreement.weighted.weights import Weights, matrix_weights, tree_weights
from tests.agreement.test_properties import labels
from tests.long import sampled
from tests.worlds.labels import from_rows

LINES = ("C", "C C.1", "C C.2", "A", "A A.1")
"""Five categories, each with those above it; the longest path is from C.1 to A.1, four steps."""
TREE = tree_weights([line.split() for line in LINES])
MATRIX = matrix_weights(
    [
        [Fraction(cell) for cell in row.split()]
        for row in (
            "1 0.5 0.25 0 0.1",
            "0.5 1 0.75 0 0",
            "0.25 0.75 1 0.3 0",
            "0 0 0.3 1 0.6",
            "0.1 0 0 0.6 1",
        )
    ]
)
FOUR_RATERS = [
    [0, 0, -1, 0], [1, 1, 2, 1], [2, 2, 2, 2], [2, 2, 2, 2], [1, 1, 1, 1], [0, 1, 2, 3],
    [3, 3, 3, 3], [0, 0, 1, 0], [1, 1, 1, 1], [-1, 4, 4, 4], [-1, -1, 0, 0], [-1, -1, 2, -1],
]  # fmt: skip
"""Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed., page 120; -1 is missing."""


def nominal(q: int) -> Weights:
    return tree_weights([[k] for k in range(q)])


def test_the_weight_of_two_categories_is_their_path_in_the_tree():
    quarters = [[4, 3, 3, 2, 1], [3, 4, 2, 1, 0], [3, 2, 4, 1, 0], [2, 1, 1, 4, 3], [1, 0, 0, 3, 4]]
    assert (TREE.unit, TREE.longest, TREE.parts.tolist()) == (4, 4, quarters)
    assert TREE.of(0, 1) == Fraction(3, 4)
    assert TREE.total == 13


def test_categories_without_any_above_them_have_weights_of_one_and_nothing():
    assert nominal(3).parts.tolist() == [[2, 0, 0], [0, 2, 0], [0, 0, 2]]
    assert nominal(1).parts.tolist() == [[1]]


@pytest.mark.parametrize(
    "rows",
    [
        [[1, Fraction(1, 2)], [0, 1]],
        [[1, 2], [2, 1]],
        [[1, -1], [-1, 1]],
        [[Fraction(1, 2), 0], [0, 1]],
        [[1, 0]],
    ],
)
def test_a_matrix_of_weights_is_symmetric_from_0_to_1_and_1_on_the_diagonal(rows):
    with pytest.raises(ValueError, match="weights"):
        matrix_weights([[Fraction(cell) for cell in row] for row in rows])


# Computed with irrCAC 0.4.4 for Python at full precision: value, error, lower bound. Its error of alpha takes pa where
# irrCAC for R takes pa' (agree.coeff3.raw.r of 2021); here it is as in R.
IRRCAC = {
    ("tree", "fleiss_kappa"): (0.7973767526006331, 0.1542248732100922, 0.4579300953495457),
    ("tree", "krippendorff_alpha"): (0.7857142857142859, 0.1436888043372962, 0.4655556781779679),
    ("tree", "gwet_ac2"): (0.8425356755110169, 0.120937148034454, 0.5763548073844289),
    ("matrix", "fleiss_kappa"): (0.806792829617611, 0.1551583914003794, 0.465291512683034),
    ("matrix", "krippendorff_alpha"): (0.7918321747765641, 0.1435828945652484, 0.4719095489181487),
    ("matrix", "gwet_ac2"): (0.8422118876218386, 0.1285892489914524, 0.5591888588454406),
}


@pytest.mark.parametrize(("of", "name"), IRRCAC)
def test_custom_weights_give_what_irrcac_gives(of, name):
    found = weighted(from_rows(FOUR_RATERS, categories=5), {"tree": TREE, "matrix": MATRIX}[of])[name]
    assert (found.value, found.se) == pytest.approx(IRRCAC[of, name][:2], abs=1e-12)
    assert found.low == pytest.approx(IRRCAC[of, name][2], abs=1e-11)
    assert (found.high, found.reason) == (1.0, None)


def test_linear_weights_of_five_observers_give_what_irrcac_gives():
    rows = "112.2 1101. 2333. .00.0 000.0 000.0 102.1 1.20. 222.2 2111. .100. 0000. 1222. 33223 111.1".split()
    five = from_rows([[-1 if one == "." else int(one) for one in row] for row in rows], categories=4)
    linear = matrix_weights([[1 - Fraction(abs(k - m), 3) for m in range(4)] for k in range(4)])
    found = weighted(five, linear)
    expected = {
        "fleiss_kappa": (0.6118500438159825, 0.1097387425808036, 0.3764838495799326, 0.8472162380520324),
        "krippendorff_alpha": (0.6352082206598166, 0.1001085481591594, 0.420496739221361, 0.8499197020982723),
        "gwet_ac2": (0.6896394228858524, 0.0876907590998237, 0.5015614501152206, 0.8777173956564843),
    }
    for name, numbers in expected.items():
        one = found[name]
        assert (one.value, one.se) == pytest.approx(numbers[:2], abs=1e-12)
        assert (one.low, one.high) == pytest.approx(numbers[2:], abs=1e-11)


def test_quadratic_weights_give_what_irrcac_prints():
    """`fleiss.kappa.raw(cac.raw4raters[2:9, ], weights = "quadratic")` of irrCAC for R: 0.66667, as the
    documentation of the R package quadagree prints it, which itself has 0.6666667.
    """
    squares = matrix_weights([[1 - Fraction((k - m) ** 2, 9) for m in range(4)] for k in range(4)])
    found = weighted(from_rows(FOUR_RATERS[1:9], categories=4), squares)
    assert found["fleiss_kappa"].value == pytest.approx(0.6666667, abs=5e-8)


def test_a_label_that_stops_higher_up_gets_credit_by_hand():
    """Two issues of two labels: C and C.1 are one of four steps apart, C.1 and C.1 none; then A.1 and A.1.

    p_a = (3/4 + 1 + 1) / 3. Shares: C 1/6, C.1 1/2, A.1 1/3. p_e = 1 - sum of w-disagreements: 2 (1/6 1/2 1/4
    + 1/6 1/3 3/4 + 1/2 1/3 1) = 11/24, so that kappa = 1 - (1/12) / (11/24) = 9/11.
    """
    found = weighted(from_rows([[0, 1], [1, 1], [4, 4]], categories=5), TREE)
    assert found["percent_agreement"].value == float(Fraction(11, 12))
    assert found["fleiss_kappa"].value == float(Fraction(9, 11))
    # alpha: D_o is the same, D_e = 11/24 n / (n - 1) with n = 6 labels.
    assert found["krippendorff_alpha"].value == float(
        1 - Fraction(1, 12) / (Fraction(11, 24) * Fraction(6, 5))
    )
    # AC2: p_e = T / (q (q - 1)) sum pi (1 - pi) = 13/20 (5/36 + 1/4 + 2/9).
    by_chance = Fraction(13, 20) * Fraction(22, 36)
    assert found["gwet_ac2"].value == float((Fraction(11, 12) - by_chance) / (1 - by_chance))


@given(labels())
def test_weights_of_one_and_nothing_give_the_unweighted_numbers_to_the_last_bit(given_):
    rows, q = given_
    patterns = from_rows(rows, categories=q)
    plain = report(patterns, [str(k) for k in range(q)]).coefficients
    assert weighted(patterns, nominal(q)) == {name: plain[unweighted] for name, unweighted in PLAIN.items()}


@given(labels(min_issues=2, max_issues=30), st.integers(0, 2**31))
def test_the_bootstrap_of_such_weights_is_the_unweighted_one(given_, seed):
    rows, q = given_
    patterns = from_rows(rows, categories=q)
    plain = bootstrap(patterns, seed=seed, replicates=20, columns_are_raters=False).intervals
    for name, found in weighted_bootstrap(patterns, nominal(q), seed=seed, replicates=20).intervals.items():
        other = plain[PLAIN[name]]
        assert (found is None) == (other is None)
        if found and other:
            assert (found.low, found.high) == pytest.approx((other.low, other.high), abs=1e-9)


@st.composite
def labels_in_a_tree(draw):
    """Rows of labels (-1 is missing), and the categories' lines; a label can be of any category."""
    lines = [["root"]]
    for k in range(draw(st.integers(2, 8))):
        lines.append([*draw(st.sampled_from(lines)), str(k)])
    lines = [line[1:] for line in lines[1:]]
    raters = draw(st.integers(2, 5))
    row = st.lists(st.integers(-1, len(lines) - 1), min_size=raters, max_size=raters)
    return draw(st.lists(row, min_size=2, max_size=12)), lines


@given(labels_in_a_tree())
def test_weighted_kappa_is_the_mean_of_the_kappas_of_being_at_or_below_each_category(given_):
    """As of Moons and Vandervieren (arXiv 2303.12502; the numbers of its worked examples were not opened here):
    categories in a hierarchy, each with its share p (1 - p) of what chance
    leaves open. Here over issues with two labels, of which the kappa of one category is.
    """
    rows, lines = given_
    rows = [row for row in rows if sum(one >= 0 for one in row) >= 2]
    names = list(dict.fromkeys(name for line in lines for name in line))
    whole, left = 0.0, 0.0
    for name in names:
        is_below = [[-1 if one < 0 else int(name in lines[one]) for one in row] for row in rows]
        tally = Tally.of(from_rows(is_below, categories=2))
        if not tally.issues:
            return
        p = float(tally.sums.shares[1] / tally.issues)
        kappa = category_kappas(tally, ["no", "yes"])[1].kappa
        whole += p * (1 - p)
        left += p * (1 - p) * (1 - (kappa or 0.0)) if 0 < p < 1 else 0.0
    found = weighted(from_rows(rows, categories=len(lines)), tree_weights(lines))["fleiss_kappa"]
    if found.value is not None:
        assert found.value == pytest.approx(1 - left / whole, abs=1e-9)


@given(labels_in_a_tree())
def test_alpha_is_that_of_the_library_with_the_path_as_distance(given_):
    rows, lines = given_
    weights = tree_weights(lines)
    found = weighted(from_rows(rows, categories=len(lines)), weights)["krippendorff_alpha"]
    if found.value is None:
        return

    def distance(v1, v2, **_rest):
        return 1 - weights.parts[v1.astype(int), v2.astype(int)] / weights.unit

    data = np.array(rows, dtype=float).T
    data[data < 0] = np.nan
    theirs = krippendorff.alpha(data, level_of_measurement=distance, value_domain=np.arange(len(lines)))
    assert found.value == pytest.approx(theirs, abs=1e-9)


@given(labels_in_a_tree(), st.randoms(use_true_random=False))
def test_order_of_issues_raters_and_categories_changes_no_bit(given_, random):
    rows, lines = given_
    order = list(range(len(lines)))
    random.shuffle(order)
    place = {old: new for new, old in enumerate(order)} | {-1: -1}
    other = [[place[one] for one in random.sample(row, len(row))] for row in random.sample(rows, len(rows))]
    raters = len(rows[0])
    assert weighted(from_rows(rows, categories=len(lines)), tree_weights(lines), raters=raters) == weighted(
        from_rows(other, categories=len(lines)), tree_weights([lines[old] for old in order]), raters=raters
    )


@given(labels_in_a_tree())
def test_values_and_bounds_stay_inside_the_possible_range(given_):
    rows, lines = given_
    for found in weighted(from_rows(rows, categories=len(lines)), tree_weights(lines)).values():
        if found.low is not None:
            assert found.low <= found.value <= found.high <= 1


def test_what_the_weights_cannot_tell_apart_has_no_kappa():
    patterns = from_rows([[0, 1], [1, 1], [0, 0]], categories=2)
    found = weighted(patterns, matrix_weights([[Fraction(1)] * 2] * 2))
    assert found["percent_agreement"].value == 1.0
    for name in ("fleiss_kappa", "krippendorff_alpha", "gwet_ac2"):
        assert (found[name].value, found[name].reason) == (None, Reason.WEIGHTS_ALL_ONE)


def test_all_labels_of_one_category_have_an_ac2_as_they_have_an_ac1():
    patterns = from_rows([[0, 0], [0, 0], [0, 0]], categories=5)
    found, plain = weighted(patterns, TREE)["gwet_ac2"], report(patterns, list("abcde")).coefficients
    assert found == plain["gwet_ac1"]
    assert found.value == 1.0


def test_alpha_is_undefined_where_compared_issues_have_only_categories_that_count_as_the_same():
    same = matrix_weights([[Fraction(cell) for cell in row.split()] for row in ("1 1 0", "1 1 0", "0 0 1")])
    patterns = from_rows([[0, 1], [0, 0], [1, 1], [2, -1]], categories=3)
    found = weighted(patterns, same)
    assert (found["krippendorff_alpha"].value, found["krippendorff_alpha"].reason) == (
        None,
        Reason.WEIGHTS_ALL_ONE,
    )
    assert (found["fleiss_kappa"].value, found["gwet_ac2"].value) == (1.0, 1.0)
    assert weighted_bootstrap(patterns, same, seed=1, replicates=20).intervals["krippendorff_alpha"] is None


def test_one_rater_has_no_agreement_and_weights_must_fit():
    one = Patterns(np.array([[0], [1]]), np.array([1, 1]), 5)
    assert {found.reason for found in weighted(one, TREE).values()} == {Reason.ONE_RATER}
    with pytest.raises(ValueError, match="5 categories have weights, 4 have labels"):
        weighted(Patterns(np.array([[0, 1]]), np.array([1]), 4), TREE)


KNOWN = ["A", "A.1", "A.2", "B"]
WRITTEN = ",A,A.1,B\nA,1,0.5,0\nA.1,0.5,1,0.25\nB,0,0.25,1\n"


@pytest.mark.parametrize(
    "text",
    [
        WRITTEN,
        "\ufeff;B;A;A.1\nA.1;0,25;0,50;1\n\nB;1.0;;\nA;0;;,5\n",
        "\tA\tA.1\tB\nA\t\t.5\t0\nA.1\t\t\t.25\nB\t\t\t\n",
    ],
)
def test_a_matrix_is_read_in_any_order_and_half_and_comes_in_the_order_of_the_codebook(text):
    found = read_matrix(text, KNOWN)

    assert found.codes == ("A", "A.1", "B")
    assert found.as_csv() == WRITTEN
    assert found.of(["B", "A.1"]).parts.tolist() == [[4, 1], [1, 4]]
    assert found.of(["B", "A.2"]) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the first row needs codes, with a row for each code below"),
        (",A,C\nA,1,0\nC,0,1\n", "this version has no category C; this version has no category C"),
        (",A,A\nA,1,1\n", "A is here twice"),
        (",A,B\nA,1,0\nA,0,1\nB,0,1\n", "A is here twice"),
        (",A,B\nA,1\nB,0,1\n", "the row has 2 cells, but the first row has 3"),
        (",A,B\nA,1,0\n", "B needs a row and a column"),
        (
            ",A,B\nA,1,2\nB,0,1\n",
            "the weight of A and B is “2”. Write a number from 0 to 1 with at most six decimals",
        ),
        (
            ",A,B\nA,1,0.1234567\nB,,1\n",
            "the weight of A and B is “0.1234567”. Write a number from 0 to 1 with at most six decimals",
        ),
        (",A,B\nA,0.9,0\nB,0,1\n", "the weight of A and itself must be 1"),
        (",A,B\nA,1,0.5\nB,0.4,1\n", "the weight of B and A is 0.4 here and 0.5 in line 2"),
        (",A,B\nA,1,\nB,,1\n", "the weight of B and A is missing"),
    ],
)
def test_a_matrix_that_is_none_is_refused_with_its_mistakes(text, said):
    with pytest.raises(MatrixError) as refused:
        read_matrix(text, KNOWN)
    assert str(refused.value) == said


def test_a_mistake_has_its_line():
    with pytest.raises(MatrixError) as refused:
        read_matrix(",A,B\n\nA,1,x\nB,-1,1\n", KNOWN)
    assert [one.line for one in refused.value.problems] == [3, 4]


def test_the_tree_as_a_matrix_is_a_matrix_to_begin_with():
    codes = ["C", "C.1", "C.2", "A", "A.1"]
    found = tree_matrix(codes, TREE)
    assert read_matrix(found.as_csv(), codes) == found
    assert found.of(codes).parts.tolist() == TREE.parts.tolist()


def test_the_interval_holds_the_true_value_in_about_95_of_100_samples():
    """A hundred issues of two labels each: 7 of 10 labels are right, the others rather near than far."""
    random = np.random.default_rng(5)
    q, samples = TREE.q, sampled(2000, 200)
    shares = np.array([5, 4, 3, 2, 1]) / 15
    near = np.exp(3 * TREE.parts / TREE.unit)
    below = (near / near.sum(axis=1, keepdims=True)).cumsum(axis=1)

    def drawn(issues):
        truth = random.choice(q, issues, p=shares)
        other = (random.random((issues, 2, 1)) > below[truth][:, np.newaxis, :]).sum(axis=2).clip(0, q - 1)
        codes = np.where(random.random((issues, 2)) < 0.7, truth[:, np.newaxis], other)
        return Patterns(codes, np.ones(issues, dtype=np.int64), q).merged()

    true = {name: found.value for name, found in weighted(drawn(400_000), TREE).items()}
    held = dict.fromkeys(true, 0)
    for _ in range(samples):
        for name, found in weighted(drawn(100), TREE).items():
            held[name] += found.low <= true[name] <= found.high
    for name, times in held.items():
        assert 0.93 - sampled(0, 0.03) <= times / samples <= 0.97 + sampled(0, 0.02), name
