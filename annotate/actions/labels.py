"""Submit a label, and change it until reveal."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from django.db import connection, transaction
from django.db.models import Subquery

from annotate.actions.label_drafts import keep, was_theirs
from annotate.actions.repeats import repeat_of, schedule_repeat, store_repeat
from annotate.actions.second_looks import look_again, looked_at
from annotate.actions.turns import claim_on
from annotate.errors import AlreadyLabelled, LabelRevealed, NotLabelled, StaleLabel
from annotate.label_input import LabelChoice, LabelInput, keeping, require_deep_enough, require_known
from annotate.models import Draft, Repeat
from annotate.queries.labels import is_changeable
from annotate.queries.repeats import CHOSEN, STILL_OPEN, as_label, is_ripe
from annotate.queries.second_looks import waits_for_a_look
from consensus.actions.decisions import decide_by_rule
from consensus.models import Decision
from core import clock
from core.sql.prepared import Prepared
from core.sql.retry import retried
from ingest.models import Issue, Snapshot
from rounds import errors
from rounds.actions.locks import LockedPlace, lock_place, require_open, require_seat
from rounds.actions.proposals import open_proposal
from rounds.models import Label, Round
from rounds.queries.categories import categories_of
from studies.actions import mark_guideline_read
from studies.models import Guideline, Membership
from taxonomy.models import Version

# volunteer_id + 0 makes PostgreSQL search by round and issue: without statistics about a volunteer it might
# read all labels of this volunteer.
_BEFORE = """
    SELECT l.id, g.id, EXISTS (
        SELECT FROM studies_guidelinereading r WHERE r.guideline_id = g.id AND r.member_id = %(volunteer_id)s
    )
    FROM (SELECT) one
    LEFT JOIN rounds_label l
      ON l.round_id = %(round_id)s AND l.issue_id = %(issue_id)s AND l.volunteer_id + 0 = %(volunteer_id)s
    LEFT JOIN LATERAL (
        SELECT id FROM studies_guideline WHERE study_id = %(study)s ORDER BY number DESC LIMIT 1
    ) g ON true
"""
_FIELDS = [field.attname for field in Label._meta.concrete_fields if field.name not in {"id", "assignment"}]  # noqa: SLF001 - public by documentation
_STORE = Prepared(
    "store_label",
    f"""
    WITH slot AS (
        UPDATE rounds_assignment SET submitted_at = %(submitted_at)s
        WHERE round_id = %(round_id)s AND issue_id = %(issue_id)s AND volunteer_id = %(volunteer_id)s
          AND submitted_at IS NULL
        RETURNING id
    )
    INSERT INTO rounds_label (assignment_id, {", ".join(_FIELDS)})
    SELECT slot.id, {", ".join(f"%({field})s" for field in _FIELDS)} FROM slot
    RETURNING id, assignment_id
    """,  # noqa: S608 - the pieces are constants
)
# `completed_at` fires the trigger `labels_are_said_again` of RoundIssue, which fills `labels`.
_SETTLE = Prepared(
    "settle_issue",
    """
    WITH gone AS (
        DELETE FROM annotate_draft
        WHERE round_id = %(round_id)s AND issue_id = %(issue_id)s AND volunteer_id = %(volunteer_id)s
          AND (%(revision)s::integer IS NULL OR revision <= %(revision)s
               OR strpos(%(summary)s, summary) > 0 AND strpos(%(proposed_name)s, proposed_name) > 0
                  AND strpos(%(proposed_reason)s, proposed_reason) > 0)
    )
    UPDATE rounds_roundissue SET completed_at = %(now)s
    WHERE round_id = %(round_id)s AND issue_id = %(issue_id)s AND %(is_counted)s AND NOT EXISTS (
        SELECT FROM rounds_assignment
        WHERE round_id = %(round_id)s AND issue_id = %(issue_id)s AND submitted_at IS NULL
    )
    RETURNING labels
    """,
)


OPEN = "0"
"""In `RoundIssue.labels`: a label without a category in the version of the round."""


@dataclass(frozen=True)
class SubmittedLabel:
    """What became of a submitted label.

    `surplus`: another volunteer had taken the slot; the label is kept, and out of the statistics.
    `completed`: this was the last label of the issue, and all of its labels are revealed now; `decision` is
    the decision by the rule of the round. Under the policy `round_closed` it is False, because nobody may
    know. `repeated`: the same form had stored the label before, and nothing was stored now.
    """

    label: Label
    surplus: bool
    completed: bool = False
    decision: Decision | None = None
    repeated: bool = False


class StoredBefore(NamedTuple):
    """What a submit finds under its lock: the ids of the volunteer's label and of the study's guideline."""

    label: int | None
    guideline: int | None
    is_guideline_read: bool


@retried
def submit_label(*, round_: Round, issue: Issue, member: Membership, given: LabelInput) -> SubmittedLabel:
    """Store the member's label of an issue, and complete the issue if this was its last missing label.

    The same form key, or the same content, again returns the stored label. The label is chosen in the version
    that the page showed, even if the round uses a later version by now. A draft with a later revision than
    the form knew stays, if the label lacks a word of the draft. If another volunteer has taken the slot, the
    label takes a free slot of the issue, or is kept as surplus. If the issue came to the member a second
    time, the drift check stores the label, and the first label stays. Raises AlreadyLabelled, NotYourTurn,
    CategoryMissing, UnknownCategory, TooShallow, SummaryTooLong, ProposalIncomplete, ProposalTooLong,
    RoundNotOpen. Raises RoundClosed, RemovedFromRound, TrainingFirst, StaleVersion, CategoryGone and
    StaleGuideline after the text is saved as a draft.
    """
    with keeping(round_, given):
        try:
            return _submit(round_, issue, member, given)
        except errors.TextKept as refusal:
            if isinstance(refusal, errors.CategoryGone):
                given = replace(given, category=None)
            refusal.is_kept = keep(round_, issue, member, given)
            raise


@transaction.atomic
def _submit(round_: Round, issue: Issue, member: Membership, given: LabelInput) -> SubmittedLabel:
    choice = given.choice()
    locked = lock_place(round_, issue, member)
    before = _before(locked)
    if before.label is not None:
        label = Label.objects.select_related("proposal").get(pk=before.label)
        return _again(locked, label, before, choice, given)
    if locked.round.kind == Round.Kind.LOOK and not waits_for_a_look(locked.round, issue):
        raise errors.NotYourTurn
    label = _label(locked, before, choice, given)
    _store(locked, label)
    schedule_repeat(locked, label)
    with connection.cursor() as cursor:
        typed = given.content | {"revision": given.revision, "now": label.submitted_at}
        _SETTLE.run(cursor, locked.own | typed | {"is_counted": not label.surplus})
        row = cursor.fetchone()
    if row is None:
        return SubmittedLabel(label, surplus=label.surplus)
    return _complete(locked.round, issue, label, row[0].split())


def _complete(round_: Round, issue: Issue, label: Label, labels: list[str]) -> SubmittedLabel:
    """Complete an issue after its last label, or begin a second look; `labels` are all of its labels."""
    if round_.kind == Round.Kind.LOOK:
        looked_at(round_, [issue.pk], label.submitted_at)
        return SubmittedLabel(label, surplus=False, completed=True)
    if round_.reveal != Round.Reveal.ISSUE_COMPLETE:
        return SubmittedLabel(label, surplus=False)
    if OPEN in labels and look_again(round_, at=label.submitted_at, issues=[issue.pk]):
        return SubmittedLabel(label, surplus=False)
    book = categories_of(round_.version_id)
    chosen = [int(id_) for id_ in labels if id_ != OPEN]
    compared = {book.ancestor(id_, round_.depth) or book.by_id[id_] for id_ in chosen}
    agree = OPEN not in labels and len(compared) == 1
    decision = decide_by_rule(round_, issue, label.submitted_at, agree=agree)
    return SubmittedLabel(label, surplus=False, completed=True, decision=decision)


def _again(
    locked: LockedPlace, label: Label, before: StoredBefore, choice: LabelChoice, given: LabelInput
) -> SubmittedLabel:
    """Answer a form of an issue that has a label: the form came twice, is for the repeat, or came too late. A
    form that came twice gets the same answer as before, even if the round was closed in between.
    """
    if given.form_key is not None and given.form_key == label.form_key:
        return _repeated(locked, label)
    repeat = repeat_of(locked.round, label.issue_id, locked.volunteer.member)
    if repeat is not None:
        # Once others can see the labels, a second label would not be blind: the drift check is over. In a
        # closed round `_label` refuses the form, and its text is kept.
        is_for_repeat = locked.round.closed_at is not None or _is_changeable(locked)
        if is_for_repeat and is_ripe(repeat, label, clock.now()):
            second = _label(locked, before, choice, given)
            store_repeat(repeat, second, form_key=given.form_key)
            Draft.objects.filter(**locked.own).delete()
            return SubmittedLabel(as_label(repeat), surplus=False)
        if repeat.submitted_at is not None and (
            (given.form_key is not None and given.form_key == repeat.form_key) or choice.is_in(repeat)
        ):
            return SubmittedLabel(as_label(repeat), surplus=False, repeated=True)
    if choice.is_in(label):
        return _repeated(locked, label)
    raise AlreadyLabelled(label)


@retried
@transaction.atomic
def change_label(*, round_: Round, issue: Issue, member: Membership, given: LabelInput) -> Label:
    """Change the member's own label until others can see the label; the history of the label is kept.

    `given.seen` is the `changed_at` of the label in the form, or `submitted_at` before the first change; None
    skips this check. The same content again changes nothing. An open label can get a category, and a label
    with a category can become open. If the issue came a second time within the last hour, the second label is
    changed. Raises LabelRevealed, StaleLabel, StaleGuideline, StaleVersion, NotLabelled, NotYourTurn,
    RemovedFromRound, TrainingFirst, CategoryMissing, CategoryGone, UnknownCategory, TooShallow,
    SummaryTooLong, ProposalIncomplete, ProposalTooLong.
    """
    with keeping(round_, given):
        choice = given.choice()
        locked = lock_place(round_, issue, member)
        require_seat(locked.round, locked.volunteer)
        before = _before(locked)
        if before.label is None:
            raise NotLabelled
        label = Label.objects.select_related("proposal").get(pk=before.label)
        stored, repeat = label, _repeat_meant(locked, label, given.seen)
        if repeat is not None:
            stored = as_label(repeat)
        # The same category again is a new choice where a later version asks for it.
        if choice.is_in(stored) and _still_counts(locked.round, stored):
            return stored
        if not _is_changeable(locked):
            raise LabelRevealed(stored)
        if given.seen is not None and given.seen != (stored.changed_at or stored.submitted_at):
            raise StaleLabel(stored)
        changed = _label(locked, before, choice, given)
        if repeat is not None:
            stored = as_label(store_repeat(repeat, changed, form_key=repeat.form_key))
        else:
            for name in CHOSEN:
                setattr(label, name, getattr(changed, name))
            label.changed_at = changed.submitted_at
            label.save(update_fields=[*(name.removesuffix("_id") for name in CHOSEN), "changed_at"])
        Draft.objects.filter(**locked.own).delete()
        return stored


def _still_counts(round_: Round, label: Label) -> bool:
    """Does the label have its category in the version of the round, or is it open?"""
    if label.category_id is None:
        return True
    return categories_of(round_.version_id).by_id.stands_as(label.category_id, label.version_id) is not None


def _is_changeable(locked: LockedPlace) -> bool:
    return is_changeable(locked.round, locked.place.completed_at or locked.place.was_completed_at)


def _repeat_meant(locked: LockedPlace, label: Label, seen: datetime | None) -> Repeat | None:
    """The repeat of the last hour, if the form shows the repeat instead of the label; otherwise None."""
    repeat = repeat_of(locked.round, label.issue_id, locked.volunteer.member)
    if repeat is None or repeat.submitted_at is None or repeat.submitted_at < clock.now() - STILL_OPEN:
        return None
    return None if seen is None or seen == (label.changed_at or label.submitted_at) else repeat


def _before(locked: LockedPlace) -> StoredBefore:
    with connection.cursor() as cursor:
        cursor.execute(_BEFORE, locked.own | {"study": locked.round.study_id})
        return StoredBefore(*cursor.fetchone())


def _label(locked: LockedPlace, before: StoredBefore, choice: LabelChoice, given: LabelInput) -> Label:
    """Make the label without storing it; store its proposal, and that its author has read the guideline.
    Raises RoundNotOpen, RoundClosed, RemovedFromRound, TrainingFirst, StaleVersion, StaleGuideline,
    CategoryGone, UnknownCategory, TooShallow.
    """
    round_, member = locked.round, locked.volunteer.member
    require_open(round_)
    require_seat(round_, locked.volunteer)
    version = _version(round_, given.version)
    if given.guideline is not None and given.guideline != (before.guideline or 0):
        raise errors.StaleGuideline
    if before.guideline is not None and given.guideline is not None and not before.is_guideline_read:
        guideline = Guideline(pk=before.guideline, study_id=member.study_id)
        mark_guideline_read(member=member, guideline=guideline)
    if choice.category is not None:
        require_deep_enough(round_, choice.category, version)
    proposal = None
    if choice.proposed is not None:
        require_known(round_, choice.proposed.nearest, version)
        proposal = open_proposal(round_=round_, member=member, name=choice.proposed.name)
    return Label(
        **locked.own,
        category_id=choice.category,
        proposal=proposal,
        proposed_reason=choice.proposed.reason if choice.proposed else "",
        nearest_id=choice.proposed.nearest if choice.proposed else None,
        version_id=version,
        guideline_id=before.guideline,
        snapshot_id=_snapshot(locked, given.snapshot),
        summary=choice.summary,
        unsure=choice.unsure,
        submitted_at=clock.now(),
        form_key=given.form_key,
    )


def _version(round_: Round, shown: int | None) -> int:
    """The version in which the label is chosen: the version of the round, or an earlier one that the page
    showed before the round went on with a new version. Raises StaleVersion for any other version.
    """
    if shown is None or shown == round_.version_id:
        return round_.version_id
    earlier = Version.objects.filter(
        pk=shown,
        taxonomy__versions=round_.version_id,
        number__lt=Subquery(Version.objects.filter(pk=round_.version_id).values("number")),
        published_at__isnull=False,
    )
    if not earlier.exists():
        raise errors.StaleVersion
    return shown


def _store(locked: LockedPlace, label: Label) -> None:
    """Store the label in the volunteer's slot and submit the slot; without a slot store it as surplus. A
    volunteer who has lost the slot gets another slot of the issue, if a slot is free or its lease is over.
    Raises NotYourTurn for a volunteer who never had a slot of the issue.
    """
    if _fill_slot(label):
        return
    if not was_theirs(locked):
        raise errors.NotYourTurn
    if claim_on(locked.round, Issue(pk=label.issue_id), locked.volunteer.member) is None or not _fill_slot(
        label
    ):
        label.surplus = True
        label.save(force_insert=True)


def _fill_slot(label: Label) -> bool:
    """Store the label and submit its slot in one statement; False if the volunteer has no open slot."""
    with connection.cursor() as cursor:
        _STORE.run(cursor, {field: getattr(label, field) for field in _FIELDS})
        row = cursor.fetchone()
    if row is None:
        return False
    label.pk, label.assignment_id = row
    label._state.adding = False  # noqa: SLF001 - as `save` does
    return True


def _repeated(locked: LockedPlace, label: Label) -> SubmittedLabel:
    completed = locked.place.completed_at is not None and not _is_changeable(locked)
    decision = None
    if completed:
        standing = Decision.objects.filter(round=locked.round, issue=label.issue_id, superseded_at=None)
        decision = standing.first()
    return SubmittedLabel(label, surplus=label.surplus, completed=completed, decision=decision, repeated=True)


def _snapshot(locked: LockedPlace, shown: int | None) -> int | None:
    """The text that the label is about: the text that the page showed, or the current one."""
    if shown in {None, locked.snapshot}:
        return locked.snapshot
    if shown == 0 or Snapshot.objects.filter(pk=shown, issue=locked.place.issue_id).exists():
        return shown or None
    return locked.snapshot
