"""Rounds: planned, opened with all their slots, closed."""

import secrets
from collections.abc import Sequence

from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext_lazy as _

from annotate import errors
from annotate.actions.decisions import decide_unanimous
from annotate.actions.training import require_answers
from annotate.allocation import volunteer_seed
from annotate.errors import RoundRefused
from annotate.models import Round, RoundIssue, RoundVolunteer
from annotate.queries.categories import deepest_level
from annotate.queries.rounds import OPENING, opening_of
from annotate.rules import may_be_volunteer, may_close, may_create_round, may_open
from core.jobs import enqueue
from core.models import Job
from core.retry import retried
from ingest.models import Issue
from studies.actions import record
from studies.models import Membership, Study
from taxonomy.models import Level, Version

SLOTS_AT_ONCE = 50_000
LONGEST_LEASE = 60 * 24 * 31
NAME_IS_TAKEN = _("The study has a round of this name already. Choose another name.")

FULLY_CROSSED = """
    INSERT INTO annotate_assignment (round_id, issue_id, slot, volunteer_id, rank)
    SELECT i.round_id, i.issue_id, v."column", v.member_id, hashint8extended(i.issue_id, v.seed)
    FROM annotate_roundissue i JOIN annotate_roundvolunteer v ON v.round_id = i.round_id
    WHERE i.round_id = %(round)s
"""
K_OF_N = """
    INSERT INTO annotate_assignment (round_id, issue_id, slot, rank)
    SELECT i.round_id, i.issue_id, slot, hashint8extended(i.issue_id, %(seed)s)
    FROM annotate_roundissue i, generate_series(1, %(slots)s) slot
    WHERE i.round_id = %(round)s
"""


@transaction.atomic
def create_round(
    *,
    study: Study,
    by: Membership,
    name: str,
    version: Version,
    depth: int,
    issues: QuerySet[Issue],
    members: Sequence[Membership],
    allocation: str = Round.Allocation.CROSSED,
    labels_per_issue: int | None = None,
    reveal: str = Round.Reveal.ISSUE_COMPLETE,
    kind: str = Round.Kind.MAIN,
    lease_minutes: int = 60,
    seed: int | None = None,
) -> Round:
    """Plan a round; nobody can label in it before it is opened.

    The order of `issues` is the round's order, that of `members` the order of their columns.
    `labels_per_issue` may be left out when everyone labels everything. `seed` is a signed 64-bit number,
    drawn when left out. Raises NotAllowed, and RoundRefused with the field to change.
    """
    if not may_create_round(by, study):
        raise errors.NotAllowed
    name = " ".join(name.split())
    members = list(members)
    if labels_per_issue is None:
        labels_per_issue = len(members) if allocation == Round.Allocation.CROSSED else 0
    _check_name(study, name)
    _check_version(study, version, depth)
    _check_members(study, members, allocation, labels_per_issue)
    if not 1 <= lease_minutes <= LONGEST_LEASE:
        raise RoundRefused(_("A claim is held between one minute and 31 days."), field="lease_minutes")
    _check_issues(study, issues)
    try:
        with transaction.atomic():
            round_ = Round.objects.create(
                study=study,
                name=name,
                kind=kind,
                version=version,
                depth=depth,
                labels_per_issue=labels_per_issue,
                allocation=allocation,
                reveal=reveal,
                lease_minutes=lease_minutes,
                seed=secrets.randbits(64) - 2**63 if seed is None else seed,
            )
    except IntegrityError as error:
        # Somebody gave another round this name since the check above.
        raise RoundRefused(NAME_IS_TAKEN, field="name") from error
    RoundVolunteer.objects.bulk_create(
        RoundVolunteer(round=round_, member=member, column=column, seed=volunteer_seed(round_.seed, column))
        for column, member in enumerate(members, start=1)
    )
    count = _add_issues(round_, issues)
    record(study, "rounds.created", by.user, round=name, issues=count, volunteers=len(members))
    return round_


@retried
@transaction.atomic
def open_round(*, round_: Round, by: Membership) -> Round:
    """Create all slots of the round in one statement and let its volunteers begin. Returns the round as it is
    then.

    Raises NotAllowed, RoundAlreadyOpen, RoundAlreadyClosed, and RoundRefused when a volunteer has left the
    study.
    """
    current = _hold_alone(round_)
    if not may_open(by, current):
        raise errors.NotAllowed
    if current.closed_at is not None:
        raise errors.RoundAlreadyClosed
    if current.opened_at is not None:
        raise errors.RoundAlreadyOpen
    volunteers = RoundVolunteer.objects.filter(round=current).select_related("member")
    gone = [str(v.member) for v in volunteers if not may_be_volunteer(v.member, current.study)]
    if gone:
        raise RoundRefused(
            _("%(who)s can no longer label in this study. Plan the round again without them.")
            % {"who": ", ".join(gone)},
            field="members",
        )
    require_answers(current)
    crossed = current.allocation == Round.Allocation.CROSSED
    with connection.cursor() as cursor:
        # New statistics before and after: checks of foreign keys, and this statement, would else go by plans
        # of when these tables were small, and read all of them for each slot.
        cursor.execute("ANALYZE annotate_roundissue")
        cursor.execute(
            FULLY_CROSSED if crossed else K_OF_N,
            {"round": current.pk, "seed": current.seed, "slots": current.labels_per_issue},
        )
        slots = cursor.rowcount
        cursor.execute("ANALYZE annotate_assignment")
    current.opened_at = timezone.now()
    current.save(update_fields=["opened_at"])
    record(current.study, "rounds.opened", by.user, round=current.name, slots=slots)
    return current


@transaction.atomic
def begin_opening(*, round_: Round, by: Membership) -> Job | None:
    """Open the round at once, or, where its slots take more than a second or two, by a job: that one.

    Asked again while that job waits or runs, it is the same job. Raises what open_round raises.
    """
    current = _hold_alone(round_)
    issues = RoundIssue.objects.filter(round=current).count()
    may = may_open(by, current) and current.opened_at is None and current.closed_at is None
    if not may or issues * current.labels_per_issue <= SLOTS_AT_ONCE:
        open_round(round_=current, by=by)
        return None
    job = opening_of(current)
    if job is None or job.finished_at is not None:
        arguments = {"round": current.pk, "member": by.pk, "language": get_language()}
        job = enqueue(OPENING, arguments=arguments, by=by.user)
    return job


@retried
@transaction.atomic
def close_round(*, round_: Round, by: Membership) -> Round:
    """End the round, which reveals all of its labels, and decide what is complete and unanimous.

    A submit that has begun is waited for; one that begins after is told that the round is closed.
    Raises NotAllowed, RoundNotOpen, RoundAlreadyClosed.
    """
    current = _hold_alone(round_)
    if not may_close(by, current):
        raise errors.NotAllowed
    if current.opened_at is None:
        raise errors.RoundNotOpen
    if current.closed_at is not None:
        raise errors.RoundAlreadyClosed
    current.closed_at = max(timezone.now(), current.opened_at)
    current.save(update_fields=["closed_at"])
    decided = decide_unanimous(current, current.closed_at)
    record(current.study, "rounds.closed", by.user, round=current.name, decided=decided)
    return current


def _hold_alone(round_: Round) -> Round:
    return Round.objects.select_for_update(of=("self",)).select_related("study").get(pk=round_.pk)


def _add_issues(round_: Round, issues: QuerySet[Issue]) -> int:
    ordered = issues if issues.ordered else issues.order_by("repository", "pk")
    query, parameters = ordered.values("pk").query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO annotate_roundissue (round_id, issue_id, position)"  # noqa: S608 - Django wrote the rest
            f" SELECT %s, chosen.id, row_number() OVER () FROM ({query}) chosen (id)",
            [round_.pk, *parameters],
        )
        count: int = cursor.rowcount
    return count


def _check_name(study: Study, name: str) -> None:
    if not name:
        raise RoundRefused(_("Give the round a name."), field="name")
    if len(name) > 120:
        raise RoundRefused(_("The name is longer than 120 characters. Shorten it."), field="name")
    if Round.objects.filter(study=study, name=name).exists():
        raise RoundRefused(NAME_IS_TAKEN, field="name")


def _check_version(study: Study, version: Version, depth: int) -> None:
    if version.taxonomy.study_id != study.pk:
        raise RoundRefused(
            _("This taxonomy belongs to another study. Choose one of this study."), field="version"
        )
    if version.published_at is None:
        raise RoundRefused(
            _("This version of the taxonomy is a draft. Publish it first, or choose a published one."),
            field="version",
        )
    if depth not in Level.values:
        raise RoundRefused(
            _("Labels are compared by type, theme or sub-theme. Choose one of these."), field="depth"
        )
    deepest = deepest_level(version.pk)
    if depth > deepest:
        if not deepest:
            raise RoundRefused(_("This version of the taxonomy has no categories."), field="version")
        raise RoundRefused(
            _("This taxonomy is not that deep: its deepest level is the %(level)s.")
            % {"level": Level(deepest).label},
            field="depth",
        )


def _check_members(
    study: Study, members: Sequence[Membership], allocation: str, labels_per_issue: int
) -> None:
    if not members:
        raise RoundRefused(_("Choose at least one volunteer."), field="members")
    if len({member.pk for member in members}) < len(members):
        raise RoundRefused(_("A volunteer is named twice."), field="members")
    unfit = [str(member) for member in members if not may_be_volunteer(member, study)]
    if unfit:
        raise RoundRefused(
            _("%(who)s cannot label in this study: choose its owners, leads and volunteers only.")
            % {"who": ", ".join(unfit)},
            field="members",
        )
    if labels_per_issue < 1:
        raise RoundRefused(_("Say how many labels each issue needs: one or more."), field="labels_per_issue")
    if labels_per_issue > len(members):
        raise RoundRefused(
            ngettext(
                "%(labels)d labels per issue need as many volunteers; %(members)d is chosen.",
                "%(labels)d labels per issue need as many volunteers; %(members)d are chosen.",
                len(members),
            )
            % {"labels": labels_per_issue, "members": len(members)},
            field="labels_per_issue",
        )
    if allocation == Round.Allocation.CROSSED and labels_per_issue != len(members):
        raise RoundRefused(
            _(
                "When everyone labels everything, an issue gets %(members)d labels. Change that number,"
                " or the way of sharing out."
            )
            % {"members": len(members)},
            field="labels_per_issue",
        )


def _check_issues(study: Study, issues: QuerySet[Issue]) -> None:
    if not issues.exists():
        raise RoundRefused(_("No issue is chosen. Choose at least one."), field="issues")
    if issues.exclude(repository__study=study).exists():
        raise RoundRefused(_("Some of these issues belong to another study."), field="issues")
