"""Rare categories in a large study: other libraries lose digits there, which the script of a package notes."""

import importlib.util
import json
import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from math import inf, nan
from types import ModuleType

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agreement import Patterns, intra_rater, report
from agreement.coefficients import coefficient
from agreement.intervals.bootstrap import FROM_COUNTS
from agreement.intervals.categories import category_kappas
from agreement.tally import Tally
from replication.package import REPLICATION
from tests.long import only_long
from tests.worlds.made_package import write_made_package
from tests.worlds.recomputed import PYTHON, run, summary, wrong_paths


def all_but(times, code, other, count=1, at=0):
    """So many issues with `code` of all seven, but `other` of `count` of them."""
    row = [code] * 7
    row[at : at + count] = [other] * count
    return times, row


RARE = {
    "C.1": [(25_691, ["C.1"] * 7), all_but(11, "C.1", "B.4"), all_but(1, "C.1", "C.2", 3)],
    "B.1": [(12_350, ["B.1"] * 7), all_but(2, "B.1", "B.4", 2), all_but(1, "B.1", "A.2", at=3)],
    "A.1": [(1_900, ["A.1"] * 7), all_but(44, "A.1", "A.2", 2)],
}
"""40,000 issues. Of those decided as C, eleven have one label of B.4: its kappa is 1 - 1 / (1 - 11 / 179,921)."""
KAPPA = float(1 - 1 / (1 - Fraction(11, 7 * 25_703)))
NOTE = "groups [type C] categories [B.4] fleiss_kappa: statsmodels fleiss_kappa"


@pytest.fixture(scope="module")
def libraries() -> ModuleType:
    """other_libraries.py of a package."""
    return _imported("other_libraries")


@pytest.fixture(scope="module")
def script(libraries) -> ModuleType:
    """coefficients.py of a package, which notes what other libraries say in `libraries`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "other_libraries", libraries)
        return _imported("coefficients")


@pytest.fixture(scope="module")
def categories(libraries, script) -> ModuleType:
    """categories.py of a package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "other_libraries", libraries)
        patch.setitem(sys.modules, "coefficients", script)
        return _imported("categories")


def _imported(name):
    spec = importlib.util.spec_from_file_location(name, REPLICATION / f"{name}.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.fixture(scope="module")
def rare(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rare")
    write_made_package(folder, RARE)
    return folder


def notes(output):
    """The lines on what libraries say otherwise, by their first words."""
    return {name: said.split() for name, said in re.findall(r"(?m)^(.*: statsmodels \w+) +(.*)$", output)}


@pytest.mark.slow
@only_long
def test_a_library_that_loses_digits_to_rare_categories_is_noted_and_no_difference(rare):
    numbers, wrong, skipped = summary(rare)
    output = run(rare).stdout

    assert (wrong, skipped, numbers > 200) == (0, 0, True)
    theirs, ours, apart, explained = map(float, notes(output)[NOTE])
    assert ours == KAPPA
    assert 1e-12 < apart <= explained < 1e-9
    assert apart == pytest.approx(abs(theirs - ours), rel=0.1)
    assert "DIFFERS" not in output
    assert "which its own rounding explains" in output


@pytest.mark.slow
@only_long
def test_the_script_goes_on_after_a_difference_and_after_a_note(rare, tmp_path):
    stored = json.loads((rare / "agreement.json").read_text())
    for group in stored["groups"]:
        group["coefficients"]["fleiss_kappa"]["value"] += 1e-9
    other = tmp_path / "other.json"
    other.write_text(json.dumps(stored))
    done = run(rare, str(other))

    assert done.returncode == 1
    assert [line[:70].strip() for line in done.stdout.splitlines() if line.endswith("DIFFERS")] == [
        f"groups [{group}] coefficients fleiss_kappa value" for group in ("all", "type A", "type B", "type C")
    ]
    assert NOTE in notes(done.stdout)


ERRING = """
import runpy, sys
from statsmodels.stats import inter_rater
right = inter_rater.fleiss_kappa
inter_rater.fleiss_kappa = lambda table, method: right(table, method=method) + 1e-7
sys.path[0] = sys.argv.pop()
runpy.run_path(sys.path[0] + "/recompute.py", run_name="__main__")
"""


@pytest.mark.slow
@only_long
def test_a_library_that_is_further_away_than_rounding_explains_counts_as_a_difference(tmp_path):
    small = {"C.1": [(5, ["C.1"] * 3), (2, ["C.1", "C.2", "C.1"])], "A.1": [(3, ["A.1", "A.1", "C.2"])]}
    write_made_package(tmp_path, small)
    assert summary(tmp_path)[1] == 0
    done = subprocess.run(
        [*PYTHON, "-c", ERRING, str(tmp_path)], capture_output=True, text=True, check=False, timeout=300
    )

    assert (done.returncode, done.stderr) == (1, "")
    assert " 0 differ.\n" in done.stdout
    found = notes(done.stdout)
    assert {line[-1] for line in found.values()} == {"DIFFERS"}
    assert "groups [all] coefficients brennan_prediger: statsmodels fleiss_kappa" in found
    assert "groups [type C] categories [C.2] fleiss_kappa: statsmodels fleiss_kappa" in found
    assert f"statsmodels fleiss_kappa differs {len(found)} times" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("odd", [nan, inf, "0.5", True, [], {}])
def test_what_is_no_number_in_the_place_of_one_is_seen(tmp_path, odd):
    write_made_package(tmp_path, {"C.1": [(5, ["C.1"] * 3), (2, ["C.1", "C.2", "C.1"])]})
    path = tmp_path / "agreement.json"
    stored = json.loads(path.read_text())
    stored["groups"][0]["coefficients"]["gwet_ac1"]["low"] = odd
    path.write_text(json.dumps(stored))

    assert wrong_paths(tmp_path) == {"groups [all] coefficients gwet_ac1 low"}


@pytest.mark.parametrize("theirs", [nan, inf, -inf, 1 / 3 + 1.1e-9, 1 / 3 - 1.1e-9])
def test_what_rounding_does_not_explain_is_a_difference(libraries, theirs):
    libraries.misses.clear()
    libraries.confirm("a library", Fraction(1, 3), theirs, rounding=1e-9)
    assert [(miss.by, miss.is_explained) for miss in libraries.misses] == [("a library", False)]


def test_what_rounding_explains_is_none_and_is_said_where_it_is(libraries):
    libraries.misses.clear()
    with libraries.within("groups"), libraries.within("[all]"):
        libraries.confirm("a library", Fraction(1, 3), 1 / 3 + 0.9e-9, rounding=1e-9)
    libraries.confirm("a library", Fraction(1, 3), 1 / 3 + 0.9e-12, rounding=1e-9)
    assert [(miss.of, miss.is_explained) for miss in libraries.misses] == [("groups [all]", True)]


LARGE = st.integers(30, 1_000) | st.integers(30_000, 100_000)


@st.composite
def skewed(draw):
    """Issues of seven labels, of which nearly all are of one category: so many with so many of the other."""
    few = st.tuples(st.integers(1, 30), st.integers(1, 7))
    rare = draw(st.lists(few, min_size=1, max_size=4))
    return [(draw(LARGE), 0), *rare]


@given(skewed())
@example([(25_692, 0), (11, 1)])
def test_kappa_of_a_rare_category_is_ours_to_the_last_digit_and_theirs_but_for_rounding(
    categories, libraries, drawn
):
    libraries.misses.clear()
    libraries.confirmed.clear()
    rows = [(times, {0: 7 - other, 1: other}) for times, other in drawn]
    found = _flagged(categories.category_kappa(rows, 1))

    codes = np.array([[1] * other + [0] * (7 - other) for _times, other in drawn], dtype=np.int32)
    ours = report(Patterns(codes, np.array([times for times, _other in drawn]), 2), ("C.1", "C.2"))
    assert found == _with_flag(ours.categories[1], found)
    _all_explained(libraries, {"statsmodels fleiss_kappa": 1})


def _with_flag(ours, found):
    """Our numbers under the names that the script has; it says only whether there is a doubt."""
    said = ours.as_dict()
    return {name: said[name] for name in found} | {"doubt": said["doubt"] and True}


def _flagged(found):
    return found | {"doubt": found["doubt"] or None}


@given(
    st.lists(st.lists(st.integers(-1, 2), min_size=3, max_size=3), min_size=2, max_size=30),
    st.integers(1, 3),
)
@example([[0, 0, 1]] * 3 + [[1, 1, 1]] * 7, 2)
@example([[0, 0, 0]] * 9 + [[1, 1, 1]] * 12, 1)
def test_intervals_of_categories_are_ours_to_the_last_digit(categories, script, labels, times):
    codes = np.array(labels * times, dtype=np.int32)
    codes = codes[(codes >= 0).any(axis=1)]
    tally = Tally.of(Patterns(codes, np.ones(len(codes), dtype=np.int64), 3))
    rows = script.rows_of(codes)
    for ours, (_code, found) in zip(
        category_kappas(tally, "012"), categories.category_kappas(rows, list("012")), strict=True
    ):
        assert _flagged(found) == _with_flag(ours, found), ours.code


@given(st.lists(st.lists(st.integers(-1, 2), min_size=3, max_size=3), min_size=2, max_size=60))
@example([[0, 0, 0], [0, 1, 2]])
@example([[0, 0, 0], [0, 1, 2], [0, 0, 1]] * 20)
@example([[0, 0, 0]] * 60 + [[0, 1, 2]] * 15)
@example([[0, 0, 0]] * 40 + [[0, 0, 1]] * 25)
@example([[0, 0, 1], [1, 1, 2]] * 25 + [[0, -1, -1]] * 6)
@example([[0, 1, -1], [1, 0, -1], [0, -1, -1], [0, -1, -1], [0, -1, -1]])
def test_intervals_of_few_issues_end_where_ours_do(script, labels):
    codes = np.array(labels, dtype=np.int32)
    codes = codes[(codes >= 0).any(axis=1)]
    tally = Tally.of(Patterns(codes, np.ones(len(codes), dtype=np.int64), 3))
    for name in FROM_COUNTS:
        found = _flagged(script.coefficient(name, script.rows_of(codes), 3))
        assert found == _with_flag(coefficient(name, tally), found), name


@st.composite
def squares(draw):
    """Two volunteers who nearly always chose one category, of three."""
    table = np.zeros((3, 3), dtype=np.int64)
    for row, column, issues in draw(
        st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(1, 30)), max_size=5)
    ):
        table[row, column] += issues
    table[0, 0] += draw(LARGE)
    table[draw(st.sampled_from([(0, 1), (1, 0), (1, 2), (1, 1)]))] += 1
    return table


@given(squares())
@example(np.array([[38_733, 1, 0], [1, 0, 0], [0, 0, 1]]))
def test_cohens_kappa_and_its_error_are_theirs_but_for_rounding(script, libraries, table):
    libraries.misses.clear()
    libraries.confirmed.clear()
    found = script.self_agreement(table)

    twice = [(*place, issues) for place, issues in np.ndenumerate(table)]
    ours = intra_rater({"R1": twice}, len(table)).pooled
    for name in ("percent_agreement", "cohen_kappa"):
        assert _flagged(found[name]) == _with_flag(getattr(ours, name), found[name])
    times = {"statsmodels proportion_confint": 2, "statsmodels cohens_kappa": 1}
    _all_explained(libraries, times | {"statsmodels cohens_kappa, error squared": 1})


@given(st.lists(st.lists(st.integers(0, 20_000), min_size=3, max_size=3), min_size=2, max_size=6), st.data())
def test_chi_square_is_theirs_without_any_allowance(script, libraries, months, data):
    libraries.misses.clear()
    libraries.confirmed.clear()
    months[0][0] += 1
    months[1][1] += data.draw(st.integers(1, 3))
    found = script.change(np.array(months))

    assert found["chi2"] is not None
    assert (libraries.misses, libraries.confirmed) == ([], {"scipy chi2_contingency": 1})


def _all_explained(libraries, times):
    """Each number was asked of a library, and rounding, which cannot carry any far, explains what is otherwise."""
    assert libraries.confirmed + Counter(miss.by for miss in libraries.misses) == times
    assert [miss for miss in libraries.misses if not miss.is_explained or miss.rounding > 1e-7] == []
