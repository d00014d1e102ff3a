"""Samples of issues that a volunteer labelled twice, thousands at once, with the drift check's intervals."""

import numpy as np
from scipy.special import ndtri, stdtrit

from agreement import intra_rater
from agreement.coefficients import CONFIDENCE
from agreement.intervals.doubts import ENOUGH, ENOUGH_DIFFERENT, ENOUGH_RARER
from agreement.patterns import Floats
from agreement.raters.self_agreement import FEW
from bench.samples import Found, Population, agrees

NAMES = ("percent_agreement", "cohen_kappa")
QUANTILE = (1 + CONFIDENCE) / 2


def tables(population: Population, samples: int, issues: int, random: np.random.Generator) -> Floats:
    """[S, K, K] issues by first and second label; the `population` has two raters without missing labels."""
    first, second = population.labels((samples, issues), random)
    q = len(population.shares)
    cell = (np.arange(samples)[:, np.newaxis] * q + first) * q + second
    counts = np.bincount(cell.ravel(), minlength=samples * q * q)
    return counts.reshape(samples, q, q).astype(np.float64)


@np.errstate(divide="ignore", invalid="ignore")
def twice(found: Floats) -> dict[str, Found]:
    """The share of equal labels, and Cohen's kappa, of each table."""
    issues = found.sum(axis=(1, 2))
    same = np.trace(found, axis1=1, axis2=2)
    share, z = same / issues, ndtri(QUANTILE)
    middle = (share + z * z / (2 * issues)) / (1 + z * z / issues)
    half = z / (1 + z * z / issues) * np.sqrt(share * (1 - share) / issues + z * z / (4 * issues * issues))
    sure = np.zeros(len(found), dtype=np.bool_)
    value, error = _cohen(found / issues[:, np.newaxis, np.newaxis], issues)
    wide = np.where((error > 1e-6) & (issues >= FEW), stdtrit(issues - 1, QUANTILE) * error, np.nan)
    most = (found.sum(axis=1) + found.sum(axis=2)).argmax(axis=1)
    rarer = issues - found[np.arange(len(found)), most, most]
    doubtful = (issues < ENOUGH) | (np.minimum(same, issues - same) < ENOUGH_DIFFERENT)
    return {
        "percent_agreement": Found(share, middle - half, middle + half, sure),
        "cohen_kappa": Found(value, value - wide, value + wide, doubtful | (rarer < ENOUGH_RARER)),
    }


def _cohen(shares: Floats, issues: Floats) -> tuple[Floats, Floats]:
    """Kappa and its large-sample error (Fleiss, Cohen and Everitt 1969)."""
    first, second = shares.sum(axis=2), shares.sum(axis=1)
    same = np.diagonal(shares, axis1=1, axis2=2)
    expected = (first * second).sum(axis=1)
    kappa = (same.sum(axis=1) - expected) / (1 - expected)
    on = (same * np.square(1 - (first + second) * (1 - kappa)[:, np.newaxis])).sum(axis=1)
    weights = np.square(second[:, :, np.newaxis] + first[:, np.newaxis])
    off = (shares * weights).sum(axis=(1, 2)) - (same * np.square(first + second)).sum(axis=1)
    rest = np.square(kappa - expected * (1 - kappa))
    variance = (on + (1 - kappa) ** 2 * off - rest) / (issues * (1 - expected) ** 2)
    return kappa, np.sqrt(np.maximum(variance, 0))


def check(found: Floats) -> None:
    """RuntimeError where the numbers of these tables are not those of the drift check."""
    many = twice(found)
    for number, table in enumerate(found.astype(int)):
        rows = [(*cell, int(issues)) for cell, issues in np.ndenumerate(table) if issues]
        one = intra_rater({"somebody": rows}, len(table)).pooled
        for name, report in zip(NAMES, (one.percent_agreement, one.cohen_kappa), strict=True):
            if not agrees(report, many[name], number):
                raise RuntimeError(f"sample {number}, {name}: {report} is not {many[name]}")
