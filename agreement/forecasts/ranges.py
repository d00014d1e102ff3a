"""How far off forecasts of needed issues and volunteers can be: the range of forecasts of other labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from agreement.coefficients import CONFIDENCE
from agreement.coefficients import half_width as half_width_of
from agreement.forecasts.more_labels import MOST, SEED, choices, issues_for, powers
from agreement.patterns import MISSING, Floats, Ints, Patterns

REPLICATES = 400


@dataclass(frozen=True)
class Range:
    """The middle 95 % of the forecasts; `high` is None if no number is enough in too many of them, and `low`
    too if in nearly all.
    """

    low: int | None
    high: int | None


def spread_terms(patterns: Patterns) -> tuple[Floats, Floats] | None:
    """[P] the squared terms (k_i - kappa)^2 of Fleiss' kappa per row, and whether the row has a label.

    N SE^2 is their sum over the issues, over N - 1. None if kappa is undefined.
    """
    codes, counts, q = patterns.codes, patterns.counts.astype(np.float64), patterns.categories
    indicators = np.vstack([np.eye(q), np.zeros(q)])
    chosen = sum((indicators[column] for column in codes.T), start=np.zeros((len(codes), q)))
    sizes = chosen.sum(axis=1)
    labelled, several = sizes > 0, sizes >= 2
    issues, compared = counts[labelled].sum(), counts[several].sum()
    shares = chosen / np.maximum(sizes, 1)[:, None]
    mean = counts @ shares / max(issues, 1)
    expected = float(np.square(mean).sum())
    if compared < 2 or expected > 1 - 1e-12:
        return None
    same = (chosen * (chosen - 1)).sum(axis=1) / np.maximum(sizes * (sizes - 1), 1)
    observed = counts @ (same * several) / compared
    kappa = (observed - expected) / (1 - expected)
    of_row = issues / compared * (same - expected) * several - 2 * (1 - kappa) * (shares @ mean - expected)
    return np.where(labelled, np.square(of_row / (1 - expected) - kappa), 0.0), labelled.astype(np.float64)


def issues_range(patterns: Patterns, half_width: float, population: int | None = None) -> Range | None:
    """The range of `issues_for` when the issues are drawn again with replacement, by a stored seed.

    The squared terms of an issue stay as they are: their change is of second order. None if kappa is
    undefined.
    """
    patterns = patterns.merged()
    found, issues = spread_terms(patterns), int(patterns.counts.sum())
    if found is None or issues < 2:
        return None
    terms, _labelled = found
    spreads = _draws(patterns.counts) @ terms / (issues - 1)
    errors = np.sqrt(np.quantile(spreads, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]) / issues)
    low, high = (issues_for(half_width, float(se), issues, population) for se in errors)
    return Range(low, high)


def volunteers_range(patterns: Patterns, half_width: float) -> Range | None:
    """The range of `volunteers_for` when the issues are drawn again, and other volunteers had labelled.

    Each forecast adds to that of drawn issues how far one without one column, of all columns in turn, is from
    the mean of these, times sqrt(R - 1): so it varies as the jackknife says that the forecasts of other
    columns would. Below five columns only the issues are drawn. None below three columns, or if kappa is
    undefined, with all columns or, from five on, without one of them. Source: Efron and Tibshirani (1993), An
    Introduction to the Bootstrap, chapter 11 (jackknife).
    """
    patterns = patterns.merged()
    columns = np.flatnonzero((patterns.codes != MISSING).any(axis=0)).tolist()
    if len(columns) < 3:
        return None
    # The labels themselves are the first replicate.
    draws = np.vstack([patterns.counts.astype(np.float64), _draws(patterns.counts)])
    sizes, drawn, without = [], [], []
    for size in range(2, len(columns) + 1):
        chosen, terms = [], []
        for one in choices(len(columns), size):
            codes = patterns.codes[:, [columns[place] for place in one]]
            found = spread_terms(Patterns(codes, patterns.counts, patterns.categories))
            if found is not None:
                chosen.append(one)
                terms.append(found)
        if terms:
            squares, has_label = (draws @ np.column_stack(part) for part in zip(*terms, strict=True))
            spreads = squares / np.maximum(has_label - 1, 1)
            sizes.append(float(size))
            drawn.append(spreads[1:].mean(axis=1))
            left = [[place not in one for one in chosen] for place in range(len(columns))]
            without.append([spreads[0, at].mean() if any(at) else np.nan for at in left])
    if len(sizes) < 2:
        return None
    numbers = np.arange(2, MOST + 1)
    forecast, limit = _forecast(np.array(sizes), np.array(drawn), numbers)
    if len(columns) >= 5:
        if np.isnan(without).all(axis=0).any():
            return None
        each = [_forecast(*_known(sizes, part), numbers) for part in np.array(without).T]
        forecast += _jackknifed([of_all for of_all, _limit in each])
        limit += _jackknifed([of_limit for _all, of_limit in each])
    forecast = np.maximum(forecast, np.maximum(limit, 0.0))
    issues = int(patterns.counts.sum())
    enough = np.sqrt(forecast / issues) * half_width_of(1.0, issues) <= half_width
    needed = sorted(int(numbers[at.argmax()]) if at.any() else inf for at in enough.T)
    tail = int((1 - CONFIDENCE) / 2 * len(needed))
    low, high = (None if one == inf else int(one) for one in (needed[tail], needed[-1 - tail]))
    return Range(low, high)


def _jackknifed(without: Sequence[Floats]) -> Floats:
    """[n, REPLICATES] how far the forecasts without each column [n, 1] are from their mean, scaled."""
    table = np.hstack(without)
    apart: Floats = np.sqrt(len(without) - 1) * (table - table.mean(axis=1, keepdims=True))
    return np.take(apart, np.arange(REPLICATES) % len(without), axis=1)


def _known(sizes: Sequence[float], spreads: Floats) -> tuple[Floats, Floats]:
    known = ~np.isnan(spreads)
    return np.array(sizes)[known], spreads[known][:, None]


def _forecast(sizes: Floats, spreads: Floats, numbers: Ints) -> tuple[Floats, Floats]:
    """[numbers, B] N SE^2 with so many columns, and [1, B] its limit, from `spreads` [sizes, B]."""
    terms = min(len(sizes), 3)
    factors, *_rest = np.linalg.lstsq(powers(sizes)[:, :terms], spreads, rcond=None)
    forecast: Floats = powers(numbers.astype(np.float64))[:, :terms] @ factors
    limit: Floats = factors[:1].astype(np.float64)
    return forecast, limit


def _draws(counts: Ints) -> Floats:
    """[REPLICATES, P] issues of each row."""
    random = np.random.default_rng([SEED, REPLICATES])
    issues = int(counts.sum())
    return random.multinomial(issues, counts / issues, size=REPLICATES).astype(np.float64)
