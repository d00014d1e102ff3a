"""How many issues a planned round needs, before any label: from an assumed kappa and shares of categories."""

from collections.abc import Sequence

import numpy as np

from agreement.forecasts.more_labels import SEED, issues_for
from agreement.forecasts.ranges import spread_terms
from agreement.patterns import Codes, Patterns

SIMULATED = 20_000
MOST_RATERS = 50


def issues_before(half_width: float, kappa: float, shares: Sequence[float], raters: int) -> int:
    """The number of issues whose expected interval of Fleiss' kappa is `kappa` ± `half_width`, or narrower.

    Labels follow the common correlation model: two labels of an issue are equal with probability
    kappa + (1 - kappa) sum p_k^2, whoever gives them, and each has the categories' `shares` p_k, which are
    divided by their sum. The spread between issues is that of SIMULATED issues by a stored seed, so the
    number is exact to about 3 % where no category has more than 90 % of the labels, and to 13 % at 99 %.
    ValueError unless 0 <= kappa < 1, two shares or more are above 0 and none below, and raters are
    2 to MOST_RATERS. Source: Altaye, Donner and Klar (2001), Biometrics 57(2), 584-588; the urn is that of
    Polya.
    """
    if not (0 <= kappa < 1 and 2 <= raters <= MOST_RATERS):
        raise ValueError("a kappa from 0 to below 1, and 2 to 50 raters are expected")
    if min(shares, default=-1.0) < 0 or sum(share > 0 for share in shares) < 2:
        raise ValueError("two shares above 0 are expected, and none below")
    rows = _labels(kappa, shares, raters)
    patterns = Patterns(rows, np.ones(len(rows), dtype=np.int64), len(shares)).as_counts()
    found = spread_terms(patterns)
    if found is None:
        raise ValueError("one of the categories is too frequent for a kappa")
    terms, _labelled = found
    spread = float(patterns.counts @ terms) / (SIMULATED - 1)
    return issues_for(half_width, float(np.sqrt(spread / SIMULATED)), SIMULATED)


def _labels(kappa: float, shares: Sequence[float], raters: int) -> Codes:
    """[SIMULATED, raters]: the label after m others repeats one of them with probability
    m kappa / (1 - kappa + m kappa), and else follows the shares.
    """
    random = np.random.default_rng([SEED, raters, len(shares)])
    p = np.asarray(shares, dtype=np.float64)
    labels = random.choice(len(p), size=(SIMULATED, raters), p=p / p.sum())
    for given in range(1, raters):
        repeats = random.random(SIMULATED) < given * kappa / (1 - kappa + given * kappa)
        earlier = labels[np.arange(SIMULATED), random.integers(given, size=SIMULATED)]
        labels[:, given] = np.where(repeats, earlier, labels[:, given])
    return labels.astype(np.int32)
