"""What a package holds beside the labels of its round, and for whom."""

import csv
import json

import pytest

from annotate.actions.labels import submit_label
from annotate.actions.model_labels import label_as_model
from annotate.actions.rounds import close_round
from ingest.models import Issue
from replication.package import write_package
from rounds.models import Round
from rounds.queries.blindness import NOTHING, Reader, withheld_issues
from studies.models import Role
from taxonomy.models import Level
from tests import factories
from tests.annotate.actions.test_model_labels import rows
from tests.kept import kept
from tests.long import only_long
from tests.worlds.pages import label_all
from tests.worlds.recomputed import summary
from tests.worlds.screened import screening, screening_world
from tests.worlds.trained import label_as, training

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
        "choosable": None, "coached_left_out": False, "reveal": "issue_complete", "forge_labels": "shown", "needs_training": False,
    }  # fmt: skip
    assert [row["Label"] for row in read(pilot / "labels_long.csv")] == "C.1 C.1 C.1 C.1 C.2 C.1".split()
    assert not (tmp_path / "not_counted").exists()  # the report counts every round
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


@kept
def uncounted(world) -> Round:
    """A training of two issues, a screening with another taxonomy, and a main round of the third issue."""
    coached = training(world, "C.1", "A.1", name="Training")
    label_as(world, coached, world.members[0], "C.1", "C.2")
    label_as(world, coached, world.members[1], "C.2", "A.1")
    still_open = training(world, "C.1", name="Second training")
    label_as(world, still_open, world.members[2], "C.2")
    close_round(round_=coached, by=world.lead)
    relevance = factories.make_version(world.study, ["T", "F"])
    screened = world.round(
        name="Screening", kind=Round.Kind.SCREENING, version=relevance, depth=Level.TYPE,
        excludes=factories.category(relevance, "F"),
    )  # fmt: skip
    for issue, codes in zip(world.issues, ("T T T", "T T F", "T - -"), strict=False):
        for member, code in zip(world.members, codes.split(), strict=True):
            if code != "-":
                given = factories.label_input(category=factories.category(relevance, code), summary="")
                submit_label(round_=screened, issue=issue, member=member, given=given)
    last = Issue.objects.filter(pk=world.issues[3].pk)
    world.round(name="Nothing yet", version=relevance, depth=Level.TYPE, issues=last)
    made = world.round(name="Main round", issues=Issue.objects.filter(pk=world.issues[2].pk))
    for member in world.members:
        world.submit(made, world.issues[2], member, "C.1")
    return made


def test_labels_that_do_not_count_are_beside_those_that_do_and_never_among_them(world, uncounted, tmp_path):
    write_package(uncounted, tmp_path, reader=Reader(None))

    folder = tmp_path / "not_counted"
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.csv")) == [
        "codebooks/taxonomy-1-v1.csv", "codebooks/taxonomy-2-v1.csv", "labels.csv", "right_labels.csv", "rounds.csv",
    ]  # fmt: skip
    facts = [(row["Kind"], row["Round"], row["Taxonomy"], row["Version"], row["Codebook"], row["Why_not_counted"])
             for row in read(folder / "rounds.csv")]  # fmt: skip
    # The second training is open, and reveals nothing yet; the round "Nothing yet" has no label.
    assert facts == [
        ("training", "Training", "Taxonomy 1", "1", "codebooks/taxonomy-1-v1.csv",
         "training: volunteers saw the right label of each issue after their own"),
        ("screening", "Screening", "Taxonomy 2", "1", "codebooks/taxonomy-2-v1.csv", "another taxonomy"),
    ]  # fmt: skip
    first, second = world.issues[:2]
    names = ("Kind", "Round", "Version", "Issue_URL", "Volunteer", "Uncounted_Label", "Decision")
    assert [tuple(row[name] for name in names) for row in read(folder / "labels.csv")] == [
        ("training", "Training", "1", first.url, "R1", "C.1", ""),
        ("training", "Training", "1", first.url, "R2", "C.2", ""),
        ("training", "Training", "1", second.url, "R1", "C.2", ""),
        ("training", "Training", "1", second.url, "R2", "A.1", ""),
        *(("screening", "Screening", "1", first.url, f"R{n}", "T", "T") for n in (1, 2, 3)),
        *(("screening", "Screening", "1", second.url, f"R{n}", code, "") for n, code in enumerate("TTF", 1)),
    ]  # fmt: skip
    right = [
        (row["Issue_URL"], row["Right_Label"], row["Explanation"])
        for row in read(folder / "right_labels.csv")
    ]
    assert right == [(first.url, "C.1", "Because of C.1."), (second.url, "A.1", "Because of A.1.")]
    assert [row["code"] for row in read(folder / "codebooks/taxonomy-2-v1.csv")] == ["T", "F"]
    # No file of labels that count has the round, and no file of those that do not has their columns.
    assert [row["Label"] for row in read(tmp_path / "labels_long.csv")] == ["C.1"] * 3
    assert not (tmp_path / "rounds").exists()
    for path in folder.glob("*.csv"):
        assert not {"Label", "Final_Label", "Label1"} & set(read(path)[0])
    assert summary(tmp_path)[1] == 0


@only_long
def test_labels_that_do_not_count_are_as_blind_as_others(world, uncounted, tmp_path):
    """R1 still has to label the first issue in the second training."""
    reader = world.members[0]
    write_package(
        uncounted, tmp_path / "blind", blind=withheld_issues(uncounted, reader), reader=Reader(reader)
    )
    write_package(uncounted, tmp_path / "without", reader=Reader(None), without_coached=True)
    write_package(uncounted, tmp_path / "nobody")

    blind = read(tmp_path / "blind/not_counted/labels.csv")
    assert {row["Kind"] for row in blind if row["Issue_URL"] == world.issues[0].url} == {"screening"}
    [right] = read(tmp_path / "blind/not_counted/right_labels.csv")
    assert right["Issue_URL"] == world.issues[1].url
    withheld = [row["Withheld_issues"] for row in read(tmp_path / "blind/not_counted/rounds.csv")]
    assert withheld == ["1", "0"]
    assert [row["Kind"] for row in read(tmp_path / "without/not_counted/rounds.csv")] == ["screening"]
    assert not (tmp_path / "nobody/not_counted").exists()


@only_long
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


@only_long
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
