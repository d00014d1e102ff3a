"""Kappa, alpha, AC1 of all raters together: estimates, linearised standard errors, intervals.

N issues, r_i labels on issue i, n_ik of them in category k, q categories that could be chosen. Issues without
a label do not count. Issues with one label count towards the shares of the categories, as in Gwet
(2014), and not towards the agreement; Krippendorff's alpha leaves them out altogether.
A coefficient corrected for chance is undefined below two issues with two labels each.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from agreement.intervals.doubts import FEWEST, doubt
from agreement.reasons import Reason, Why
from agreement.standard_errors import linear, linear_alpha, standard_error
from agreement.tally import Sums, Tally

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Coefficient:
    """A value with its standard error and interval; undefined numbers are None, and `reason` explains them.

    `value` can lack an interval (few issues; Light's kappa); `reason` then explains the missing interval. A
    value whose standard error comes out as exactly 0 has neither: where no issue varies, as in a perfect
    agreement, the labels say nothing of the error, and an interval without width would claim that it is 0.
    `doubt` warns of an interval that holds the true value in less than 93 % of samples, or more than 97 %.
    """

    value: float | None
    se: float | None = None
    low: float | None = None
    high: float | None = None
    reason: Why | None = None
    doubt: Reason | None = None

    def as_dict(self) -> dict[str, float | str | None]:
        """As in the JSON of reports; reason and doubt in words."""
        return vars(self) | {
            "reason": self.reason and self.reason.text,
            "doubt": self.doubt and self.doubt.text,
        }


def chance(name: str, sums: Sums) -> tuple[Any, Any]:
    """Agreement observed and expected by chance, p_a and p_e, of the coefficient `name`.

    Fractions if the sums are, else elementwise over replicates. Needs `sums.compared` > 0; AC1 also q >= 2.

    Fleiss' kappa: p_e = sum p_k^2, p_k the mean over issues of n_ik / r_i, which for equal r_i is the share
    of all labels. Fleiss (1971), Psychological Bulletin 76(5), 378-382; Gwet (2014), Handbook of Inter-Rater
    Reliability, 4th ed., for unequal r_i.
    Gwet's AC1: p_e = sum p_k (1 - p_k) / (q - 1). Gwet (2008), British Journal of Mathematical and
    Statistical Psychology 61, 29-48.
    Brennan-Prediger: p_e = 1 / q. Brennan and Prediger (1981), Educational and Psychological Measurement
    41, 687-699; Randolph (2005).
    Krippendorff's alpha, nominal: 1 - D_o / D_e is written as (p_a - p_e) / (1 - p_e) with p_e = sum p_k^2,
    p_k = n_k / n, p_a = 1 - (n - 1) / n * D_o, over issues with r_i >= 2. Krippendorff (2019), Content
    Analysis, 4th ed.; Gwet (2011), On the Krippendorff's alpha coefficient.
    """
    if name == "krippendorff_alpha":
        observed = 1 - (sums.labels - 1) / sums.labels * (sums.unlike / sums.labels)
        return observed, sums.squared_chosen
    observed = sums.agreement / sums.compared
    match name:
        case "percent_agreement":
            expected = np.zeros_like(observed)
        case "fleiss_kappa":
            expected = sums.squared_shares
        case "gwet_ac1":
            expected = sums.mixed_shares / (sums.q - 1)
        case "brennan_prediger":
            expected = np.full_like(observed, Fraction(1, sums.q))
        case _:
            raise KeyError(name)
    return observed, expected


def why_undefined(name: str, tally: Tally) -> Reason | None:
    """The reason why these labels do not define coefficient `name`; None if they do."""
    compared = tally.compared
    several = tally.sizes >= 2
    if not tally.issues:
        return Reason.NO_LABELS
    if not compared:
        return Reason.NO_OVERLAP
    if name == "percent_agreement":
        return None
    if compared == 1:
        return Reason.ONE_ISSUE
    if name in {"gwet_ac1", "brennan_prediger"}:
        return Reason.ONE_CODE if tally.q == 1 else None
    used = tally.category[several[tally.row]] if name == "krippendorff_alpha" else tally.category
    return Reason.ONE_CATEGORY if (used == used[0]).all() else None


def coefficient(name: str, tally: Tally) -> Coefficient:
    """The coefficient `name`, Gwet's linearised standard error (each rounded only once), and a t interval."""
    reason = why_undefined(name, tally)
    if reason:
        return Coefficient(None, reason=reason)
    observed, expected = (Fraction(np.asarray(part).item()) for part in chance(name, tally.sums))
    kappa = (observed - expected) / (1 - expected)
    value = float(kappa)
    if tally.compared < 2:
        return Coefficient(value, reason=Reason.ONE_ISSUE)
    spread = linear_alpha if name == "krippendorff_alpha" else linear
    squares, issues = spread(name, tally, kappa, expected)
    se = standard_error(squares, issues)
    return with_doubt(name, tally, Coefficient(value, se), issues, lowest(name, tally))


def with_doubt(name: str, tally: Tally, found: Coefficient, issues: int, least: float) -> Coefficient:
    """`with_interval` of a value with its error, as `name` of this tally; few issues have no interval."""
    if found.value is None or not found.se:
        return Coefficient(found.value, reason=Reason.NO_SPREAD)
    if tally.compared < FEWEST:
        return Coefficient(found.value, found.se, reason=Reason.FEW_ISSUES)
    return with_interval(found.value, found.se, issues, least, doubt(name, tally))


def with_interval(
    value: float, se: float, issues: int, least: float, doubt: Reason | None = None
) -> Coefficient:
    """The value with its error and `interval`; without both, and with a reason, if the error is exactly 0."""
    if not se:
        return Coefficient(value, reason=Reason.NO_SPREAD)
    return Coefficient(value, se, *interval(value, se, issues, least), doubt=doubt)


def interval(value: float, se: float, issues: float, least: float) -> tuple[float, float]:
    """The 95 % interval by Student's t with `issues` - 1 degrees of freedom, inside the possible range: from
    `least`, the lowest value that the number can have (-inf if there is none), to 1.
    """
    half = half_width(se, issues)
    return max(least, value - half), min(1.0, value + half)


def half_width(se: float, issues: float) -> float:
    """Half of the interval before it is cut to the possible range."""
    return t_quantile(issues - 1) * se


def lowest(name: str, tally: Tally) -> float:
    """The lowest value of coefficient `name` with this number of labels on each issue, whatever they are.

    r is the smallest number of labels on a compared issue. Of an issue with category shares x_k, the share
    of equal pairs is at least S_i - (1 - S_i) / (r - 1), S_i = sum x_k^2, and at least 0. So percent
    agreement is at least 0. For Fleiss' kappa p_e is at most the mean of S_i (Jensen), and kappa at least
    -1 / (r - 1); the same holds for alpha, and with q = 2 for the kappa of a category. For AC1 and
    Brennan-Prediger p_e is at most 1 / q and S_i at least 1 / q: at least -1 / (max(q, r) - 1). Issues with
    one label count only in the p_e of Fleiss' kappa: with such issues it has no lowest value, and this is
    -inf.
    """
    if name == "percent_agreement":
        return 0.0
    fewest = int(tally.sizes[tally.sizes >= 2].min())
    if name in {"gwet_ac1", "brennan_prediger"}:
        return -1 / (max(tally.q, fewest) - 1)
    if name == "fleiss_kappa" and (tally.sizes < 2).any():
        return -float("inf")
    return -1 / (fewest - 1)


# SciPy is imported at the first interval: it takes long to load, and most pages need no interval.
@lru_cache(maxsize=1024)
def t_quantile(degrees: float) -> float:
    """How many errors the 95 % interval of Student's t reaches to each side."""
    from scipy.special import stdtrit  # noqa: PLC0415 - SciPy loads for long

    return float(stdtrit(degrees, (1 + CONFIDENCE) / 2))


LANDIS_KOCH: tuple[tuple[float, str], ...] = (
    (0.2, "slight"),
    (0.4, "fair"),
    (0.6, "moderate"),
    (0.8, "substantial"),
    (1.0, "almost_perfect"),
)


def landis_koch(value: float) -> str:
    """The word of Landis and Koch (1977), Biometrics 33, 159-174, for a kappa; below 0 "poor".

    One of poor, slight, fair, moderate, substantial, almost_perfect: a key, not a text. A cut point belongs
    to the lower word. The cut points are a convention, not a test.
    """
    if value < 0:
        return "poor"
    return next((word for bound, word in LANDIS_KOCH if value <= bound), "almost_perfect")


WORDS = ("poor", *(word for _bound, word in LANDIS_KOCH))
"""From the lowest to the highest."""


@dataclass(frozen=True)
class Benchmark:
    """`at_least[word]` is the probability that the true coefficient has this word or a higher one.

    `word` is that of the value. `sure` is the highest word with a probability of at least 95 %.
    """

    word: str
    sure: str
    at_least: Mapping[str, float]


def benchmark(found: Coefficient) -> Benchmark | None:
    """Gwet's cumulative membership probabilities on the scale of Landis and Koch; None without an error, or
    with too few issues for an interval.

    The true coefficient is taken as normal around the value with its standard error, cut to -1 to 1. So the
    probability of a word is Phi((value - low) / SE) - Phi((value - high) / SE), over the same of -1 to 1. It
    is added up from the highest word down, and Gwet's word is the highest that reaches 95 %.
    Sources: Gwet (2021), Handbook of Inter-Rater Reliability, 5th ed., chapter on benchmarks; Landis and Koch
    (1977), Biometrics 33, 159-174.
    """
    value, se = found.value, found.se
    if value is None or not se or found.reason:
        return None
    from scipy.special import ndtr  # noqa: PLC0415 - SciPy loads for long

    lows = (-1.0, 0.0, *(bound for bound, _word in LANDIS_KOCH))
    above = [float(ndtr((value - low) / se)) for low in lows]
    room = above[0] - above[-1]
    at_least = {word: (one - above[-1]) / room for word, one in zip(WORDS, above, strict=False)}
    sure = next(word for word in reversed(WORDS) if at_least[word] >= CONFIDENCE)
    return Benchmark(landis_koch(value), sure, at_least)
