"""What is on request in a report is in its package, and the script of the package computes it again."""

import csv
import json

import pytest
from django.urls import reverse

from consensus.queries.probable import probable_of
from replication.package import write_package
from reports.agreement_report import agreement_report
from reports.formats.on_request import PARTS
from reports.sections.registry import TABLES
from rounds.queries.blindness import Reader
from tests.kept import kept
from tests.worlds.pages import client, label_all
from tests.worlds.recomputed import run, summary

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=8, members=4)]

LABELS = (
    "C.1 C.1 C.1 C.1", "C.1 C.1 C.1 C.2", "C.2 C.2 C.2 C.2", "C.2 C.2 C.1 C.2", "A.1 A.1 A.1 A.1",
    "A.1 A.1 C.1 A.1", "C.1 C.1 C.2 C.2", "A.1 - - -",
)  # fmt: skip


@kept
def labelled(world):
    round_ = world.round()
    label_all(world, round_, *LABELS)
    return round_


def read(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_each_issue_has_a_row_and_each_model_a_column(world, labelled, tmp_path):
    write_package(labelled, tmp_path, reader=Reader(None))
    found = probable_of(labelled, [issue.pk for issue in world.issues])

    rows = read(tmp_path / "probable.csv")

    assert list(rows[0]) == [
        "Issue_URL", "dawid_skene", "dawid_skene_probability", "mace", "mace_probability",
    ]  # fmt: skip
    # The last issue is not complete.
    assert [row["Issue_URL"] for row in rows] == [issue.url for issue in world.issues[:7]]
    assert [row["mace"] for row in rows[:6]] == ["C.1", "C.1", "C.2", "C.2", "A.1", "A.1"]
    for row, issue in zip(rows, world.issues, strict=False):
        for model, one in found[issue.pk].items():
            assert (row[model], float(row[f"{model}_probability"])) == (one.state.code, one.probability)
    confusions = read(tmp_path / "probable_confusion.csv")
    assert {(row["Volunteer"], row["Probable"], row["Label"]) for row in confusions} == {
        tuple(row[:3]) for row in TABLES["volunteer-confusion"](agreement_report(labelled)).rows
    }


def test_the_script_computes_all_of_it_again(labelled, tmp_path):
    write_package(labelled, tmp_path, reader=Reader(None))
    stored = json.loads((tmp_path / "agreement.json").read_text())
    assert set(PARTS) <= set(stored)
    assert stored["probable"]["mace"]["volunteers"][0]["skill"] > 0.5
    assert {"first": "R1", "second": "R3", "first_label": "A.1", "second_label": "C.1", "issues": 1} in (
        stored["pair_categories"]
    )
    assert [one["volunteer"] for one in stored["dissents_trend"]] == ["R1", "R2", "R3", "R4", "all"]
    assert summary(tmp_path)[1] == 0
    said = run(tmp_path).stdout
    for path in (
        "probable dawid_skene log_likelihood", "probable mace volunteers [R4] skill",
        "pair_categories [R1, R3, A.1, C.1] issues", "dissents_trend [all] z",
    ):  # fmt: skip
        assert path in said


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("probable.csv", ",A.1,", ",C.2,"),
        ("probable_confusion.csv", "C.1,C.2,", "C.1,A.1,"),
        ("agreement.json", '"converged": true', '"converged": false'),
    ],
)
def test_a_change_is_named(labelled, tmp_path, name, before, after):
    write_package(labelled, tmp_path, reader=Reader(None))
    path = tmp_path / name
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))
    done = run(tmp_path)
    assert done.returncode == 1
    named = done.stdout.splitlines()[-1]
    assert named.startswith("Files that were changed")
    assert name in named


def test_rest_and_command_have_them_on_request(world, labelled):
    address = reverse("api_agreement", args=[labelled.pk])
    reader = client(world.lead)
    plain = reader.get(address).json()
    assert not set(PARTS) & set(plain)
    more = reader.get(address, {"with": list(PARTS)}).json()
    report = agreement_report(labelled)
    assert {name: more[name] for name in PARTS} == json.loads(
        json.dumps({name: part(report) for name, part in PARTS.items()})
    )
    assert reader.get(address, {"with": "all"}).status_code == 400
