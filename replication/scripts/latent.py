"""Two models of erring raters, Dawid–Skene and MACE: how probable each category is for an issue.

Both are fitted by expectation and maximisation over the distinct labels of issues. The start is fixed: shares
of the votes, and raters who know half of the categories. As many iterations are made as the report had, where
it stopped before the likelihood stood still.
"""

from typing import Any

import numpy as np
from faults import fault
from package import Package, read

LEAST = 1e-10
"""Expected counts of a confusion and shares of categories are at least this."""
SMOOTHING, GAIN, SAME, SHOWN = 0.01, 1e-6, 1e-9, 0.5
NEAR = 1e-6
"""How far a probability may be from ours. An iteration that gains less for each label is the last."""
FILE = "probable.csv"


class Labels:
    """The distinct rows of labels `table` [P, R] as places among the used categories, -1 for none, with the
    number of issues of each.
    """

    def __init__(self, table: np.ndarray) -> None:
        rows, self.row_of, counts = np.unique(table, axis=0, return_inverse=True, return_counts=True)
        self.row_of = self.row_of.ravel()
        self.categories = [place for place in np.unique(rows).tolist() if place >= 0]
        self.k, self.raters = len(self.categories), rows.shape[1]
        of = np.full(int(rows.max(initial=-1)) + 2, -1)
        of[self.categories] = np.arange(self.k)
        self.rows, self.counts = of[rows], counts.astype(float)
        self.has_label = (self.rows >= 0).any(axis=1)
        self.total = float((self.rows >= 0).sum(axis=1) @ self.counts)

    def chosen(self, rater: int) -> np.ndarray:
        """[P, K] whether the rater chose a category."""
        found: np.ndarray = np.equal(self.rows[:, [rater]], np.arange(self.k))
        return found

    def softmax(self, logs: np.ndarray) -> tuple[np.ndarray, float]:
        high = logs.max(axis=1, keepdims=True)
        found = np.exp(logs - high)
        sums = found.sum(axis=1, keepdims=True)
        evidence = (np.log(sums) + high).ravel()
        likelihood = float(self.counts[self.has_label] @ evidence[self.has_label])
        return np.where(self.has_label[:, None], found / sums, 0.0), likelihood


def dawid_skene(labels: Labels, most: int) -> dict[str, Any]:
    chosen = [labels.chosen(rater) for rater in range(labels.raters)]
    used = [_used(table) for table in chosen]
    votes: np.ndarray = np.sum([table.astype(float) for table in chosen], axis=0)
    probabilities = votes / np.maximum(votes.sum(axis=1, keepdims=True), 1.0)
    shares, errors = _maximised(labels, chosen, probabilities)
    likelihood, iterations, is_converged = -np.inf, 0, False
    while not is_converged and iterations < most:
        logs = np.tile(np.log(np.maximum(shares, LEAST)), (len(labels.rows), 1))
        for table, of_labels, error in zip(chosen, used, errors, strict=True):
            logs += table @ np.log(np.where(of_labels[:, None], error, 1.0))
        probabilities, new = labels.softmax(logs)
        shares, errors = _maximised(labels, chosen, probabilities)
        iterations += 1
        is_converged = bool(new - likelihood < GAIN * labels.total)
        likelihood = new
    return {
        "probabilities": probabilities,
        "skill": [
            float(shares @ np.diag(error)) if one.any() else None
            for one, error in zip(used, errors, strict=True)
        ],
        "errors": errors,
        "fit": _fit(likelihood, iterations, is_converged=is_converged),
    }


def _used(table: np.ndarray) -> np.ndarray:
    """[K] whether the rater ever chose the category."""
    return np.asarray(table.any(axis=0))


def _maximised(
    labels: Labels, chosen: list[np.ndarray], probabilities: np.ndarray
) -> tuple[np.ndarray, list[np.ndarray]]:
    """The shares of the categories, and of each rater the chance of a label (row) by the right category."""
    weighted = probabilities * labels.counts[:, None]
    shares = weighted.sum(axis=0) / max(float(labels.counts[labels.has_label].sum()), 1.0)
    errors = []
    for table in chosen:
        counts = np.where(_used(table)[:, None], np.maximum(table.T.astype(float) @ weighted, LEAST), 0.0)
        sums = counts.sum(axis=0, keepdims=True)
        errors.append(counts / np.where(sums > 0, sums, 1.0))
    return shares, errors


def mace(labels: Labels, most: int) -> dict[str, Any]:
    k = labels.k
    row, rater = np.nonzero(labels.rows >= 0)
    place = labels.rows[row, rater]
    weights = labels.counts[row]
    given = np.bincount(rater, weights=weights, minlength=labels.raters)
    knows, habit = np.full(labels.raters, 0.5), np.full((labels.raters, k), 1 / k)
    likelihood, iterations, is_converged = -np.inf, 0, False
    probabilities = np.zeros((len(labels.rows), k))
    while not is_converged and iterations < most:
        by_habit = (1 - knows[rater]) * habit[rater, place]
        either = by_habit + knows[rater]
        logs = np.zeros((len(labels.rows), k))
        np.add.at(logs, (row, place), np.log(either) - np.log(by_habit))
        otherwise = np.bincount(row, weights=np.log(by_habit), minlength=len(logs)) - np.log(k)
        probabilities, new = labels.softmax(logs + otherwise[:, None])
        known = weights * probabilities[row, place] * knows[rater] / either
        knows = (np.bincount(rater, weights=known, minlength=labels.raters) + SMOOTHING / k) / (
            given + 2 * SMOOTHING / k
        )
        habits = np.zeros((labels.raters, k))
        np.add.at(habits, (rater, place), weights - known)
        habit = (habits + SMOOTHING / k) / (habits.sum(axis=1, keepdims=True) + SMOOTHING)
        iterations += 1
        is_converged = bool(abs(new - likelihood) < GAIN * labels.total)
        likelihood = new
    return {
        "probabilities": probabilities,
        "skill": [float(one) if number else None for one, number in zip(knows, given, strict=True)],
        "fit": _fit(likelihood, iterations, is_converged=is_converged),
    }


def _fit(likelihood: float, iterations: int, *, is_converged: bool) -> dict[str, Any]:
    return {"converged": is_converged, "iterations": iterations, "log_likelihood": likelihood}


MODELS = {"dawid_skene": dawid_skene, "mace": mace}


def probable(package: Package, stored: dict[str, Any]) -> dict[str, Any]:
    """Both models of the issues that probable.csv names: complete ones without a second look."""
    path = package.folder / FILE
    names = package.manifest["volunteers"]
    file = read(path, ("Issue_URL",)).set_index("Issue_URL")
    if not len(file):
        nothing = {"converged": True, "iterations": 0, "log_likelihood": 0.0, "decided": 0, "apart": 0}
        without = nothing | {"volunteers": [{"volunteer": name, "skill": None} for name in names]}
        return {"dawid_skene": without | {"confusion": []}, "mace": without}
    codes = [code for code in package.codes if code not in package.book.former]
    place = {code: at for at, code in enumerate(codes)}
    now = np.array([place.get(code, -1) for code in package.codes] + [-1])
    volunteers = list(dict.fromkeys([*names, *package.labels.columns]))
    table = package.labels.reindex(index=file.index, columns=volunteers).fillna(-1).astype(int)
    labels = Labels(now[table.to_numpy()])
    decided = now[package.decided.reindex(file.index).fillna(-1).astype(int).to_numpy()]
    told = {}
    for name, fit in MODELS.items():
        found = fit(labels, stored[name]["iterations"])
        of_issue = np.zeros((len(file), len(codes)))
        of_issue[:, labels.categories] = found["probabilities"][labels.row_of]
        of_decision = np.where(decided >= 0, of_issue[np.arange(len(file)), decided], 0.0)
        told[name] = found["fit"] | {
            "decided": int((decided >= 0).sum()),
            "apart": int(((decided >= 0) & (of_issue.max(axis=1) > of_decision + SAME)).sum()),
            "volunteers": [
                {"volunteer": one, "skill": skill}
                for one, skill in zip(volunteers, found["skill"], strict=True)
            ],
        }
        if "errors" in found:
            told[name]["confusion"] = list(_confusions(labels, found, volunteers, codes))
        _compare(file, name, of_issue, place)
    _compare_confusion(package, told["dawid_skene"]["confusion"])
    return told


def _confusions(labels: Labels, found: dict[str, Any], names: list[str], codes: list[str]) -> Any:
    weighted = found["probabilities"] * labels.counts[:, None]
    for rater, errors in enumerate(found["errors"]):
        expected = errors * weighted[labels.rows[:, rater] >= 0].sum(axis=0)
        for label, right in np.argwhere(expected >= SHOWN).tolist():
            if label != right:
                yield {
                    "volunteer": names[rater],
                    "right": codes[labels.categories[right]],
                    "label": codes[labels.categories[label]],
                    "probability": float(errors[label, right]),
                    "issues": float(expected[label, right]),
                }


def _compare(file: Any, model: str, of_issue: np.ndarray, place: dict[str, int]) -> None:
    """Each row of probable.csv has a category that is as probable as any, and its probability."""
    at = np.array([place.get(code, -1) for code in file[model]])
    ours = np.where(at >= 0, of_issue[np.arange(len(file)), at], -1.0)
    theirs = file[f"{model}_probability"].astype(float).to_numpy()
    wrong = (np.abs(ours - theirs) > NEAR) | (ours < of_issue.max(axis=1) - NEAR)
    for row in np.flatnonzero(wrong).tolist()[:10]:
        fault(FILE, f"row {row + 2}: {model} finds another category or probability")


def _compare_confusion(package: Package, confusion: list[dict[str, Any]]) -> None:
    """Each row of probable_confusion.csv is one of these."""
    name = "probable_confusion.csv"
    ours = {(one["volunteer"], one["right"], one["label"]): one for one in confusion}
    table = read(package.folder / name)
    for row, (volunteer, right, label, probability, issues) in enumerate(table.itertuples(index=False), 2):
        one = ours.pop((volunteer, right, label), None)
        given = float(probability), float(issues)
        if one is None or not np.allclose(given, (one["probability"], one["issues"]), NEAR, NEAR):
            fault(name, f"row {row}: another confusion, or another probability")
    if ours:
        fault(name, f"lacks {len(ours)} confusions")
