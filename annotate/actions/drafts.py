"""Drafts: what a member has typed and not submitted, kept whatever happens to their turn."""

from dataclasses import replace

from django.db import connection, transaction
from django.db.models import Q

from annotate import errors
from annotate.actions.locks import Held, hold, require_seat
from annotate.actions.repeats import is_again
from annotate.actions.turns import renew
from annotate.actions.typed import Typed, in_words, keeping, require_known, typed_in
from annotate.models import Assignment, Draft, Label, Round, Skip
from annotate.queries.categories import categories_of
from core.errors import DomainError
from core.retry import retried
from ingest.models import Issue
from studies.models import Membership
from taxonomy.models import Category

_OWN_LABEL = """
    SELECT id FROM annotate_label
    WHERE round_id = %(round_id)s AND issue_id = %(issue_id)s AND volunteer_id = %(volunteer_id)s
"""


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
    proposed_name: str = "",
    proposed_reason: str = "",
    of_change: bool = True,
) -> Draft:
    """Keep what is typed so far, and the slot with it: its lease starts anew, as do those of all that they
    hold.

    `seen_revision` is that of the draft that the form was made from, 0 without one. A draft saved elsewhere
    since, with other content, is not overwritten: StaleDraft carries it. A save of what is submitted already,
    such as one that comes late, stores nothing and returns an unsaved draft; `of_change` says that the form
    is one that changes a label. After the round is closed, or the member is taken out of it, the text is
    still saved, and then RoundClosed, RemovedFromRound or TrainingFirst raised.
    Raises also NotYourTurn, UnknownCategory, SummaryTooLong, ProposalTooLong.
    """
    typed = typed_in(category, summary, proposed_name, proposed_reason, unsure=unsure)
    with keeping(round_, typed):
        draft, refusal = _save(round_, issue, member, typed, seen_revision, of_change=of_change)
    if refusal is not None:
        refusal.kept = in_words(round_, typed)
        if isinstance(refusal, errors.TextKept):
            refusal.is_kept = True
        raise refusal
    return draft


@transaction.atomic
def _save(
    round_: Round, issue: Issue, member: Membership, typed: Typed, seen_revision: int, *, of_change: bool
) -> tuple[Draft, DomainError | None]:
    """The draft, and why its owner may not go on: the text is stored all the same."""
    held = hold(round_, issue, member)
    current, refusal = held.round, None
    try:
        require_seat(current, held.volunteer)
    except errors.TextKept as said:
        refusal = said
    try:
        require_known(current, typed.category)
    except errors.CategoryGone:
        typed = replace(typed, category=None)
    if current.allocation == Round.Allocation.K_OF_N and current.is_open and refusal is None:
        renew(current, member, Q(issue=issue))
    if current.closed_at:
        refusal = errors.RoundClosed()
    stored = own_draft(held)
    if stored is None:
        label = own_label(held)
        if label is not None and (of_change or not is_again(held, label)) and _is_in(typed, label):
            return Draft(round=current, issue=issue, volunteer=member, revision=0), None
        if not label and not _may_keep(held):
            raise errors.NotYourTurn
    elif stored.revision != seen_revision and typed != Typed.of(stored):
        raise errors.StaleDraft(stored)
    draft = stored or Draft(round=current, issue=issue, volunteer=member, revision=0)
    if draft.revision == 0 or typed != Typed.of(draft):
        _write(draft, typed)
    return draft, refusal


def keep(
    round_: Round, issue: Issue, member: Membership, typed: Typed, seen_revision: int | None = None
) -> bool:
    """Keep what could not be submitted as the member's draft, if the issue was ever theirs; True if it is
    kept.

    Another text, saved elsewhere after the `seen_revision` that the form knew, is not overwritten unseen.
    """
    with transaction.atomic():
        held = hold(round_, issue, member)
        stored = own_draft(held)
        if stored is None and not _may_keep(held):
            return False
        is_later = stored is not None and seen_revision is not None and stored.revision > seen_revision
        if stored is not None and is_later and not typed.says_all_of(Typed.of(stored)):
            return False
        states = categories_of(held.round.version_id).by_id
        if typed.category is not None and typed.category not in states:
            here = states.stands_as(typed.category)
            typed = Typed(here, typed.summary, typed.unsure, typed.proposed_name, typed.proposed_reason)
        _write(stored or Draft(round=held.round, issue=issue, volunteer=member, revision=0), typed)
        return True


def own_draft(held: Held) -> Draft | None:
    return Draft.objects.filter(**_own(held)).first()


def own_label(held: Held) -> Label | None:
    """With its proposal. Where there is none, as for every first submit, the answer costs next to nothing."""
    with connection.cursor() as cursor:
        cursor.execute(_OWN_LABEL, _own(held))
        row = cursor.fetchone()
    return Label.objects.select_related("proposal").get(pk=row[0]) if row else None


def was_theirs(held: Held) -> bool:
    """Is there a trace of the member's turn at this issue: a slot, a draft or a skip?

    A slot that is being made for a round that is not open is none yet.
    """
    traces = (Assignment, Draft, Skip) if held.round.opened_at else (Draft, Skip)
    return any(kind.objects.filter(**_own(held)).exists() for kind in traces)


def _may_keep(held: Held) -> bool:
    """Whoever was taken out of the round has lost their slots with it: what they typed is theirs all the
    same.
    """
    return held.volunteer.left_at is not None or was_theirs(held)


def _is_in(typed: Typed, label: Label) -> bool:
    try:
        return typed.label().is_in(label)
    except DomainError:
        return False


def _write(draft: Draft, typed: Typed) -> None:
    draft.category_id, draft.summary, draft.unsure = typed.category, typed.summary, typed.unsure
    draft.proposed_name, draft.proposed_reason = typed.proposed_name, typed.proposed_reason
    draft.revision += 1
    draft.save()


def _own(held: Held) -> dict[str, int]:
    return {
        "round_id": held.round.pk,
        "issue_id": held.place.issue_id,
        "volunteer_id": held.volunteer.member_id,
    }
