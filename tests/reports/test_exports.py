import csv
import hashlib
import io
import json
import zipfile
from datetime import UTC, datetime
from zipfile import ZipFile

import pytest
from django.core.management import call_command
from django.utils import timezone

from annotate.actions.rounds import close_round
from annotate.actions.volunteers import add_volunteer, remove_volunteer
from consensus.models import Decision
from replication.actions.published import import_study
from replication.package import into_zip, write_package
from reports.exports import LONG_COLUMNS, labels_csv
from rounds.actions.seals import seal_for_package
from rounds.models import Label, Round
from studies.models import Guideline
from taxonomy.models import Proposal
from tests import factories
from tests.kept import kept
from tests.worlds.published_folders import write_study
from tests.worlds.world import small_world

pytestmark = pytest.mark.django_db


def text(chunks) -> str:
    return b"".join(chunks).decode()


@kept
def labelled():
    """An open round of two volunteers: one issue complete, one half labelled, one untouched; 12 is decided."""
    study = factories.make_study(slug="engines")
    version = factories.make_version(study)
    members = [factories.make_member(study), factories.make_member(study)]
    repository = factories.make_repository(study, "ember/engine")
    other = factories.make_repository(study, "quill/lattice")
    issues = [
        factories.make_issue(repository, "12"),
        factories.make_issue(repository, "7"),
        factories.make_issue(other, "3"),
    ]
    round_ = factories.make_round(version, issues, members)
    factories.add_label(round_, issues[0], members[0], "C.1", summary="=HYPERLINK(1)")
    factories.add_label(
        round_, issues[0], members[1], "C.2", summary='both "C.1", C.2\nand more', unsure=True
    )
    factories.add_label(round_, issues[1], members[0], "A.1", summary="canary of the first")
    Decision.objects.create(
        round=round_, issue=issues[0], category=factories.category(version, "C.1"), version=version, method="lead",
        rationale="because", decided_by=members[0], decided_at=timezone.now(),
    )  # fmt: skip
    return round_


def test_wide_layout_holds_revealed_issues_only(labelled):
    assert text(labels_csv(labelled)) == (
        "Issue_URL,Label1,Label2,Final_Label\nhttps://github.com/ember/engine/issues/12,C.1,C.2,C.1\n"
    )


def test_wide_layout_of_a_closed_round_shows_missing_labels_as_empty_cells(labelled):
    Round.objects.filter(pk=labelled.pk).update(closed_at=timezone.now())
    labelled.refresh_from_db()

    assert text(labels_csv(labelled)) == (
        "Issue_URL,Label1,Label2,Final_Label\n"
        "https://github.com/ember/engine/issues/12,C.1,C.2,C.1\n"
        "https://github.com/ember/engine/issues/7,A.1,,\n"
        "https://github.com/quill/lattice/issues/3,,,\n"
    )
    other = labelled.study.repositories.filter(path="quill/lattice")
    assert text(labels_csv(labelled, repositories=other)) == (
        "Issue_URL,Label1,Label2,Final_Label\nhttps://github.com/quill/lattice/issues/3,,,\n"
    )


def test_a_round_revealed_at_its_close_exports_nothing_before(labelled):
    Round.objects.filter(pk=labelled.pk).update(reveal=Round.Reveal.ROUND_CLOSED)
    labelled.refresh_from_db()

    assert text(labels_csv(labelled)) == "Issue_URL,Label1,Label2,Final_Label\n"
    assert text(labels_csv(labelled, layout="long")) == ",".join(LONG_COLUMNS) + "\n"


def test_long_layout_makes_formulas_inert_and_shows_pseudonyms_only(labelled):
    rows = list(csv.DictReader(io.StringIO(text(labels_csv(labelled, layout="long")))))

    issue = ["https://github.com/ember/engine/issues/12", "ember/engine", "12"]
    assert [list(row.values())[:3] for row in rows] == [issue, issue]
    columns = ("Volunteer", "Label", "Summary", "Unsure", "Surplus", "Final_Label", "Method")
    assert [tuple(row[name] for name in columns) for row in rows] == [
        ("R1", "C.1", "'=HYPERLINK(1)", "", "", "C.1", "lead"),
        ("R2", "C.2", 'both "C.1", C.2\nand more', "yes", "", "C.1", "lead"),
    ]
    assert [row["Submitted_at"] for row in rows] == [
        label.submitted_at.isoformat() for label in Label.objects.filter(issue__number="12").order_by("pk")
    ]


def test_exporting_takes_one_query_inside_a_savepoint(labelled, django_assert_num_queries):
    with django_assert_num_queries(3):
        text(labels_csv(labelled))


def test_a_published_study_comes_out_as_it_went_in(tmp_path):
    folder = write_study(tmp_path / "in")
    import_study(folder=folder, slug="engines")

    call_command("export_study", study="engines", to=str(tmp_path / "out"))

    given = [path for path in folder.rglob("*.*") if path.name != ".DS_Store"]
    for path in given:
        assert (tmp_path / "out" / path.relative_to(folder)).read_bytes() == path.read_bytes()
    assert given


def test_package_as_a_zip_holds_the_same_files_with_a_manifest(tmp_path):
    import_study(folder=write_study(tmp_path / "in"), slug="engines")
    round_ = Round.objects.get()
    seal_for_package(round_)
    hashes = write_package(round_, tmp_path / "package.zip")

    with ZipFile(tmp_path / "package.zip") as archive:
        assert sorted(archive.namelist()) == sorted([*hashes, "manifest.sha256"])
        manifest = json.loads(archive.read("manifest.json"))
        for name, digest in hashes.items():
            assert hashlib.sha256(archive.read(name)).hexdigest() == digest
    assert sorted(hashes) == [
        "CITATION.cff", "README.md", "agreement.json", "categories.py", "chain.csv", "chain.py", "chain_events.csv", "checklist.csv",
        "checklist.md", "codebook.md", "coefficients.py", "croissant.json", "data_availability.md", "decisions.csv", "differences.py",
        "engine/engine.csv", "engine/engine_2023.txt", "engine/engine_2024.txt", "faults.py", "files.py", "intervals.py", "issues.csv",
        "labels_long.csv", "labels_twice.csv", "latent.py", "lattice/lattice.csv", "lattice/lattice_2025.txt", "load.py", "manifest.json",
        "method.md", "method_numbers.csv", "other_libraries.py", "package.py", "probable.csv", "probable_confusion.csv", "protocol.py", "rankings.py",
        "raters.py", "recompute.py", "report.py", "requirements.txt", "taxonomy.csv", "weighted.py",
    ]  # fmt: skip
    assert (manifest["study"], manifest["round"], manifest["version"]) == ("engines", "Main round", 1)
    its_own = hashes.pop("manifest.json")
    assert manifest["sha256"] == hashes
    with ZipFile(tmp_path / "package.zip") as archive:
        assert archive.read("manifest.sha256").decode() == f"{its_own}  manifest.json\n"


def test_a_file_of_a_zip_may_be_larger_than_a_zip_of_old_could_hold(tmp_path, monkeypatch):
    # For the two gigabytes of a study with 27 million labels.
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 100_000)
    with ZipFile(tmp_path / "package.zip", "w") as archive:
        into_zip(
            archive, datetime(2026, 5, 4, tzinfo=UTC), "labels_long.csv", (b"x" * 1000 for _ in range(200))
        )

    with ZipFile(tmp_path / "package.zip") as archive:
        assert archive.read("labels_long.csv") == b"x" * 200_000


def test_lists_of_a_study_that_came_without_are_made_by_year(tmp_path):
    study = factories.make_study(slug="engines")
    member = factories.make_member(study)
    repository = factories.make_repository(study, "ember/engine")
    issues = [
        factories.make_issue(repository, number, year=year)
        for number, year in (("5", 2024), ("6", 2023), ("8", 2024))
    ]
    round_ = factories.make_round(factories.make_version(study), issues, [member])
    for issue in issues:
        factories.add_label(round_, issue, member, "C.1")

    write_package(round_, tmp_path)

    assert (tmp_path / "engine/engine_2023.txt").read_text() == "https://github.com/ember/engine/issues/6\n"
    assert (tmp_path / "engine/engine_2024.txt").read_text() == (
        "https://github.com/ember/engine/issues/5\nhttps://github.com/ember/engine/issues/8\n"
    )


def test_columns_stay_and_open_labels_are_empty_cells_with_their_name_in_the_long_layout():
    world = small_world(issues=2, members=2)
    round_ = world.round()
    one, two = world.members
    world.submit(round_, world.issues[0], two, "C.2")
    remove_volunteer(round_=round_, member=two, by=world.lead)
    new = factories.make_member(world.study, pseudonym="R9")
    add_volunteer(round_=round_, member=new, by=world.lead)
    world.submit(round_, world.issues[0], one, "C.3")
    world.submit(round_, world.issues[1], new, "C.2")
    taxonomy, version = world.version.taxonomy, world.version
    proposal = Proposal.objects.create(taxonomy=taxonomy, version=version, name="Drivers", proposed_by=new)
    guideline = Guideline.objects.create(study=world.study, number=2, text="x", published_by=world.lead)
    Label.objects.filter(volunteer=new).update(
        category=None, proposal=proposal, proposed_reason="none fits", guideline=guideline
    )
    close_round(round_=round_, by=world.lead)
    round_.refresh_from_db()

    wide = list(csv.reader(b"".join(labels_csv(round_)).decode().splitlines()))
    assert wide[0] == ["Issue_URL", "Label1", "Label2", "Label3", "Final_Label"]
    assert [row[1:] for row in wide[1:]] == [["C.3", "C.2", "", ""], ["", "", "", ""]]
    long = list(csv.DictReader(b"".join(labels_csv(round_, layout="long")).decode().splitlines()))
    assert [(row["Volunteer"], row["Label"], row["Open"], row["Guideline"]) for row in long] == [
        ("R1", "C.3", "", ""),
        ("R2", "C.2", "", ""),
        ("R9", "", "Drivers", "2"),
    ]
