"""Issues leave a study again: those of an import, or a single one, if nothing refers to them."""

import pytest
from django.apps import apps
from django.core.exceptions import PermissionDenied
from django.db import connection

from core import jobs
from core.models import Job
from findings.actions.evidence import attach_issue
from findings.actions.findings import add_finding
from ingest import actions, files
from ingest.errors import (
    AlreadyImported,
    ImportInUse,
    ImportRunning,
    IssueGone,
    IssueInUse,
    NotTakenBack,
    RemovalRefused,
)
from ingest.models import (
    Import,
    ImportRow,
    Issue,
    Repository,
    SearchedText,
    SimilarPair,
    Snapshot,
    TermFind,
)
from ingest.queries import references
from ingest.queries.references import references_to
from ingest.queries.removal import going_with
from studies.models import Event, Role
from tests.factories import (
    make_issue,
    make_list,
    make_member,
    make_repository,
    make_round,
    make_study,
    make_version,
)
from tests.ingest.files import counted, jsonl, load, receive, record, urls
from tests.races import at_once

pytestmark = pytest.mark.django_db


def take_back(run: Import, lead) -> object:
    return actions.take_back_import(run=run, by=lead.user)


def remove(issue: Issue, lead, why: str = "A test report.") -> object:
    return actions.remove_issue(issue=issue, why=why, by=lead.user)


class TestImports:
    def test_takes_what_it_was_first_to_bring_and_nothing_else(self, study, lead) -> None:
        kept = make_issue(make_repository(study, "acme/engine"), "1", title="Mine")
        make_list(study, "crash", search=True)
        same = {"title": "The engine has a crash at start", "body": "It stops whenever the engine starts up."}
        run = load(
            study,
            jsonl(
                record(1, repository="acme/engine", title="Renewed"),
                record(2, repository="acme/engine", **same),
                record(3, repository="wrong/place", **same),
                record(3, repository="wrong/place"),
            ),
        )
        actions.find_keywords(study_id=study.pk)
        actions.find_similar(study_id=study.pk)
        assert TermFind.objects.count() == 2
        assert SimilarPair.objects.count() == 1
        assert vars(going_with(run)) == {
            "issues": 2, "texts": 2, "repositories": ["wrong/place"], "renewed": 1, "later": 0,
        }  # fmt: skip

        take_back(run, lead)
        connection.check_constraints()

        assert list(Issue.objects.values_list("number", "current__title")) == [("1", "Renewed")]
        assert list(Snapshot.objects.order_by("pk").values_list("issue", "title")) == [
            (kept.pk, "Mine"), (kept.pk, "Renewed"),
        ]  # fmt: skip
        assert list(Repository.objects.values_list("path", flat=True)) == ["acme/engine"]
        left = (Import, ImportRow, TermFind, SimilarPair)
        assert [model.objects.count() for model in left] == [0, 0, 0, 0]
        assert SearchedText.objects.count() == 2
        said = Event.objects.get(verb="imports.taken_back")
        assert said.by == lead.user
        assert said.detail == {"name": run.name, "issues": 2, "texts": 2, "repositories": 1}

    def test_the_same_file_comes_in_again(self, study, lead) -> None:
        take_back(load(study, urls(1, 2), "list.txt"), lead)

        again = load(study, urls(1, 2), "list.txt")

        assert counted(again) == {"rows": 2, "new": 2}
        with pytest.raises(AlreadyImported):
            actions.confirm_import(run=receive(study, urls(1, 2), "list.txt"), by=lead.user)

    def test_a_later_file_that_named_the_same_issues_is_told_and_brings_them_back(self, study, lead) -> None:
        first = load(study, urls(1, 2), "list.txt")
        later = urls(2, 3)
        load(study, later, "later.txt")
        assert going_with(first).later == 1

        take_back(first, lead)
        assert sorted(Issue.objects.values_list("number", flat=True)) == ["3"]
        again = load(study, later, "later.txt")

        assert counted(again) == {"rows": 2, "new": 1, "known": 1}

    def test_is_refused_with_all_that_refers_to_it(self, study, lead) -> None:
        run = load(study, urls(1, 2, 3), "list.txt")
        issues = list(Issue.objects.order_by("number"))
        version = make_version(study)
        make_round(version, issues[:2], [lead], opened=False, name="Planned")
        make_round(version, issues[:1], [lead], name="Begun")
        finding = add_finding(study=study, by=lead, text="They crash.")
        attach_issue(finding=finding, issue=issues[2], by=lead)

        with pytest.raises(ImportInUse) as refused:
            take_back(run, lead)

        assert str(refused.value.message) == (
            "This import cannot be taken back: 1 issue is in the round Begun; 2 issues are in the round"
            " Planned; 1 issue is or was evidence of a finding. Nothing was changed."
        )
        assert Issue.objects.count() == 3

    def test_only_a_file_of_issues_that_has_ended(self, study, lead) -> None:
        waiting = receive(study, urls(1), "list.txt")
        running = receive(study, urls(2), "other.txt")
        actions.confirm_import(run=running, by=lead.user)
        published = Import.objects.create(study=study, kind=Import.Kind.PUBLISHED, counts={"issues": 1})

        for run, refusal in ((waiting, NotTakenBack), (running, ImportRunning), (published, NotTakenBack)):
            with pytest.raises(refusal):
                take_back(run, lead)

        assert Import.objects.count() == 3

    def test_a_cancelled_one_leaves_neither_its_file_nor_its_job(
        self, study, lead, django_capture_on_commit_callbacks
    ) -> None:
        run = receive(study, urls(1, 2), "list.txt")
        job = actions.confirm_import(run=run, by=lead.user)
        Job.objects.filter(pk=job.pk).update(state=Job.State.CANCELLED, finished_at=job.created_at)
        Import.objects.filter(pk=run.pk).update(counts={"rows": 2, "new": 2})
        path = files.located(run.path)
        assert path.is_file()

        with django_capture_on_commit_callbacks(execute=True):
            take_back(run, lead)

        assert (Import.objects.count(), Job.objects.filter(kind=actions.JOB).count()) == (0, 0)
        assert not path.exists()

    @pytest.mark.parametrize("role", [Role.VOLUNTEER, Role.VIEWER])
    def test_only_owners_and_leads(self, study, role) -> None:
        run = load(study, urls(1), "list.txt")
        other = make_member(study, role)

        with pytest.raises(PermissionDenied):
            take_back(run, other)
        with pytest.raises(PermissionDenied):
            remove(Issue.objects.get(), other)

        assert Issue.objects.count() == 1


class TestSingleIssues:
    def test_goes_with_its_texts_and_the_audit_keeps_which_and_why(self, study, lead) -> None:
        repository = make_repository(study, "acme/Engine")
        gone, kept = make_issue(repository, "7"), make_issue(repository, "8")

        remove(gone, lead, "  A test\0 of\n the forge ")
        connection.check_constraints()

        assert list(Issue.objects.all()) == [kept]
        assert list(Snapshot.objects.values_list("issue", flat=True)) == [kept.pk]
        assert Event.objects.get(verb="issues.removed").detail == {
            "what": "acme/Engine#7", "repository": "github.com/acme/engine", "number": "7",
            "why": "A test of the forge",
        }  # fmt: skip
        with pytest.raises(IssueGone):
            remove(gone, lead)

    def test_a_later_import_brings_it_back_and_says_so(self, study, lead) -> None:
        data = jsonl(record(7, repository="acme/engine"), record(8, repository="acme/engine"))
        load(study, data)
        remove(Issue.objects.get(number="7"), lead)

        again = load(study, data)

        assert counted(again) == {"rows": 2, "new": 1, "known": 1, "back": 1}
        row = again.rows.get()
        assert (row.outcome, row.line, row.code) == ("back", 1, "back")
        assert row.message == "A lead had removed this issue. This import brought the issue back."
        assert Event.objects.get(verb="issues.brought_back").detail == {"what": ["acme/engine#7"]}

    def test_of_another_study_is_no_return(self, study, lead) -> None:
        load(study, urls(7), "list.txt")
        remove(Issue.objects.get(), lead)

        again = load(make_study(), urls(7), "list.txt")

        assert counted(again) == {"rows": 1, "new": 1}
        assert not Event.objects.filter(verb="issues.brought_back").exists()

    @pytest.mark.parametrize("why", ["", " \0\n", "x" * 401])
    def test_needs_a_reason_that_can_be_stored(self, study, lead, why) -> None:
        issue = make_issue(make_repository(study))

        with pytest.raises(RemovalRefused):
            remove(issue, lead, why)

        assert Issue.objects.count() == 1

    def test_is_refused_while_a_round_has_it(self, study, lead) -> None:
        issue = make_issue(make_repository(study))
        make_round(make_version(study), [issue], [lead], name="Main")

        with pytest.raises(IssueInUse, match="1 issue is in the round Main"):
            remove(issue, lead)

        assert Issue.objects.count() == 1

    def test_marks_of_similar_reports_keep_it_until_they_are_taken_back(self, study, lead) -> None:
        same = {"title": "The engine crashes at start", "body": "It crashes whenever the engine starts up."}
        repository = make_repository(study)
        first, second = make_issue(repository, "1", **same), make_issue(repository, "2", **same)
        actions.find_similar(study_id=study.pk)
        pair = [first.pk, second.pk]
        actions.mark_pair(study=study, issues=pair, kind="duplicate", by=lead.user)

        for issue in (first, second):
            with pytest.raises(IssueInUse, match="1 issue is marked as similar"):
                remove(issue, lead)
        actions.take_back_pair(study=study, issues=pair, by=lead.user)
        remove(first, lead)
        connection.check_constraints()

        assert list(Issue.objects.all()) == [second]


def test_each_table_with_issues_is_counted_or_goes_with_them() -> None:
    """A new table that refers to issues is named here, or registered as one that keeps them."""
    goes = {
        ("ingest.Snapshot", "issue"), ("ingest.ComparedText", "issue"), ("ingest.SimilarPair", "first"),
        ("ingest.SimilarPair", "second"), ("ingest.TermFind", "snapshot"), ("ingest.SearchedText", "snapshot"),
        ("ingest.ComparedText", "snapshot"), ("ingest.Issue", "current"),
    }  # fmt: skip
    of_a_round = {"rounds", "consensus", "annotate"}
    """A row of these rooms names a round as well, which has the issue."""
    for model in apps.get_models(include_auto_created=True):
        if model._meta.proxy:
            continue
        for field in model._meta.local_concrete_fields:
            if field.related_model in {Issue, Snapshot}:
                known = (model._meta.label, field.name) in goes | references.tables()
                in_round = model._meta.app_label in of_a_round and any(
                    one.name == "round" for one in model._meta.local_concrete_fields
                )
                in_meeting = model._meta.label == "consensus.AgendaItem"
                assert known or in_round or in_meeting, (model._meta.label, field.name)


def test_counts_issues_and_not_rows_of_tables(study, lead) -> None:
    repository = make_repository(study)
    issues = [make_issue(repository, str(number)) for number in range(3)]
    version = make_version(study)
    for name in ("A", "B"):
        make_round(version, issues, [lead], name=name)

    found = references_to(Issue.objects.filter(pk__in=[issue.pk for issue in issues]))

    assert [(one.issues, one.words) for one in found] == [
        (3, "3 issues are in the round A"), (3, "3 issues are in the round B"),
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_an_import_that_stores_the_same_repository_meanwhile_loses_nothing(monkeypatch) -> None:
    monkeypatch.setattr(jobs, "ring", lambda job_id: None)
    study = make_study()
    lead = make_member(study, Role.LEAD)
    for turn in range(6):
        numbers = range(100 * turn + 1, 100 * turn + 41)
        first = load(study, urls(*numbers, repository="acme/engine"), f"{turn}.txt")
        other = receive(study, urls(*reversed(numbers), repository="acme/engine"), f"other-{turn}.txt")
        actions.confirm_import(run=other, by=lead.user)

        gone, stored = at_once(
            lambda first=first: take_back(first, lead), lambda other=other: actions.import_issues(run=other)
        )

        assert not isinstance(stored, Exception), stored
        assert not isinstance(gone, Exception), gone
        assert stored["rows"] == 40
        there = Issue.objects.filter(repository__study=study, number__in=map(str, numbers)).count()
        assert there in {0, 40}
        assert stored["new"] + stored["known"] == 40
