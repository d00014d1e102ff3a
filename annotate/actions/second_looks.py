"""Second looks: revealed labels that say nothing in the version of their round go back to who gave them.

A second look is a round of its own, of exactly these people and issues: it is blind as any, and an issue
waits in the round that it is of until all of its labels say something again. What is not revealed yet stays
where it is, and with its author, so that nobody learns who chose what; its second look begins when the issue
is complete, if its author has not changed the label until then.
"""

import secrets
from collections.abc import Collection
from datetime import datetime
from functools import partial
from typing import Any

from django.db import connection, transaction
from django.db.models import F
from django.utils.translation import gettext as _

from annotate.queries.second_looks import STILL_LOOKING
from consensus.actions.agendas import leave_agendas
from consensus.actions.decisions import settle_anew
from consensus.models import Disagreement
from core import clock
from core.sql.retry import retried
from rounds.actions.locks import lock_round
from rounds.models import Round, RoundIssue, RoundVolunteer
from studies.actions import record
from taxonomy.queries.codebooks import answered

NAME_LENGTH = 120

_LOST = """
    CREATE TEMPORARY TABLE lost ON COMMIT DROP AS
    SELECT s.issue_id, s.volunteer_id, p.answer, l.summary, l.unsure
    FROM rounds_said s
    JOIN rounds_label l ON l.id = s.label_id
    JOIN rounds_roundissue c ON c.round_id = s.round_id AND c.issue_id = s.issue_id
    JOIN rounds_roundvolunteer v ON v.round_id = s.round_id AND v.member_id = s.volunteer_id
    JOIN studies_membership m ON m.id = s.volunteer_id
    LEFT JOIN unnest(%(proposals)s::bigint[], %(answers)s::bigint[]) p (proposal, answer)
      ON p.proposal = l.proposal_id
    WHERE s.round_id = %(round)s AND s.category_id IS NULL AND c.completed_at IS NOT NULL
      AND (%(issues)s::bigint[] IS NULL OR s.issue_id = ANY(%(issues)s::bigint[]))
      AND (l.category_id IS NOT NULL OR p.answer IS NOT NULL
           AND (%(issues)s::bigint[] IS NULL OR l.round_id = s.round_id))
      AND v.left_at IS NULL AND m.left_at IS NULL AND m.user_id IS NOT NULL
      AND NOT EXISTS (
        SELECT FROM rounds_round looks
        JOIN rounds_roundissue o ON o.round_id = looks.id AND o.issue_id = s.issue_id
        JOIN rounds_roundvolunteer w ON w.round_id = looks.id AND w.member_id = s.volunteer_id
        LEFT JOIN rounds_assignment a
          ON a.round_id = looks.id AND a.issue_id = o.issue_id AND a.volunteer_id = w.member_id
        WHERE looks.of_id = s.round_id AND (a.id IS NOT NULL OR w.left_at IS NOT NULL)
          AND (l.round_id = s.round_id OR looks.id > l.round_id)
      )
"""
"""SQL: what says nothing. Who was asked again since then, or taken out of that, is not asked twice; nor is
whoever stayed with an open label in a second look, as their issue is completed.
"""
_PEOPLE = """
    INSERT INTO rounds_roundvolunteer (round_id, member_id, "column", seed)
    SELECT %(look)s, v.member_id, v."column", v.seed FROM rounds_roundvolunteer v
    WHERE v.round_id = %(round)s AND v.member_id IN (SELECT volunteer_id FROM lost)
    ON CONFLICT DO NOTHING
"""
_ISSUES = """
    INSERT INTO rounds_roundissue (round_id, issue_id, position)
    SELECT %(look)s, i.issue_id, row_number() OVER (ORDER BY i.position) + (
        SELECT coalesce(max(o.position), 0) FROM rounds_roundissue o WHERE o.round_id = %(look)s
    )
    FROM rounds_roundissue i
    WHERE i.round_id = %(round)s AND i.issue_id IN (SELECT issue_id FROM lost)
"""
_SLOTS = """
    INSERT INTO rounds_assignment (round_id, issue_id, slot, volunteer_id, rank)
    SELECT %(look)s, lost.issue_id, v."column", lost.volunteer_id, i.position
    FROM lost
    JOIN rounds_roundvolunteer v ON v.round_id = %(look)s AND v.member_id = lost.volunteer_id
    JOIN rounds_roundissue i ON i.round_id = %(look)s AND i.issue_id = lost.issue_id
"""
_DRAFTS = """
    INSERT INTO annotate_draft
        (round_id, issue_id, volunteer_id, category_id, summary, unsure, revision, saved_at)
    SELECT %(look)s, issue_id, volunteer_id, answer, summary, unsure, 1, %(now)s
    FROM lost WHERE summary <> '' OR answer IS NOT NULL
"""


def look_again(round_: Round, *, at: datetime, issues: list[int] | None = None) -> int:
    """Give revealed labels of a round that say nothing in its version back to their authors: how many.

    Those are labels whose category was split or retired, and open ones whose proposal was answered by one
    that the version has, which then stands in the form already, as their summary does. Their issues are blind
    again until all have been given. Who can no longer label is not asked: their label stays without a
    category. `issues`: of these alone, which are being completed; all without it. The caller holds the round.
    """
    if round_.reveal != Round.Reveal.ISSUE_COMPLETE:
        return 0
    answers = answered(round_.version)
    given: dict[str, Any] = {"round": round_.pk, "issues": issues}
    given |= {"proposals": list(answers), "answers": list(answers.values())}
    with connection.cursor() as cursor:
        cursor.execute(_LOST, given)
        cursor.execute("SELECT count(*), array_agg(DISTINCT issue_id) FROM lost")
        count, found = cursor.fetchone()
        if count:
            made: dict[str, Any] = {"look": _second_look(round_, found, at).pk, "round": round_.pk, "now": at}
            for statement in (_PEOPLE, _ISSUES, _SLOTS, _DRAFTS):
                cursor.execute(statement, made)
        cursor.execute("DROP TABLE lost")
    if count:
        leave_agendas(round_, found, at)
        waiting = RoundIssue.objects.filter(round=round_, issue__in=found)
        waiting.update(was_completed_at=F("completed_at"), completed_at=None)
        # Not before: what labels say stays while they are not given anew.
        Disagreement.objects.filter(round=round_, issue__in=found).delete()
    return int(count)


_OPEN_LOOK = """
    SELECT r.* FROM rounds_round r
    WHERE r.of_id = %s AND r.version_id = %s AND r.closed_at IS NULL AND NOT EXISTS (
        SELECT FROM rounds_roundissue i WHERE i.round_id = r.id AND i.issue_id = ANY(%s)
    )
    ORDER BY r.id LIMIT 1 FOR SHARE OF r
"""


def _second_look(round_: Round, issues: Collection[int], at: datetime) -> Round:
    """The open second look that asked for none of these issues yet, or a new one. One is begun at a time."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('second look'), %s)", [round_.pk % 2**31])
    known = Round.objects.raw(_OPEN_LOOK, [round_.pk, round_.version_id, list(issues)])
    return next(iter(known), None) or Round.objects.create(
        study_id=round_.study_id,
        of=round_,
        name=_free_name(round_),
        kind=Round.Kind.LOOK,
        version_id=round_.version_id,
        depth=round_.depth,
        labels_per_issue=RoundVolunteer.objects.filter(round=round_).count(),
        allocation=Round.Allocation.CROSSED,
        reveal=round_.reveal,
        selection={"look_of": round_.name},
        seed=secrets.randbits(64) - 2**63,
        opened_at=at,
    )


def _free_name(round_: Round) -> str:
    """A name that no round of the study has: the round's own, with the version that it goes on with."""
    said = _("second look, version %(n)s") % {"n": round_.version.number}
    taken = set(Round.objects.filter(study=round_.study_id).values_list("name", flat=True))
    for number in range(1, len(taken) + 2):
        end = f" · {said}" + (f" ({number})" if number > 1 else "")
        name = round_.name[: NAME_LENGTH - len(end)] + end
        if name not in taken:
            break
    return name


_DONE = f"""
    UPDATE rounds_roundissue i SET completed_at = %(now)s
    WHERE i.round_id = %(round)s AND i.completed_at IS NULL AND i.was_completed_at IS NOT NULL
      AND (%(issues)s::bigint[] IS NULL OR i.issue_id = ANY(%(issues)s::bigint[]))
      AND NOT EXISTS (
        SELECT FROM rounds_assignment a
        WHERE a.round_id = i.round_id AND a.issue_id = i.issue_id AND a.submitted_at IS NULL
      )
      AND NOT {STILL_LOOKING.format(round="i.round_id", issue="i.issue_id")}
    RETURNING i.issue_id
"""  # noqa: S608 - the pieces are constants


def looked_at(look: Round, issues: list[int], now: datetime) -> None:
    """Complete these issues in the round that a second look is of, where nothing is waited for any more, and
    decide them by its rule. The caller holds that round as it is, then the second look.
    """
    if look.of_id is None:
        raise ValueError(look.kind)
    round_ = Round.objects.select_related("version").get(pk=look.of_id)
    # Two second looks of one issue take turns by its row.
    held = RoundIssue.objects.select_for_update(no_key=True).filter(round=round_, issue__in=issues)
    list(held.order_by("pk").values_list("pk", flat=True))
    complete_again(round_, now, issues=issues)
    transaction.on_commit(partial(close_if_done, look=look), robust=True)


@retried
@transaction.atomic
def close_if_done(*, look: Round) -> bool:
    """End a second look that waits for nobody any more.

    In a transaction of its own, after the one that completed an issue: who submits holds the look as it is,
    as others do at that moment, so that nobody can hold it alone then. Whoever commits last sees all done.
    """
    lock_round(Round(pk=look.of_id))  # before its second look, as all do
    current = (
        Round.objects.select_for_update(no_key=True, of=("self",)).select_related("study").get(pk=look.pk)
    )
    waits = RoundIssue.objects.filter(round=current, completed_at=None)
    if current.closed_at is not None or waits.exists():
        return False
    current.closed_at = clock.now()
    current.save(update_fields=["closed_at"])
    record(current.study, "rounds.done", None, round=current.name)
    return True


def complete_again(round_: Round, now: datetime, *, issues: list[int] | None = None) -> None:
    """Complete the issues, of these or of all, that wait for nobody any more, and decide them anew."""
    with connection.cursor() as cursor:
        cursor.execute(_DONE, {"round": round_.pk, "issues": issues, "now": now})
        done = [issue for (issue,) in cursor.fetchall()]
    if not done:
        return
    look_again(round_, at=now, issues=done)  # what was lost meanwhile
    complete = RoundIssue.objects.filter(round=round_, issue__in=done, completed_at__isnull=False)
    settle_anew(round_, list(complete.values_list("issue", flat=True)), now)


def end_looks(round_: Round, now: datetime) -> None:
    """End what waits for a round that has just been closed: its second looks, or itself where it is one. What
    was not given anew stays without a category. The caller holds the round alone.
    """
    if round_.of_id is not None:
        issues = RoundIssue.objects.filter(round=round_)
        looked_at(round_, list(issues.values_list("issue", flat=True)), now)
        return
    looks = Round.objects.filter(of=round_, opened_at__isnull=False, closed_at=None)
    looks.update(closed_at=now)
    waiting = RoundIssue.objects.filter(round=round_, completed_at=None, was_completed_at__isnull=False)
    waiting.update(completed_at=now)
