"""The published labels of the reference study, in place: 25,790 rows of seven labels of six repositories."""

import csv

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats import inter_rater

from agreement import Patterns, Reason, bootstrap, confusion, report

REPOSITORIES = ("ColossalAI", "Megatron-LM", "MindSpeed", "mindspore", "pytorch", "vllm")
TYPES = ("A", "B", "C")
# The five questions of mindspore are all A.3, seven times over: 0/0, which statsmodels answers with NaN.
UNDEFINED = {("mindspore", "A"): Reason.ONE_CATEGORY}


@pytest.fixture(scope="module")
def themes(published):
    with (published / "taxonomy.csv").open(encoding="utf-8") as file:
        return [row["code"] for row in csv.DictReader(file) if row["level"] == "theme"]


@pytest.fixture(scope="module")
def rows(published, themes):
    """By repository: the seven labels as indexes, and the type of the final label, a row per issue."""
    index = {code: number for number, code in enumerate(themes)}
    found = {}
    for name in REPOSITORIES:
        with (published / name / f"{name}.csv").open(encoding="utf-8") as file:
            lines = list(csv.reader(file))[1:]
        labels = np.array([[index[code] for code in line[1:8]] for line in lines])
        found[name] = (labels, np.array([line[8][0] for line in lines]))
    return found


def table(labels, categories=18):
    return (labels[:, :, np.newaxis] == np.arange(categories)).sum(axis=1)


def of(labels, categories=18):
    return Patterns(labels, np.ones(len(labels), dtype=int), categories).merged()


@pytest.mark.parametrize(
    ("repository", "printed"),
    [("ColossalAI", 0.7127), ("Megatron-LM", 0.8262), ("MindSpeed", 0.5673), ("vllm", 0.7897)],
)
def test_kappas_as_published(rows, themes, repository, printed):
    found = report(of(rows[repository][0]), themes)
    assert round(found.coefficients["fleiss_kappa"].value, 4) == printed


@pytest.mark.parametrize("repository", REPOSITORIES)
@pytest.mark.parametrize("final", [None, *TYPES])
def test_fleiss_equals_statsmodels_per_repository_and_type(rows, themes, repository, final):
    labels, types = rows[repository]
    group = labels if final is None else labels[types == final]
    found = report(of(group), themes).coefficients["fleiss_kappa"]
    if (repository, final) in UNDEFINED:
        assert (found.value, found.reason) == (None, UNDEFINED[repository, final])
    else:
        expected = inter_rater.fleiss_kappa(table(group))
        assert found.value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("repository", REPOSITORIES)
def test_alpha_and_pairs_equal_other_libraries(rows, themes, repository):
    labels, _ = rows[repository]
    found = report(of(labels), themes)
    alpha = krippendorff.alpha(value_counts=table(labels), level_of_measurement="nominal")
    assert found.coefficients["krippendorff_alpha"].value == pytest.approx(alpha, abs=1e-12)
    assert [(pair.first, pair.second) for pair in found.pairs[:2]] == [(0, 1), (0, 2)]
    assert len(found.pairs) == 21
    for pair in found.pairs[::5]:
        expected = cohen_kappa_score(labels[:, pair.first], labels[:, pair.second])
        assert pair.kappa == pytest.approx(expected, abs=1e-12)
        assert pair.issues == len(labels)


def test_everything_together(rows, themes):
    labels = np.concatenate([rows[name][0] for name in REPOSITORIES])
    patterns = of(labels)
    found = report(patterns, themes)

    assert (found.issues, found.compared, found.raters, found.labels) == (25_790, 25_790, 7, 180_530)
    assert found.equal_labels
    assert len(patterns.counts) < 5_000
    assert found.coefficients["fleiss_kappa"].value == pytest.approx(
        inter_rater.fleiss_kappa(table(labels)), abs=1e-12
    )
    assert sum(each.labels for each in found.categories) == found.labels
    met = table(labels) > 0
    assert confusion(patterns).tolist() == (met.astype(int).T @ met.astype(int)).tolist()


def test_themes_roll_up_to_types(rows, themes):
    labels = np.concatenate([rows[name][0] for name in REPOSITORIES])
    to_type = np.array([TYPES.index(code[0]) for code in themes])
    rolled = of(labels).relabel(to_type, 3)

    assert rolled.left_out == 0
    assert rolled.patterns.labels == 180_530
    found = report(rolled.patterns, TYPES)
    expected = inter_rater.fleiss_kappa(table(to_type[labels], 3))
    assert found.coefficients["fleiss_kappa"].value == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
def test_bootstrap_agrees_with_the_linearised_interval(rows, themes):
    patterns = of(rows["vllm"][0])
    drawn = bootstrap(patterns, seed=20250530, replicates=1000).intervals
    for name, found in report(patterns, themes).coefficients.items():
        assert drawn[name].low < found.value < drawn[name].high
        if found.se:
            width = (drawn[name].high - drawn[name].low) / (found.high - found.low)
            assert 0.9 < width < 1.1, name
