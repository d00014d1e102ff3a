"""Takes issues out of a study again, if nothing refers to them: those of an import, or a single one.

Whoever makes a round, a sample or evidence of issues holds the study as well, so of two at once the second
sees what the first did. The keys of the database hold the same for everybody else.
"""

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from core.sql.retry import retried
from ingest import files
from ingest.errors import ImportInUse, ImportRunning, IssueGone, IssueInUse, NotTakenBack, RemovalRefused
from ingest.models import (
    ComparedText,
    Import,
    ImportRow,
    Issue,
    KeywordListVersion,
    Repository,
    SearchedText,
    SimilaritySearch,
    SimilarMark,
    SimilarPair,
    Snapshot,
    TermFind,
)
from ingest.queries.imports import may_be_taken_back
from ingest.queries.references import forget, references_to
from ingest.queries.removal import Going, emptied_by, going_with
from ingest.rules import may_import
from studies.actions import record
from studies.actions.copies import hold_study
from studies.actions.seats import require_rule
from studies.models import Study

LONGEST_WHY = 400


@dataclass(frozen=True)
class Gone:
    """How much was removed."""

    issues: int
    texts: int
    repositories: int = 0


@retried
@transaction.atomic
def take_back_import(*, run: Import, by: User | None) -> Going:
    """Remove the issues that an import of files was the first to bring, their texts, repositories that are
    empty then, and the import itself. Texts that it renewed in other issues stay. Returns what went.

    Raises PermissionDenied, NotTakenBack for other imports, ImportRunning, and ImportInUse with all that
    refers to its issues.
    """
    locked = Import.objects.select_for_update(of=("self",)).select_related("job", "study").get(pk=run.pk)
    hold_study(locked.study_id)
    require_rule(locked.study, by, may_import)
    if locked.job and locked.job.finished_at is None:
        raise ImportRunning
    if not may_be_taken_back(locked):
        raise NotTakenBack
    issues = Issue.objects.filter(first_import=locked)
    # An import that stores issues holds their repositories: here none of them gets another issue.
    held = set(emptied_by(locked).select_for_update(of=("self",)).values_list("pk", flat=True))
    _hold(locked.study, issues)
    if found := references_to(issues, of_import=True):
        raise ImportInUse([one.words for one in found])
    going = going_with(locked)
    empty = held & set(emptied_by(locked).values_list("pk", flat=True))
    _remove(issues)
    repositories = Repository.objects.filter(pk__in=empty)
    repositories._raw_delete(repositories.db)  # noqa: SLF001 - nothing refers to them any more
    rows = ImportRow.objects.filter(run=locked)
    rows._raw_delete(rows.db)  # noqa: SLF001 - can be millions, which nothing refers to
    told = {"issues": going.issues, "texts": going.texts, "repositories": len(empty)}
    record(locked.study, "imports.taken_back", by, name=locked.name, **told)
    job, path = locked.job, locked.path
    locked.delete()
    if job:
        job.delete()
    if path:
        transaction.on_commit(lambda: files.discard(path))
    return going


@retried
@transaction.atomic
def remove_issue(*, issue: Issue, why: str, by: User | None) -> Gone:
    """Remove an issue with its texts. A later import of the issue brings it back, and says so.

    Raises PermissionDenied, RemovalRefused without a reason, and IssueInUse with all that refers to it.
    """
    why = " ".join(why.replace("\0", "").split())
    study = issue.repository.study
    hold_study(study.pk)
    require_rule(study, by, may_import)
    if not why:
        raise RemovalRefused(_("Write in one sentence why the issue is removed. Nothing was changed."))
    if len(why) > LONGEST_WHY:
        told = _("The reason is longer than %(n)d characters. Nothing was changed. Shorten the reason.")
        raise RemovalRefused(told % {"n": LONGEST_WHY}, kept=why)
    issues = Issue.objects.filter(pk=issue.pk)
    if not _hold(study, issues):
        raise IssueGone
    if found := references_to(issues):
        raise IssueInUse([one.words for one in found], kept=why)
    texts = Snapshot.objects.filter(issue=issue).count()
    _remove(issues)
    repository = issue.repository
    named = {"what": f"{repository.path}#{issue.number}", "repository": repository.key}
    record(study, "issues.removed", by, **named, number=issue.number, why=why)
    return Gone(1, texts)


def _hold(study: Study, issues: QuerySet[Issue]) -> int:
    """Lock the issues, and end the steps of searches that read them; return how many issues there are. The
    order is that of an import: study, issues.
    """
    held = issues.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True)
    number = sum(1 for _pk in held.iterator(chunk_size=2000))
    # A step of the keyword search holds these rows, and stores finds of texts that it has read.
    versions = KeywordListVersion.objects.filter(keyword_list__study=study).order_by("pk")
    list(versions.select_for_update(no_key=True, of=("self",)).values_list("pk", flat=True))
    # A run of the search for similar reports that goes on stores nothing more: the next one reads again.
    SimilaritySearch.objects.filter(study=study).update(run=F("run") + 1)
    return number


def _remove(issues: QuerySet[Issue]) -> None:
    """Remove locked issues that nothing refers to, with what was made of their texts, in one statement for
    each table. The keys are looked at when the transaction ends.
    """
    ids = issues.order_by().values("pk")
    forget(issues)
    texts = Snapshot.objects.filter(issue__in=ids)
    made: list[QuerySet[Any]] = [
        *(model.objects.filter(snapshot__issue__in=ids) for model in (TermFind, SearchedText)),
        ComparedText.objects.filter(issue__in=ids),
        *(
            model.objects.filter(**{f"{end}__in": ids})
            for model in (SimilarPair, SimilarMark)
            for end in ("first", "second")
        ),
        texts,
        issues,
    ]
    for rows in made:
        rows._raw_delete(rows.db)  # noqa: SLF001 - Django would first read all of them
