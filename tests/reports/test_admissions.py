"""The report and the package name volunteers who labelled without a passed training."""

import csv
import json

import pytest

from annotate.actions.rounds import close_round
from annotate.actions.terms import admit, take_back_admission
from replication.package import write_package
from reports.agreement_report import agreement_report
from reports.formats.document import document
from reports.formats.json_report import report_as_dict
from rounds.models import PastAdmission
from rounds.queries.blindness import Reader
from tests.long import only_long
from tests.worlds.pages import client, text_of
from tests.worlds.recomputed import run
from tests.worlds.trained import again, label_as, main_after, training

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=3, members=3)]

SAID = "1 of 3 volunteers labelled without a passed training (let in by a lead): R3."


def main_round(world, *, let_in):
    """A closed round after a closed training that R3 passed, or did not pass and was let in."""
    trained = training(world, "C.1", "B.1")
    for member in world.members[:2]:
        label_as(world, trained, member, "C.1", "B.1")
    label_as(world, trained, world.members[2], "C.1", "C.9" if let_in else "B.1")
    close_round(round_=trained, by=world.lead)
    round_ = main_after(world, trained)
    if let_in:
        admit(round_=round_, member=world.members[2], by=world.lead, reason="They talked, at length.")
    for member in world.members:
        label_as(world, round_, member, "C.1", "B.1", "B.1")
    close_round(round_=round_, by=world.lead)
    return again(world, round_)


def test_who_was_let_in_is_in_the_report_and_the_package(world, tmp_path):
    round_ = main_round(world, let_in=True)
    found = agreement_report(round_, reader=Reader(None))
    assert SAID in document(found)["notes"]
    assert SAID in document(found)["paragraph"]
    assert report_as_dict(found)["without_training"] == {
        "let_in": 1, "of": 3, "volunteers": [{"volunteer": "R3"}],
    }  # fmt: skip
    assert text_of(client(world.lead).get(f"/rounds/{round_.pk}/agreement/")).count(SAID) == 2

    write_package(round_, tmp_path, reader=Reader(None))
    with (tmp_path / "admissions.csv").open(newline="") as stream:
        (row,) = csv.DictReader(stream)
    at = round_.volunteers.get(member=world.members[2]).admitted_at.isoformat()
    by = world.lead.pseudonym
    assert row == {
        "Volunteer": "R3",
        "Let_in_at": at,
        "By": by,
        "Reason": "They talked, at length.",
        "Taken_back_at": "",
    }
    assert run(tmp_path).returncode == 0, run(tmp_path).stdout


@only_long
def test_an_admission_that_was_taken_back_is_named_if_labels_were_given_under_it(world, tmp_path):
    """R3 labels while let in, and R2 does not: R2 labels after passing the training."""
    trained = training(world, "C.1")
    label_as(world, trained, world.members[0], "C.1")
    round_ = main_after(world, trained)
    for member in world.members[1:]:
        admit(round_=round_, member=member, by=world.lead, reason="For one evening.")
    label_as(world, round_, world.members[2], "C.1")
    for member in world.members[1:]:
        take_back_admission(round_=round_, member=member, by=world.lead)
        label_as(world, trained, member, "C.1")
        label_as(world, round_, member, "-", "B.1", "B.1")
    label_as(world, round_, world.members[0], "C.1", "B.1", "B.1")
    label_as(world, round_, world.members[1], "C.1")
    for one in (trained, round_):
        close_round(round_=one, by=world.lead)
    round_ = again(world, round_)
    found = agreement_report(round_, reader=Reader(None))
    assert SAID in document(found)["notes"]
    assert report_as_dict(found)["without_training"]["volunteers"] == [{"volunteer": "R3"}]

    write_package(round_, tmp_path, reader=Reader(None))
    with (tmp_path / "admissions.csv").open(newline="") as stream:
        (row,) = csv.DictReader(stream)
    kept = PastAdmission.objects.get(seat__member=world.members[2])
    assert row == {
        "Volunteer": "R3", "Let_in_at": kept.admitted_at.isoformat(), "By": world.lead.pseudonym,
        "Reason": "For one evening.", "Taken_back_at": kept.taken_back_at.isoformat(),
    }  # fmt: skip
    assert run(tmp_path).returncode == 0, run(tmp_path).stdout


@only_long
def test_a_round_whose_volunteers_all_passed_names_nobody(world, tmp_path):
    round_ = main_round(world, let_in=False)
    found = agreement_report(round_, reader=Reader(None))
    assert "without a passed training" not in document(found)["paragraph"]
    assert report_as_dict(found)["without_training"] == {"let_in": 0, "of": 3, "volunteers": []}
    admit(round_=world.round(training=round_.training), member=world.members[0], by=world.lead, reason="?")
    write_package(round_, tmp_path, reader=Reader(None))
    assert not (tmp_path / "admissions.csv").exists()
    assert json.loads((tmp_path / "manifest.json").read_text())["needs_training"] is True
    assert run(tmp_path).returncode == 0
