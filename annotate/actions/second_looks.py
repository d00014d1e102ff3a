"""Second looks: revealed labels without a category in the version of their round go back to their authors.

A second look is a round of its own, of exactly these people and issues. It is blind like any round, and an
issue waits in the original round until all of its labels have a category again. Unrevealed labels stay with
their authors, so that nobody learns who chose what; their second look begins when the issue is complete,
unless the author has changed the label by then.
"""

import secrets
from collections.abc import Collection
from datetime import datetime
from functools import partial
from typing import Any

from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Coalesce

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
"""SQL: labels without a category. Authors who were asked again already, or taken out of that second look, are
not asked twice; nor are authors who kept an open label in a second look that completes their issue.
"""
_PEOPLE = """
    INSERT INTO rounds_roundvolunteer (round_id, member_id, "column", seed)
    SELECT %(look)s, v.member_id, v."column", v.seed FROM rounds_roundvolunteer v
    WHERE v.round_id = %(round)s AND v.member_id IN (SELECT volunteer_id FROM lost)
    ON CONFLICT DO NOTHING
"""
_PLACED = """
    CREATE TEMPORARY TABLE placed ON COMMIT DROP AS
    SELECT i.issue_id, row_number() OVER (ORDER BY i.position) + (
        SELECT coalesce(max(o.position), 0) FROM rounds_roundissue o WHERE o.round_id = %(look)s
    ) AS position
    FROM rounds_roundissue i
    WHERE i.round_id = %(round)s AND i.issue_id IN (SELECT issue_id FROM lost);
    ANALYZE lost, placed
"""
"""SQL: a table of its own. The planner takes the issues of a round that was made a moment ago for one issue,
and joined the slots of 25,000 labels in minutes.
"""
_ISSUES = """
    INSERT INTO rounds_roundissue (round_id, issue_id, position)
    SELECT %(look)s, issue_id, position FROM placed
"""
_SLOTS = """
    INSERT INTO rounds_assignment (round_id, issue_id, slot, volunteer_id, rank)
    SELECT %(look)s, lost.issue_id, v."column", lost.volunteer_id, placed.position
    FROM lost
    JOIN rounds_roundvolunteer v ON v.round_id = %(look)s AND v.member_id = lost.volunteer_id
    JOIN placed ON placed.issue_id = lost.issue_id
"""
_DRAFTS = """
    INSERT INTO annotate_draft
        (round_id, issue_id, volunteer_id, category_id, summary, unsure, revision, saved_at)
    SELECT %(look)s, issue_id, volunteer_id, answer, summary, unsure, 1, %(now)s
    FROM lost WHERE summary <> '' OR answer IS NOT NULL
"""


def look_again(round_: Round, *, at: datetime, issues: list[int] | None = None) -> int:
    """Send revealed labels without a category in the round's version back to their authors; returns how many.

    Such a label has a category that was split or retired, or is open and its proposal was answered by a
    category of the version. The draft has that category and the summary already. The issues are blind until
    all labels are given. Members who can no longer label are not asked: their labels stay without a category.
    `issues`: only these issues, which are being completed; None for all. The caller locks the round.
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
            for statement in (_PEOPLE, _PLACED, _ISSUES, _SLOTS, _DRAFTS):
                cursor.execute(statement, made)
            cursor.execute("DROP TABLE placed")
        cursor.execute("DROP TABLE lost")
    if count:
        leave_agendas(round_, found, at)
        waiting = RoundIssue.objects.filter(round=round_, issue__in=found)
        values: dict[str, Any] = {"was_completed_at": F("completed_at"), "completed_at": None}
        if issues is None:
            # Issues that are being completed are not revealed yet: their new labels are independent.
            values["first_revealed_at"] = Coalesce("first_revealed_at", "completed_at")
        waiting.update(**values)
        # Only now: `labels` stays as it is until its labels are given again.
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
    """The open second look without these issues, or a new one. A lock lets only one begin at a time."""
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
        forge_labels=round_.forge_labels,
        selection={"look_of": round_.name},
        seed=secrets.randbits(64) - 2**63,
        opened_at=at,
    )


def _free_name(round_: Round) -> str:
    """A name that no round of the study has: the name of this round with the number of its version.

    It has no word of any language: nobody typed it, and everybody reads it. Pages show the kind beside it.
    """
    taken = set(Round.objects.filter(study=round_.study_id).values_list("name", flat=True))
    for number in range(1, len(taken) + 2):
        end = f" · v{round_.version.number}" + (f" ({number})" if number > 1 else "")
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
        WHERE a.round_id = i.round_id AND a.issue_id = i.issue_id AND (a.submitted_at IS NULL) IS TRUE
      )
      AND NOT {STILL_LOOKING.format(round="i.round_id", issue="i.issue_id")}
    RETURNING i.issue_id
"""  # noqa: S608 - the pieces are constants


def looked_at(look: Round, issues: list[int], now: datetime) -> None:
    """Complete these issues in the original round of a second look if they wait for nobody any more, and
    decide them by the rule of that round. The caller locks that round first, then the second look.
    """
    if look.of_id is None:
        raise ValueError(look.kind)
    round_ = Round.objects.select_related("version").get(pk=look.of_id)
    # Two second looks of one issue take turns by this row lock.
    held = RoundIssue.objects.select_for_update(no_key=True).filter(round=round_, issue__in=issues)
    list(held.order_by("pk").values_list("pk", flat=True))
    complete_again(round_, now, issues=issues)
    transaction.on_commit(partial(close_if_done, look=look), robust=True)


@retried
@transaction.atomic
def close_if_done(*, look: Round) -> bool:
    """Close a second look that waits for nobody any more. Runs in its own transaction after the submit that
    completed an issue: each submit shares a lock on the look, so that no submit can lock it alone. The last
    one to commit sees every issue complete.
    """
    lock_round(Round(pk=look.of_id))  # always locked before its second look
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
    """Complete the issues, of these or of all, that wait for nobody any more, and decide them again."""
    with connection.cursor() as cursor:
        cursor.execute(_DONE, {"round": round_.pk, "issues": issues, "now": now})
        done = [issue for (issue,) in cursor.fetchall()]
    if not done:
        return
    look_again(round_, at=now, issues=done)  # labels that lost their category meanwhile
    complete = RoundIssue.objects.filter(round=round_, issue__in=done, completed_at__isnull=False)
    settle_anew(round_, list(complete.values_list("issue", flat=True)), now)


def end_looks(round_: Round, now: datetime) -> None:
    """After a round is closed, close its second looks or, if it is a second look itself, complete its issues.
    Labels that were not given again stay without a category. The caller locks the round alone.
    """
    if round_.of_id is not None:
        issues = RoundIssue.objects.filter(round=round_)
        looked_at(round_, list(issues.values_list("issue", flat=True)), now)
        return
    looks = Round.objects.filter(of=round_, opened_at__isnull=False, closed_at=None)
    looks.update(closed_at=now)
    waiting = RoundIssue.objects.filter(round=round_, completed_at=None, was_completed_at__isnull=False)
    waiting.update(completed_at=now)
