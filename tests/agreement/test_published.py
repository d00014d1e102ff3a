"""The published labels of the reference study, in place: 25,790 rows of seven labels of six repositories.

tests/replication/test_reference_study.py computes every number of them again, beside statsmodels.
"""

import csv

import numpy as np
import pytest
from statsmodels.stats import inter_rater

from agreement import Patterns, bootstrap, report

REPOSITORIES = ("ColossalAI", "Megatron-LM", "MindSpeed", "mindspore", "pytorch", "vllm")
TYPES = ("A", "B", "C")


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


def test_themes_roll_up_to_types(rows, themes):
    labels = np.concatenate([rows[name][0] for name in REPOSITORIES])
    to_type = np.array([TYPES.index(code[0]) for code in themes])
    rolled = of(labels).relabel(to_type, 3)

    assert rolled.left_out == 0
    assert rolled.patterns.labels == 180_530
    found = report(rolled.patterns, TYPES)
    expected = inter_rater.fleiss_kappa(table(to_type[labels], 3))
    assert found.coefficients["fleiss_kappa"].value == pytest.approx(expected, abs=1e-12)


def test_which_grouping_gives_the_kappas_by_type(rows, themes):
    """Themes within the issues decided as a type, all issues, types alone: the first of all eleven repositories are
    0.757, 0.755 and 0.717, and the others 0.762 and 0.963.
    """
    labels = np.concatenate([rows[name][0] for name in REPOSITORIES])
    decided = np.concatenate([rows[name][1] for name in REPOSITORIES])
    to_type = np.array([TYPES.index(code[0]) for code in themes])

    def kappa(patterns, codes):
        return round(report(patterns, codes).coefficients["fleiss_kappa"].value, 3)

    within = [kappa(of(labels[decided == type_]), themes) for type_ in TYPES]
    assert (within, kappa(of(labels), themes)) == ([0.873, 0.788, 0.74], 0.786)
    assert kappa(of(labels).relabel(to_type, 3).patterns, TYPES) == 0.969


@pytest.mark.slow
def test_bootstrap_agrees_with_the_linearised_interval(rows, themes):
    patterns = of(rows["vllm"][0])
    drawn = bootstrap(patterns, seed=20250530, replicates=1000).intervals
    for name, found in report(patterns, themes).coefficients.items():
        assert drawn[name].low < found.value < drawn[name].high
        if found.se:
            width = (drawn[name].high - drawn[name].low) / (found.high - found.low)
            assert 0.9 < width < 1.1, name
