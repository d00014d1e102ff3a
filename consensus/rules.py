"""Who may do what with disagreements, meetings and comments."""

from consensus.models import Meeting
from rounds.models import Round
from rounds.rules import is_of, may_be_volunteer
from studies import rules as studies_rules
from studies.models import Membership


def may_see_disagreements(member: Membership | None, round_: Round) -> bool:
    """See the revealed disagreements: every member but a model."""
    return is_of(member, round_.study_id) and studies_rules.may_read_revealed(member)


def may_comment(member: Membership | None, round_: Round) -> bool:
    """Comment on issues that the member may see, except in a training: owner, leads and volunteers."""
    return round_.kind != Round.Kind.TRAINING and may_be_volunteer(member, round_.study)


def may_settle(member: Membership | None, round_: Round) -> bool:
    """Decide a disagreement alone, with a rationale: owner and leads, once the round was opened."""
    return round_.opened_at is not None and is_of(member, round_.study_id) and studies_rules.may_lead(member)


def may_plan_meeting(member: Membership | None, round_: Round) -> bool:
    """Plan a meeting on the disagreements of a round, and put issues on its agenda: owner and leads."""
    return may_settle(member, round_)


def may_see_meeting(member: Membership | None, meeting: Meeting) -> bool:
    """Follow a meeting and read its minutes, without withheld issues: every member but a model."""
    return may_see_disagreements(member, meeting.round)


def may_take_part(member: Membership | None, meeting: Meeting) -> bool:
    """Be present, discuss and vote: owner, leads and volunteers; in a pair its two members."""
    if not may_be_volunteer(member, meeting.round.study):
        return False
    return meeting.kind != Meeting.Kind.PAIR or meeting.participants.filter(member=member).exists()


def may_chair(member: Membership | None, meeting: Meeting) -> bool:
    """Lead the meeting from issue to issue, reveal votes and record decisions: its chair."""
    return may_take_part(member, meeting) and member is not None and member.pk == meeting.chair_id


def may_run_meeting(member: Membership | None, meeting: Meeting) -> bool:
    """Open a meeting and close it: its chair, owner and leads."""
    return may_chair(member, meeting) or may_plan_meeting(member, meeting.round)


def may_take_the_chair(member: Membership | None, meeting: Meeting) -> bool:
    """Take the chair from its holder: owner and leads, while the meeting is not closed."""
    return meeting.closed_at is None and may_plan_meeting(member, meeting.round)
