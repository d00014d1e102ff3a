"""Drafts and labels: what a member types, submits, and changes until reveal."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from annotate import errors
from annotate.actions.decisions import decide_if_unanimous
from annotate.actions.locks import hold_issue, hold_round, hold_volunteer, require_open
from annotate.actions.turns import claim_on, renew
from annotate.models import Assignment, Decision, Draft, Label, Round, RoundIssue, Skip
from annotate.queries.turns import own_slots
from core.errors import DomainError
from core.retry import retried
from ingest.models import Issue, Snapshot
from studies.models import Membership
from taxonomy.models import Category, CategoryState

SUMMARY_LENGTH = 500
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True)
class Submitted:
    """What became of a submitted label.

    `surplus`: its slot had gone to somebody else; it is kept, and out of the statistics. `completed`: it was
    the last label that the issue was waiting for and all are revealed by that, `decision` then says if they
    agree; False under the policy `round_closed`, where nobody is to know. `repeated`: the same form had
    stored it before, nothing was stored now.
    """

    label: Label
    surplus: bool
    completed: bool = False
    decision: Decision | None = None
    repeated: bool = False


@retried
def save_draft(
    *,
    round_: Round,
    issue: Issue,
    member: Membership,
    category: Category | None,
    summary: str,
    unsure: bool,
    seen_revision: int,
) -> Draft:
    """Keep what is typed so far, and the slot with it: its lease starts anew.

    `seen_revision` is that of the draft that the form was made from, 0 without one. A draft saved elsewhere
    since, with other content, is not overwritten: StaleDraft carries it. After the round is closed the text
    is still saved, and RoundClosed raised. A save of what is submitted already, such as one that
    comes late, stores nothing and returns an unsaved draft.
    Raises also NotYourTurn, UnknownCategory, SummaryTooLong.
    """
    with _keeping(round_, category, summary), transaction.atomic():
        text = _text(summary)
        current = hold_round(round_)
        hold_volunteer(current, member)
        _require_known(current, category)
        if current.allocation == Round.Allocation.K_OF_N and current.is_open:
            renew(current, member, Q(issue=issue))
        stored = _draft(current, issue, member)
        label = _label(current, issue, member)
        content = (category.pk if category else None, text, unsure)
        if stored is None:
            if label and (content[0], text.strip(), unsure) == (
                label.category_id,
                label.summary,
                label.unsure,
            ):
                return Draft(round=current, issue=issue, volunteer=member, revision=0)
            if not label and not _was_theirs(current, issue, member):
                raise errors.NotYourTurn
            draft = Draft(round=current, issue=issue, volunteer=member, revision=0)
        elif stored.revision != seen_revision and content != (
            stored.category_id,
            stored.summary,
            stored.unsure,
        ):
            raise errors.StaleDraft(stored)
        else:
            draft = stored
        if draft.revision == 0 or content != (draft.category_id, draft.summary, draft.unsure):
            _write(draft, category, text, unsure=unsure)
    if current.closed_at:
        raise errors.RoundClosed(kept=_typed(current, category, text))
    return draft


@retried
def submit_label(
    *,
    round_: Round,
    issue: Issue,
    member: Membership,
    category: Category,
    summary: str,
    unsure: bool,
    form_key: UUID | None,
    seen_version: int | None = None,
    seen_snapshot: int | None = None,
) -> Submitted:
    """Store the member's label of an issue, and complete the issue if it was the last one.

    The same `form_key`, or the same content, again returns what is stored. `seen_version` is the id of the
    version whose categories the page showed; `seen_snapshot` that of the text it showed, 0 if none, None to
    take the current one. A label whose slot went to somebody else takes a free slot of the issue, or is kept
    as surplus.

    Raises AlreadyLabelled, NotYourTurn, UnknownCategory, TooShallow, SummaryTooLong, RoundNotOpen; and
    RoundClosed and StaleVersion, after the text is kept as a draft.
    """
    with _keeping(round_, category, summary):
        text = _text(summary)
        try:
            return _submit(
                round_, issue, member, category, text.strip(), unsure, form_key, seen_version, seen_snapshot
            )
        except (errors.RoundClosed, errors.StaleVersion):
            _keep(round_, issue, member, category, text, unsure=unsure)
            raise


@transaction.atomic
def _submit(
    round_: Round,
    issue: Issue,
    member: Membership,
    category: Category,
    summary: str,
    unsure: bool,  # noqa: FBT001 - private, in the order of submit_label
    form_key: UUID | None,
    seen_version: int | None,
    seen_snapshot: int | None,
) -> Submitted:
    current = hold_round(round_)
    hold_volunteer(current, member)
    place = hold_issue(current, issue)
    label = _label(current, issue, member)
    if label is not None:
        # Said again rather than refused, also when the round was closed in between.
        same = (category.pk, summary, unsure) == (label.category_id, label.summary, label.unsure)
        if same or (form_key is not None and form_key == label.form_key):
            return _repeated(current, label, place)
        raise errors.AlreadyLabelled(label)
    require_open(current)
    if seen_version is not None and seen_version != current.version_id:
        raise errors.StaleVersion
    _require_deep_enough(current, category)
    now = timezone.now()
    slot = _fill_slot(current, issue, member, now)
    label = Label.objects.create(
        round=current,
        issue=issue,
        volunteer=member,
        assignment_id=slot,
        surplus=slot is None,
        category=category,
        version_id=current.version_id,
        snapshot_id=_snapshot(issue, seen_snapshot),
        summary=summary,
        unsure=unsure,
        submitted_at=now,
        form_key=form_key,
    )
    Draft.objects.filter(round=current, issue=issue, volunteer=member).delete()
    if slot is None or Assignment.objects.filter(round=current, issue=issue, submitted_at=None).exists():
        return Submitted(label, surplus=slot is None)
    RoundIssue.objects.filter(pk=place.pk).update(completed_at=now)
    if current.reveal != Round.Reveal.ISSUE_COMPLETE:
        return Submitted(label, surplus=False)
    return Submitted(label, surplus=False, completed=True, decision=decide_if_unanimous(current, issue, now))


@retried
@transaction.atomic
def change_label(
    *,
    round_: Round,
    issue: Issue,
    member: Membership,
    category: Category,
    summary: str,
    unsure: bool,
    seen: datetime | None = None,
    seen_snapshot: int | None = None,
) -> Label:
    """Change one's own label until others can see it; its history is kept.

    `seen` is the label's `changed_at`, or `submitted_at` before the first change, as the form was made from;
    None asks for no such check. The same content again changes nothing.
    Raises LabelRevealed, StaleLabel, NotLabelled, NotYourTurn, UnknownCategory, TooShallow, SummaryTooLong.
    """
    with _keeping(round_, category, summary):
        summary = _text(summary).strip()
        current = hold_round(round_)
        hold_volunteer(current, member)
        place = hold_issue(current, issue)
        label = _label(current, issue, member)
        if label is None:
            raise errors.NotLabelled
        if (category.pk, summary, unsure) == (label.category_id, label.summary, label.unsure):
            return label
        if not is_changeable(current, place):
            raise errors.LabelRevealed(label)
        if seen is not None and seen != (label.changed_at or label.submitted_at):
            raise errors.StaleLabel(label)
        _require_deep_enough(current, category)
        label.category, label.summary, label.unsure = category, summary, unsure
        label.version_id = current.version_id
        label.snapshot_id = _snapshot(issue, seen_snapshot)
        label.changed_at = timezone.now()
        label.save(update_fields=["category", "version", "snapshot", "summary", "unsure", "changed_at"])
        Draft.objects.filter(round=current, issue=issue, volunteer=member).delete()
        return label


def is_changeable(round_: Round, place: RoundIssue) -> bool:
    """May the labels of this issue still be changed by their authors? Until reveal."""
    if round_.closed_at is not None:
        return False
    return round_.reveal != Round.Reveal.ISSUE_COMPLETE or place.completed_at is None


def _fill_slot(round_: Round, issue: Issue, member: Membership, now: datetime) -> int | None:
    """Mark the member's slot submitted and return its id; None when it was theirs and is lost.

    Who has lost it gets another one of the issue, if one is free or expired. Raises NotYourTurn for one who
    never had it.
    """
    open_slot = own_slots(round_, member).filter(issue=issue, submitted_at=None)
    slot = open_slot.select_for_update(no_key=True).values_list("pk", flat=True).first()
    if slot is None:
        if not _was_theirs(round_, issue, member):
            raise errors.NotYourTurn
        slot = claim_on(round_, issue, member)
    if slot is not None:
        Assignment.objects.filter(pk=slot).update(submitted_at=now)
    return slot


def _repeated(round_: Round, label: Label, place: RoundIssue) -> Submitted:
    completed = place.completed_at is not None and not is_changeable(round_, place)
    decision = None
    if completed:
        decision = Decision.objects.filter(round=round_, issue=label.issue_id, superseded_at=None).first()
    return Submitted(label, surplus=label.surplus, completed=completed, decision=decision, repeated=True)


def _keep(
    round_: Round, issue: Issue, member: Membership, category: Category, text: str, *, unsure: bool
) -> None:
    """Keep what could not be submitted as the member's draft, if the issue was ever theirs."""
    with transaction.atomic():
        hold_volunteer(round_, member)
        stored = _draft(round_, issue, member)
        if stored is None and not _was_theirs(round_, issue, member):
            return
        known = CategoryState.objects.filter(version=round_.version_id, category=category).exists()
        draft = stored or Draft(round=round_, issue=issue, volunteer=member, revision=0)
        _write(draft, category if known else None, text, unsure=unsure)


def _write(draft: Draft, category: Category | None, text: str, *, unsure: bool) -> None:
    draft.category, draft.summary, draft.unsure = category, text, unsure
    draft.revision += 1
    draft.save()


def _draft(round_: Round, issue: Issue, member: Membership) -> Draft | None:
    return Draft.objects.filter(round=round_, issue=issue, volunteer=member).first()


def _label(round_: Round, issue: Issue, member: Membership) -> Label | None:
    return Label.objects.filter(round=round_, issue=issue, volunteer=member).first()


def _was_theirs(round_: Round, issue: Issue, member: Membership) -> bool:
    """Is there a trace of the member's turn at this issue: a slot, a draft or a skip?"""
    own = {"round": round_, "issue": issue, "volunteer": member}
    return any(kind.objects.filter(**own).exists() for kind in (Assignment, Draft, Skip))


def _snapshot(issue: Issue, seen: int | None) -> int | None:
    if seen is not None and (seen == 0 or Snapshot.objects.filter(pk=seen, issue=issue).exists()):
        return seen or None
    return issue.current_id


def _require_known(round_: Round, category: Category | None) -> None:
    if category and not CategoryState.objects.filter(version=round_.version_id, category=category).exists():
        raise errors.UnknownCategory


def _require_deep_enough(round_: Round, category: Category) -> None:
    """Raises UnknownCategory, or TooShallow for one above the round's depth that has others below it."""
    below = CategoryState.objects.filter(version=OuterRef("version"), parent=OuterRef("category"))
    state = (
        CategoryState.objects.filter(version=round_.version_id, category=category)
        .annotate(has_below=Exists(below))
        .values("level", "has_below")
        .first()
    )
    if state is None:
        raise errors.UnknownCategory
    if state["level"] < round_.depth and state["has_below"]:
        raise errors.TooShallow


def _text(summary: str) -> str:
    """The summary as it can be stored: what PostgreSQL cannot hold becomes U+FFFD. Raises SummaryTooLong."""
    text = UNSTORABLE.sub("\ufffd", summary)
    if len(text) > SUMMARY_LENGTH:
        raise errors.SummaryTooLong
    return text


@contextmanager
def _keeping(round_: Round, category: Category | None, summary: str) -> Iterator[None]:
    """Whatever is refused within carries what was typed, so that the page can show it back."""
    try:
        yield
    except DomainError as refusal:
        refusal.kept = refusal.kept or _typed(round_, category, summary)
        raise


def _typed(round_: Round, category: Category | None, summary: str) -> dict[str, str]:
    codes = CategoryState.objects.filter(version=round_.version_id, category=category).values_list(
        "code", flat=True
    )
    code = codes.first() if category else None
    return {"category": code or "", "summary": summary}
