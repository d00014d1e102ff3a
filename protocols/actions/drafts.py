"""Starting, saving, undoing, discarding and freezing a draft. All lock the study first."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils.translation import gettext as _

from core import clock
from protocols.errors import DraftChanged, DraftExists, NoDraft, NothingToUndo, PlanEmpty, PlanRefused
from protocols.models import Protocol
from protocols.plan import CHOICE, FIELDS, NUMBER, PROSE, canonical, digest_of, filled
from protocols.queries.prefill import from_rows, versions_of
from protocols.queries.protocols import protocol_in_force
from protocols.rules import may_plan
from protocols.text import stored_text
from studies.actions import record
from studies.models import Membership, Study

MOST_UNDONE = 20


def _hold(study: Study, by: Membership) -> None:
    if by.study_id != study.pk or not may_plan(by):
        raise PermissionDenied
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)


def _draft(study: Study) -> Protocol:
    found = Protocol.objects.filter(study=study, frozen_at=None).select_related("study").first()
    if found is None:
        raise NoDraft
    return found


@transaction.atomic
def start_draft(*, study: Study, by: Membership) -> Protocol:
    """Start a draft: the plan in force, or without one what the rows of the study say. Raises DraftExists and
    PermissionDenied.
    """
    _hold(study, by)
    if Protocol.objects.filter(study=study, frozen_at=None).exists():
        raise DraftExists
    last = protocol_in_force(study)
    plan = dict(last.plan) if last else from_rows(study)
    made = Protocol.objects.create(
        study=study,
        number=last.number + 1 if last else 1,
        plan=plan,
        taken=list(last.taken) if last else sorted(plan),
        version=last.version if last else versions_of(study).get(plan.get("taxonomy", "")),
        made_by=by,
    )
    record(study, "protocols.started", by.user, number=made.number)
    return made


@transaction.atomic
def save_draft(
    *, study: Study, plan: Mapping[str, Any], by: Membership, reason: str = "", revision: int | None = None
) -> Protocol:
    """Store the fields of the draft that `plan` names; `revision` is the one that the sender read. A field
    with another value is no longer taken from rows. Raises NoDraft, DraftChanged, PlanRefused and
    PermissionDenied.
    """
    _hold(study, by)
    held = _draft(study)
    versions = versions_of(study)
    values = {key: _clean(key, value, set(versions)) for key, value in plan.items()}
    reason = stored_text(reason, "reason")
    changed = {key for key, value in values.items() if held.plan.get(key) != value}
    if not changed and reason == held.reason:
        return held
    if revision is not None and revision != held.revision:
        raise DraftChanged
    state = {"plan": held.plan, "taken": held.taken, "reason": held.reason}
    held.before = [*held.before, state][-MOST_UNDONE:]
    kept = {**held.plan, **values}
    held.plan = {key: value for key, value in kept.items() if value is not None}
    held.taken = [key for key in held.taken if key not in changed]
    held.reason = reason
    return _store(held, versions.get(held.plan.get("taxonomy", "")), by)


@transaction.atomic
def undo_draft(*, study: Study, by: Membership) -> Protocol:
    """Take back the last change of the draft. Raises NoDraft, NothingToUndo and PermissionDenied."""
    _hold(study, by)
    held = _draft(study)
    if not held.before:
        raise NothingToUndo
    *held.before, state = held.before
    held.plan, held.taken, held.reason = state["plan"], state["taken"], state["reason"]
    return _store(held, versions_of(study).get(held.plan.get("taxonomy", "")), by)


def _store(held: Protocol, version: Any, by: Membership) -> Protocol:
    held.version, held.saved_by, held.saved_at = version, by, clock.now()
    held.revision += 1
    held.save()
    return held


@transaction.atomic
def discard_draft(*, study: Study, by: Membership) -> None:
    """Delete the draft; frozen versions stay. Raises NoDraft and PermissionDenied."""
    _hold(study, by)
    held = _draft(study)
    record(study, "protocols.discarded", by.user, number=held.number)
    held.delete()


@transaction.atomic
def freeze_protocol(*, study: Study, by: Membership, revision: int | None = None) -> Protocol:
    """Freeze the draft for good, with moment, author and hash. A later version needs its reason. Raises
    NoDraft, DraftChanged, PlanEmpty, PlanRefused and PermissionDenied.
    """
    _hold(study, by)
    held = _draft(study)
    if revision is not None and revision != held.revision:
        raise DraftChanged
    if not filled(held.plan):
        raise PlanEmpty
    if held.number > 1 and not held.reason:
        raise PlanRefused(
            _("Say why the plan changes. Nothing was frozen. Write the reason in the draft."), field="reason"
        )
    held.frozen_by, held.frozen_at = by, clock.now()
    held.document = canonical(
        {
            "version": held.number,
            "study": study.name,
            "frozen_at": held.frozen_at.isoformat(),
            "frozen_by": by.pseudonym,
            "reason": held.reason,
            "plan": held.plan,
            "taken_from_rows": sorted(held.taken),
        }
    )
    held.digest, held.before = digest_of(held.document), []
    held.save()
    record(study, "protocols.frozen", by.user, number=held.number, sha256=held.digest)
    return held


def _clean(key: str, value: Any, versions: set[str]) -> Any:
    """The value as it is stored, None for an empty one. Raises PlanRefused."""
    field = FIELDS.get(key)
    if field is None:
        raise PlanRefused(_("The protocol has no field %(name)s. Nothing was stored.") % {"name": key})
    if value is None or value == "":
        return None
    if field.kind == PROSE:
        return stored_text(value, key) or None
    if field.kind == CHOICE:
        known = versions if field.choices is None else {str(name) for name, _said in field.choices()}
        if value in known:
            return value
        raise PlanRefused(_("Choose one of the values. Nothing was stored."), field=key)
    return _number(value, key, whole=field.kind == NUMBER, most=field.most)


def _number(value: Any, key: str, *, whole: bool, most: int) -> int | float:
    if isinstance(value, bool):
        value = None
    try:
        number = int(value) if whole else round(float(value), 4)
    except (TypeError, ValueError, OverflowError):
        raise PlanRefused(_("Enter a number. Nothing was stored."), field=key) from None
    low, high = (0, most) if whole else (-1, 1)
    if not low <= number <= high:
        words = _("Enter a number from %(low)s to %(high)s. Nothing was stored.")
        raise PlanRefused(words % {"low": low, "high": high}, field=key)
    return number
