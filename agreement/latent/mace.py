"""The model MACE: a rater either knows the category, or chooses without looking."""

import numpy as np

from agreement.latent.posterior import TOLERANCE, Labels, Posterior
from agreement.patterns import Floats, Patterns

SMOOTHING = 0.01


def mace(patterns: Patterns, *, most: int | None = None, tolerance: float = TOLERANCE) -> Posterior:
    """Fit MACE by expectation and maximisation, from raters who know the category half of the time.

    All categories are equally probable. With the probability `skill` a rater chooses the right one, else by a
    habit: with the rater's own shares of the categories, whatever the issue is. Each expected count is raised
    by SMOOTHING / K. The start is no random one, so the same labels always give the same numbers. Columns are
    raters; rows can repeat. Cost: O(rows * K) for each of `most` iterations, by default `Labels.most`.
    Source: Hovy, Berg-Kirkpatrick, Vaswani and Hovy (2013), NAACL-HLT, 1120-1130.
    """
    labels = Labels.of(patterns)
    most = labels.most if most is None else most
    k, raters = len(labels.categories), labels.raters
    smoothing = SMOOTHING / max(k, 1)
    knows, habit = np.full(raters, 0.5), np.full((raters, k), 1 / max(k, 1))
    weights = labels.weights[labels.row]
    given = np.bincount(labels.rater, weights=weights, minlength=raters)
    probabilities = np.zeros((len(labels.weights), k))
    likelihood, iterations, is_converged = -np.inf, 0, not k
    while not is_converged and iterations < most:
        by_habit = (1 - knows[labels.rater]) * habit[labels.rater, labels.place]
        either = by_habit + knows[labels.rater]
        probabilities, new = labels.softmax(_logs(labels, by_habit, either))
        right = probabilities[labels.row, labels.place] * knows[labels.rater] / either
        known = np.bincount(labels.rater, weights=weights * right, minlength=raters)
        cell = labels.rater * k + labels.place
        habits = np.bincount(cell, weights=weights * (1 - right), minlength=raters * k).reshape(raters, k)
        knows = (known + smoothing) / (given + 2 * smoothing)
        habit = (habits + smoothing) / (habits.sum(axis=1, keepdims=True) + k * smoothing)
        iterations += 1
        is_converged = abs(new - likelihood) < tolerance * labels.total
        likelihood = new
    skill = np.where(given > 0, knows, np.nan)
    return Posterior(
        labels.categories, probabilities, skill, None, likelihood if k else 0.0, iterations, is_converged
    )


def _logs(labels: Labels, by_habit: Floats, either: Floats) -> Floats:
    """[P, K] log of the probability of the labels of a row where category k is right, and of k itself."""
    p, k = len(labels.weights), len(labels.categories)
    otherwise = np.bincount(labels.row, weights=np.log(by_habit), minlength=p) - np.log(k)
    found = np.zeros((p, k))
    np.add.at(found, (labels.row, labels.place), np.log(either) - np.log(by_habit))
    found += otherwise[:, np.newaxis]
    return found
