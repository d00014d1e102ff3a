"""The model of Dawid and Skene: each rater has a confusion matrix of their own."""

import numpy as np

from agreement.latent.posterior import TOLERANCE, Labels, Posterior
from agreement.patterns import Floats, Patterns

LEAST = 1e-10
"""Counts of a confusion, and shares of categories, are at least this: no label is impossible."""


def dawid_skene(patterns: Patterns, *, most: int | None = None, tolerance: float = TOLERANCE) -> Posterior:
    """Fit the model of Dawid and Skene by expectation and maximisation, from the shares of the votes.

    The category of an issue is drawn with the shares of the categories; given it, each rater chooses by the
    row of their own confusion matrix, independently of all others. Rows of `patterns` can repeat; columns are
    raters. The start is no random one, so the same labels always give the same numbers. EM finds a local
    maximum of the likelihood: with few labels of a category its confusion is a guess.
    Cost: O(labels of distinct rows * K) for each of `most` iterations, by default `Labels.most`.
    Source: Dawid and Skene (1979), Journal of the Royal Statistical Society C 28(1), 20-28; counts of 0 are
    lifted to LEAST as in crowd-kit.
    """
    labels = Labels.of(patterns)
    most = labels.most if most is None else most
    k, raters = len(labels.categories), labels.raters
    used = np.zeros((raters, k), dtype=np.bool_)
    used[labels.rater, labels.place] = True
    probabilities = labels.votes / np.maximum(labels.votes.sum(axis=1, keepdims=True), 1.0)
    shares, errors = _maximised(labels, probabilities, used)
    likelihood, iterations, is_converged = -np.inf, 0, not k
    while not is_converged and iterations < most:
        logs = labels.table @ np.log(np.where(used[:, :, np.newaxis], errors, 1.0)).reshape(raters * k, k)
        probabilities, new = labels.softmax(logs + np.log(np.maximum(shares, LEAST)))
        shares, errors = _maximised(labels, probabilities, used)
        iterations += 1
        is_converged = new - likelihood < tolerance * labels.total
        likelihood = new
    skill = np.where(used.any(axis=1), np.einsum("t,rtt->r", shares, errors) if k else 0.0, np.nan)
    confusion = errors.transpose(0, 2, 1).copy()
    confusion[~used.any(axis=1)] = np.nan
    return Posterior(
        labels.categories, probabilities, skill, confusion, likelihood if k else 0.0, iterations, is_converged
    )


def _maximised(
    labels: Labels, probabilities: Floats, used: "np.typing.NDArray[np.bool_]"
) -> tuple[Floats, Floats]:
    """The shares of the categories [K], and of each rater [R, K, K] the probability of the label (middle)
    where the last category is right; 0 for a label that the rater never gave.
    """
    k, raters = len(labels.categories), labels.raters
    weighted = probabilities * labels.weights[:, np.newaxis]
    shares = weighted.sum(axis=0) / max(float(labels.weights[labels.counted].sum()), 1.0)
    counts = np.asarray(labels.table.T @ weighted).reshape(raters, k, k)
    counts = np.where(used[:, :, np.newaxis], np.maximum(counts, LEAST), 0.0)
    sums = counts.sum(axis=1, keepdims=True)
    return shares, counts / np.where(sums > 0, sums, 1.0)
