"""Changing an open round: its volunteers and its labels per issue. Revealed issues stay as they are.

Each of these actions locks the round alone, so that a submit waits for it or is seen by it. Then it locks the
rows of the volunteers concerned, so that their claims wait too: the order of actions.locks.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Max
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from annotate.actions.second_looks import look_again, looked_at
from annotate.actions.training import require_no_author
from annotate.actions.turns import lease
from annotate.queries.second_looks import STILL_LOOKING
from consensus.actions.decisions import decide_all_by_rule
from consensus.actions.records import record_in_round
from core import clock
from core.sql.retry import retried
from rounds.actions import slots
from rounds.actions.volunteers import lock_active, lock_to_change, require_no_look
from rounds.allocation import volunteer_seed
from rounds.errors import VolunteerRefused
from rounds.models import Round, RoundVolunteer
from rounds.queries.volunteers import HIDDEN, NOT_THEIRS, active_volunteers
from rounds.rules import may_be_volunteer
from studies.models import Membership

_ADD_SLOTS = f"""
    INSERT INTO rounds_assignment (round_id, issue_id, slot, volunteer_id, rank)
    SELECT i.round_id, i.issue_id, v."column", v.member_id, {{rank}}
    FROM rounds_roundissue i
    JOIN rounds_roundvolunteer v ON v.round_id = i.round_id AND v.member_id = %(member)s
    {{places}}
    WHERE i.round_id = %(round)s AND {HIDDEN}
    ON CONFLICT DO NOTHING
"""  # noqa: S608 - the pieces are constants
_RAISE = f"""
    INSERT INTO rounds_assignment (round_id, issue_id, slot, rank)
    SELECT i.round_id, i.issue_id, more.slot, first.rank
    FROM rounds_roundissue i
    JOIN rounds_assignment first
      ON first.round_id = i.round_id AND first.issue_id = i.issue_id AND first.slot = 1,
         generate_series(%(before)s + 1, %(after)s) more (slot)
    WHERE i.round_id = %(round)s AND {HIDDEN}
"""  # noqa: S608 - the pieces are constants
_REOPEN = """
    UPDATE rounds_roundissue i SET completed_at = NULL
    WHERE i.round_id = %(round)s AND i.completed_at IS NOT NULL AND EXISTS (
        SELECT FROM rounds_assignment a
        WHERE a.round_id = i.round_id AND a.issue_id = i.issue_id AND a.submitted_at IS NULL
    )
"""
_COMPLETE = f"""
    UPDATE rounds_roundissue i SET completed_at = %(now)s
    WHERE i.round_id = %(round)s AND i.completed_at IS NULL
      AND NOT EXISTS (
        SELECT FROM rounds_assignment a
        WHERE a.round_id = i.round_id AND a.issue_id = i.issue_id AND a.submitted_at IS NULL
      )
      AND EXISTS (
        SELECT FROM rounds_assignment a WHERE a.round_id = i.round_id AND a.issue_id = i.issue_id
      )
      AND NOT {STILL_LOOKING.format(round="i.round_id", issue="i.issue_id")}
    RETURNING i.issue_id
"""  # noqa: S608 - the pieces are constants
_OPEN = "a.round_id = %(round)s AND a.volunteer_id = %(member)s AND a.submitted_at IS NULL"
_HAND_OVER_COLUMN = f"""
    UPDATE rounds_assignment a SET volunteer_id = %(to)s, slot = %(column)s, rank = {{rank}}
    FROM rounds_roundissue i
    JOIN rounds_roundvolunteer v ON v.round_id = i.round_id AND v.member_id = %(to)s
    {{places}}
    WHERE {_OPEN} AND i.round_id = a.round_id AND i.issue_id = a.issue_id AND {NOT_THEIRS}
"""  # noqa: S608 - the pieces are constants
_HAND_OVER_CLAIMS = f"""
    UPDATE rounds_assignment a SET volunteer_id = %(to)s, lease_until = %(lease)s
    WHERE {_OPEN} AND {NOT_THEIRS}
"""  # noqa: S608 - the pieces are constants
_DROP = f"DELETE FROM rounds_assignment a WHERE {_OPEN}"  # noqa: S608 - a constant
_FREE = f"UPDATE rounds_assignment a SET volunteer_id = NULL, lease_until = NULL WHERE {_OPEN}"  # noqa: S608 - a constant
# Slot before draft: a claim of an expired slot, which leaves a draft for the loser, passes locked slots over.
_HOLD_SLOTS = f"SELECT a.id FROM rounds_assignment a WHERE {_OPEN} ORDER BY a.id FOR UPDATE"  # noqa: S608 - a constant
_TRACE = f"""
    INSERT INTO annotate_draft (round_id, issue_id, volunteer_id, summary, unsure, revision, saved_at)
    SELECT a.round_id, a.issue_id, a.volunteer_id, '', false, 0, %(now)s
    FROM rounds_assignment a WHERE {_OPEN}
    ON CONFLICT DO NOTHING
"""  # noqa: S608 - the pieces are constants


@dataclass(frozen=True)
class RemovedVolunteer:
    """The open slots of a volunteer who was taken out: `handed` to a named person, `given_back` (k of n: free
    again; crossed: deleted). `completed` issues became complete by this.
    """

    handed: int
    given_back: int
    completed: int


@retried
@transaction.atomic
def add_volunteer(*, round_: Round, member: Membership, by: Membership) -> int:
    """Let a member label in an open round; a volunteer who was taken out gets the old column back. Returns
    how many slots were made.

    Crossed: the member gets a slot on every issue that is not revealed yet. A revealed issue keeps its number
    of labels, since a newcomer who can see them is not blind. Under the policy `round_closed` a complete
    issue waits for the newcomer's label. k of n: the member claims from now on. Raises NotAllowed,
    RoundNotOpen, RoundClosed, and VolunteerRefused with what to change.
    """
    current = lock_to_change(round_, by)
    require_no_look(current)
    volunteer = _seat(current, member)
    made = 0
    if current.allocation == Round.Allocation.CROSSED:
        made = _run(_ordered(_ADD_SLOTS, current), current, member=member.pk)
        _widen(current, volunteer.column)
        _run(_REOPEN, current)
    record_in_round("rounds.volunteer_added", current, by, member=member.pseudonym, slots=made)
    return made


@retried
@transaction.atomic
def remove_volunteer(
    *, round_: Round, member: Membership, by: Membership, to: Membership | None = None
) -> RemovedVolunteer:
    """Take a volunteer out of an open round. Labels and drafts stay; adding the volunteer again undoes it.

    Open slots go to `to` on issues where that member has neither slot nor label; the other slots are free
    again (k of n) or deleted (crossed). An issue that waited for nobody else is then complete and decided by
    the round's rule. In a crossed round `to` must not be in the round yet; this call adds them. Raises
    NotAllowed, RoundNotOpen, RoundClosed, and VolunteerRefused with what to change.
    """
    current = lock_to_change(round_, by)
    crossed = current.allocation == Round.Allocation.CROSSED
    leaving = lock_active(current, member, to)
    if to is None and not any(one.member_id != member.pk for one in active_volunteers(current)):
        raise VolunteerRefused(
            _("A round needs at least one volunteer. Add another volunteer first, or close the round."),
            field="to",
        )
    # Before the slots are read: a claim of this volunteer that has begun is over, and no other begins.
    leaving.left_at = clock.now()
    leaving.save(update_fields=["left_at"])
    handed = 0
    if not crossed:
        _run(_HOLD_SLOTS, current, member=member.pk)
        # The draft shows later that a late label was their turn; crossed, every issue of the round was.
        _run(_TRACE, current, member=member.pk, now=leaving.left_at)
    if to is not None:
        require_no_look(current)
        if to.pk == member.pk:
            raise VolunteerRefused(_("Choose another volunteer for these issues."), field="to")
        inside = RoundVolunteer.objects.filter(round=current, member=to, left_at=None)
        known = inside.select_related("member").first()
        if known is not None and crossed:
            raise VolunteerRefused(
                _("%(who)s already labels every issue of this round. Choose another volunteer.")
                % {"who": to},
                field="to",
            )
        if known is not None and not may_be_volunteer(known.member, current.study):
            raise VolunteerRefused(
                _("%(who)s can no longer label in this study. Choose another volunteer.") % {"who": to},
                field="to",
            )
        next_one = known or _seat(current, to)
        given = {"member": member.pk, "to": to.pk, "column": next_one.column, "lease": lease(current)}
        statement = _ordered(_HAND_OVER_COLUMN, current) if crossed else _HAND_OVER_CLAIMS
        handed = _run(statement, current, **given)
        if crossed:
            _widen(current, next_one.column)
    given_back = _run(_DROP if crossed else _FREE, current, member=member.pk)
    completed = _settle_the_rest(current, clock.now()) if crossed else 0
    done = {"handed_over": handed, "given_back": given_back, "to": to.pseudonym if to else ""}
    record_in_round("rounds.volunteer_removed", current, by, member=member.pseudonym, **done)
    return RemovedVolunteer(handed, given_back, completed)


@retried
@transaction.atomic
def raise_labels_per_issue(*, round_: Round, to: int, by: Membership) -> int:
    """Ask for more labels per issue in an open k-of-n round; returns how many slots that adds. Revealed
    issues keep their number of labels. Under the policy `round_closed` no issue is revealed yet, and complete
    issues wait for labels again. The number is never lowered: that would throw labels away. Raises
    NotAllowed, RoundNotOpen, RoundClosed, and VolunteerRefused with what to change.
    """
    current = lock_to_change(round_, by)
    require_raisable(current, to)
    before = current.labels_per_issue
    made = _run(_RAISE, current, before=before, after=to)
    _widen(current, to)
    _run(_REOPEN, current)
    record_in_round("rounds.labels_raised", current, by, before=before, after=to, slots=made)
    return made


def require_raisable(round_: Round, to: int) -> None:
    """Raises VolunteerRefused if the issues of this round cannot be given `to` labels each."""
    before, volunteers = round_.labels_per_issue, len(active_volunteers(round_))
    words: str | Promise = ""
    if round_.allocation == Round.Allocation.CROSSED:
        words = _("Everyone labels everything in this round. For one more label per issue, add a volunteer.")
    elif to <= before:
        words = ngettext(
            "Each issue of this round already gets %(n)d label. Enter a higher number.",
            "Each issue of this round already gets %(n)d labels. Enter a higher number.",
            before,
        ) % {"n": before}
    elif to > volunteers:
        words = ngettext(
            "%(labels)d labels per issue need %(labels)d volunteers. This round has %(n)d"
            " volunteer: add more first.",
            "%(labels)d labels per issue need %(labels)d volunteers. This round has %(n)d"
            " volunteers: add more first.",
            volunteers,
        ) % {"labels": to, "n": volunteers}
    if words:
        raise VolunteerRefused(words, field="to")


def _settle_the_rest(round_: Round, now: datetime) -> int:
    """Complete and decide the issues of a crossed round that wait for nobody any more; returns how many."""
    with connection.cursor() as cursor:
        cursor.execute(_COMPLETE, {"round": round_.pk, "now": now})
        done = [issue for (issue,) in cursor.fetchall()]
    if round_.kind == Round.Kind.LOOK:
        looked_at(round_, done, now)
    elif round_.reveal == Round.Reveal.ISSUE_COMPLETE:
        look_again(round_, at=now, issues=done)
        decide_all_by_rule(round_, now)
    return len(done)


def _seat(round_: Round, member: Membership) -> RoundVolunteer:
    """Make or return a seat in the round: the old seat of the member, or a new one in the next column."""
    member = Membership.objects.get(pk=member.pk)
    if not may_be_volunteer(member, round_.study) or member.user_id is None:
        raise VolunteerRefused(
            _("%(who)s cannot label in this study. Choose an owner, a lead or a volunteer.")
            % {"who": member},
            field="member",
        )
    require_no_author(round_, member)
    held = RoundVolunteer.objects.select_for_update(no_key=True).filter(round=round_)
    volunteer = held.filter(member=member).first()
    if volunteer is None:
        last = RoundVolunteer.objects.filter(round=round_).aggregate(last=Max("column"))["last"] or 0
        return RoundVolunteer.objects.create(
            round=round_, member=member, column=last + 1, seed=volunteer_seed(round_.seed, last + 1)
        )
    if volunteer.left_at is None:
        raise VolunteerRefused(
            _("%(who)s already labels in this round. Nothing was changed.") % {"who": member}, field="member"
        )
    volunteer.left_at = None
    volunteer.save(update_fields=["left_at"])
    return volunteer


def _widen(round_: Round, labels: int) -> None:
    """Raise the labels per issue to `labels` if they are fewer; crossed, to the number of columns. A majority
    stays more than half of them: otherwise two categories could reach it at once.
    """
    if labels <= round_.labels_per_issue:
        return
    round_.labels_per_issue = labels
    if round_.majority is not None:
        round_.majority = max(round_.majority, labels // 2 + 1)
    round_.save(update_fields=["labels_per_issue", "majority"])


def _ordered(statement: str, round_: Round) -> str:
    """The SQL with the place of issue `i` in the order of volunteer `v`, as open_round gives it."""
    by_repository = round_.order == Round.Order.BY_REPOSITORY
    rank = slots.RANK_BY_REPOSITORY if by_repository else slots.RANK
    return statement.format(rank=rank.format(seed="v.seed"), places=slots.PLACES if by_repository else "")


def _run(statement: str, round_: Round, **parameters: Any) -> int:
    """Run one statement on the round; returns how many rows it changed."""
    by_issue = round_.reveal == Round.Reveal.ISSUE_COMPLETE
    with connection.cursor() as cursor:
        cursor.execute(statement, {"round": round_.pk, "by_issue": by_issue, **parameters})
        count: int = cursor.rowcount
    return count
