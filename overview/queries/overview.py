"""Counts for home and for the overview of a study: the number of labels, never their categories. Everything
that depends on more than counts of labels goes through the gate in rounds.queries.rounds.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import TruncDate
from django.utils import timezone

from annotate.queries.labels import SlotCounts, labels_to_give, slot_counts
from annotate.queries.repeats import RepeatCounts, counted_in, next_due
from consensus.models import Disagreement
from consensus.queries.disagreement_states import tallies
from core import clock
from ingest.models import Import, Issue, Repository
from rounds.allocation import labels_asked
from rounds.models import Answer, Assignment, Label, Round, RoundIssue, RoundVolunteer
from rounds.queries.blindness import seen_by_seats
from rounds.queries.training import training_results
from rounds.rules import may_be_volunteer, may_watch_training
from studies.models import Membership, Role, Study
from studies.rules import may_label, may_lead
from taxonomy.models import CategoryState, Change, Motion, Version

DAYS = 7


@dataclass(frozen=True)
class OwnRound:
    """An open round that a member labels in, the number of their labels, and the number that they are to
    give. `is_share`: the total is an equal share. `opens`: the open rounds that they may label in after
    passing this training. `next_at`: if they have labelled all of their issues, the moment from
    which more come.
    """

    round: Round
    member: Membership
    done: int
    total: int
    is_share: bool
    opens: tuple[Round, ...] = ()
    next_at: datetime | None = None

    @property
    def comes_at(self) -> datetime | None:
        """When the next issue comes, if there is none now."""
        return self.next_at if self.next_at and self.next_at > clock.now() else None

    @property
    def left(self) -> int:
        return max(self.total - self.done, 0)


def own_rounds(seats: Sequence[Membership]) -> list[OwnRound]:
    """The open rounds that these memberships of one person can label in now, newest first. Six queries, two
    more with a drift check.

    Rounds that the person was taken out of are left out, and rounds whose training they have yet to pass. The
    numbers depend on the person's own labels alone, and are those of the labelling page.
    """
    member = {seat.pk: seat for seat in seats if may_be_volunteer(seat, seat.study)}
    own = RoundVolunteer.objects.filter(
        member__in=member, left_at=None, round__opened_at__isnull=False, round__closed_at=None
    )
    rounds = list(
        own.select_related("round__study", "round__version").order_by("-round__opened_at", "-round_id")
    )
    asked = {
        (row.round.training_id, row.member_id)
        for row in rounds
        if row.round.training_id is not None and row.admitted_at is None
    }
    results = training_results(asked)
    waiting: dict[int, list[Round]] = {}
    for row in rounds:
        pair = (row.round.training_id or 0, row.member_id)
        if pair in asked and not results[pair].opens:
            waiting.setdefault(pair[0], []).append(row.round)
    shut = {round_.pk for held in waiting.values() for round_ in held}
    rounds = [row for row in rounds if row.round_id not in shut]
    ids = {row.round_id for row in rounds}
    shared = {row.round_id for row in rounds if row.round.allocation == Round.Allocation.K_OF_N}
    own_slots = _counted(Assignment.objects.filter(round__in=ids - shared, volunteer__in=member))
    slots = slot_counts(shared) | {round_id: SlotCounts(n, n) for round_id, n in own_slots.items()}
    labels = _counted(Label.objects.filter(round__in=ids, volunteer__in=member))
    quotas = _quotas(shared)
    repeats = counted_in([row.round for row in rounds], member)
    # All of their own issues, or their share of them, have a label: what is left comes again, and perhaps not
    # yet.
    through = []
    for row in rounds:
        asked_for = own_slots.get(row.round_id, 0)
        if row.round_id in shared:
            given = slots.get(row.round_id, SlotCounts())
            asked_for = labels_asked(given.labels, given.issues, quotas.get(row.round_id, ()), row.quota)
        is_through = labels.get(row.round_id, 0) >= asked_for
        through += [row.round] if row.round.drift_percent and is_through else []
    due = next_due(through, member)
    found = []
    for row in rounds:
        round_, done = row.round, labels.get(row.round_id, 0)
        again = repeats.get((row.round_id, row.member_id), RepeatCounts())
        given = slots.get(round_.pk, SlotCounts())
        total, is_share = labels_to_give(round_, row, done, again, given, quotas.get(round_.pk, ()))
        opens = tuple(waiting.get(round_.pk, ()))
        found.append(
            OwnRound(
                round=round_,
                member=member[row.member_id],
                done=done + again.labelled,
                total=total,
                is_share=is_share,
                opens=opens,
                next_at=due.get((round_.pk, row.member_id)),
            )
        )
    return found


def _quotas(rounds: Iterable[int]) -> dict[int, tuple[int | None, ...]]:
    """Round id to the quotas of its active volunteers, in the order of their columns. One query."""
    active = RoundVolunteer.objects.filter(round__in=rounds, left_at=None).order_by("round", "column")
    found = groupby(active.values_list("round", "quota"), key=itemgetter(0))
    return {round_id: tuple(quota for _round, quota in rows) for round_id, rows in found}


def open_disagreements(seats: Sequence[Membership]) -> list[tuple[Round, int]]:
    """The rounds with unsettled disagreements, and their number, in the studies that these memberships lead.
    The newest round comes first. A training has none: its right labels are known. Three queries at most.
    """
    led = [seat.study_id for seat in seats if may_lead(seat)]
    opened = Round.objects.filter(study__in=led, opened_at__isnull=False).select_related("study")
    rounds = list(opened.order_by("-opened_at", "-pk"))
    return unsettled(rounds, consensus(rounds, seats))


def not_let_in(seats: Sequence[Membership]) -> list[tuple[Round, list[Membership]]]:
    """The open rounds, in the studies that these memberships lead, with volunteers who did not pass the
    training and were not let in. While a training runs, only if the reader may watch it. At most two queries,
    and two for each running training.
    """
    led = {seat.study_id: seat for seat in seats if may_lead(seat)}
    rows = list(
        RoundVolunteer.objects.filter(
            round__study__in=led, round__opened_at__isnull=False, round__closed_at=None,
            round__training__isnull=False, left_at=None, admitted_at=None,
        ).select_related("round__study", "round__training", "member__user").order_by("-round", "column")
    )  # fmt: skip
    trainings = {row.round.training for row in rows if row.round.training}
    seen = {one.pk for one in trainings if one.closed_at or may_watch_training(led[one.study_id], one)}
    results = training_results({(row.round.training_id or 0, row.member_id) for row in rows})
    found: dict[Round, list[Membership]] = {}
    for row in rows:
        result, training = results[row.round.training_id or 0, row.member_id], row.round.training
        ended = result.is_finished or (training is not None and training.closed_at is not None)
        if row.round.training_id in seen and ended and not result.opens and may_label(row.member):
            found.setdefault(row.round, []).append(row.member)
    return list(found.items())


@dataclass(frozen=True)
class Consensus:
    """The disagreements of a round: open, on the agenda of a meeting, decided."""

    open: int = 0
    agenda: int = 0
    decided: int = 0

    @property
    def left(self) -> int:
        return self.open + self.agenda

    @property
    def total(self) -> int:
        return self.left + self.decided


def unsettled(rounds: Iterable[Round], found: Mapping[int, Consensus]) -> list[tuple[Round, int]]:
    """Each of these rounds that has unsettled disagreements, with their number."""
    return [
        (round_, found[round_.pk].left) for round_ in rounds if round_.pk in found and found[round_.pk].left
    ]


def consensus(rounds: Iterable[Round], seats: Iterable[Membership]) -> dict[int, Consensus]:
    """Round id to its disagreements, for rounds that have some. Two queries at most.

    Issues that these memberships of one person have yet to label in other rounds are not counted; trainings
    are left out.
    """
    ids = [round_.pk for round_ in rounds if round_.kind not in Round.APART]
    if not ids:
        return {}
    rows = seen_by_seats(Disagreement.objects.filter(round__in=ids), seats)
    return {round_id: Consensus(**counts) for round_id, counts in tallies(rows).items()}


def without_answer(rounds: Iterable[Round]) -> dict[int, int]:
    """Training id to the number of its issues without a right label, for trainings with such issues. One
    query; none if there is no training among the rounds.
    """
    ids = [round_.pk for round_ in rounds if round_.kind == Round.Kind.TRAINING]
    if not ids:
        return {}
    given = Answer.objects.filter(round=OuterRef("round"), issue=OuterRef("issue"))
    missing = RoundIssue.objects.filter(~Exists(given), round__in=ids)
    return _counted(missing)


def _counted(rows: QuerySet[Any]) -> dict[int, int]:
    """Round id to the number of its rows."""
    return dict(rows.order_by().values_list("round").annotate(n=Count("*")))


# --- one study


@dataclass(frozen=True)
class StudyCounts:
    """The numbers of a study's issues and repositories, and the published version that it labels with.

    `draft` is the number of the next version, if one is being made; `proposals` are put to the vote now.
    """

    issues: int
    repositories: int
    version: Version | None
    categories: Mapping[int, int]
    draft: int | None = None
    proposals: int = 0


def study_counts(study: Study, round_: Round | None) -> StudyCounts:
    """The counts of a study. Six queries.

    The version is that of `round_`, unless that is a screening, or else the newest published one that no
    screening used; `categories` counts its categories by level.
    """
    version = round_.version if round_ and round_.kind != Round.Kind.SCREENING else _to_label_with(study)
    levels = CategoryState.objects.filter(version=version).order_by()
    return StudyCounts(
        issues=Issue.objects.filter(repository__study=study).count(),
        repositories=Repository.objects.filter(study=study).count(),
        version=version,
        categories=dict(levels.values_list("level").annotate(n=Count("*"))) if version else {},
        draft=_draft_of(version) if version else None,
        proposals=Motion.objects.filter(taxonomy=version.taxonomy_id, closed_at=None).count()
        if version
        else 0,
    )


def _to_label_with(study: Study) -> Version | None:
    """The newest published version of a taxonomy; of one that screened issues only if there is no other."""
    screened = Round.objects.filter(kind=Round.Kind.SCREENING, version__taxonomy=OuterRef("taxonomy"))
    published = Version.objects.filter(taxonomy__study=study, published_at__isnull=False)
    newest = published.annotate(screens=Exists(screened)).order_by("screens", "-published_at", "-pk")
    return newest.select_related("taxonomy").first()


def _draft_of(version: Version) -> int | None:
    """The number of the version that is being made of this one's taxonomy: one that holds changes."""
    drafts = Version.objects.filter(taxonomy=version.taxonomy_id, published_at=None)
    changed = drafts.filter(Exists(Change.objects.filter(version=OuterRef("pk"), undone_at=None)))
    return changed.values_list("number", flat=True).first()


@dataclass(frozen=True)
class Person:
    """A member and the number of their labels in one round; `labels` is None if they do not label in it.
    `days` counts the labels of the last seven days, today last.
    """

    member: Membership
    labels: int | None
    surplus: int
    days: tuple[int, ...]

    @property
    def week(self) -> int:
        return sum(self.days)


def people(study: Study, round_: Round | None) -> list[Person]:
    """The people of a study in the order in which they joined, with counts for `round_`. Five queries.

    Volunteers of the round who have left the study stay, with their labels. Models are left out. Days are
    counted for members with an account: the labels of the others were imported.
    """
    seats = Membership.objects.filter(study=study).exclude(role=Role.MODEL)
    members = list(seats.select_related("user").order_by("pk"))
    if round_ is None:
        return [Person(member, None, 0, (0,) * DAYS) for member in members if member.left_at is None]
    labels = Label.objects.filter(round=round_).order_by()
    chosen = set(RoundVolunteer.objects.filter(round=round_).values_list("member", flat=True))
    members = [member for member in members if member.left_at is None or member.pk in chosen]
    counted = dict(labels.values_list("volunteer").annotate(n=Count("*")))
    # A surplus label has no slot: with this condition both counts come from an index.
    surplus = dict(labels.filter(assignment=None).values_list("volunteer").annotate(n=Count("*")))
    accounts = [member.pk for member in members if member.user_id and member.pk in chosen]
    today = timezone.localdate(clock.now())
    first = timezone.make_aware(datetime.combine(today - timedelta(days=DAYS - 1), time.min))
    lately = labels.filter(volunteer__in=accounts, submitted_at__gte=first)
    by_day = lately.values_list("volunteer", TruncDate("submitted_at")).annotate(n=Count("*"))
    days = {(member, day): number for member, day, number in by_day}
    return [
        Person(
            member=member,
            labels=counted.get(member.pk, 0) - surplus.get(member.pk, 0) if member.pk in chosen else None,
            surplus=surplus.get(member.pk, 0),
            days=tuple(
                days.get((member.pk, today - timedelta(days=back)), 0) for back in reversed(range(DAYS))
            ),
        )
        for member in members
    ]


def running_imports(study: Study) -> list[Import]:
    """The imports of a study whose job has not ended, newest first, with their jobs. One query."""
    runs = Import.objects.filter(study=study, job__isnull=False, job__finished_at=None)
    return list(runs.select_related("job", "study").order_by("-id"))


def recent_imports(study: Study, limit: int = 5) -> list[Import]:
    """The last imports that have ended, newest first, with their jobs. One query."""
    runs = Import.objects.filter(study=study).filter(Q(job=None) | Q(job__finished_at__isnull=False))
    return list(runs.exclude(job=None, counts={}).select_related("job", "study").order_by("-id")[:limit])
