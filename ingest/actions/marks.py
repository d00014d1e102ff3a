"""What leads say of similar reports: marks on pairs and groups. No mark removes an issue."""

from collections.abc import Collection

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from core import clock
from core.sql.retry import retried
from ingest.errors import GroupChanged, MarkRefused, NotSimilar
from ingest.models import SimilarMark, SimilarPair
from ingest.queries.groups import GroupsAsked, group_of
from ingest.queries.similar import marks_on
from ingest.rules import may_mark_similar
from studies.actions import record
from studies.actions.seats import require_rule
from studies.models import Study

LONGEST_NOTE = 500


@retried
@transaction.atomic
def mark_pair(*, study: Study, issues: Collection[int], kind: str, note: str = "", by: User | None) -> None:
    """Mark two similar issues as duplicate, related or not similar, in place of an earlier mark.

    Raises NotSimilar, MarkRefused, PermissionDenied.
    """
    _lock(study, by)
    _mark(study, {_pair(issues)}, kind, note, by)


@retried
@transaction.atomic
def mark_group(
    *,
    study: Study,
    asked: GroupsAsked,
    issue: int,
    made_from: str,
    kind: str,
    note: str = "",
    by: User | None,
) -> int:
    """Mark each pair of the group that this issue is in; return the number of pairs. `made_from` is the
    fingerprint of the group on the page. Raises GroupChanged, MarkRefused, PermissionDenied.
    """
    _lock(study, by)
    group = group_of(study.pk, asked, issue)
    if group is None or group.fingerprint != made_from:
        raise GroupChanged(kept=note)
    return _mark(study, {(pair.first, pair.second) for pair in group.pairs}, kind, note, by)


@retried
@transaction.atomic
def take_back_pair(*, study: Study, issues: Collection[int], by: User | None) -> int:
    """Take back the mark that stands on two issues; return the number of marks. Raises PermissionDenied."""
    _lock(study, by)
    return _take_back(study, {_pair(issues)}, by)


@retried
@transaction.atomic
def take_back_group(*, study: Study, asked: GroupsAsked, issue: int, made_from: str, by: User | None) -> int:
    """Take back all marks on pairs of a group; return their number. Raises GroupChanged, PermissionDenied."""
    _lock(study, by)
    group = group_of(study.pk, asked, issue)
    if group is None or group.fingerprint != made_from:
        raise GroupChanged
    return _take_back(study, {(pair.first, pair.second) for pair in group.pairs}, by)


def _lock(study: Study, by: User | None) -> None:
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    require_rule(study, by, may_mark_similar)


def _pair(issues: Collection[int]) -> tuple[int, int]:
    first, second = sorted(issues)
    return first, second


def _mark(study: Study, pairs: Collection[tuple[int, int]], kind: str, note: str, by: User | None) -> int:
    note = note.replace("\0", "").strip()
    if kind not in SimilarMark.Kind.values:
        raise MarkRefused(kept=note)
    if len(note) > LONGEST_NOTE:
        raise MarkRefused(
            _("The note is longer than %(n)d characters. Nothing was stored. Shorten the note.")
            % {"n": LONGEST_NOTE},
            kept=note,
        )
    standing = marks_on(study.pk, set(pairs))
    found = SimilarPair.objects.filter(study=study, first__in={first for first, _second in pairs})
    known = standing.keys() | set(found.values_list("first", "second"))
    if not set(pairs) <= known:
        raise NotSimilar(kept=note)
    other = [
        pair for pair in sorted(pairs) if pair not in standing or _says_other(standing[pair], kind, note)
    ]
    _end([standing[pair] for pair in other if pair in standing], by)
    # One moment for all: a page shows them as one mark of the group.
    said = {"study": study, "kind": kind, "note": note, "marked_by": by, "marked_at": clock.now()}
    SimilarMark.objects.bulk_create(
        SimilarMark(first_id=first, second_id=second, **said) for first, second in other
    )
    if other:
        record(study, "similar.marked", by, kind=str(SimilarMark.Kind(kind)), pairs=len(other))
    return len(pairs)


def _says_other(mark: SimilarMark, kind: str, note: str) -> bool:
    return (mark.kind, mark.note) != (kind, note)


def _take_back(study: Study, pairs: Collection[tuple[int, int]], by: User | None) -> int:
    standing = list(marks_on(study.pk, set(pairs)).values())
    _end(standing, by)
    if standing:
        record(study, "similar.unmarked", by, pairs=len(standing))
    return len(standing)


def _end(marks: Collection[SimilarMark], by: User | None) -> None:
    chosen = SimilarMark.objects.filter(pk__in=[mark.pk for mark in marks])
    chosen.update(ended_at=clock.now(), ended_by=by)
