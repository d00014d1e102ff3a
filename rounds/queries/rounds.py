"""Rounds that a user may see, and the first gate of blindness: what of a round is revealed to anybody.

The second gate, what of that is held back from one member, is `rounds.queries.blindness`.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from accounts.models import User
from core.models import Job
from core.once import once_a_page
from core.sql.models import Rows
from ingest.models import Issue
from rounds.models import Assignment, CurrentLabel, Label, Round, RoundIssue, RoundVolunteer
from studies.models import Membership, Study
from studies.queries import members, studies_for
from studies.rules import LABELLING
from taxonomy.models import Taxonomy, Version

OPENING = "rounds.open_round"
"""The kind of the jobs that open a round; the argument `round` is its id."""


@dataclass(frozen=True)
class RoundProgress:
    """How far a round is. `complete` is None while nobody is to see that: before close, under that policy."""

    issues: int
    complete: int | None


@dataclass(frozen=True)
class RoundLine:
    """One round of a list. `own` counts the asking member's own labels, None for who is no volunteer of it.

    `complete` is None while nobody is to see it, as in RoundProgress. Of an open second look its volunteers
    see their own issues only (rounds.rules.may_see_others): `volunteers` and `complete` are None.
    """

    round: Round
    issues: int
    volunteers: int | None
    complete: int | None
    own: int | None


def rounds_for(user: User | AnonymousUser) -> QuerySet[Round]:
    """The rounds of the studies that this user is a member of."""
    return Round.objects.filter(study__in=studies_for(user)).select_related("study", "version__taxonomy")


_SEATED = Rows(Round, Study, Version, Taxonomy, Membership)


_SEAT = f"""
    SELECT {_SEATED.columns}
    FROM rounds_round p0
    JOIN studies_study p1 ON p1.id = p0.study_id
    JOIN taxonomy_version p2 ON p2.id = p0.version_id
    JOIN taxonomy_taxonomy p3 ON p3.id = p2.taxonomy_id
    JOIN studies_membership p4 ON p4.study_id = p1.id AND p4.user_id = %s AND p4.left_at IS NULL
    WHERE p0.id = %s ORDER BY p4.id LIMIT 1
"""


def round_and_seat(user: User | AnonymousUser, round_id: int) -> tuple[Round, Membership] | None:
    """A round of `rounds_for` this user, and their seat in its study; None if it is none. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_SEAT, [user.pk, round_id])
        row = cursor.fetchone()
    if row is None:
        return None
    round_, study, version, version.taxonomy, seat = _SEATED.models(row)
    round_.study = seat.study = study
    round_.version = version
    return round_, seat


def current_round(rounds: Iterable[Round]) -> Round | None:
    """The round in front: of the opened a main one before others, an open one before closed, the newest.

    Never a training or a second look: they stand apart.
    """
    opened = (round_ for round_ in rounds if round_.opened_at and round_.kind not in Round.APART)
    return max(
        opened,
        key=lambda round_: (round_.kind == Round.Kind.MAIN, round_.is_open, round_.opened_at, round_.pk),
        default=None,
    )


def revealed(round_: Round) -> QuerySet[RoundIssue]:
    """The issues whose labels others may see: those that are complete, or all once the round is closed."""
    issues = RoundIssue.objects.filter(round=round_)
    if round_.closed_at:
        return issues
    if round_.reveal == Round.Reveal.ISSUE_COMPLETE:
        return issues.filter(completed_at__isnull=False)
    return issues.none()


def once_revealed(round_: Round) -> QuerySet[RoundIssue]:
    """The issues whose labels others may see, or could see before they had to be looked at again."""
    return revealed(round_) | RoundIssue.objects.filter(round=round_, was_completed_at__isnull=False)


def usual_reveal(kind: str) -> str:
    """When labels of such a round are revealed, where nobody says it: those of a training at its close."""
    return Round.Reveal.ROUND_CLOSED if kind == Round.Kind.TRAINING else Round.Reveal.ISSUE_COMPLETE


def reveals_complete_issues(round_: Round) -> bool:
    """Does `revealed` hold the complete issues of this round? If not, it holds nothing yet."""
    return not _hides_progress(round_)


def revealed_labels(round_: Round) -> QuerySet[Label]:
    """The labels of revealed issues; surplus ones included and marked."""
    return Label.objects.filter(round=round_, issue__in=revealed(round_).values("issue"))


def current_labels(round_: Round) -> QuerySet[CurrentLabel]:
    """What the labels of revealed issues say in the version that the round labels with now."""
    return CurrentLabel.objects.filter(round=round_, issue__in=revealed(round_).values("issue"))


@once_a_page
def volunteers(round_: Round) -> QuerySet[RoundVolunteer]:
    """Who labels in the round, in the order of their columns, with their memberships."""
    return RoundVolunteer.objects.filter(round=round_).select_related("member").order_by("column")


@once_a_page
def round_progress(round_: Round) -> RoundProgress:
    """The issues of the round, and how many of them are complete. One query."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), count(completed_at) FROM rounds_roundissue WHERE round_id = %s", [round_.pk]
        )
        issues, complete = cursor.fetchone()
    return RoundProgress(issues=issues, complete=None if _hides_progress(round_) else complete)


def round_lines(study: Study, member: Membership | None) -> list[RoundLine]:
    """The rounds of a study, newest first, as one member may see them. One query."""
    rounds = (
        Round.objects.filter(study=study)
        .select_related("study", "version__taxonomy")
        .annotate(
            issue_count=_how_many(RoundIssue.objects.all()),
            complete_count=_how_many(RoundIssue.objects.filter(completed_at__isnull=False)),
            volunteer_count=_how_many(RoundVolunteer.objects.all()),
            is_own=_how_many(RoundVolunteer.objects.filter(member=member)),
            own_count=_how_many(Label.objects.filter(volunteer=member)),
            own_slots=_how_many(Assignment.objects.filter(volunteer=member)),
        )
        .order_by("-created_at", "-id")
    )
    lines = []
    for round_ in rounds:
        alone = round_.is_own and round_.kind == Round.Kind.LOOK and round_.closed_at is None
        line = RoundLine(
            round=round_,
            issues=round_.own_slots if alone else round_.issue_count,
            volunteers=None if alone else round_.volunteer_count,
            complete=None if alone or _hides_progress(round_) else round_.complete_count,
            own=round_.own_count if round_.is_own else None,
        )
        lines.append(line)
    return lines


def opening_of(round_: Round) -> Job | None:
    """The last job that opens this round, if its size needed one."""
    return Job.objects.filter(kind=OPENING, arguments__round=round_.pk).order_by("-pk").first()


def issues_to_label(
    study: Study,
    *,
    among: QuerySet[Issue] | None = None,
    repositories: Collection[int] | None = None,
    year: int | None = None,
    with_text: bool = False,
    without_pull_requests: bool = False,
) -> QuerySet[Issue]:
    """The issues of a study that a round could take, by repository, in the order in which they came.

    `among`: of these only, such as `annotate.queries.planning.issues_from` gives; all without it.
    `repositories`: ids, None for all. `without_pull_requests` keeps what nobody knows to be one.
    """
    issues = Issue.objects.filter(repository__study=study) if among is None else among
    if repositories is not None:
        issues = issues.filter(repository__in=repositories)
    if year is not None:
        issues = issues.filter(year=year)
    if with_text:
        issues = issues.filter(current__isnull=False)
    if without_pull_requests:
        issues = issues.exclude(is_pull_request=True)
    return issues.order_by("repository", "pk")


def candidates(study: Study) -> QuerySet[Membership]:
    """Who can be chosen as a volunteer: the members who label and have an account to do so."""
    return members(study).filter(left_at=None, user__isnull=False, role__in=LABELLING)


def could_come(round_: Round) -> QuerySet[Membership]:
    """The volunteers of the round who can still be chosen: who is asked to a meeting if nobody is named."""
    labelling = volunteers(round_).filter(left_at=None)
    return candidates(round_.study).filter(pk__in=labelling.values("member"))


def usual_quorum(round_: Round) -> int:
    """More than half of them. One query."""
    return could_come(round_).count() // 2 + 1


def published_versions(study: Study) -> QuerySet[Version]:
    """The versions that a round can use, newest first, by taxonomy."""
    versions = Version.objects.filter(taxonomy__study=study, published_at__isnull=False)
    return versions.select_related("taxonomy").order_by("taxonomy", "-number")


def _hides_progress(round_: Round) -> bool:
    return round_.reveal == Round.Reveal.ROUND_CLOSED and not round_.closed_at


def _how_many(rows: QuerySet[Any]) -> Coalesce:
    """How many of these rows belong to the round of an outer query."""
    counted = (
        rows.filter(round=OuterRef("pk")).order_by().values("round").annotate(rows=Count("pk")).values("rows")
    )
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)
