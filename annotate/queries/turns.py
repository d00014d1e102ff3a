"""Turns: the issue that a member labels now. Every read is the member's own, whatever others label."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, cast

from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.db.models import QuerySet

from accounts.models import User
from annotate.models import Draft, Repeat, Skip
from annotate.queries import repeats
from annotate.queries.labels import labels_given
from core import clock
from core.sql.models import Rows
from core.sql.prepared import Prepared
from ingest.models import Issue, Repository, Snapshot
from ingest.queries.forge_labels import hides_forge_labels
from ingest.queries.keywords import CURRENT_VERSIONS, Keywords, keywords_in
from ingest.queries.reading import Reading
from rounds.drift import is_place_of_a_repeat
from rounds.models import Assignment, Label, Round, RoundVolunteer
from studies.models import Guideline, Membership, Study
from taxonomy.models import Taxonomy, Version

_SEAT_ROWS = Rows(RoundVolunteer, Membership, Round, Study, Version, Taxonomy)
_SEAT = Prepared(
    "seat_of",
    f"""
    SELECT {_SEAT_ROWS.columns}, g.id, g.number,
           EXISTS (
               SELECT FROM rounds_roundvolunteer v JOIN rounds_round r ON r.id = v.round_id
               WHERE v.member_id = p0.member_id AND r.forge_labels = 'hidden' AND r.closed_at IS NULL
           ),
           {CURRENT_VERSIONS.format(study="p3.id")}
    FROM rounds_roundvolunteer p0
    JOIN studies_membership p1 ON p1.id = p0.member_id
    JOIN rounds_round p2 ON p2.id = p0.round_id
    JOIN studies_study p3 ON p3.id = p2.study_id
    JOIN taxonomy_version p4 ON p4.id = p2.version_id
    JOIN taxonomy_taxonomy p5 ON p5.id = p4.taxonomy_id
    LEFT JOIN LATERAL (
        SELECT id, number FROM studies_guideline WHERE study_id = p3.id ORDER BY number DESC LIMIT 1
    ) g ON true
    WHERE p0.round_id = %(round)s AND p1.user_id = %(user)s AND p1.left_at IS NULL
    """,
)

_TURN_ROWS = Rows(Assignment, Issue, Repository, Snapshot, Draft)
# The subquery finds the slot first: otherwise PostgreSQL would consider fetching the texts of all slots.
_TURN = f"""
    SELECT {_TURN_ROWS.columns}
    FROM (
        SELECT * FROM rounds_assignment a
        WHERE a.round_id = %(round)s AND a.volunteer_id = %(member)s {{which}}
        LIMIT 1
    ) p0
    JOIN ingest_issue p1 ON p1.id = p0.issue_id
    JOIN ingest_repository p2 ON p2.id = p1.repository_id
    LEFT JOIN ingest_snapshot p3 ON p3.id = p1.current_id
    LEFT JOIN annotate_draft p4
      ON p4.round_id = p0.round_id AND p4.issue_id = p0.issue_id AND p4.volunteer_id = p0.volunteer_id
"""
_OPEN = "AND a.submitted_at IS NULL AND a.issue_id <> ALL(%(holding)s::bigint[])"
_OWN_SKIPS = """
    FROM annotate_skip s
    WHERE s.round_id = a.round_id AND s.volunteer_id = a.volunteer_id AND s.issue_id = a.issue_id
"""
LOWEST_RANK = f"{_OPEN} AND NOT EXISTS (SELECT {_OWN_SKIPS}) ORDER BY a.rank"
SKIPPED_LONGEST_AGO = f"""{_OPEN} AND EXISTS (SELECT {_OWN_SKIPS})
    ORDER BY (SELECT s.skipped_at {_OWN_SKIPS} ORDER BY s.id DESC LIMIT 1), a.rank
"""
LAST_TOUCHED = f"{_OPEN} ORDER BY a.lease_until DESC, a.id"
OF_ISSUE = "AND a.issue_id = %(issue)s"
OF_SLOT = "AND a.id = %(slot)s"
_TURNS = {
    which: Prepared(f"turn_{number}", _TURN.format(which=which))
    for number, which in enumerate((LOWEST_RANK, SKIPPED_LONGEST_AGO, LAST_TOUCHED, OF_ISSUE, OF_SLOT))
}


@dataclass(frozen=True)
class Turn:
    """One member at one issue: what the labelling page shows, and what its form was made from. `assignment`
    is None if the slot went to another volunteer: typed text is still kept. `issue` comes with its repository
    and current snapshot.
    """

    assignment: Assignment | None
    issue: Issue
    draft: Draft | None
    label: Label | None
    until: datetime | None = None

    @property
    def lease_until(self) -> datetime | None:
        return self.until or (self.assignment.lease_until if self.assignment else None)

    @property
    def seen_revision(self) -> int:
        """The revision of the draft in the form: save_draft refuses if another window has saved since."""
        return self.draft.revision if self.draft else 0

    @property
    def seen_snapshot(self) -> int:
        """The snapshot in the form: the text that the label is about, 0 if only the address was known."""
        return self.issue.current_id or 0


def seat_of(user: User | AnonymousUser, round_id: int) -> RoundVolunteer | None:
    """This user's place in a round, with the round, its study, its version, and the membership. One query,
    which also reads what `guideline_of` returns, and what `keywords_at` and `reading_at` need.
    """
    if not user.is_authenticated:
        return None
    with connection.cursor() as cursor:
        _SEAT.run(cursor, {"round": round_id, "user": user.pk})
        row = cursor.fetchone()
    if row is None:
        return None
    seat, member, round_, study, version, taxonomy = _SEAT_ROWS.models(row[:-4])
    version.taxonomy, round_.study, round_.version = taxonomy, study, version
    seat.round, seat.member = round_, member
    seat.guideline_pk, seat.guideline_number, seat.hides_forge_labels, seat.keyword_versions = row[-4:]
    return cast("RoundVolunteer", seat)


def guideline_of(seat: RoundVolunteer) -> Guideline | None:
    """The current guideline for a seat from `seat_of`, with id and number only; None without a guideline."""
    pk: int | None = getattr(seat, "guideline_pk", None)
    number: int = getattr(seat, "guideline_number", 0)
    return Guideline(pk=pk, number=number) if pk is not None else None


def keywords_at(seat: RoundVolunteer) -> tuple[Keywords, ...]:
    """What the study's keyword lists say, for a seat from `seat_of`, in the order of `keywords_of`. No query,
    or two in a process that has not read the lists yet.
    """
    return keywords_in(getattr(seat, "keyword_versions", ()))


def reading_at(seat: RoundVolunteer, issue: Issue) -> Reading:
    """The issue as the member with a seat from `seat_of` may read it. No query, or two as in `keywords_at`;
    one more if a round of this member hides the labels of the forge.
    """
    hides = getattr(seat, "hides_forge_labels", True) and hides_forge_labels(seat.member.user_id, issue)
    return Reading(issue, keywords_at(seat), hides)


def own_slots(round_: Round, member: Membership) -> QuerySet[Assignment]:
    """The member's slots. Slots that are being made for a round belong to nobody until it is open."""
    if round_.opened_at is None:
        return Assignment.objects.none()
    return Assignment.objects.filter(round=round_, volunteer=member)


def current_turn(round_: Round, member: Membership, *, holding: Sequence[int] = ()) -> Turn | None:
    """The turn that the member has now, None without a turn: reads only, one query, two for a skipped issue.

    Fully crossed: the open slot of lowest rank; if only skipped issues are left, the issue skipped longest
    ago. k of n: the claimed slot with the latest lease; no slot is claimed here. `holding`: the ids of the
    issues that the member's page has already; the turn after these is returned. In a round with a drift check
    an issue that comes again takes a place between the others, with three more queries.
    """
    if round_.allocation == Round.Allocation.K_OF_N:
        turn = turn_of(round_, member, LAST_TOUCHED, holding=holding)
    else:
        turn = turn_of(round_, member, LOWEST_RANK, holding=holding) or turn_of(
            round_, member, SKIPPED_LONGEST_AGO, holding=holding
        )
    if turn is not None and turn.draft is not None and not holding:
        return turn  # an issue with a draft comes first
    again = repeat_turn(round_, member, holding)
    if turn is None and again is None and round_.allocation != Round.Allocation.K_OF_N:
        return repeat_turn(round_, member, holding, is_last=True)
    return again or turn


def repeat_turn(
    round_: Round, member: Membership, holding: Sequence[int], *, is_last: bool = False
) -> Turn | None:
    """The turn at an issue that comes again, if a repeat is due and its place is right after the issues in
    `holding`. `is_last`: nothing else is left, and an issue that is due comes in any place.
    """
    if not round_.drift_percent:
        return None
    if not is_last:
        own = RoundVolunteer.objects.filter(round=round_, member=member)
        seed = own.values_list("seed", flat=True).first()
        place = labels_given(round_, member) + len(holding)
        if seed is None or not is_place_of_a_repeat(place, seed, round_.drift_percent):
            return None
    repeat = repeats.next_repeat(round_, member, holding=holding)
    return turn_again(round_, repeat, member) if repeat else None


def turn_again(round_: Round, repeat: Repeat, member: Membership) -> Turn:
    """The turn at an issue that comes again: it looks like any other turn."""
    turn = turn_of(round_, member, OF_ISSUE, issue=repeat.issue_id)
    if turn is None:
        raise Assignment.DoesNotExist
    is_leased = round_.allocation == Round.Allocation.K_OF_N
    until = clock.now() + timedelta(minutes=round_.lease_minutes) if is_leased else None
    return replace(turn, until=until)


def turn_of(
    round_: Round, member: Membership, which: str, *, holding: Sequence[int] = (), **given: int
) -> Turn | None:
    """The turn at one of the member's slots, with its issue and draft; None without the slot. One query.
    `which` is one of the orders above, or OF_ISSUE or OF_SLOT, whose id is then given.
    """
    if round_.opened_at is None:
        return None
    own: dict[str, Any] = {"round": round_.pk, "member": member.pk, "holding": list(holding)}
    with connection.cursor() as cursor:
        _TURNS[which].run(cursor, own | given)
        row = cursor.fetchone()
    if row is None:
        return None
    slot, of, repository, snapshot, draft = _TURN_ROWS.models(row)
    slot.issue, of.repository, of.current = of, repository, snapshot
    return Turn(assignment=slot, issue=of, draft=draft, label=None)


def issue_in(round_: Round, issue_id: int) -> Issue | None:
    """An issue of the round, without its text; the actions check whether it is the member's turn."""
    return Issue.objects.filter(in_rounds__round=round_, pk=issue_id).first()


def turn_at(round_: Round, member: Membership, issue_id: int, *, again: bool = False) -> Turn | None:
    """The member at one issue of the round: to go back, to change, or to show a refused form again. None
    unless the member has a slot, a label, a draft or a skip on the issue. With `again` an issue that comes
    again is shown as that turn, not as its first label. An issue that has just come again is shown with its
    second label.
    """
    own = {"round": round_, "volunteer": member, "issue": issue_id}
    slot = own_slots(round_, member).filter(issue=issue_id).first()
    draft = Draft.objects.filter(**own).first()
    label = Label.objects.filter(**own).select_related("proposal").first()
    if not (slot or draft or label or Skip.objects.filter(**own).exists()):
        return None
    if label is not None and round_.drift_percent:
        waiting = repeats.repeats_to_come(round_, member).filter(issue=issue_id).first()
        if again and waiting is not None:
            return turn_again(round_, waiting, member)
        recent = repeats.recent_repeat(round_, member, issue_id)
        label = repeats.as_label(recent) if recent is not None else label
    issue = Issue.objects.select_related("repository", "current").get(pk=issue_id)
    return Turn(assignment=slot, issue=issue, draft=draft, label=label)
