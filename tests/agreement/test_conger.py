"""Conger's kappa against irrCAC, by hand, and what must hold of it for any labels."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import Patterns, Reason, bootstrap, pairs, report
from agreement.raters.conger import conger_kappa
from tests.worlds.labels import from_rows

# The data set `cac.raw4raters` of irrCAC: 12 subjects, 4 raters, some ratings missing. Its issues that nobody
# missed are the second table.
RAW4 = [
    [0, 0, -1, 0], [1, 1, 2, 1], [2, 2, 2, 2], [2, 2, 2, 2], [1, 1, 1, 1], [0, 1, 2, 3],
    [3, 3, 3, 3], [0, 0, 1, 0], [1, 1, 1, 1], [-1, 4, 4, 4], [-1, -1, 0, 0], [-1, -1, 2, -1],
]  # fmt: skip
WHOLE = [row for row in RAW4 if -1 not in row]


@pytest.mark.parametrize(
    ("rows", "value", "se", "low"),
    [
        (RAW4, 0.762817441303306, 0.149168152480174, 0.434500551336157),
        # Nine issues give no interval here; irrCAC begins it at 0.224116942477057.
        (WHOLE, 0.645756457564576, 0.178311422968578, None),
    ],
)
def test_it_is_that_of_irrcac(rows, value, se, low):
    found = conger_kappa(from_rows(rows, 5))
    assert (found.value, found.se) == pytest.approx((value, se), abs=1e-12)
    assert found.low == (low and pytest.approx(low, abs=1e-12))
    assert found.high == (low and 1.0)


def test_by_hand():
    # p_a = (1 + 1/3 + 1) / 3. Shares of A: 2/3, 1/3, 2/3; so p_e of the pairs: 4/9, 5/9, 4/9.
    found = conger_kappa(from_rows([[0, 0, 0], [0, 1, 0], [1, 1, 1]], 2))
    expected = Fraction(4 + 5 + 4, 27)
    assert found.value == float((Fraction(7, 9) - expected) / (1 - expected))


labels = st.lists(st.lists(st.integers(0, 2), min_size=2, max_size=2), min_size=2, max_size=12)


@given(labels)
def test_of_two_raters_it_is_cohens(rows):
    patterns = from_rows(rows, 3)
    (pair,) = pairs(patterns)
    assert conger_kappa(patterns).value == pair.kappa


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=2, max_size=12),
    st.permutations(range(4)),
)
def test_it_is_at_least_fleiss_and_knows_no_order_of_raters(rows, order):
    patterns = from_rows(rows, 4)
    found, fleiss = conger_kappa(patterns), report(patterns, "ABCD").coefficients["fleiss_kappa"]
    assert found == conger_kappa(Patterns(patterns.codes[:, order], patterns.counts, 4))
    assert (found.value is None) == (fleiss.value is None)
    if found.value is not None:
        assert found.value >= fleiss.value
        assert found.low is None or -1 / 3 <= found.low <= found.value


@given(st.lists(st.lists(st.integers(-1, 2), min_size=3, max_size=3), min_size=3, max_size=8))
def test_the_error_is_that_of_the_definition(rows):
    """The terms of each issue in floats, as Gwet writes them, with labels missing."""
    found = conger_kappa(from_rows(rows, 3))
    if found.se is None:
        return
    codes = np.array([row for row in rows if max(row) >= 0])
    codes = codes[:, (codes >= 0).any(axis=0)]
    n, r = codes.shape
    own = (codes[:, :, None] == np.arange(3)).astype(float)
    labelled = (codes >= 0).sum(axis=0)
    p = own.sum(axis=0) / labelled[:, None]
    size = (codes >= 0).sum(axis=1)
    counts = own.sum(axis=1)
    several = size >= 2
    same = (counts * (counts - 1)).sum(axis=1) / np.maximum(size * (size - 1), 1)
    observed = same[several].mean()
    expected = (np.square(p.sum(axis=0)).sum() - np.square(p).sum()) / (r * (r - 1))
    kappa = (observed - expected) / (1 - expected)
    delta = (own - ((codes >= 0) - labelled / n)[:, :, None] * p) * (n / labelled)[None, :, None]
    chance = (delta * (p.sum(axis=0) - p)).sum(axis=(1, 2)) / (r * (r - 1))
    terms = n / several.sum() * several * (same - expected) / (1 - expected)
    terms -= 2 * (1 - kappa) * (chance - expected) / (1 - expected)
    se = np.sqrt(np.square(terms - kappa).sum() / (n * (n - 1)))
    assert (found.value, found.se) == pytest.approx((kappa, se), abs=1e-9)


def test_sums_beyond_64_bits_are_exact():
    """Numbers of labels without a common divisor: their common multiple has 40 digits."""
    primes = [99991, 99989, 99971, 99961]
    rows = [[0, 0, 0, 0], [0, 1, 0, 0], [1, 1, 1, 1], *(np.eye(4, dtype=int) - 1).tolist()]
    counts = [30000, 20000, 40000, *(prime - 90000 for prime in primes)]
    found = conger_kappa(Patterns(rows, counts, 2))
    shares = []
    for column in range(4):
        ones = sum(n for row, n in zip(rows, counts, strict=True) if row[column] == 1)
        shares.append(Fraction(ones, primes[column]))
    expected = (
        sum((a * b + (1 - a) * (1 - b)) for i, a in enumerate(shares) for j, b in enumerate(shares) if i != j)
        / 12
    )
    observed = Fraction(70000 * 2 + 20000, 180000)
    assert found.value == float((observed - expected) / (1 - expected))
    assert found.se > 0


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([[0, -1], [-1, 1]], Reason.NO_OVERLAP),
        ([[0, 1], [-1, 1]], Reason.ONE_ISSUE),
        ([[0, 0], [0, 0]], Reason.ONE_CATEGORY),
        ([[-1, -1]], Reason.NO_LABELS),
    ],
)
def test_undefined_is_none_with_a_reason(rows, reason):
    found = conger_kappa(from_rows(rows, 2))
    assert (found.value, found.reason) == (None, reason)


def test_slots_are_no_raters():
    found = report(from_rows([[0, 1], [1, 1], [0, 0]], 2), "AB", columns_are_raters=False, raters=5)
    assert found.coefficients["conger_kappa"].reason is Reason.SLOTS


def test_the_bootstrap_covers_the_linearised_interval():
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 3, 600)
    rows = np.where(rng.random((600, 4)) < 0.7, truth[:, None], rng.integers(0, 3, (600, 4)))
    patterns = Patterns(rows, np.ones(600, dtype=int), 3)
    again, found = bootstrap(patterns, seed=3).intervals["conger_kappa"], conger_kappa(patterns)
    assert (again.low, again.high) == pytest.approx((found.low, found.high), abs=0.004)
