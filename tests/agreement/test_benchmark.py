"""The words for a kappa, and their probabilities."""

from statistics import NormalDist

import pytest

from agreement import Coefficient, benchmark, report
from tests.worlds.labels import from_rows


def test_the_probability_is_that_of_a_normal_distribution_from_minus_one_to_one():
    found = benchmark(Coefficient(0.7628174413033062, 0.14916815248017373))
    normal = NormalDist(0.7628174413033062, 0.14916815248017373)
    room = normal.cdf(1) - normal.cdf(-1)
    assert found.at_least == pytest.approx(
        {
            "almost_perfect": (normal.cdf(1) - normal.cdf(0.8)) / room,
            "substantial": (normal.cdf(1) - normal.cdf(0.6)) / room,
            "moderate": (normal.cdf(1) - normal.cdf(0.4)) / room,
            "fair": (normal.cdf(1) - normal.cdf(0.2)) / room,
            "slight": (normal.cdf(1) - normal.cdf(0)) / room,
            "poor": 1.0,
        },
        abs=1e-12,
    )
    assert (found.word, found.sure) == ("substantial", "moderate")


@pytest.mark.parametrize(
    ("value", "se", "word", "sure"),
    [
        # P(above 0.6) is 0.952 and 0.945: the word of the value is sure with the smaller error only.
        (0.7, 0.06, "substantial", "substantial"),
        (0.7, 0.0625, "substantial", "moderate"),
        (-0.2, 0.05, "poor", "poor"),
        (0.99, 0.001, "almost_perfect", "almost_perfect"),
    ],
)
def test_the_sure_word_is_the_highest_with_95_percent(value, se, word, sure):
    found = benchmark(Coefficient(value, se))
    assert (found.word, found.sure) == (word, sure)


def test_too_few_issues_for_an_interval_are_too_few_for_a_probability():
    few = report(from_rows([[0, 0], [1, 1], [0, 1], [1, 1]], 2), "AB").coefficients["fleiss_kappa"]
    assert few.se is not None
    assert benchmark(few) is None


@pytest.mark.parametrize("found", [Coefficient(None), Coefficient(0.5), Coefficient(1.0, 0.0)])
def test_without_an_error_there_is_no_probability(found):
    assert benchmark(found) is None
