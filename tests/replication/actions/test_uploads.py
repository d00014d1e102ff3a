"""Published labels by the browser: the check, the import, and everything that stops one."""

import pytest
from django.urls import reverse

from consensus.models import Decision
from core import jobs
from ingest import files
from ingest.errors import AlreadyImported, FileTooLarge, ImportRunning, ImportStarted
from ingest.models import Import, ImportRow, Issue
from ingest.queries.imports import state_of
from replication.actions import uploads
from replication.actions.published import import_study
from replication.errors import (
    LinesRefused,
    NotChecked,
    PseudonymTaken,
    PublishedStudyDiffers,
    RoundNameTaken,
    TaxonomyChanged,
)
from replication.package import write_package
from reports.agreement_report import agreement_report
from reports.sentences.paragraph import how_to_report
from rounds.models import Label, Round, RoundVolunteer
from studies.models import Event, Membership
from taxonomy.models import Taxonomy
from tests import factories
from tests.worlds.pages import client
from tests.worlds.published_folders import ENGINE, TAXONOMY, write_study
from tests.worlds.published_uploads import bring_in, check, files_of, receive, receive_zip, work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("kept")]


@pytest.fixture
def lead():
    study = factories.make_study(slug="engines")
    return factories.make_member(study, "owner", pseudonym="R1")


@pytest.fixture
def folder(tmp_path):
    return write_study(tmp_path / "labels")


def test_the_check_says_what_an_import_would_bring_and_stores_nothing(lead, folder):
    run = check(lead, files_of(folder) | {"notes.txt": b"x"})

    preview = run.mapping["preview"]
    assert {name: value for name, value in preview.items() if name != "digest"} == {
        "files": [
            {"name": "taxonomy.csv", "kind": "taxonomy", "rows": 6},
            {"name": "engine/engine.csv", "kind": "labels", "rows": 4},
            {"name": "engine/engine_2023.txt", "kind": "list", "year": 2023, "rows": 3},
            {"name": "engine/engine_2024.txt", "kind": "list", "year": 2024, "rows": 0},
            {"name": "lattice/lattice.csv", "kind": "labels", "rows": 1},
            {"name": "lattice/lattice_2025.txt", "kind": "list", "year": 2025, "rows": 1},
        ],
        "skipped": ["notes.txt: not part of the published layout"],
        "taxonomy": {"source": "file", "version": None, "name": "", "levels": [2, 3, 1]},
        "refused": 0, "rows": 9, "repositories": 2, "repositories_known": 0, "issues": 5, "issues_known": 0,
        "labelled": 5, "decisions": 4, "lists": 3, "list_entries": 4, "people": [5, 4, 5], "labels": 14,
        "repeated": 0, "repeated_otherwise": 0, "depth": 2,
    }  # fmt: skip
    assert (run.name, state_of(run), run.sha256) == ("engine.csv + 6", "waiting", "")
    assert [model.objects.count() for model in (Issue, Round, Taxonomy)] == [0, 0, 0]
    assert list(Membership.objects.values_list("pseudonym", flat=True)) == ["R1"]


def test_the_import_stores_what_the_check_said(lead, folder):
    run = check(lead, files_of(folder))
    preview = run.mapping["preview"]

    job = bring_in(run)

    assert (job.state, job.error, state_of(run), run.path) == ("done", "", "done", "")
    assert run.counts == {
        "volunteers": 3, "repositories": 2, "issues": 5, "lists": 3, "list entries": 4,
        "issues in the round": 5, "assignments": 15, "labels": 14, "decisions": 4,
    }  # fmt: skip
    assert (run.sha256, run.mapping["files"]) == (preview["digest"], preview["files"])
    round_ = Round.objects.get()
    assert (run.mapping["round"], round_.name, Label.objects.count(), Decision.objects.count()) == (
        round_.pk, "Main round", 14, 4,
    )  # fmt: skip
    lead.refresh_from_db()
    assert lead.pseudonym == "R4"
    event = Event.objects.get(verb="studies.imported")
    assert (event.by, event.detail["name"], event.detail["labels"]) == (lead.user, run.name, 14)


@pytest.mark.django_db(transaction=True)
def test_the_files_are_gone_after_an_import_and_after_a_discard(lead, folder, kept):
    bring_in(check(lead, files_of(folder)))
    assert list(kept.iterdir()) == []

    again = check(lead, files_of(folder))
    assert [path.name for path in kept.iterdir()] == [files.located(again.path).name]
    uploads.discard_published(run=again)
    assert list(kept.iterdir()) == []


def test_what_was_imported_is_exported_as_it_came(lead, folder, tmp_path):
    bring_in(check(lead, {f"labels/{name}": data for name, data in files_of(folder).items()}))

    write_package(Round.objects.get(), tmp_path / "out")

    for name, data in files_of(folder).items():
        assert (tmp_path / "out" / name).read_bytes() == data


def test_the_same_again_changes_nothing_whatever_door_it_takes(lead, folder):
    import_study(folder=folder, slug="engines", owner=lead.user)
    events, labels = Event.objects.count(), Label.objects.count()

    run = receive_zip(lead, files_of(folder))
    work(run)

    with pytest.raises(AlreadyImported):
        uploads.confirm_published(run=run, by=lead.user)
    assert run.mapping["preview"]["issues_known"] == 5
    uploads.discard_published(run=run)
    assert (Event.objects.count(), Label.objects.count(), Import.objects.count()) == (events, labels, 1)
    assert import_study(folder=folder, slug="engines").unchanged


def test_an_upload_that_waits_is_no_import_for_the_command(lead, folder):
    check(lead, files_of(folder))
    assert not import_study(folder=folder, slug="engines").unchanged


def test_other_labels_in_the_same_study_are_refused(lead, folder):
    bring_in(check(lead, files_of(folder)))
    other = check(
        lead, files_of(folder) | {"engine/engine.csv": ENGINE.replace("C.2,C.1,", "C.1,C.1,").encode()}
    )

    with pytest.raises(PublishedStudyDiffers):
        uploads.confirm_published(run=other, by=lead.user)


def test_refused_lines_are_listed_by_file_and_line_and_nothing_can_be_imported(lead, folder):
    engine = (
        ENGINE.replace("issues/12,C.1,C.1", "issues/12,C.1,X.9") + "nonsense,C.1,C.1,C.1,C.1\nshort,C.1\n"
    )
    run = check(
        lead, files_of(folder) | {"engine/engine.csv": engine.encode(), "engine/engine_2024.txt": b"?\n"}
    )

    assert run.mapping["preview"]["refused"] == 4
    columns = ("outcome", "file", "line", "code", "message")
    assert list(ImportRow.objects.order_by("pk").values_list(*columns)) == [
        ("refused", "engine/engine.csv", 6, "address_scheme",
         '"nonsense" is not the address of an issue: it does not begin with https:// or http://.'),
        ("refused", "engine/engine.csv", 7, "ragged",
         "The row has 2 cells, the header has 5. Quote the cells that hold a delimiter, or add what is missing."),
        ("refused", "engine/engine_2024.txt", 1, "address_scheme",
         '"?" is not the address of an issue: it does not begin with https:// or http://.'),
        ("refused", "engine/engine.csv", 2, "unknown_codes", "The taxonomy has no category X.9."),
    ]  # fmt: skip
    with pytest.raises(LinesRefused):
        uploads.confirm_published(run=run, by=lead.user)


def test_a_table_with_another_head_and_a_broken_taxonomy_are_refused_by_line(lead, folder):
    broken = files_of(folder) | {
        "engine/engine.csv": ENGINE.replace("Label2", "Label9").encode(),
        "taxonomy.csv": (TAXONOMY + "C.1,theme,Again\n").encode(),
    }
    check(lead, broken)

    assert [(row.file, row.line) for row in ImportRow.objects.order_by("pk")] == [
        ("engine/engine.csv", 1),
        ("taxonomy.csv", 8),
    ]


def test_repeated_rows_are_previewed_and_imported_alike(lead, folder):
    engine = ENGINE + "https://github.com/ember/engine/issues/7,C.1,C.2,C.1,C.1\n" * 2
    engine += "https://github.com/ember/engine/issues/12,C.2,C.1,C.1,C.1\n"
    run = check(lead, files_of(folder) | {"engine/engine.csv": engine.encode()})
    shown = list(ImportRow.objects.order_by("pk").values_list("file", "line", "code", "message"))

    bring_in(run)

    assert sorted(run.mapping) == ["files", "format", "round", "skipped"]
    assert [(line, code) for _file, line, code, _message in shown] == [
        (6, "repeated"), (7, "repeated"), (8, "repeated_with_other_labels"),
    ]  # fmt: skip
    assert list(ImportRow.objects.order_by("pk").values_list("file", "line", "code", "message")) == shown


def test_nothing_of_the_layout_fails_the_check_in_words(lead):
    run = receive(lead, {"notes.txt": b"x"})
    job = work(run)

    assert (job.state, run.mapping.get("preview")) == ("failed", None)
    assert job.error.splitlines() == [
        "The study was refused. Nothing was stored.",
        "notes.txt: the folder holds no <Repo>/<Repo>.csv and no <Repo>/<Repo>_<year>.txt.",
    ]
    with pytest.raises(NotChecked):
        uploads.confirm_published(run=run, by=lead.user)


def test_the_taxonomy_of_the_study_is_taken_and_its_change_stops_the_import(lead, tmp_path):
    first = factories.make_version(lead.study, ["A", "A.1", "C", "C.1", "C.2"])
    given = files_of(write_study(tmp_path, taxonomy=None))
    run = check(lead, given)
    assert run.mapping["preview"]["taxonomy"] == {
        "source": "study", "version": first.pk, "name": str(first), "levels": [2, 3, 0],
    }  # fmt: skip

    second = factories.make_version(lead.study, ["A", "A.1", "C", "C.1", "C.2", "C.3"])
    with pytest.raises(TaxonomyChanged):
        uploads.confirm_published(run=run, by=lead.user)
    uploads.check_again(run=run, by=lead.user)
    work(run)

    assert bring_in(run).state == "done"
    assert Round.objects.get().version == second


def test_a_taxonomy_that_changes_before_the_job_begins_stops_it(lead, tmp_path):
    run = check(lead, files_of(write_study(tmp_path, taxonomy=None)))
    uploads.confirm_published(run=run, by=lead.user)
    factories.make_version(lead.study, ["A", "A.1", "C", "C.1", "C.2"])

    job = work(run)

    assert (job.state, job.error) == ("failed", str(TaxonomyChanged.message))
    assert not Round.objects.exists()
    assert state_of(run) == "failed"


def test_a_file_that_changes_on_the_server_stops_the_import(lead, folder):
    run = check(lead, files_of(folder))
    uploads.confirm_published(run=run, by=lead.user)
    with files.located(run.path).open("ab") as stream:
        stream.write(b"x")

    assert "differs from the uploaded file" in work(run).error
    assert not Issue.objects.exists()


def test_a_cancelled_import_stores_nothing_and_can_be_started_again(lead, folder):
    run = check(lead, files_of(folder))

    def cancelled(_done, _total, step):
        if step == "storing labels":
            raise jobs.Cancelled

    with pytest.raises(jobs.Cancelled):
        uploads.import_published(run=run, report=cancelled)

    run.refresh_from_db()
    assert [model.objects.count() for model in (Issue, Round, ImportRow)] == [0, 0, 0]
    assert list(Membership.objects.values_list("pseudonym", flat=True)) == ["R1"]
    assert files.located(run.path).is_file()
    assert bring_in(run).state == "done"


def test_progress_never_goes_back_and_ends_at_what_was_expected(lead, folder):
    run = check(lead, files_of(folder))
    told = []
    uploads.import_published(run=run, report=lambda done, total, step: told.append((done, total, step)))

    done = [number for number, _total, _step in told]
    assert done == sorted(done)
    # rows, people, issues in the round placed, put in and assigned, and all else that is stored
    assert {total for _done, total, _step in told} == {None, 9 + 3 + 25 + 2 + 5 + 3 + 4 + 14 + 4}
    assert done[-1] == 9 + 3 + 25 + 2 + 5 + 3 + 4 + 14 + 4


def test_an_import_that_ran_twice_stores_once(lead, folder):
    run = check(lead, files_of(folder))
    bring_in(run)

    assert uploads.import_published(run=run, report=lambda *_told: None) == run.counts
    assert Round.objects.count() == 1
    for act in (uploads.confirm_published, uploads.check_again):
        with pytest.raises(ImportStarted):
            act(run=run, by=lead.user)
    with pytest.raises(ImportStarted):
        uploads.discard_published(run=run)


def test_nothing_is_done_while_a_job_runs(lead, folder):
    run = receive(lead, files_of(folder))

    for act in (uploads.confirm_published, uploads.check_again):
        with pytest.raises(ImportRunning):
            act(run=run, by=lead.user)
    with pytest.raises(ImportRunning):
        uploads.discard_published(run=run)


def test_a_member_who_labels_keeps_the_pseudonym_and_stops_the_import(lead, folder):
    version = factories.make_version(lead.study, ["A", "A.1", "C", "C.1", "C.2"])
    other = Round.objects.create(
        study=lead.study, name="Other", version=version, depth=2, labels_per_issue=1, seed=1
    )
    late = check(lead, files_of(folder))
    uploads.confirm_published(run=late, by=lead.user)
    RoundVolunteer.objects.create(round=other, member=lead, column=1, seed=1)
    job = work(late)
    assert (job.state, job.error) == ("failed", str(PseudonymTaken.message))

    run = check(lead, files_of(folder))
    with pytest.raises(PseudonymTaken):
        uploads.confirm_published(run=run, by=lead.user)
    run.refresh_from_db()
    assert run.job.kind == uploads.CHECK
    assert Membership.objects.get(pk=lead.pk).pseudonym == lead.pseudonym


@pytest.mark.parametrize(
    ("name", "made"), [("Challenges", "Challenges 2"), ("T" * 119, "T" * 118 + " 2")], ids=["short", "long"]
)
def test_a_name_of_the_study_s_own_taxonomy_is_not_taken_twice(lead, folder, name, made):
    factories.make_version(lead.study, ["A", "A.1"])
    Taxonomy.objects.update(name=name)
    run = check(lead, files_of(folder))

    uploads.confirm_published(run=run, by=lead.user, names=uploads.ImportNames("Main round", name))

    assert work(run).error == ""
    assert sorted(Taxonomy.objects.values_list("name", flat=True)) == sorted([name, made])


def test_a_round_that_takes_the_name_before_the_job_begins_asks_for_another_name(lead, folder):
    run = check(lead, files_of(folder))
    uploads.confirm_published(run=run, by=lead.user, names=uploads.ImportNames("Pilot"))
    version = factories.make_version(lead.study, ["A", "A.1"])
    Round.objects.create(study=lead.study, name="Pilot", version=version, depth=2, labels_per_issue=1, seed=1)

    job = work(run)

    assert (job.state, job.error) == ("failed", str(RoundNameTaken.message))
    with pytest.raises(RoundNameTaken):
        uploads.confirm_published(run=run, by=lead.user, names=uploads.ImportNames("Pilot"))
    uploads.confirm_published(run=run, by=lead.user, names=uploads.ImportNames("Pilot 2"))
    assert work(run).error == ""
    assert sorted(Round.objects.values_list("name", flat=True)) == ["Pilot", "Pilot 2"]


def test_too_much_together_is_refused_and_nothing_is_kept(lead, folder, settings, kept):
    settings.UPLOAD_MAX_BYTES = 200
    with pytest.raises(FileTooLarge):
        receive(lead, files_of(folder))
    assert list(kept.iterdir()) == []
    assert not Import.objects.exists()


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["a/b/x.csv"], "x.csv"),
        (["a/x.csv", "a/b/y.csv"], "a"),
        (["x.csv", "y.csv"], "x.csv + 1"),
        (["a/x.csv", "y.csv"], "x.csv + 1"),
    ],
)
def test_an_upload_is_called_after_its_file_its_folder_or_their_number(lead, names, shown):
    assert receive(lead, dict.fromkeys(names, b"x")).name == shown


def test_the_report_of_imported_labels_does_not_call_them_independent(lead, folder):
    bring_in(check(lead, files_of(folder)))
    round_ = Round.objects.get()
    report = agreement_report(round_)

    assert round_.is_imported
    said = how_to_report(report)
    assert said.startswith("3 volunteers labelled 4 issue reports with one of 3 themes (12 labels).")
    page = client(lead).get(reverse("agreement", args=[round_.pk]))
    assert "Imported labels. Crosscheck did not see how these labels were made." in page.text
    for word in ("Independent labels", "independently labelled"):
        assert word not in page.text
