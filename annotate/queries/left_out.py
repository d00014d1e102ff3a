"""What a source of issues can leave out: the issues of other rounds, and of samples."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext

from annotate.models import LeftOut, Sample, SampleIssue
from core.numbers import whole_number
from ingest.models import Issue
from rounds.models import Round, RoundIssue
from rounds.queries.coached import COACHING, coaching_rounds, rounds_of
from studies.models import Study
from taxonomy.models import Taxonomy


@dataclass(frozen=True)
class Excludable:
    """A round or a sample whose issues can be left out. `value` is `round:<id>` or `sample:<id>`; `issues` is
    the number of its issues. `coaches`: it is a pilot or a training; `is_main`: it is a main round.
    """

    value: str
    name: str
    kind: str
    issues: int
    coaches: bool = False
    is_main: bool = False


def excludables(study: Study) -> list[Excludable]:
    """The rounds and samples of a study whose issues can be left out: first pilots and trainings, then main
    rounds, then other rounds, then samples. Two queries.
    """
    rounds = Round.objects.filter(study=study).exclude(kind=Round.Kind.LOOK).order_by("pk")
    found = [
        Excludable(
            f"round:{one.pk}",
            one.name,
            str(one.get_kind_display()),
            one.size,
            coaches=one.kind in COACHING,
            is_main=one.kind == Round.Kind.MAIN,
        )
        for one in rounds.annotate(size=Count("round_issues"))
    ]
    samples = Sample.objects.filter(study=study).order_by("pk").annotate(size=Count("drawn"))
    return [
        *sorted(found, key=lambda one: (not one.coaches, not one.is_main)),
        *(Excludable(f"sample:{one.pk}", one.name, gettext("sample"), one.size) for one in samples),
    ]


def usually_left_out(kind: str, taxonomy: Taxonomy | int, source: str = "") -> list[str]:
    """What a round of this kind leaves out by default: a pilot or main round every pilot and training of the
    taxonomy, and a main round also every other main round, but the one whose issues the `source` asks for. A
    training leaves nothing out, since it shows right labels anyway; nor does a screening, since an issue that
    it leaves out would be neither kept nor excluded. At most two small queries.
    """
    if kind in {Round.Kind.TRAINING, Round.Kind.SCREENING}:
        return []
    kinds = [*COACHING, *([Round.Kind.MAIN] if kind == Round.Kind.MAIN else [])]
    rounds = list(rounds_of(taxonomy, kinds).values_list("pk", "kind"))
    main = [f"round:{pk}" for pk, of in rounds if of == Round.Kind.MAIN]
    asked = _asked_again(source) if main else ""
    coaching = [f"round:{pk}" for pk, of in rounds if of in COACHING]
    return coaching + [value for value in main if value != asked]


def without(issues: QuerySet[Issue], left_out: Iterable[str]) -> QuerySet[Issue]:
    """These issues without the issues of the rounds and samples with these values."""
    rounds, samples = _ids("round", left_out := list(left_out)), _ids("sample", left_out)
    if rounds:
        issues = issues.exclude(Exists(RoundIssue.objects.filter(round__in=rounds, issue=OuterRef("pk"))))
    if samples:
        issues = issues.exclude(Exists(SampleIssue.objects.filter(sample__in=samples, issue=OuterRef("pk"))))
    return issues


def counted_in(issues: QuerySet[Issue], values: Collection[str]) -> dict[str, int]:
    """How many of these issues are in each of these rounds and samples. One query, none without values."""
    if not values:
        return {}
    counts = {f"in_{place}": Count("pk", filter=_is_in(value)) for place, value in enumerate(values)}
    found = issues.order_by().aggregate(**counts)
    return {value: found[f"in_{place}"] for place, value in enumerate(values)}


def coached_among(issues: QuerySet[Issue], taxonomy: Taxonomy | int, *, of: Round | None = None) -> int:
    """How many of these issues are in a pilot or training of the taxonomy, other than the round `of` whose
    plan they are. One query.
    """
    rounds = coaching_rounds(taxonomy).exclude(pk__in=[of.pk] if of else [])
    coaching = RoundIssue.objects.filter(round__in=rounds, issue=OuterRef("pk"))
    return issues.filter(Exists(coaching)).count()


def labelled_again(
    issues: QuerySet[Issue], taxonomy: Taxonomy | int, *, of: Round | None = None
) -> list[tuple[str, int]]:
    """The names of other opened rounds of the taxonomy, each with how many of these issues it has. These are
    hidden there from volunteers who have yet to label them again. Two queries.
    """
    opened = Round.objects.filter(version__taxonomy=taxonomy, opened_at__isnull=False)
    opened = opened.exclude(kind__in=Round.APART).exclude(pk__in=[of.pk] if of else [])
    names = {f"round:{one.pk}": one.name for one in opened.order_by("pk")}
    return [(names[value], n) for value, n in counted_in(issues, list(names)).items() if n]


def left_out_of(round_: Round) -> list[LeftOut]:
    """What the plan of a round left out, in the order of the plan. One query."""
    return list(LeftOut.objects.filter(round=round_).select_related("other", "sample").order_by("pk"))


def left_out_rows(round_: Round, counted: dict[str, int]) -> list[LeftOut]:
    """The rows, not stored yet, that note what a round leaves out."""
    return [
        LeftOut(round=round_, issues=issues, **{_FIELD[kind]: int(id_)})
        for (kind, _colon, id_), issues in ((value.partition(":"), n) for value, n in counted.items())
    ]


def _asked_again(source: str) -> str:
    """The round whose issues this source has, also by way of a sample of it."""
    kind, _colon, id_ = source.partition(":")
    if kind != "sample":
        return source
    plans = Sample.objects.filter(pk=whole_number(id_) or 0).values_list("plan__filter__source", flat=True)
    return str(plans.first())


_FIELD = {"round": "other_id", "sample": "sample_id"}


def _ids(kind: str, values: Iterable[str]) -> list[int]:
    return [
        whole_number(value.removeprefix(f"{kind}:")) or 0 for value in values if value.startswith(f"{kind}:")
    ]


def _is_in(value: str) -> Q:
    kind, _colon, id_ = value.partition(":")
    if kind == "round":
        return Q(Exists(RoundIssue.objects.filter(round=whole_number(id_) or 0, issue=OuterRef("pk"))))
    return Q(Exists(SampleIssue.objects.filter(sample=whole_number(id_) or 0, issue=OuterRef("pk"))))
