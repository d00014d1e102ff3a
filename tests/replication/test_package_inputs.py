"""What a package holds beside the labels of its round, and for whom."""

import csv
import json

import pytest

from annotate.actions.model_labels import label_as_model
from ingest.models import Issue
from replication.package import write_package
from rounds.models import Round
from rounds.queries.blindness import NOTHING, Reader, withheld_issues
from studies.models import Role
from taxonomy.models import Level
from tests import factories
from tests.annotate.actions.test_model_labels import rows
from tests.kept import kept
from tests.worlds.pages import label_all
from tests.worlds.recomputed import summary
from tests.worlds.screened import screening, screening_world

pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.world(issues=4)]


def read(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


@kept
def main(world) -> Round:
    """A pilot of the same issues, a model, and an incomplete issue."""
    pilot = world.round(name="Pilot & more", kind=Round.Kind.PILOT)
    label_all(world, pilot, "C.1 C.1 C.1", "C.1 C.2 C.1", "A.1 - -")
    made = world.round(name="Main round")
    label_all(world, made, "A.1 A.1 A.1", "C.1 C.1 C.2", "C.2 C.2 C.2", "C.1 C.1 -")
    model = factories.make_member(world.study, Role.MODEL, pseudonym="=M1")
    label_as_model(round_=made, member=model, rows=rows(world, "A.1", "C.2", "C.2", "C.1"))
    return made


def test_labels_of_models_and_the_other_rounds_are_there_as_far_as_they_are_counted(world, main, tmp_path):
    write_package(main, tmp_path, reader=Reader(None))

    # The fourth issue is not complete: what a model said of it is nobody's to see yet.
    said = [(row["Issue_URL"], row["Model"], row["Label"]) for row in read(tmp_path / "labels_of_models.csv")]
    assert said == [
        (issue.url, "'=M1", code) for issue, code in zip(world.issues, ("A.1", "C.2", "C.2"), strict=False)
    ]
    pilot = tmp_path / "rounds/pilot-more"
    assert json.loads((pilot / "manifest.json").read_text()) == {
        "round": "Pilot & more", "kind": "pilot", "allocation": "crossed", "depth": 2, "closed_at": None,
        "volunteers": ["R1", "R2", "R3"], "withheld_issues": 0,
        "coached_left_out": False, "reveal": "issue_complete", "forge_labels": "shown", "needs_training": False,
    }  # fmt: skip
    assert [row["Label"] for row in read(pilot / "labels_long.csv")] == "C.1 C.1 C.1 C.1 C.2 C.1".split()
    stored = json.loads((tmp_path / "agreement.json").read_text())
    assert [one["group"]["round"] for one in stored["groups"] if "round" in one["group"]] == [
        "Pilot & more", "Main round",
    ]  # fmt: skip
    numbers, wrong, skipped = summary(tmp_path)
    # Both rounds are open: what is withheld and incomplete of them cannot be counted here.
    assert (wrong, skipped > 0, numbers > 300) == (0, True, True)


def test_each_round_has_a_folder_of_its_own(world, main, tmp_path):
    """The fourth round of the package would be called as the third is, with its number as well."""
    second = world.round(name="B")
    third = world.round(name="Pilot, more")
    Round.objects.filter(pk=second.pk).update(name="Pilot more 4")
    for one in (second, third):
        label_all(world, one, "C.1 C.1 C.1")
    write_package(main, tmp_path, reader=Reader(None))

    found = {
        path.parent.name: json.loads(path.read_text()) for path in tmp_path.glob("rounds/*/manifest.json")
    }
    assert {folder: facts["round"] for folder, facts in found.items()} == {
        "pilot-more": "Pilot & more",
        "pilot-more-4": "Pilot more 4",
        "pilot-more-4-4": "Pilot, more",
    }


def test_who_asks_nobody_gets_no_other_round_and_no_false_positives(main, tmp_path):
    write_package(main, tmp_path)
    assert not (tmp_path / "rounds").exists()
    assert not (tmp_path / "false_positives.csv").exists()
    assert summary(tmp_path)[1] == 0


def test_what_is_withheld_is_in_no_file_of_the_package(world, main, tmp_path):
    """The second issue waits for R1 in a third round."""
    reader = world.members[0]
    world.waits_for(reader, world.issues[1])
    blind = withheld_issues(main, reader)
    write_package(main, tmp_path, blind=blind, reader=Reader(reader))

    assert len(read(tmp_path / "labels_of_models.csv")) == 2
    found = [
        path.relative_to(tmp_path).as_posix()
        for path in tmp_path.rglob("*.*")
        if world.issues[1].url in path.read_text()
    ]
    assert found == []
    manifest = json.loads((tmp_path / "rounds/pilot-more/manifest.json").read_text())
    assert manifest["withheld_issues"] == 1
    assert summary(tmp_path)[1] == 0


def test_false_positives_are_listed_and_counted(tmp_path):
    world = screening_world()
    screening(world, name="Screening")
    kept = Issue.objects.filter(pk__in=[issue.pk for issue in world.issues[3:5]]).order_by("pk")
    main = world.round(name="Main round", issues=kept, depth=Level.TYPE)
    for issue, codes in zip(kept, ("T T T", "T F F"), strict=True):
        for member, code in zip(world.members, codes.split(), strict=True):
            world.submit(main, issue, member, code)
    write_package(main, tmp_path, blind=NOTHING, reader=Reader(None))

    # Three are excluded unanimously; the open and the incomplete ones are not.
    assert [row["Issue_URL"] for row in read(tmp_path / "false_positives.csv")] == [
        issue.url for issue in world.issues[:3]
    ]
    stored = json.loads((tmp_path / "agreement.json").read_text())
    lines = {line["repository"]: line["false_positives"] for line in stored["issues"]}
    assert lines["ember/engine"] == lines["all"] == 3
    assert summary(tmp_path)[1] == 0
