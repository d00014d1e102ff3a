"""Everything of one group of issues, over REST and by the command."""

import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from agreement import Patterns, bootstrap, report
from reports.agreement_report import agreement_report
from reports.formats.group_json import group_as_dict
from rounds.queries.blindness import Reader, withheld_issues
from studies.models import Role
from taxonomy.models import Level
from tests.factories import make_member
from tests.kept import kept
from tests.worlds.pages import client, label_all
from tests.worlds.uneven import uneven_twice

pytestmark = pytest.mark.django_db


@kept
def round_():
    return uneven_twice()


@pytest.fixture
def reader(round_):
    return client(make_member(round_.study, Role.LEAD, pseudonym="Lead"))


def by_rest(reader, round_, query):
    answer = reader.get(f"/api/v1/rounds/{round_.pk}/agreement/group/?{query}")
    return answer.json() | {"status": answer.status_code}


def test_a_type_has_the_splits_pairs_and_confusion_of_its_issues(round_, reader):
    found = by_rest(reader, round_, "type=C&level=theme")

    # Decided as C: C.1 C.1 C.2 -, C.1 C.1 A.1 C.1, C.2 C.2 - C.2, C.2 C.1 - ?, C.1 C.1 - C.1 (three times:
    # as sub-themes), of which one has no decision.
    assert found["group"] == {"type": "C"}
    assert found["issues"] == 6
    assert [(one["sizes"], one["issues"]) for one in found["splits"]] == [
        ([3], 3), ([3, 1], 1), ([2, 1], 1), ([1, 1], 1),
    ]  # fmt: skip
    assert found["confusion"] == [
        {"first": "C.1", "second": "C.2", "issues": 2},
        {"first": "A.1", "second": "C.1", "issues": 1},
    ]
    assert found["against_decision"] == [
        {"label": "A.1", "decision": "C.1", "labels": 1},
        {"label": "C.2", "decision": "C.1", "labels": 1},
    ]
    first = found["pairs"][0]
    assert (first["first"], first["second"], first["issues"]) == ("R 3, late", "R1", 6)
    assert first["percent_agreement"] == 5 / 6
    assert [one["labels"] for one in found["volunteers"]] == [6, 6, 2, 4]


def test_its_coefficients_are_those_of_the_report(round_, reader):
    whole = reader.get(f"/api/v1/rounds/{round_.pk}/agreement/?by=type,repository&level=theme").json()
    for group in whole["groups"][1:]:
        key = group["group"]
        found = by_rest(reader, round_, f"level=theme&type={key['type']}&repository={key['repository']}")
        assert {name: found[name] for name in group} == group


def test_all_issues_without_a_name_as_the_report_says_them(round_, reader):
    whole = reader.get(f"/api/v1/rounds/{round_.pk}/agreement/").json()
    found = by_rest(reader, round_, "")
    for name in ("splits", "pairs", "confusion", "against_decision", "volunteers"):
        assert found[name] == whole[name]
    assert found["group"] == {}
    assert not {"bootstrap", "signs"} & set(found)


def test_the_bootstrap_is_that_of_the_issues_of_the_group(round_, reader):
    found = by_rest(reader, round_, "month=2026-02&level=theme&with=bootstrap")

    numbers = agreement_report(round_, level=Level.THEME).numbers
    at = np.flatnonzero(numbers.labels.months == np.datetime64("2026-02"))
    part = Patterns(numbers.labels.codes[at], numbers.labels.counts[at], len(numbers.places))
    part = part.relabel(numbers.places, numbers.patterns.categories).patterns
    expected = bootstrap(part, seed=round_.seed % 2**64)
    # Fewer than ten issues have no interval.
    assert found["bootstrap"]["intervals"] == {
        name: one and {"low": one.low, "high": one.high, "replicates": one.replicates}
        for name, one in expected.intervals.items()
    }
    assert found["bootstrap"]["replicates"] == 1000
    assert found["issues"] == report(part, [""] * part.categories).issues


@pytest.mark.world(issues=40)
def test_signs_are_searched_in_the_group_alone(world):
    round_ = world.round()
    # R1 and R2 differ in turn, R3 never does; the last ten are unanimous, and alone have a decision.
    label_all(world, round_, *["C.1 C.2 C.1", "C.2 C.1 C.1"] * 15, *["A.1 A.1 A.1"] * 10)
    reader = client(world.lead)

    every = by_rest(reader, round_, "with=signs")["signs"]
    decided = by_rest(reader, round_, "with=signs&type=A")

    assert [(one["sign"], one["volunteers"]) for one in every] == [("never_alone", ["R3"])]
    assert (decided["issues"], decided["signs"]) == (10, [])
    assert by_rest(reader, round_, "with=signs&repository=owner/repository-1")["signs"] == every
    whole = reader.get(f"/api/v1/rounds/{round_.pk}/agreement/").json()
    assert whole["independence"]["signs"] == every


def test_the_command_prints_what_rest_says(round_, reader):
    out = StringIO()
    key = {"type": "C", "month": "2026-01"}
    groups = [f"{name}={value}" for name, value in key.items()]
    call_command("agreement", study=round_.study.slug, group=groups, level="theme", stdout=out)
    printed = json.loads(out.getvalue())
    found = by_rest(
        reader, round_, "type=C&month=2026-01&level=theme&with=signs&with=bootstrap&with=probable"
    )
    assert {**found, "as_of": "", "status": 200} == {**printed, "as_of": "", "status": 200}


def test_refusals(round_, reader):
    assert by_rest(reader, round_, "type=Z")["status"] == 404
    assert by_rest(reader, round_, "type=Z")["code"] == "NoSuchGroup"
    assert by_rest(reader, round_, "type=C&month=2026-03&repository=none")["status"] == 404
    assert by_rest(reader, round_, "with=everything")["status"] == 400
    for given in ("type", "round=Main", "type=Z"):
        with pytest.raises(CommandError):
            call_command("agreement", study=round_.study.slug, group=[given], stdout=StringIO())


@pytest.mark.world(issues=3)
def test_withheld_issues_are_in_no_number(world):
    round_ = world.round()
    label_all(world, round_, "C.1 C.1 C.1", "C.1 C.2 C.1", "C.1 C.1 C.2")
    first = world.members[0]
    world.waits_for(first, world.issues[1])
    blind = withheld_issues(round_, first)
    found = agreement_report(round_, by=[["repository"]], blind=blind, reader=Reader(first))
    answer = group_as_dict(found, {"repository": "owner/repository-1"}, ["signs"])
    assert (answer["issues"], answer["withheld"]) == (2, 1)
    assert [one["issues"] for one in answer["splits"]] == [1, 1]
