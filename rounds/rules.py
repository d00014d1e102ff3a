"""Who may plan, open, close and read a round."""

from rounds.models import Assignment, Round, RoundVolunteer
from studies import rules as studies_rules
from studies.models import Membership, Role, Study


def may_create_round(member: Membership | None, study: Study) -> bool:
    """Plan a round: owner and leads of the study."""
    return is_of(member, study.pk) and studies_rules.may_lead(member)


def may_draw_sample(member: Membership | None, study: Study) -> bool:
    """Draw a sample: owner and leads of the study."""
    return may_create_round(member, study)


def may_read_samples(member: Membership | None, study: Study) -> bool:
    """See which samples were drawn, and how: every member but a model, as for issues."""
    return is_of(member, study.pk) and studies_rules.may_see_people(member)


def may_read_pilot(member: Membership | None, round_: Round) -> bool:
    """See the results of a pilot, and make a taxonomy and a training from them: owner and leads."""
    return round_.kind == Round.Kind.PILOT and may_create_round(member, round_.study)


def may_open(member: Membership | None, round_: Round) -> bool:
    """Open a round: owner and leads."""
    return is_of(member, round_.study_id) and studies_rules.may_lead(member)


def may_change_plan(member: Membership | None, round_: Round) -> bool:
    """Change, copy or delete the plan of a round in which nobody has labelled: owner and leads."""
    return may_open(member, round_) and round_.kind != Round.Kind.LOOK


def may_close(member: Membership | None, round_: Round) -> bool:
    """Close a round, which reveals all of its labels: owner and leads."""
    return may_open(member, round_)


def may_change_round(member: Membership | None, round_: Round) -> bool:
    """Change volunteers, quotas and deadline of a round that is not closed: owner and leads."""
    return may_open(member, round_) and round_.closed_at is None


def may_be_volunteer(member: Membership | None, study: Study) -> bool:
    """Be chosen for a round: owner, leads, volunteers; never models, whose labels are only compared."""
    return (
        member is not None
        and is_of(member, study.pk)
        and studies_rules.may_label(member)
        and member.role != Role.MODEL
    )


def may_label_as_model(member: Membership | None, round_: Round) -> bool:
    """Give labels that are compared with those of volunteers, and read one's own: models of the study."""
    return (
        member is not None
        and is_of(member, round_.study_id)
        and member.role == Role.MODEL
        and studies_rules.may_label(member)
    )


def may_read_issues(member: Membership | None, round_: Round) -> bool:
    """Read all issues of a round with their texts: models, owner and leads. Volunteers get one at a time."""
    return may_label_as_model(member, round_) or may_create_round(member, round_.study)


def may_see_progress(member: Membership | None, round_: Round) -> bool:
    """See how many labels each volunteer has given: every member but a model."""
    return is_of(member, round_.study_id) and studies_rules.may_see_people(member)


def may_see_others(member: Membership | None, round_: Round) -> bool:
    """See the other volunteers of a round and their progress: every member but a model. Not the volunteers of
    an open second look: who else is in it, and with how many issues, tells what others had chosen.
    """
    if not may_see_progress(member, round_):
        return False
    if round_.kind != Round.Kind.LOOK or round_.closed_at is not None:
        return True
    return not RoundVolunteer.objects.filter(round=round_, member=member).exists()


def may_watch_training(member: Membership | None, round_: Round) -> bool:
    """See, while a training runs, how many labels of each volunteer match the answers: owner and leads. Who
    labels in the training too waits until they have labelled all of it.
    """
    if round_.kind != Round.Kind.TRAINING or round_.opened_at is None or not may_open(member, round_):
        return False
    own = Assignment.objects.filter(round=round_, volunteer=member, submitted_at=None)
    takes_part = RoundVolunteer.objects.filter(round=round_, member=member, left_at=None)
    return not (own.exists() and takes_part.exists())


def is_of(member: Membership | None, study_id: int) -> bool:
    return member is not None and member.study_id == study_id
