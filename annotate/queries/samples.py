"""Samples: what they can be drawn from, what was drawn, and whether a draw can be repeated."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Max, QuerySet

from accounts.models import User
from annotate.models import Sample, SampleIssue
from annotate.queries.left_out import counted_in, without
from annotate.queries.planning import EVERY_ISSUE, IssueSource, issues_from
from annotate.sampling import draw
from core.text.joining import named
from ingest.models import Issue
from ingest.queries.filters import IssueFilter, saved_filters
from ingest.queries.issues import filter_issues
from rounds.models import Round
from rounds.queries.rounds import issues_to_label
from studies.models import Study
from studies.queries import studies_for


@dataclass(frozen=True)
class SampleFrame:
    """The issues that a sample is drawn from: a source, narrowed like that of a round. `source` is as in
    annotate.queries.planning, `name` was its name then, and `query` a copy of the saved filter: the filter
    may change or be deleted later, without effect on the sample. `left_out`: values of
    annotate.queries.left_out, rounds and samples whose issues take no part.
    """

    source: str = EVERY_ISSUE
    name: str = ""
    query: Mapping[str, Any] = field(default_factory=dict)
    year: int | None = None
    with_text: bool = False
    without_pull_requests: bool = False
    left_out: Sequence[str] = ()


def frame_of(study: Study, source: IssueSource) -> SampleFrame:
    """The whole of a source, with a copy of the present query of a saved filter. At most one query."""
    name = named(source.group, source.name) if source.group else source.name
    kind, _colon, id_ = source.value.partition(":")
    saved = saved_filters(study).filter(pk=id_).first() if kind == "filter" else None
    return SampleFrame(source.value, name, dict(saved.query) if saved else {})


def issues_of(study: Study, frame: SampleFrame, *, up_to: int | None = None) -> QuerySet[Issue]:
    """The issues of a frame at present; with `up_to` only the issues with an id up to this one. Raises
    ValueError if the source is gone.
    """
    if frame.source.startswith("filter:"):
        issues = filter_issues(study, IssueFilter.from_query(dict(frame.query)))
    else:
        issues = issues_from(study, frame.source)
    issues = issues_to_label(
        study,
        among=issues,
        year=frame.year,
        with_text=frame.with_text,
        without_pull_requests=frame.without_pull_requests,
    )
    if up_to is not None:
        issues = issues.filter(pk__lte=up_to)
    return without(issues, frame.left_out).order_by()


def left_out_counts(study: Study, frame: SampleFrame) -> dict[str, int]:
    """How many issues of the source are in each round and sample that the frame leaves out. One query."""
    return counted_in(issues_of(study, replace(frame, left_out=())), list(dict.fromkeys(frame.left_out)))


def newest_issue(study: Study) -> int:
    """The highest id among the issues of a study, 0 without any."""
    newest = Issue.objects.filter(repository__study=study).aggregate(newest=Max("pk"))["newest"]
    return newest or 0


def urls_of(issues: QuerySet[Issue]) -> dict[int, dict[str, int]]:
    """Repository id to its issues: URL to id. One query, without texts."""
    found: dict[int, dict[str, int]] = defaultdict(dict)
    for repository, url, id_ in issues.values_list("repository", "url", "pk").iterator(chunk_size=20_000):
        found[repository][url] = id_
    return dict(found)


# --- what was drawn


def samples_for(user: User | AnonymousUser) -> QuerySet[Sample]:
    """The samples of the studies that this user is a member of, newest first, with `size`."""
    samples = Sample.objects.filter(study__in=studies_for(user))
    return samples.select_related("study", "created_by__user").annotate(size=Count("drawn")).order_by("-pk")


def precision_of(round_: Round, issues: int) -> tuple[float, float] | None:
    """The margin of error and the confidence, as shares, that the sample of a round gives in each repository;
    None if its `issues` are not the whole of a sample, or too few were drawn for them. At most one query.
    """
    kind, _colon, id_ = str(round_.selection.get("source", "")).partition(":")
    sample = Sample.objects.filter(study=round_.study_id, pk=id_).first() if kind == "sample" else None
    if sample is None:
        return None
    strata = sample.plan["strata"]
    is_whole = sum(one["drawn"] for one in strata) == issues
    if not is_whole or any(one["drawn"] < one["size"] for one in strata):
        return None
    return sample.plan["margin"], sample.plan["confidence"]


def drawn_issues(sample: Sample) -> QuerySet[SampleIssue]:
    """The issues of a sample, with the fields that their list shows."""
    return (
        SampleIssue.objects.filter(sample=sample)
        .select_related("issue__repository", "issue__current")
        .only(
            "position", "sample", "issue__number", "issue__url", "issue__repository__path",
            "issue__repository__host", "issue__current__title",
        )
    )  # fmt: skip


def drawn_urls(sample: Sample) -> Iterator[tuple[str, str]]:
    """(path of the repository, URL) of each issue, in the order of the draw."""
    rows = SampleIssue.objects.filter(sample=sample).order_by("position")
    yield from rows.values_list("issue__repository__path", "issue__url").iterator(chunk_size=10_000)


def framed_urls(sample: Sample) -> Iterator[tuple[str, str, bool]]:
    """(path, URL, drawn) of every issue that the sample was drawn from, by path and URL."""
    ids = set(SampleIssue.objects.filter(sample=sample).values_list("issue", flat=True))
    rows = _framed(sample).values_list("repository__path", "url", "pk")
    for path, url, id_ in sorted(rows):
        yield path, url, id_ in ids


# --- would it be drawn again?


@dataclass(frozen=True)
class SampleCheck:
    """A sample beside a new draw from the issues that existed then. `differing` of its issues would not be
    drawn again; `changed` are the strata that have another number of issues `now` than `then`. `newer` issues
    came since, and take no part.
    """

    size: int
    differing: int
    changed: list[dict[str, Any]]
    newer: int

    @property
    def is_same(self) -> bool:
        return not self.differing


def check(sample: Sample) -> SampleCheck:
    """Draw the sample again and compare. Four queries."""
    strata: list[dict[str, Any]] = sample.plan["strata"]
    found = urls_of(_framed(sample))
    urls = {stratum["id"]: list(found.get(stratum["id"], ())) for stratum in strata}
    asked = {stratum["id"]: min(stratum["drawn"], len(urls[stratum["id"]])) for stratum in strata}
    again = [url for part in draw(urls, asked, sample.seed).values() for url in part]
    stored = [url for _path, url in drawn_urls(sample)]
    now = issues_of(sample.study, SampleFrame(**sample.plan["filter"])).count()
    # A draw in another order is a different draw, even with the same issues.
    differing = len(set(stored) - set(again)) or int(stored != again)
    changed = [
        {"repository": stratum["repository"], "then": stratum["issues"], "now": len(urls[stratum["id"]])}
        for stratum in strata
        if stratum["issues"] != len(urls[stratum["id"]])
    ]
    return SampleCheck(len(stored), differing, changed, now - sum(len(part) for part in found.values()))


def _framed(sample: Sample) -> QuerySet[Issue]:
    return issues_of(sample.study, SampleFrame(**sample.plan["filter"]), up_to=sample.plan["newest"])
