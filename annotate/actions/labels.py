"""Labels: what a member submits, and changes until reveal."""

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Subquery
from django.utils import timezone

from annotate import errors
from annotate.actions.decisions import decide_by_rule
from annotate.actions.drafts import keep, own_label, save_draft, was_theirs
from annotate.actions.locks import Held, hold, require_open, require_seat
from annotate.actions.looks import look_again, looked_at
from annotate.actions.proposals import open_proposal
from annotate.actions.repeats import repeat_of, schedule_repeat, store_repeat
from annotate.actions.turns import claim_on
from annotate.actions.typed import (
    SUMMARY_LENGTH,
    Choice,
    Typed,
    keeping,
    require_deep_enough,
    require_known,
    typed_in,
)
from annotate.models import Decision, Draft, Label, Repeat, Round, RoundIssue
from annotate.queries.looks import waits_for_a_look
from annotate.queries.repeats import STILL_OPEN, as_label, is_ripe
from annotate.queries.turns import guideline_seen
from core.retry import retried
from ingest.models import Issue, Snapshot
from studies.actions import mark_guideline_read
from studies.models import Guideline, Membership
from taxonomy.models import Category, Version

__all__ = ["SUMMARY_LENGTH", "Submitted", "change_label", "is_changeable", "save_draft", "submit_label"]

_FILL_SLOT = """
    UPDATE annotate_assignment SET submitted_at = %(now)s
    WHERE round_id = %(round)s AND issue_id = %(issue)s AND volunteer_id = %(member)s AND submitted_at IS NULL
    RETURNING id
"""
_SETTLE = """
    WITH gone AS (
        DELETE FROM annotate_draft
        WHERE round_id = %(round)s AND issue_id = %(issue)s AND volunteer_id = %(member)s
          AND (%(revision)s::integer IS NULL OR revision <= %(revision)s
               OR strpos(%(summary)s, summary) > 0 AND strpos(%(name)s, proposed_name) > 0
                  AND strpos(%(reason)s, proposed_reason) > 0)
    )
    UPDATE annotate_roundissue SET completed_at = %(now)s
    WHERE round_id = %(round)s AND issue_id = %(issue)s AND %(is_counted)s AND NOT EXISTS (
        SELECT FROM annotate_assignment
        WHERE round_id = %(round)s AND issue_id = %(issue)s AND submitted_at IS NULL
    )
    RETURNING labels
"""


OPEN = "0"
"""In `RoundIssue.labels`: a label that says no category of the round's version."""


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


@dataclass(frozen=True)
class Seen:
    """What the form was made from, by their ids: 0 for none, None to take what is current.

    `revision` is that of the draft, None for a form that knows of no drafts.
    """

    version: int | None = None
    snapshot: int | None = None
    guideline: int | None = None
    revision: int | None = None


@retried
def submit_label(
    *,
    round_: Round,
    issue: Issue,
    member: Membership,
    category: Category | None,
    summary: str,
    unsure: bool,
    form_key: UUID | None,
    seen_version: int | None = None,
    seen_snapshot: int | None = None,
    seen_guideline: int | None = None,
    seen_revision: int | None = None,
    proposed_name: str = "",
    proposed_reason: str = "",
) -> Submitted:
    """Store the member's label of an issue, and complete the issue if it was the last one.

    With a proposed name and reason the label is open: it waits for a category that is missing, and `category`
    is what comes nearest, if anything does. The same `form_key`, or the same content, again returns what is
    stored. `seen_version` is the id of the version whose categories the page showed: the label is chosen in
    that one, also where the round has gone on with a later one meanwhile; `seen_snapshot` that of
    the text it showed, `seen_guideline` that of the guideline, each 0 if none, None to take the current one.
    `seen_revision` is that of the draft that the form knew: a later one, saved elsewhere with a text that
    this label does not say, stays, as a change that is not submitted.
    A label whose slot went to somebody else takes a free slot of the issue, or is kept as surplus. Where the
    issue came to the member again, the drift check keeps it, and the first label stays as it is.

    Raises AlreadyLabelled, NotYourTurn, CategoryMissing, UnknownCategory, TooShallow, SummaryTooLong,
    ProposalIncomplete, ProposalTooLong, RoundNotOpen; and RoundClosed, RemovedFromRound, TrainingFirst,
    StaleVersion, CategoryGone and StaleGuideline, after the text is kept as a draft.
    """
    typed = typed_in(category, summary, proposed_name, proposed_reason, unsure=unsure)
    with keeping(round_, typed):
        seen = Seen(seen_version, seen_snapshot, seen_guideline, seen_revision)
        try:
            return _submit(round_, issue, member, typed, form_key, seen)
        except errors.TextKept as refusal:
            if isinstance(refusal, errors.CategoryGone):
                typed = replace(typed, category=None)
            refusal.is_kept = keep(round_, issue, member, typed, seen_revision)
            raise


@transaction.atomic
def _submit(
    round_: Round, issue: Issue, member: Membership, typed: Typed, form_key: UUID | None, seen: Seen
) -> Submitted:
    choice = typed.label()
    held = hold(round_, issue, member)
    label = own_label(held)
    if label is not None:
        return _again(held, label, choice, form_key, seen)
    if held.round.kind == Round.Kind.LOOK and not waits_for_a_look(held.round, issue):
        raise errors.NotYourTurn
    label = _label(held, choice, seen, issue)
    slot = _fill_slot(held, issue, member, label.submitted_at)
    label.assignment_id, label.surplus, label.form_key = slot, slot is None, form_key
    label.save(force_insert=True)
    schedule_repeat(held, label)
    said = {"summary": typed.summary, "name": typed.proposed_name, "reason": typed.proposed_reason}
    given = _key(held) | said | {"revision": seen.revision}
    with connection.cursor() as cursor:
        cursor.execute(_SETTLE, {**given, "now": label.submitted_at, "is_counted": slot is not None})
        complete = cursor.fetchone()
    if complete is None:
        return Submitted(label, surplus=slot is None)
    if held.round.kind == Round.Kind.LOOK:
        looked_at(held.round, [issue.pk], label.submitted_at)
        return Submitted(label, surplus=False, completed=True)
    if held.round.reveal != Round.Reveal.ISSUE_COMPLETE:
        return Submitted(label, surplus=False)
    if OPEN in complete[0].split() and look_again(held.round, at=label.submitted_at, issues=[issue.pk]):
        return Submitted(label, surplus=False)
    decision = decide_by_rule(held.round, issue, label.submitted_at)
    return Submitted(label, surplus=False, completed=True, decision=decision)


def _again(held: Held, label: Label, choice: Choice, form_key: UUID | None, seen: Seen) -> Submitted:
    """What a form of a labelled issue means: the same sent twice, a second label where it came again, or too
    late.

    The same is said again rather than refused, also when the round was closed in between.
    """
    if form_key is not None and form_key == label.form_key:
        return _repeated(held, label)
    repeat = repeat_of(held.round, label.issue_id, held.volunteer.member)
    if repeat is not None:
        # Once others can see its labels it checks no drift any more: the second label would not be blind.
        is_blind = held.round.closed_at is not None or is_changeable(held.round, held.place)
        if is_blind and is_ripe(repeat, label, timezone.now()):
            said = _label(held, choice, seen, Issue(pk=label.issue_id))
            store_repeat(repeat, said, form_key=form_key)
            Draft.objects.filter(**_own(held)).delete()
            return Submitted(as_label(repeat), surplus=False)
        if repeat.submitted_at is not None and (
            (form_key is not None and form_key == repeat.form_key) or choice.is_in(repeat)
        ):
            return Submitted(as_label(repeat), surplus=False, repeated=True)
    if choice.is_in(label):
        return _repeated(held, label)
    raise errors.AlreadyLabelled(label)


@retried
@transaction.atomic
def change_label(
    *,
    round_: Round,
    issue: Issue,
    member: Membership,
    category: Category | None,
    summary: str,
    unsure: bool,
    seen: datetime | None = None,
    seen_version: int | None = None,
    seen_snapshot: int | None = None,
    seen_guideline: int | None = None,
    proposed_name: str = "",
    proposed_reason: str = "",
) -> Label:
    """Change one's own label until others can see it; its history is kept.

    `seen` is the label's `changed_at`, or `submitted_at` before the first change, as the form was made from;
    None asks for no such check. The same content again changes nothing. An open label can get a category, and
    the other way round. What came to the member again a short while ago is changed in its place.
    `seen_version` and `seen_guideline` are as in submit_label.
    Raises LabelRevealed, StaleLabel, StaleGuideline, NotLabelled, NotYourTurn, CategoryMissing,
    CategoryGone, UnknownCategory, TooShallow, SummaryTooLong, ProposalIncomplete, ProposalTooLong.
    """
    typed = typed_in(category, summary, proposed_name, proposed_reason, unsure=unsure)
    with keeping(round_, typed):
        choice = typed.label()
        held = hold(round_, issue, member)
        require_seat(held.round, held.volunteer)
        label = own_label(held)
        if label is None:
            raise errors.NotLabelled
        stored, repeat = label, _repeat_meant(held, label, seen)
        if repeat is not None:
            stored = as_label(repeat)
        if choice.is_in(stored):
            return stored
        if not is_changeable(held.round, held.place):
            raise errors.LabelRevealed(stored)
        if seen is not None and seen != (stored.changed_at or stored.submitted_at):
            raise errors.StaleLabel(stored)
        seen_then = Seen(seen_version, seen_snapshot, seen_guideline)
        changed = _label(held, choice, seen_then, issue)
        if repeat is not None:
            stored = as_label(store_repeat(repeat, changed, form_key=repeat.form_key))
        else:
            names = (
                "category_id",
                "proposal",
                "proposed_reason",
                "nearest_id",
                "version_id",
                "guideline_id",
                "snapshot_id",
                "summary",
                "unsure",
            )
            for name in names:
                setattr(label, name, getattr(changed, name))
            label.changed_at = changed.submitted_at
            label.save(update_fields=[*(name.removesuffix("_id") for name in names), "changed_at"])
        Draft.objects.filter(**_own(held)).delete()
        return stored


def is_changeable(round_: Round, place: RoundIssue) -> bool:
    """May the labels of this issue still be changed by their authors? Until reveal; never in training.

    Where they were revealed once and are blind again, a second look is the place.
    """
    if round_.closed_at is not None or round_.kind == Round.Kind.TRAINING or place.was_completed_at:
        return False
    return round_.reveal != Round.Reveal.ISSUE_COMPLETE or place.completed_at is None


def _repeat_meant(held: Held, label: Label, seen: datetime | None) -> Repeat | None:
    """The repeat that the form shows in place of the label: one just given, unless the label itself was
    seen.
    """
    repeat = repeat_of(held.round, label.issue_id, held.volunteer.member)
    if repeat is None or repeat.submitted_at is None or repeat.submitted_at < timezone.now() - STILL_OPEN:
        return None
    return None if seen is None or seen == (label.changed_at or label.submitted_at) else repeat


def _label(held: Held, choice: Choice, seen: Seen, issue: Issue) -> Label:
    """The label that says this now, not stored. Its proposal is; so is that its author has read the
    guideline.

    Raises RoundNotOpen, RoundClosed, RemovedFromRound, TrainingFirst, StaleVersion, StaleGuideline,
    CategoryGone, UnknownCategory, TooShallow.
    """
    round_, member = held.round, held.volunteer.member
    require_open(round_)
    require_seat(round_, held.volunteer)
    version = _version(round_, seen)
    guideline, is_read = guideline_seen(round_, member)
    if seen.guideline is not None and seen.guideline != (guideline or 0):
        raise errors.StaleGuideline
    if guideline is not None and seen.guideline is not None and not is_read:
        mark_guideline_read(member=member, guideline=Guideline(pk=guideline, study_id=member.study_id))
    if choice.category is not None:
        require_deep_enough(round_, choice.category, version)
    proposal = None
    if choice.proposed is not None:
        require_known(round_, choice.proposed.nearest, version)
        proposal = open_proposal(round_=round_, member=member, name=choice.proposed.name)
    return Label(
        **_own(held),
        category_id=choice.category,
        proposal=proposal,
        proposed_reason=choice.proposed.reason if choice.proposed else "",
        nearest_id=choice.proposed.nearest if choice.proposed else None,
        version_id=version,
        guideline_id=guideline,
        snapshot_id=_snapshot(issue, held.snapshot, seen.snapshot),
        summary=choice.summary,
        unsure=choice.unsure,
        submitted_at=timezone.now(),
    )


def _version(round_: Round, seen: Seen) -> int:
    """The version that a label is chosen in: the round's own, or an earlier one, as the page showed it, that
    the round labelled with until a new one was published. Raises StaleVersion for any other.
    """
    if seen.version is None or seen.version == round_.version_id:
        return round_.version_id
    earlier = Version.objects.filter(
        pk=seen.version,
        taxonomy__versions=round_.version_id,
        number__lt=Subquery(Version.objects.filter(pk=round_.version_id).values("number")),
        published_at__isnull=False,
    )
    if not earlier.exists():
        raise errors.StaleVersion
    return seen.version


def _fill_slot(held: Held, issue: Issue, member: Membership, now: datetime) -> int | None:
    """Mark the member's slot submitted and return its id; None when it was theirs and is lost.

    Who has lost it gets another one of the issue, if one is free or expired. Raises NotYourTurn for one who
    never had it.
    """
    with connection.cursor() as cursor:
        cursor.execute(_FILL_SLOT, _key(held) | {"now": now})
        row = cursor.fetchone()
        if row is None:
            if not was_theirs(held):
                raise errors.NotYourTurn
            if claim_on(held.round, issue, member) is not None:
                cursor.execute(_FILL_SLOT, _key(held) | {"now": now})
                row = cursor.fetchone()
    return int(row[0]) if row else None


def _repeated(held: Held, label: Label) -> Submitted:
    completed = held.place.completed_at is not None and not is_changeable(held.round, held.place)
    decision = None
    if completed:
        standing = Decision.objects.filter(round=held.round, issue=label.issue_id, superseded_at=None)
        decision = standing.first()
    return Submitted(label, surplus=label.surplus, completed=completed, decision=decision, repeated=True)


def _snapshot(issue: Issue, current: int | None, seen: int | None) -> int | None:
    if seen in {None, current}:
        return current
    if seen == 0 or Snapshot.objects.filter(pk=seen, issue=issue).exists():
        return seen or None
    return current


def _own(held: Held) -> dict[str, int]:
    return {
        "round_id": held.round.pk,
        "issue_id": held.place.issue_id,
        "volunteer_id": held.volunteer.member_id,
    }


def _key(held: Held) -> dict[str, int]:
    return {
        "round": held.round.pk,
        "issue": held.place.issue_id,
        "member": held.volunteer.member_id,
    }
