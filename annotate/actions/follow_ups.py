"""What follows from a meeting: noted while it talks, done afterwards."""

from django.db import transaction
from django.utils import timezone

from annotate import errors
from annotate.actions.locks import changed, hold_item, hold_meeting
from annotate.actions.proposals import open_proposal, require_lengths
from annotate.models import AgendaItem, FollowUp, Meeting
from annotate.queries.categories import codebook
from annotate.queries.withheld import is_withheld
from annotate.rules import may_chair, may_plan_meeting, may_take_part
from core.retry import retried
from studies.actions import record
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
    """Note what follows from an issue: an example for a category, a line for the guideline, or a proposal.

    A proposal has a `name`, and is opened in the round's taxonomy in the name of who notes it; an example has
    its `category`. The chair notes it, in a pair both may. The same again is the one that there is.
    Raises NotAllowed, MeetingNotOpen, MeetingClosed, OffTheAgenda, FollowUpIncomplete, ProposalTooLong,
    UnknownCategory.
    """
    text, name = text.replace("\x00", "\ufffd").strip(), " ".join(name.replace("\x00", "\ufffd").split())
    kept = {"text": text, "name": name}
    current = hold_item(item)
    meeting = current.meeting
    may = may_take_part if meeting.kind == Meeting.Kind.PAIR else may_chair
    if not may(by, meeting):
        raise errors.NotAllowed
    if is_withheld(current.round, current.issue_id, by):
        raise errors.OffTheAgenda
    if kind not in FollowUp.Kind.values or len(text) > LONGEST_TEXT:
        raise errors.FollowUpIncomplete(kept=kept)
    if category is not None and category.pk not in codebook(meeting.round.version_id).states:
        raise errors.UnknownCategory(kept=kept)
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
    made = FollowUp.objects.create(item=current, **said, made_by=by, made_at=timezone.now())
    changed(meeting)
    return made


@retried
@transaction.atomic
def set_done(*, follow_up: FollowUp, by: Membership, done: bool) -> FollowUp:
    """Say that what followed is done, or is not after all: owner and leads. Done is done.

    Screens of a meeting that is not closed follow. Raises NotAllowed.
    """
    meeting = hold_meeting(follow_up.item.meeting)
    current = FollowUp.objects.select_for_update().get(pk=follow_up.pk)
    round_ = meeting.round
    if not may_plan_meeting(by, round_):
        raise errors.NotAllowed
    if (current.done_at is not None) == done:
        return current
    current.done_at, current.done_by = (timezone.now(), by) if done else (None, None)
    current.save(update_fields=["done_at", "done_by"])
    if meeting.closed_at is None:
        changed(meeting)
    verb = "follow_ups.done" if done else "follow_ups.undone"
    record(round_.study, verb, by.user, round=round_.name, kind=current.kind)
    return current
