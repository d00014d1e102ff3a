"""Rounds that a user may see, and the first gate of blindness: the issues of a round that are revealed. The
second gate, which issues are withheld from one member, is `rounds.queries.blindness`.
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
"""The kind of the jobs that open a round; their argument `round` is its id."""


@dataclass(frozen=True)
class RoundProgress:
    """How far a round is. `complete` is None before the round closes, if labels are revealed only then."""

    issues: int
    complete: int | None


@dataclass(frozen=True)
class RoundLine:
    """One round of a list. `own` counts the reader's own labels, None if the reader is not a volunteer of it.

    `complete` is None as in RoundProgress. A volunteer of an open second look sees only their own issues
    (rounds.rules.may_see_others): `issues` counts these, `volunteers` and `complete` are None.
    """

    round: Round
    issues: int
    volunteers: int | None
    complete: int | None
    own: int | None


def rounds_for(user: User | AnonymousUser) -> QuerySet[Round]:
    """The rounds of the studies in which this user is a member."""
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
    """A round of `rounds_for` this user, and their membership of its study, or None. One query."""
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
    """The opened round to show first: a main round before others, an open one before closed, then the newest.
    Never a training or a second look, whose labels count in no statistic by themselves.
    """
    opened = (round_ for round_ in rounds if round_.opened_at and round_.kind not in Round.APART)
    return max(
        opened,
        key=lambda round_: (round_.kind == Round.Kind.MAIN, round_.is_open, round_.opened_at, round_.pk),
        default=None,
    )


def revealed(round_: Round) -> QuerySet[RoundIssue]:
    """The issues whose labels others may see: the complete ones or none, by policy, and all after close."""
    issues = RoundIssue.objects.filter(round=round_)
    if round_.closed_at:
        return issues
    if round_.reveal == Round.Reveal.ISSUE_COMPLETE:
        return issues.filter(completed_at__isnull=False)
    return issues.none()


def once_revealed(round_: Round) -> QuerySet[RoundIssue]:
    """The issues whose labels others may see, or could see before a second look became due."""
    return revealed(round_) | RoundIssue.objects.filter(round=round_, was_completed_at__isnull=False)


def usual_reveal(kind: str) -> str:
    """When a round of this kind reveals labels by default: a training at close, others issue by issue."""
    return Round.Reveal.ROUND_CLOSED if kind == Round.Kind.TRAINING else Round.Reveal.ISSUE_COMPLETE


def reveals_complete_issues(round_: Round) -> bool:
    """Does `revealed` include the complete issues of this round? If not, it is still empty."""
    return not _hides_progress(round_)


def revealed_labels(round_: Round) -> QuerySet[Label]:
    """The labels of revealed issues, including surplus labels."""
    return Label.objects.filter(round=round_, issue__in=revealed(round_).values("issue"))


def current_labels(round_: Round) -> QuerySet[CurrentLabel]:
    """The labels of revealed issues, as they count in the version that the round uses now."""
    return CurrentLabel.objects.filter(round=round_, issue__in=revealed(round_).values("issue"))


@once_a_page
def volunteers(round_: Round) -> QuerySet[RoundVolunteer]:
    """The volunteers of the round in the order of their columns, with their accounts, and who let them in."""
    found = RoundVolunteer.objects.filter(round=round_).select_related("member__user", "admitted_by__user")
    return found.order_by("column")


@once_a_page
def round_progress(round_: Round) -> RoundProgress:
    """The issues of the round, and how many are complete. One query."""
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
    """The last job that opened this round, None if it needed no job."""
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

    `among` limits the choice, for example to `annotate.queries.planning.issues_from`; `repositories` are ids,
    None for all. `without_pull_requests` keeps issues that may or may not be pull requests.
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
    """The members who can become volunteers: those with an account and a role that labels."""
    return members(study).filter(left_at=None, user__isnull=False, role__in=LABELLING)


def could_come(round_: Round) -> QuerySet[Membership]:
    """The volunteers of the round who can still label; a meeting invites them if nobody else is named."""
    labelling = volunteers(round_).filter(left_at=None)
    return candidates(round_.study).filter(pk__in=labelling.values("member"))


def usual_quorum(round_: Round) -> int:
    """More than half of `could_come`. One query."""
    return could_come(round_).count() // 2 + 1


def published_versions(study: Study) -> QuerySet[Version]:
    """The versions that a round can use, by taxonomy, newest first."""
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
