"""Follow-ups of a meeting: the chair notes them, and later leads mark them as done."""

from django.db import transaction

from consensus import errors
from consensus.actions.locks import changed, lock_item_to_lead, lock_meeting
from consensus.actions.records import record_in_round
from consensus.models import AgendaItem, FollowUp
from consensus.rules import may_plan_meeting
from core import clock
from core.sql.retry import retried
from rounds.actions.proposals import open_proposal, require_lengths
from rounds.errors import NotAllowed, UnknownCategory
from rounds.queries.categories import codebook
from studies.models import Membership
from taxonomy.models import Category, Proposal

LONGEST_TEXT = 1000


@retried
@transaction.atomic
def follow_up(
    *,
    item: AgendaItem,
    by: Membership,
    kind: str,
    category: Category | None = None,
    text: str = "",
    name: str = "",
) -> FollowUp:
    """Note a follow-up of an issue: an example for a category, a line for the guideline, or a proposal.

    A proposal has a `name`, and `by` opens it in the taxonomy of the round; an example has a `category`. For
    the chair, and for either member of a pair. A repeated call returns the existing follow-up. Raises
    NotAllowed, MeetingNotOpen, MeetingClosed, OffTheAgenda, FollowUpIncomplete, ProposalTooLong,
    UnknownCategory.
    """
    text, name = text.replace("\x00", "\ufffd").strip(), " ".join(name.replace("\x00", "\ufffd").split())
    kept = {"text": text, "name": name}
    current = lock_item_to_lead(item, by)
    meeting = current.meeting
    if kind not in FollowUp.Kind.values or len(text) > LONGEST_TEXT:
        raise errors.FollowUpIncomplete(kept=kept)
    if category is not None and category.pk not in codebook(meeting.round.version_id).states:
        raise UnknownCategory(kept=kept)
    proposal: Proposal | None = None
    if kind == FollowUp.Kind.PROPOSAL:
        if not name:
            raise errors.FollowUpIncomplete(kept=kept)
        require_lengths(name, text)
        proposal = open_proposal(round_=meeting.round, member=by, name=name)
    elif (kind == FollowUp.Kind.EXAMPLE and category is None) or (
        kind == FollowUp.Kind.GUIDELINE and not text
    ):
        raise errors.FollowUpIncomplete(kept=kept)
    said = {"kind": kind, "category": category, "proposal": proposal, "text": text}
    found = FollowUp.objects.filter(item=current, **said).order_by("pk").first()
    if found is not None:
        return found
    made = FollowUp.objects.create(item=current, **said, made_by=by, made_at=clock.now())
    changed(meeting)
    return made


@retried
@transaction.atomic
def set_done(*, follow_up: FollowUp, by: Membership, done: bool) -> FollowUp:
    """Mark a follow-up as done, or as not done, as owner or lead. Raises NotAllowed. The screens of an open
    meeting show the change at once.
    """
    meeting = lock_meeting(follow_up.item.meeting)
    current = FollowUp.objects.select_for_update().get(pk=follow_up.pk)
    round_ = meeting.round
    if not may_plan_meeting(by, round_):
        raise NotAllowed
    if (current.done_at is not None) == done:
        return current
    current.done_at, current.done_by = (clock.now(), by) if done else (None, None)
    current.save(update_fields=["done_at", "done_by"])
    if meeting.closed_at is None:
        changed(meeting)
    verb = "follow_ups.done" if done else "follow_ups.undone"
    record_in_round(verb, round_, by, kind=current.kind)
    return current
