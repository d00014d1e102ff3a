"""What happened in the rounds of a study, as far as one reader may know it: what plans are compared with."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, Min, OuterRef, Q

from annotate.models import Sample
from core.errors import DomainError
from findings.models import Evidence
from protocols.models import Protocol
from reports.agreement_report import LEVELS, agreement_report
from reports.sentences.definitions import COEFFICIENTS
from rounds.models import Label, Round, RoundIssue, RoundVolunteer
from rounds.queries.blindness import Reader, withheld_issues_in
from rounds.queries.coached import COACHING
from studies.models import Membership, Study

ALL_ISSUES = ("groups", "all")


@dataclass(frozen=True)
class Seats:
    """The volunteers of a round: who labels, and how many left."""

    now: int = 0
    left: int = 0


@dataclass(frozen=True)
class Reached:
    """The value of a round's coefficient; None if it is undefined. `is_hidden`: this reader still has to
    label issues of the round elsewhere, or the round is open.
    """

    value: float | None = None
    is_hidden: bool = False


def opened_rounds(study: Study) -> list[Round]:
    """The opened rounds that leads planned and people labelled here, by time of opening."""
    found = Round.objects.filter(study=study, kind__in=Round.PLANNED, opened_at__isnull=False)
    ordered = found.select_related("study", "version__taxonomy").order_by("opened_at", "pk")
    return [one for one in ordered if not one.is_imported]


def seats_of(rounds: Sequence[Round]) -> Mapping[int, Seats]:
    found = RoundVolunteer.objects.filter(round__in=[one.pk for one in rounds]).values_list("round")
    counted = found.annotate(
        now=Count("pk", filter=Q(left_at=None)), left=Count("pk", filter=Q(left_at__isnull=False))
    )
    return {pk: Seats(now, left) for pk, now, left in counted.order_by("round")}


def sizes_of(rounds: Sequence[Round]) -> Mapping[int, int]:
    found = RoundIssue.objects.filter(round__in=[one.pk for one in rounds]).order_by("round")
    return dict(found.values_list("round").annotate(Count("pk")))


def coached_of(rounds: Sequence[Round]) -> Mapping[int, int]:
    """How many issues of each round are also in an opened pilot or training. No label decides it."""
    others = RoundIssue.objects.filter(
        issue=OuterRef("issue"), round__kind__in=COACHING, round__opened_at__isnull=False
    )
    found = RoundIssue.objects.filter(Exists(others), round__in=[one.pk for one in rounds])
    return dict(found.order_by("round").values_list("round").annotate(Count("pk")))


def samples_of(study: Study) -> Mapping[str, Sample]:
    """The samples of a study by the source of a round that labels one."""
    return {f"sample:{one.pk}": one for one in Sample.objects.filter(study=study)}


def first_labels(
    rounds: Sequence[Round], before: Mapping[int, datetime], member: Membership | None
) -> tuple[Mapping[int, datetime], Collection[int]]:
    """The first label of each of these rounds if it came before its moment, among the labels of revealed
    issues that are not withheld from this member; and the rounds with labels that the member may not know
    of. None, a command, has none withheld.
    """
    ids = [one.pk for one in rounds]
    if not ids:
        return {}, ()
    seen = RoundIssue.objects.filter(
        Q(round__closed_at__isnull=False)
        | Q(round__reveal=Round.Reveal.ISSUE_COMPLETE, completed_at__isnull=False),
        round=OuterRef("round"),
        issue=OuterRef("issue"),
    )
    hidden = {one.pk for one in rounds if not one.closed_at}
    withheld = withheld_issues_in(rounds, [member] if member else [])
    if not withheld.query.is_empty():
        seen = seen.exclude(pk__in=withheld.values("pk"))
        hidden |= set(withheld.order_by().values_list("round", flat=True).distinct())
    late = Label.objects.filter(Exists(seen), round__in=ids, submitted_at__lt=max(before.values()))
    found = dict(late.order_by("round").values_list("round").annotate(Min("submitted_at")))
    return {pk: first for pk, first in found.items() if first < before[pk]}, hidden


def reported_first(study: Study) -> list[Evidence]:
    """For each frozen finding the first coefficient of all issues of a main round that it rests on."""
    found = Evidence.objects.filter(
        finding__study=study,
        finding__frozen_at__isnull=False,
        kind=Evidence.Kind.NUMBER,
        removed_at=None,
        round__kind=Round.Kind.MAIN,
    )
    first: dict[int, Evidence] = {}
    for one in found.select_related("finding").order_by("finding__position", "finding", "number"):
        *of, name = one.figure
        if tuple(of) == ALL_ISSUES and name in COEFFICIENTS:
            first.setdefault(one.finding_id, one)
    return list(first.values())


def reached(rounds: Sequence[tuple[Round, Protocol]], member: Membership | None) -> Mapping[int, Reached]:
    """The planned coefficient of these rounds at the planned level. Closed rounds only: before that a value
    is not final, and may not be told. One report for each taxonomy and level, with all its rounds.
    """
    answers: dict[int, Reached] = {}
    reports: dict[tuple[int, str], list[tuple[Round, Protocol]]] = {}
    for round_, protocol in rounds:
        level = str(protocol.plan.get("level", ""))
        reports.setdefault((round_.version.taxonomy_id, level), []).append((round_, protocol))
    for (_taxonomy, level), ones in reports.items():
        first = ones[0][0]
        blind = withheld_issues_in([first], [member] if member else [])
        try:
            found = agreement_report(
                first, level=LEVELS.get(level), by=[("round",)], blind=blind, reader=Reader(member)
            )
        except DomainError:  # the taxonomy has no categories at this level
            answers |= {round_.pk: Reached() for round_, _protocol in ones}
            continue
        by_round = {one.round.pk: one for one in found.rounds}
        for round_, protocol in ones:
            one = by_round.get(round_.pk)
            if one and one.withheld:
                answers[round_.pk] = Reached(is_hidden=True)
            elif one and one.agreement:
                value = one.agreement.coefficients[str(protocol.plan["coefficient"])].value
                answers[round_.pk] = Reached(value)
            else:
                answers[round_.pk] = Reached()
    return answers
