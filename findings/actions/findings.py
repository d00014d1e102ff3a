"""Writing, ordering, freezing and deleting findings. All lock the study's findings first, in their order."""

from collections.abc import Sequence

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from core import clock
from findings.errors import (
    EvidenceHidden,
    EvidenceMissing,
    FindingChanged,
    FindingFrozen,
    FindingRefused,
)
from findings.models import Evidence, Finding
from findings.queries.evidence import CHANGED, HIDDEN, SAME
from findings.queries.findings import finding_line
from findings.rules import may_write_findings
from interviews.actions.coding_locks import share_participant
from interviews.models import Quote
from interviews.queries.pseudonyms import names_left
from studies.actions import record, remove_copies
from studies.models import Membership, Study

LONGEST = 4_000


def hold(finding: Finding, by: Membership, *, frozen: bool = False, quote: Quote | None = None) -> Finding:
    """Lock a finding for a change by an owner or lead, and keep the participants of its quotes, and of a new
    `quote`, from being erased meanwhile: what is noted of a quote would outlive the erasure. Raises
    PermissionDenied, FindingRefused for a deleted finding, and FindingFrozen unless `frozen`.
    """
    if by.study_id != finding.study_id or not may_write_findings(by):
        raise PermissionDenied
    held = Finding.objects.select_for_update(no_key=True, of=("self",)).select_related("study")
    found = held.get(pk=finding.pk)
    if found.frozen_at and not frozen:
        raise FindingFrozen
    if found.deleted_at:
        raise FindingRefused(_("This finding is deleted. Nothing was changed. Bring back the finding first."))
    quotes = Q(pk__in=found.evidence.filter(quote__isnull=False).values("quote")) | Q(
        pk=quote.pk if quote else None
    )
    asked = Quote.objects.filter(quotes).values_list("coding__session__participant", flat=True)
    for participant in sorted(set(asked)):
        share_participant(participant, may_be_erased=True)
    return found


def require_text(study_id: int, text: str, field: str, most: int) -> str:
    """The text as it is stored. Raises FindingRefused if it is too long or contains a listed name."""
    text = text.replace("\r\n", "\n").strip()
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise FindingRefused(
            _("The text contains characters that cannot be stored. Nothing was stored."), field=field
        )
    if len(text) > most:
        words = _("The text is longer than %(most)s characters. Nothing was stored. Shorten the text.")
        raise FindingRefused(words % {"most": most}, field=field)
    if names_left(study_id, [text]):
        words = _("The text contains a name or a replaced word of a participant. Nothing was stored.")
        raise FindingRefused(f"{words} {_('Use the pseudonym.')}", field=field)
    return text


def _text(study_id: int, text: str) -> str:
    found = require_text(study_id, text, "text", LONGEST)
    if not found:
        raise FindingRefused(_("Write the finding. Nothing was stored."), field="text")
    return found


def _all(study: Study) -> list[Finding]:
    """The findings of a study, locked, in their order."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    return list(Finding.objects.filter(study=study, deleted_at=None))


@transaction.atomic
def add_finding(*, study: Study, text: str, by: Membership) -> Finding:
    """Add a finding after the others. Raises FindingRefused and PermissionDenied."""
    if by.study_id != study.pk or not may_write_findings(by):
        raise PermissionDenied
    text = _text(study.pk, text)
    made = Finding.objects.create(study=study, position=_after(_all(study)), text=text, made_by=by)
    record(study, "findings.added", by.user)
    return made


def _after(order: Sequence[Finding]) -> int:
    return max((one.position for one in order), default=0) + 1


@transaction.atomic
def change_finding(*, finding: Finding, text: str, by: Membership, revision: int | None = None) -> Finding:
    """Change the text; `revision` is the one that the sender read. Raises FindingChanged, FindingRefused,
    FindingFrozen and PermissionDenied.
    """
    held = hold(finding, by)
    text = _text(held.study_id, text)
    if text == held.text:
        return held
    if revision is not None and revision != held.revision:
        raise FindingChanged
    held.text, held.revision = text, held.revision + 1
    held.save(update_fields=["text", "revision"])
    record(held.study, "findings.changed", by.user, number=_number(held))
    return held


def _number(finding: Finding) -> int:
    order = Finding.objects.filter(study=finding.study_id, deleted_at=None).values_list("pk", flat=True)
    return list(order).index(finding.pk) + 1


@transaction.atomic
def move_finding(*, finding: Finding, to: int, by: Membership) -> Finding:
    """Move a finding to this place, counted from 1; further places count as the last. Also a frozen one: its
    number is its place. Raises FindingRefused and PermissionDenied.
    """
    if by.study_id != finding.study_id or not may_write_findings(by):
        raise PermissionDenied
    order = _all(finding.study)
    moved = next((one for one in order if one.pk == finding.pk), None)
    if moved is None:
        raise FindingRefused(_("This finding is deleted. Nothing was changed. Bring back the finding first."))
    order.remove(moved)
    order.insert(max(1, to) - 1, moved)
    for place, one in enumerate(order, 1):
        if one.position != place:
            Finding.objects.filter(pk=one.pk).update(position=place)
    record(finding.study, "findings.moved", by.user, number=order.index(moved) + 1)
    return moved


@transaction.atomic
def delete_finding(*, finding: Finding, by: Membership) -> None:
    """Delete a finding; it can be brought back. Raises FindingFrozen, FindingRefused and PermissionDenied."""
    held = hold(finding, by)
    held.deleted_at = clock.now()
    held.save(update_fields=["deleted_at"])
    record(held.study, "findings.deleted", by.user)
    remove_copies(held.study_id)


@transaction.atomic
def restore_finding(*, finding: Finding, by: Membership) -> Finding:
    """Bring back a deleted finding, as the last one. Raises PermissionDenied."""
    if by.study_id != finding.study_id or not may_write_findings(by):
        raise PermissionDenied
    order = _all(finding.study)
    held = Finding.objects.select_for_update(no_key=True, of=("self",)).get(pk=finding.pk)
    if held.deleted_at:
        held.deleted_at, held.position = None, _after(order)
        held.save(update_fields=["deleted_at", "position"])
        record(finding.study, "findings.restored", by.user)
    return held


@transaction.atomic
def freeze_finding(*, finding: Finding, by: Membership) -> Finding:
    """Keep text, evidence and numbers as they are at this moment. Raises EvidenceHidden if the lead may not
    see a piece of evidence, EvidenceMissing, FindingRefused and PermissionDenied.
    """
    held = hold(finding, by, frozen=True)
    if held.frozen_at:
        return held
    line = finding_line(held, by)
    if any(one.state == HIDDEN for one in line.evidence):
        raise EvidenceHidden
    missing = any(one.state not in {SAME, CHANGED} for one in line.evidence)
    if missing or any(one.state not in {SAME, CHANGED} for one in line.told):
        raise EvidenceMissing
    for one in line.evidence:
        Evidence.objects.filter(pk=one.evidence.pk).update(noted=dict(one.live.noted))
    held.frozen_at, held.frozen_by = clock.now(), by
    held.save(update_fields=["frozen_at", "frozen_by"])
    record(held.study, "findings.frozen", by.user, number=_number(held))
    return held


@transaction.atomic
def thaw_finding(*, finding: Finding, by: Membership) -> Finding:
    """Let a frozen finding change again. Raises FindingRefused and PermissionDenied."""
    held = hold(finding, by, frozen=True)
    if held.frozen_at:
        held.frozen_at, held.frozen_by = None, None
        held.save(update_fields=["frozen_at", "frozen_by"])
        record(held.study, "findings.thawed", by.user, number=_number(held))
    return held
