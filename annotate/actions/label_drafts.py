"""Drafts: text that a member has typed and not submitted. A draft outlives the turn of its author."""

from dataclasses import replace

from django.db import transaction
from django.db.models import Q

from annotate.actions.repeats import is_again
from annotate.actions.turns import renew
from annotate.errors import StaleDraft
from annotate.label_input import LabelInput, in_words, keeping, require_known
from annotate.models import Draft, Skip
from core import clock
from core.errors import DomainError
from core.sql.retry import retried
from ingest.models import Issue
from rounds import errors
from rounds.actions.locks import LockedPlace, lock_place, require_seat
from rounds.models import Assignment, Label, Round
from rounds.queries.categories import categories_of
from studies.models import Membership


@retried
def save_draft(
    *, round_: Round, issue: Issue, member: Membership, given: LabelInput, of_change: bool = True
) -> Draft:
    """Save the draft of a form, and renew the leases of all slots that the volunteer has claimed.

    Raises StaleDraft, with the stored draft, if another window has saved other content after the revision in
    this form. If the label has the same content already, as after a late save, nothing is stored and the
    returned draft is unsaved; `of_change` tells that the form changes a label. After the round is closed, or
    the volunteer is taken out of the round, the text is still saved; then RoundClosed, RemovedFromRound or
    TrainingFirst is raised. Also raises NotYourTurn, UnknownCategory, SummaryTooLong, ProposalTooLong.
    """
    with keeping(round_, given):
        draft, refusal = _save(round_, issue, member, given, of_change=of_change)
    if refusal is not None:
        refusal.kept = in_words(round_, given)
        if isinstance(refusal, errors.TextKept):
            refusal.is_kept = True
        raise refusal
    return draft


@transaction.atomic
def _save(
    round_: Round, issue: Issue, member: Membership, given: LabelInput, *, of_change: bool
) -> tuple[Draft, DomainError | None]:
    """Store the draft, and return it with the reason why its author may not go on, if there is a reason."""
    locked = lock_place(round_, issue, member)
    current, refusal = locked.round, None
    try:
        require_seat(current, locked.volunteer)
    except errors.TextKept as reason:
        refusal = reason
    try:
        require_known(current, given.category)
    except errors.CategoryGone:
        given = replace(given, category=None)
    if current.allocation == Round.Allocation.K_OF_N and current.is_open and refusal is None:
        renew(current, member, Q(issue=issue))
    if current.closed_at:
        refusal = errors.RoundClosed()
    stored = own_draft(locked)
    if stored is None:
        label = Label.objects.filter(**locked.own).select_related("proposal").first()
        if label is not None and (of_change or not is_again(locked, label)) and _is_in(given, label):
            return Draft(round=current, issue=issue, volunteer=member, revision=0), None
        if not label and not _may_keep(locked):
            raise errors.NotYourTurn
    elif stored.revision != (given.revision or 0) and not given.is_in_draft(stored):
        raise StaleDraft(stored)
    draft = stored or Draft(round=current, issue=issue, volunteer=member, revision=0)
    if draft.revision == 0 or not given.is_in_draft(draft):
        _write(draft, given)
    return draft, refusal


def keep(round_: Round, issue: Issue, member: Membership, given: LabelInput) -> bool:
    """Save the text of a refused submit as a draft, if the issue was ever the member's turn; True if it is
    saved. A draft that another window saved after the revision in the form is not overwritten, unless the new
    text contains all of its text.
    """
    with transaction.atomic():
        locked = lock_place(round_, issue, member)
        stored = own_draft(locked)
        if stored is None and not _may_keep(locked):
            return False
        is_later = stored is not None and given.revision is not None and stored.revision > given.revision
        if stored is not None and is_later and not given.contains_text_of(stored):
            return False
        states = categories_of(locked.round.version_id).by_id
        if given.category is not None and given.category not in states:
            given = replace(given, category=states.stands_as(given.category))
        _write(stored or Draft(round=locked.round, issue=issue, volunteer=member, revision=0), given)
        return True


def own_draft(locked: LockedPlace) -> Draft | None:
    return Draft.objects.filter(**locked.own).first()


def was_theirs(locked: LockedPlace) -> bool:
    """Is there a trace of the volunteer's turn at the issue: a slot, a draft or a skip? A slot does not count
    before the round is open: the opening may still be making slots.
    """
    traces = (Assignment, Draft, Skip) if locked.round.opened_at else (Draft, Skip)
    return any(kind.objects.filter(**locked.own).exists() for kind in traces)


def _may_keep(locked: LockedPlace) -> bool:
    """May the text be kept? Yes after a turn, and for a volunteer who was taken out and so lost the slots."""
    return locked.volunteer.left_at is not None or was_theirs(locked)


def _is_in(given: LabelInput, label: Label) -> bool:
    try:
        return given.choice().is_in(label)
    except DomainError:
        return False


def _write(draft: Draft, given: LabelInput) -> None:
    draft.category_id, draft.summary, draft.unsure = given.category, given.summary, given.unsure
    draft.proposed_name, draft.proposed_reason = given.proposed_name, given.proposed_reason
    draft.revision += 1
    draft.saved_at = clock.now()
    draft.save()
