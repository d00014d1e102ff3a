"""What waits between the stages of a study: second looks, rounds to close, accepted changes, follow-ups,
failed trainings.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from django.db.models import Exists, F, OuterRef, Q

from annotate.queries.gates import rounds_to_close
from consensus.models import FollowUp
from rounds.models import Assignment, Round, RoundIssue, RoundVolunteer
from rounds.queries.blindness import seen_by_seats
from rounds.queries.training import TrainingResult, training_results
from studies.models import Membership, Role
from studies.rules import may_label, may_lead
from taxonomy.models import Change, Motion, Taxonomy

OwnResult = tuple[Round, Membership, TrainingResult]
"""A round, a volunteer of it, and their result in the training that the round requires."""


def open_second_looks(seats: Sequence[Membership]) -> list[Round]:
    """The open second looks in the studies that these memberships lead, newest first. One query."""
    led = _led(seats)
    looks = Round.objects.filter(study__in=led, kind=Round.Kind.LOOK, closed_at=None)
    return list(looks.filter(opened_at__isnull=False).select_related("study", "of").order_by("-pk"))


def rounds_that_wait_for_close(seats: Sequence[Membership]) -> list[tuple[Round, int]]:
    """`rounds_to_close` of the studies that these memberships lead. One query."""
    return rounds_to_close(_led(seats))


def accepted_in_drafts(seats: Sequence[Membership]) -> list[tuple[Taxonomy, int]]:
    """The taxonomies of led studies with accepted proposals that wait in the draft, and their number. One
    query.
    """
    changes = Change.objects.filter(
        version__taxonomy__study__in=_led(seats),
        version__published_at=None,
        undone_at=None,
        motion__outcome=Motion.Outcome.ACCEPTED,
    )
    found = changes.select_related("version__taxonomy__study").order_by("version")
    return list(Counter(change.version.taxonomy for change in found).items())


def follow_ups_to_do(seats: Sequence[Membership]) -> dict[int, int]:
    """Study id to the number of open follow-ups of its meetings, for led studies that have some, without
    issues that are withheld from the reader. Two queries.
    """
    places = RoundIssue.objects.filter(
        round=OuterRef("item__round"), issue=OuterRef("item__issue"), completed_at__isnull=False
    )
    open_ones = FollowUp.objects.filter(item__meeting__round__study__in=_led(seats), done_at=None)
    seen = open_ones.filter(Exists(seen_by_seats(places, seats)))
    return dict(Counter(seen.values_list("item__meeting__round__study", flat=True)))


def trainings_to_talk_about(seats: Sequence[Membership]) -> list[tuple[Round, list[Membership]]]:
    """The last training of each led study, with its volunteers who did not pass, until a main round opens:
    then `not_let_in` has them. While the training runs, those who have labelled all of it, and only if the
    reader may watch it (`rules.may_watch_training`). Two queries.
    """
    later = Round.objects.filter(study=OuterRef("round__study"))
    newer = later.filter(kind=Round.Kind.TRAINING, pk__gt=OuterRef("round"))
    main = later.filter(kind=Round.Kind.MAIN, opened_at__gt=OuterRef("round__opened_at"))
    own = [seat.pk for seat in seats]
    turns = Assignment.objects.filter(round=OuterRef("round"), volunteer__in=own, submitted_at=None)
    takes_part = RoundVolunteer.objects.filter(round=OuterRef("round"), member__in=own, left_at=None)
    was_closed = Q(round__closed_at__gt=F("round__opened_at"))
    trained = RoundVolunteer.objects.filter(
        was_closed | Q(~Exists(turns) | ~Exists(takes_part), round__closed_at=None),
        round__study__in=_led(seats),
        round__kind=Round.Kind.TRAINING,
        round__opened_at__isnull=False,
        left_at=None,
    )
    rows = list(
        trained.filter(~Exists(newer), ~Exists(main))
        .select_related("round__study", "member__user")
        .order_by("-round", "column")
    )
    results = training_results({(row.round_id, row.member_id) for row in rows})
    found: dict[Round, list[Membership]] = defaultdict(list)
    for row in rows:
        result = results[row.round_id, row.member_id]
        has_ended = result.is_finished or row.round.closed_at is not None
        if has_ended and not result.opens and may_label(row.member):
            found[row.round].append(row.member)
    return list(found.items())


def shut_out_of(seats: Sequence[Membership]) -> list[OwnResult]:
    """The open rounds that these memberships of one person cannot label in, because they did not pass the
    training and cannot go on with it. Two queries.
    """
    own = {seat.pk: seat for seat in seats if may_label(seat)}
    rows = list(
        RoundVolunteer.objects.filter(
            member__in=own, left_at=None, admitted_at=None, round__closed_at=None,
            round__opened_at__isnull=False, round__training__isnull=False,
        ).select_related("round__study", "round__training").order_by("-round")
    )  # fmt: skip
    results = training_results({(row.round.training_id or 0, row.member_id) for row in rows})
    found = []
    for row in rows:
        training, result = row.round.training, results[row.round.training_id or 0, row.member_id]
        has_ended = result.is_finished or (training is not None and training.closed_at is not None)
        if has_ended and not result.opens:
            found.append((row.round, own[row.member_id], result))
    return found


def leads_of(studies: Iterable[int]) -> dict[int, list[Membership]]:
    """Study id to its owners and leads with an account, in the order in which they joined. One query."""
    found: dict[int, list[Membership]] = defaultdict(list)
    leads = Membership.objects.filter(
        study__in=studies, role__in=(Role.OWNER, Role.LEAD), left_at=None, user__isnull=False
    )
    for member in leads.select_related("user").order_by("pk"):
        found[member.study_id].append(member)
    return found


def _led(seats: Sequence[Membership]) -> list[int]:
    return [seat.study_id for seat in seats if may_lead(seat)]
