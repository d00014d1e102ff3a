"""Runs in a sequence, and how probable the runs are in a random order.

The random order keeps strata: elements change places only within their stratum. So neither a file sorted by
category nor a file in which similar issues follow each other gives a sign. A probability is an upper bound:
the expected number of places where such a run begins. It is close to the truth where it is small.
"""

from typing import NamedTuple

import numpy as np

from agreement.patterns import Floats, Ints

IMPOSSIBLE = 1e-300


class Run(NamedTuple):
    """How many elements a run has, and the place of its first; (0, 0) for none."""

    length: int
    first: int


def longest_run(values: Ints) -> Run:
    """The first of the longest runs of equal values. O(n)."""
    if not len(values):
        return Run(0, 0)
    starts = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    lengths = np.diff(np.append(starts, len(values)))
    longest = int(lengths.argmax())
    return Run(int(lengths[longest]), int(starts[longest]))


def chance_of_run(values: Ints, strata: Ints, length: int) -> float:
    """An upper bound for the probability of a run of `length` equal values in a random order within strata.

    Values and strata count from 0. The probability that given places all have v is a product of shares drawn
    without replacement, at most the product of the shares. O(n) for each value that occurs `length` times.
    """
    if length <= 1:
        return 1.0
    sizes = np.bincount(strata)
    total = 0.0
    often = np.bincount(values)
    for value in np.flatnonzero(often >= length)[::-1]:
        shares = np.bincount(strata[values == value], minlength=len(sizes)) / np.maximum(sizes, 1)
        logs = np.log(np.maximum(shares, IMPOSSIBLE))[strata]
        sums = np.append(0.0, np.cumsum(logs))
        total += float(np.exp(sums[length:] - sums[:-length]).sum())
        if total >= 1:
            return 1.0
    return total


def longest_turns(values: Ints, period: int) -> Run:
    """The longest stretch that repeats `period` different values in turn, over more than one period. O(n)."""
    if len(values) <= period:
        return Run(0, 0)
    again = values[period:] == values[:-period]
    for back in range(1, period):
        again &= values[period:] != values[period - back : -back]
    if not again.any():
        return Run(0, 0)
    # Each place that does not repeat gets a value of its own, so that only repeats make a run.
    run = longest_run(np.where(again, -1, np.arange(len(again))))
    first = run.first if again[run.first] else int(again.argmax())
    return Run(run.length + period, first)


def chance_of_turns(values: Ints, strata: Ints, period: int, length: int) -> float:
    """An upper bound for the probability of `length` elements that repeat with a period, in a random order.

    Places one period apart must be equal: a product over the phases of the sum over values of the product
    of their shares. Draws without replacement raise it at most n^w / (n)_w times for w of the n elements of a
    stratum: a factor that is large where most elements take part. So the bounds for a half and a quarter of
    the elements, parts of the whole, are computed too; the least bound counts. O(n V length / period).
    """
    lengths = [part for part in (length, length // 2, length // 4) if part > period]
    return min([1.0, *(_chance_of_turns(values, strata, period, part) for part in lengths)])


def _chance_of_turns(values: Ints, strata: Ints, period: int, length: int) -> float:
    from scipy.special import gammaln  # noqa: PLC0415 - SciPy loads for long

    sizes = np.bincount(strata)
    table = np.zeros((len(sizes), int(values.max()) + 1))
    np.add.at(table, (strata, values), 1)
    shares = (table / np.maximum(sizes, 1)[:, np.newaxis])[strata]
    logs = np.log(np.maximum(shares, IMPOSSIBLE))
    windows = len(values) - length + 1
    total = np.zeros(windows)
    for phase in range(period):
        total += _log_all_equal(logs, phase, windows, period, -(-(length - phase) // period))
    member = np.zeros((len(values) + 1, len(sizes)))
    member[np.arange(1, len(values) + 1), strata] = 1
    inside = np.cumsum(member, axis=0)
    drawn = inside[length:] - inside[:-length]
    total += (drawn * np.log(np.maximum(sizes, 1)) - gammaln(sizes + 1) + gammaln(sizes - drawn + 1)).sum(
        axis=1
    )
    return float(np.exp(np.minimum(total, 0.0)).sum())


def _log_all_equal(logs: Floats, first: int, windows: int, period: int, times: int) -> Floats:
    """[windows] the log of the probability that `times` places, a period apart, have the same value."""
    sums = np.zeros((windows, logs.shape[1]))
    for time in range(times):
        start = first + time * period
        sums += logs[start : start + windows]
    found: Floats = np.logaddexp.reduce(sums, axis=1)
    return found
