"""What the form of a new round is made from: sources of issues, types of each version, the team's pace."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import chain, count, groupby
from operator import attrgetter, or_
from typing import Any

from django.db import connection
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotate.models import Draft, LeftOut, ModelLabel, Sample, SampleIssue
from annotate.queries.left_out import usually_left_out
from consensus.models import Decision
from consensus.queries.screening import kept_issues
from core.numbers import whole_number
from ingest.models import Issue, Repository
from ingest.queries.filters import IssueFilter, saved_filters
from ingest.queries.issues import filter_issues
from ingest.queries.keyword_counts import unsearched
from rounds.models import Label, Round, RoundIssue
from rounds.queries.categories import deepest_level
from rounds.queries.rounds import candidates, opening_of, published_versions, usual_reveal
from studies.models import Membership, Role, Study
from taxonomy.models import CategoryState, Level

EVERY_ISSUE = "issues"
SECONDS_ASSUMED = 60.0
FEWEST_GAPS = 20
NAMES = {
    Round.Kind.SCREENING: _("Screening"),
    Round.Kind.PILOT: _("Pilot"),
    Round.Kind.TRAINING: _("Training"),
    Round.Kind.MAIN: _("Main round"),
}

_PACE = """
    SELECT gaps.kind, percentile_cont(0.5) WITHIN GROUP (ORDER BY gaps.seconds), count(*)
    FROM (
        SELECT r.kind, extract(epoch FROM l.submitted_at - lag(l.submitted_at) OVER (
            PARTITION BY v.id ORDER BY l.submitted_at
        )) AS seconds
        FROM rounds_round r
        JOIN rounds_roundvolunteer v ON v.round_id = r.id
        JOIN studies_membership m ON m.id = v.member_id AND m.user_id IS NOT NULL
        CROSS JOIN LATERAL (
            SELECT submitted_at FROM rounds_label
            WHERE round_id = v.round_id AND volunteer_id = v.member_id
            ORDER BY submitted_at DESC LIMIT 200
        ) l
        WHERE r.study_id = %s AND r.opened_at IS NOT NULL
    ) gaps
    WHERE gaps.seconds > 0 AND gaps.seconds <= 1800
    GROUP BY GROUPING SETS ((gaps.kind), ())
"""


@dataclass(frozen=True)
class IssueSource:
    """A source from which the issues of a round can be taken. `value` is `issues`, `filter:<id>`,
    `sample:<id>`, `round:<id>` or `kept:<id>`; `group` is the heading in the list.
    """

    value: str
    name: str
    group: str = ""

    @property
    def choice(self) -> str:
        """The text of the source in a closed list, where its heading is not seen."""
        named = {
            "filter": gettext("Saved filter “%(name)s”"),
            "sample": gettext("Sample “%(name)s”"),
            "kept": gettext("Kept by “%(name)s”"),
            "round": gettext("Issues of “%(name)s”"),
        }
        words = named.get(self.value.partition(":")[0])
        return words % {"name": self.name} if words else self.name


@dataclass(frozen=True)
class ScreeningCounts:
    """A closed screening: `kept` = all but the excluded issues; `undecided` of these have no decision."""

    kept: int
    excluded: int
    undecided: int


def sources(study: Study) -> list[IssueSource]:
    """The sources of issues for a round of this study. Three queries. Only closed screenings are offered: the
    result of an open screening is not revealed.
    """
    rounds = list(Round.objects.filter(study=study).order_by("-pk"))
    closed = [one for one in rounds if one.kind == Round.Kind.SCREENING and one.closed_at]
    groups: list[tuple[str, str, Iterable[Any]]] = [
        ("filter", gettext("Saved filters"), saved_filters(study)),
        ("sample", gettext("Samples"), Sample.objects.filter(study=study).order_by("-pk")),
        ("kept", gettext("Issues that a screening kept"), closed),
        ("round", gettext("Issues of another round"), rounds),
    ]
    return [IssueSource(EVERY_ISSUE, gettext("All issues of the study"))] + [
        IssueSource(f"{kind}:{one.pk}", one.name, group) for kind, group, found in groups for one in found
    ]


def source_choices(found: Iterable[IssueSource]) -> list[tuple[Any, Any]]:
    """These sources as the choices of a select, with each group under its heading."""
    choices: list[tuple[Any, Any]] = []
    for group, members in groupby(found, key=attrgetter("group")):
        offered = [(source.value, source.choice) for source in members]
        choices += [(group, offered)] if group else offered
    return choices


def source_named(study: Study, value: str) -> IssueSource | None:
    """The source with this value, None if the study has no such source."""
    return next((source for source in sources(study) if source.value == value), None)


def selection(source: IssueSource, **narrowed: Any) -> dict[str, Any]:
    """A record of how the issues of a round were chosen: the source, and the values that narrowed it."""
    return {"source": source.value, "name": source.name, **narrowed}


def issues_from(study: Study, source: str) -> QuerySet[Issue]:
    """The issues of a source, by repository, in the order in which they came. Raises ValueError if the study
    has no such source.
    """
    issues = Issue.objects.filter(repository__study=study)
    kind, _colon, id_ = source.partition(":")
    if kind == EVERY_ISSUE and not id_:
        return issues.order_by("repository", "pk")
    key = whole_number(id_) or 0
    saved = next((saved for saved in saved_filters(study) if saved.pk == key), None)
    if kind == "filter" and saved:
        issues = filter_issues(study, IssueFilter.from_query(dict(saved.query)))
    elif kind == "sample" and Sample.objects.filter(study=study, pk=key).exists():
        issues = issues.filter(pk__in=SampleIssue.objects.filter(sample=key).values("issue"))
    elif kind == "round" and Round.objects.filter(study=study, pk=key).exists():
        issues = issues.filter(pk__in=RoundIssue.objects.filter(round=key).values("issue"))
    elif kind == "kept" and (screening := closed_screening(study, source)):
        issues = issues.filter(pk__in=kept_issues(screening).values("pk"))
    else:
        raise ValueError(source)
    return issues.order_by("repository", "pk")


def unsearched_in(study: Study, source: str) -> int:
    """How many issues a source cannot tell yet, because its filter asks for keywords that are still being
    searched. Three queries for a filter by keywords, at most one for others.
    """
    kind, _colon, id_ = source.partition(":")
    saved = saved_filters(study).filter(pk=whole_number(id_) or 0).first() if kind == "filter" else None
    return unsearched(study.pk, IssueFilter.from_query(dict(saved.query)).keywords) if saved else 0


def closed_screening(study: Study, source: str) -> Round | None:
    """The screening that a source `kept:<id>` names, None for every other source."""
    kind, _colon, id_ = source.partition(":")
    if kind != "kept":
        return None
    closed = Round.objects.filter(study=study, kind=Round.Kind.SCREENING, closed_at__isnull=False)
    return closed.filter(pk=whole_number(id_) or 0).first()


def screened(screening: Round) -> ScreeningCounts:
    """How many issues a closed screening kept, excluded, and left undecided. Two queries."""
    decided = Decision.objects.filter(round=screening, issue=OuterRef("issue"), superseded_at=None)
    counted = RoundIssue.objects.filter(round=screening).aggregate(
        issues=Count("pk"), undecided=Count("pk", filter=~Exists(decided))
    )
    kept = kept_issues(screening).count()
    return ScreeningCounts(kept=kept, excluded=counted["issues"] - kept, undecided=counted["undecided"])


def by_repository(issues: QuerySet[Issue]) -> list[tuple[str, int]]:
    """The number of these issues in each repository, by its path. One query."""
    counted = issues.order_by("repository__path").values("repository__path").annotate(n=Count("pk"))
    return list(counted.values_list("repository__path", "n"))


def types_by_version(versions: Collection[int]) -> dict[int, list[CategoryState]]:
    """The types of each of these versions, in the order of the tree. One query."""
    found: dict[int, list[CategoryState]] = defaultdict(list)
    types = CategoryState.objects.filter(version__in=versions, level=Level.TYPE)
    for state in types.only("version", "category", "code", "name").order_by("version", "position"):
        found[state.version_id].append(state)
    return found


def team_pace(study: Study, kind: str) -> float | None:
    """The median seconds that this team lately took for a label, in rounds of this kind if there are enough
    labels. Read from the last 200 labels of each volunteer of each round; gaps over half an hour are pauses.
    Imported labels have no pace. It depends on the times of labels, not on their content. None if too few are
    known. One query.
    """
    with connection.cursor() as cursor:
        cursor.execute(_PACE, [study.pk])
        known = {of: float(seconds) for of, seconds, gaps in cursor.fetchall() if gaps >= FEWEST_GAPS}
    return known.get(kind, known.get(None))


FALSE = "F"
"""The code of the type that a screening excludes, in the preset for screenings."""


def defaults(
    study: Study, kind: Round.Kind, by: Membership | None, asked: str = "", source: str = ""
) -> dict[str, Any]:
    """The first values of the form of a new round of this kind; `asked` is the id of a requested version, and
    `source` a requested source of issues.

    A screening starts with the taxonomy that has a type F, and excludes it; other rounds with the one used
    last. A pilot starts with only the member who plans it, other rounds with the study's volunteers. Issues
    kept by the newest closed screening are preferred, and a main round requires the newest training.
    """
    versions = list(published_versions(study))
    types = types_by_version([version.pk for version in versions])
    false = {
        id_: state.category_id for id_, states in types.items() for state in states if state.code == FALSE
    }
    screens = kind == Round.Kind.SCREENING
    fitting = [version for version in versions if (version.pk in false) == screens] or versions
    used = Round.objects.filter(study=study, version__in=fitting).select_related("version")
    before = used.order_by("-pk").first()
    of = before.version.taxonomy_id if before else fitting[0].taxonomy_id
    newest = next(version for version in fitting if version.taxonomy_id == of)
    version = next((version for version in versions if str(version.pk) == asked), newest)
    volunteers = candidates(study).filter(role=Role.VOLUNTEER)
    rounds = Round.objects.filter(study=study, opened_at__isnull=False).order_by("-pk")
    screening = None if screens else rounds.filter(kind=Round.Kind.SCREENING, closed_at__isnull=False).first()
    training = rounds.filter(kind=Round.Kind.TRAINING).first() if kind == Round.Kind.MAIN else None
    deepest = deepest_level(version.pk) or Level.TYPE
    source = source or (f"kept:{screening.pk}" if screening else EVERY_ISSUE)
    return {
        "name": free_name(study, NAMES[kind]),
        "version": version.pk,
        "depth": min(Level.TYPE if screens else Level.THEME, deepest),
        "excludes": false.get(version.pk),
        "pass_mark": 80,
        "source": source,
        "left_out": usually_left_out(kind, version.taxonomy_id, source),
        "training": training.pk if training else None,
        "order": Round.Order.SHUFFLED,
        "members": [by.pk] if by and kind == Round.Kind.PILOT else [member.pk for member in volunteers],
        "allocation": Round.Allocation.CROSSED,
        "lease_minutes": 60,
        "reveal": usual_reveal(kind),
        "forge_labels": Round.ForgeLabels.HIDDEN,
        "rule": Round.Rule.UNANIMOUS,
        "drift_percent": 0,
        "drift_hours": 24,
    }


def starts_without_pull_requests(study: Study, source: str, kinds: Mapping[str, int]) -> bool:
    """Does a new round or sample begin with pull requests left out? Yes, if the study has some: they are no
    reports. No, if a sample, a screening or another round has some: somebody kept them there on purpose. No,
    for a saved filter that asks for them alone. One query for such a source.
    """
    if not kinds.get("pull_request"):
        return False
    kind, _colon, id_ = source.partition(":")
    if kind == "filter":
        key = whole_number(id_) or 0
        return not saved_filters(study).filter(pk=key, query__kind="pull_request").exists()
    is_chosen = kind in {"sample", "kept", "round"}
    return not (is_chosen and issues_from(study, source).filter(is_pull_request=True).exists())


def free_name(study: Study, name: str | Promise) -> str:
    """This name, or this name with the next free number."""
    taken = set(Round.objects.filter(study=study).values_list("name", flat=True))
    names = chain([str(name)], (f"{name} {number}" for number in count(2)))
    return next(candidate for candidate in names if candidate not in taken)


def has_begun(round_: Round) -> bool:
    """Is the round closed or being opened, or has anybody stored a label or a draft in it? Two queries."""
    job = opening_of(round_) if round_.opened_at is None else None
    if round_.closed_at is not None or (job is not None and job.finished_at is None):
        return True
    stored = (Exists(model.objects.filter(round=round_)) for model in (Label, Draft, ModelLabel))
    return Round.objects.filter(reduce(or_, stored), pk=round_.pk).exists()


def as_planned(round_: Round) -> dict[str, Any]:
    """The values of the form of a new round for the plan that this round has. Where no source is
    noted, or it is no longer there, the source is the issues of the round itself. Eight queries at most.
    """
    volunteers = list(round_.volunteers.filter(left_at=None).order_by("column"))
    chosen, study = round_.selection, round_.study
    source = source_named(study, str(chosen.get("source", "")))
    paths = chosen.get("repositories") if source else None
    repositories = Repository.objects.filter(study=study)
    if paths is not None:
        repositories = repositories.filter(path__in=paths)
    narrowed = {name: chosen.get(name) for name in ("year", "with_text", "without_pull_requests")}
    return {
        **{name: getattr(round_, name) for name in _AS_STORED},
        **{f"quota_{one.member_id}": one.quota for one in volunteers},
        **(narrowed if source else {}),
        "version": round_.version_id,
        "excludes": round_.excludes_id,
        "training": round_.training_id,
        "source": source.value if source else f"round:{round_.pk}",
        "repositories": list(repositories.values_list("pk", flat=True)),
        "left_out": [one.value for one in LeftOut.objects.filter(round=round_)],
        "members": [one.member_id for one in volunteers],
        "deadline": round_.deadline and timezone.localdate(round_.deadline),
    }


_AS_STORED = (
    "name", "kind", "depth", "pass_mark", "order", "allocation", "labels_per_issue", "lease_minutes",
    "reveal", "forge_labels", "rule", "majority", "drift_percent", "drift_hours",
)  # fmt: skip
