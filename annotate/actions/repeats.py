"""The drift check: an issue comes to its volunteer a second time; the second label is kept apart."""

from datetime import datetime, timedelta
from uuid import UUID

from annotate.models import Repeat
from annotate.queries.repeats import CHOSEN, is_ripe
from core import clock
from rounds.actions.locks import LockedPlace
from rounds.drift import comes_again
from rounds.models import Label, Round
from studies.models import Membership


def schedule_repeat(locked: LockedPlace, label: Label) -> None:
    """Schedule a second label of the issue, if chance has chosen the issue for this volunteer."""
    round_ = locked.round
    if round_.kind == Round.Kind.TRAINING or label.surplus:
        return
    if comes_again(label.issue_id, locked.volunteer.seed, round_.drift_percent):
        due = label.submitted_at + timedelta(hours=round_.drift_hours)
        own = {"round": round_, "issue_id": label.issue_id, "volunteer_id": label.volunteer_id}
        Repeat.objects.get_or_create(**own, defaults={"due_at": due})


def repeat_of(round_: Round, issue_id: int, member: Membership) -> Repeat | None:
    """The member's repeat of this issue, labelled or to come. No query in a round without repeats."""
    if not round_.drift_percent:
        return None
    own = Repeat.objects.filter(round=round_, issue=issue_id, volunteer=member)
    return own.select_related("proposal").first()


def is_again(locked: LockedPlace, label: Label) -> bool:
    """Is a form of this labelled issue meant for its repeat?"""
    repeat = repeat_of(locked.round, label.issue_id, locked.volunteer.member)
    return repeat is not None and is_ripe(repeat, label, clock.now())


def store_repeat(repeat: Repeat, said: Label, *, form_key: UUID | None) -> Repeat:
    """Store the content of `said`, an unstored label, in the repeat."""
    for name in CHOSEN:
        setattr(repeat, name, getattr(said, name))
    repeat.submitted_at, repeat.form_key = said.submitted_at, form_key
    repeat.save()
    return repeat


def put_off_repeat(round_: Round, issue_id: int, member: Membership, now: datetime) -> bool:
    """Put off the skipped repeat, to come again later. False if no repeat waits for the member."""
    repeat = repeat_of(round_, issue_id, member)
    if repeat is None or repeat.submitted_at is not None:
        return False
    repeat.due_at = max(repeat.due_at, now) + timedelta(hours=max(round_.drift_hours, 1))
    repeat.save(update_fields=["due_at"])
    return True
