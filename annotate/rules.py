"""What each role may do with rounds, labels and decisions, on top of studies.rules."""

from annotate.models import Board, Meeting, Round, RoundVolunteer
from annotate.queries.training import training_to_pass
from studies import rules as studies_rules
from studies.models import Membership, Role, Study


def may_create_round(member: Membership | None, study: Study) -> bool:
    """Plan a round: owner and leads of the study."""
    return _is_of(member, study.pk) and studies_rules.may_lead(member)


def may_draw_sample(member: Membership | None, study: Study) -> bool:
    """Draw a sample: owner and leads of the study."""
    return may_create_round(member, study)


def may_read_samples(member: Membership | None, study: Study) -> bool:
    """See which samples were drawn, and how: every member but a model, as with the issues themselves."""
    return _is_of(member, study.pk) and studies_rules.may_see_people(member)


def may_read_pilot(member: Membership | None, round_: Round) -> bool:
    """See what came out of a pilot, and make a taxonomy and a training from it: owner and leads."""
    return round_.kind == Round.Kind.PILOT and may_create_round(member, round_.study)


def may_open(member: Membership | None, round_: Round) -> bool:
    """Open a round: owner and leads."""
    return _is_of(member, round_.study_id) and studies_rules.may_lead(member)


def may_close(member: Membership | None, round_: Round) -> bool:
    """Close a round, which reveals all of its labels: owner and leads."""
    return may_open(member, round_)


def may_change_round(member: Membership | None, round_: Round) -> bool:
    """Change who labels in a round, how much and until when, before it is closed: owner and leads."""
    return may_open(member, round_) and round_.closed_at is None


def may_be_volunteer(member: Membership | None, study: Study) -> bool:
    """Be chosen for a round: owner, leads, volunteers. Models are compared with them, never counted."""
    return (
        member is not None
        and _is_of(member, study.pk)
        and studies_rules.may_label(member)
        and member.role != Role.MODEL
    )


def may_label_as_model(member: Membership | None, round_: Round) -> bool:
    """Give labels that are compared with those of the volunteers, and read one's own: the study's models."""
    return (
        member is not None
        and _is_of(member, round_.study_id)
        and member.role == Role.MODEL
        and studies_rules.may_label(member)
    )


def may_read_issues(member: Membership | None, round_: Round) -> bool:
    """Read the issues of a round with their texts, all at once: its study's models, owner and leads.
    Volunteers get one after the other.
    """
    return may_label_as_model(member, round_) or may_create_round(member, round_.study)


def may_see_own_labels(member: Membership | None, round_: Round) -> bool:
    """See one's own labels, drafts and progress: the round's volunteers, also after it is closed."""
    return (
        member is not None
        and may_be_volunteer(member, round_.study)
        and RoundVolunteer.objects.filter(round=round_, member=member).exists()
    )


def may_take_turns(member: Membership | None, round_: Round) -> bool:
    """Label in this round now: its volunteers, while it is open, who have passed the training it asks for."""
    if member is None or not round_.is_open or not may_be_volunteer(member, round_.study):
        return False
    found = RoundVolunteer.objects.filter(round=round_, member=member, left_at=None)
    volunteer = found.select_related("member").first()
    return volunteer is not None and training_to_pass(round_, volunteer) is None


def may_give_answers(member: Membership | None, round_: Round) -> bool:
    """Give the right labels of a training, and read them all: owner and leads. Who also labels in it may not,
    which the actions say in words.
    """
    return may_open(member, round_)


def may_see_progress(member: Membership | None, round_: Round) -> bool:
    """See how many labels each volunteer has given: every member but a model."""
    return _is_of(member, round_.study_id) and studies_rules.may_see_people(member)


def may_see_others(member: Membership | None, round_: Round) -> bool:
    """See who else labels in a round and how far they are, and change that: who sees its progress. Not in an
    open second look of one's own: who else is in it, and with how many issues, says what they had chosen.
    """
    if not may_see_progress(member, round_):
        return False
    if round_.kind != Round.Kind.LOOK or round_.closed_at is not None:
        return True
    return not RoundVolunteer.objects.filter(round=round_, member=member).exists()


def may_see_disagreements(member: Membership | None, round_: Round) -> bool:
    """See the disagreements among what is revealed: every member but a model."""
    return _is_of(member, round_.study_id) and studies_rules.may_read_revealed(member)


def may_freeze(member: Membership | None, round_: Round) -> bool:
    """Freeze the agreement report of a round under a name: owner and leads."""
    return _is_of(member, round_.study_id) and studies_rules.may_lead(member)


def may_comment(member: Membership | None, round_: Round) -> bool:
    """Say something about issues that one may see: owner, leads and volunteers. A training has comments of
    its own.
    """
    return round_.kind != Round.Kind.TRAINING and may_be_volunteer(member, round_.study)


def may_settle(member: Membership | None, round_: Round) -> bool:
    """Decide a disagreement alone, with a rationale: owner and leads, once the round was opened."""
    return round_.opened_at is not None and _is_of(member, round_.study_id) and studies_rules.may_lead(member)


def may_plan_meeting(member: Membership | None, round_: Round) -> bool:
    """Plan a meeting on the disagreements of a round, and put issues on its agenda: owner and leads."""
    return may_settle(member, round_)


def may_see_meeting(member: Membership | None, meeting: Meeting) -> bool:
    """Follow a meeting and read its minutes: every member but a model, of what nothing keeps from them."""
    return may_see_disagreements(member, meeting.round)


def may_take_part(member: Membership | None, meeting: Meeting) -> bool:
    """Be there, discuss and vote: owner, leads and volunteers; in a pair the two who were asked."""
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
    """Become the chair in place of who was: owner and leads, while the meeting is not closed."""
    return meeting.closed_at is None and may_plan_meeting(member, meeting.round)


def may_make_board(member: Membership | None, study: Study) -> bool:
    """Make a board, begin to sort together, close it, make sub-themes of its piles: owner and leads."""
    return may_create_round(member, study)


def may_read_board(member: Membership | None, board: Board) -> bool:
    """See a board: owner, leads and volunteers; a viewer once its cards are sorted together."""
    if not _is_of(member, board.taxonomy.study_id) or not studies_rules.may_see_people(member):
        return False
    return board.phase != Board.Phase.APART or may_sort(member, board)


def may_sort(member: Membership | None, board: Board) -> bool:
    """Sort the cards of a board: owner, leads and volunteers; apart, those who were asked to."""
    return may_be_volunteer(member, board.taxonomy.study)


def _is_of(member: Membership | None, study_id: int) -> bool:
    return member is not None and member.study_id == study_id
