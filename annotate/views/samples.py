"""Samples: the list, the form to draw a sample, and a sample with its recipe and its issues."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import AuthedRequest
from annotate.actions import samples as actions
from annotate.errors import SampleRefused
from annotate.forms.samples import SampleForm
from annotate.models import Sample
from annotate.queries import samples as queries
from annotate.queries.planning import NAMES
from annotate.sampling import margin_reached
from core.csv import csv_file
from core.http import go_to, render_page, require
from core.idempotency import once
from core.pages import page_of
from ingest.actions.filters import filter_of
from ingest.queries.filters import IssueFilter
from ingest.queries.issues import issue_counts
from rounds import rules
from rounds.models import Round
from studies.models import Membership
from studies.pages import frame, own_seat, study_of


@require_safe
def samples(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show the samples of a study, with a link to draw another sample."""
    study, member = study_of(request, slug)
    require(rules.may_read_samples(member, study))
    context = {
        **frame(study, member, "samples"),
        "samples": queries.samples_for(request.user).filter(study=study),
        "may_draw": rules.may_draw_sample(member, study),
        "has_issues": queries.newest_issue(study) > 0,
    }
    return render_page(request, "annotate/samples/samples.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new_sample(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show how many issues a sample needs, and draw it; `preview` in the form only shows its numbers."""
    study, member = study_of(request, slug)
    require(rules.may_draw_sample(member, study))
    counts = issue_counts(study)
    context: dict[str, Any] = {**frame(study, member, "samples"), "counts": counts}
    if not counts.total:
        return render_page(request, "annotate/samples/new.html", context)
    posted = request.POST if request.method == "POST" else None
    chosen = {name: request.GET[name] for name in ("source",) if name in request.GET}
    form = SampleForm(posted, study=study, counts=counts, initial=chosen)
    only_looks = "preview" in request.POST
    if form.is_valid() and not only_looks:
        try:
            made = once(request, lambda: actions.draw_sample(study=study, by=member, **form.drawn()))
            return go_to(request, made) if made else go_to(request, "samples", study.slug)
        except SampleRefused as refusal:
            form.add_error(refusal.field if refusal.field in form.fields else None, str(refusal.message))
    context["form"] = form
    context["rows"], context["totals"] = form.plan()
    context["left_out"] = form.is_left_out()
    context["pulls"], context["without"] = form.pull_requests()
    status = 422 if form.errors and not only_looks else 200
    return render_page(request, "annotate/samples/new.html", context, partials=["plan"], status=status)


@require_POST
def use_found_issues(request: AuthedRequest, slug: str) -> HttpResponse:
    """Save the filter of a list of issues, if it is not saved yet, and go on to a screening or a sample of
    its issues.
    """
    study, member = study_of(request, slug)
    draws = request.POST.get("to") == "sample"
    require((rules.may_draw_sample if draws else rules.may_create_round)(member, study))
    saved = filter_of(study=study, narrowed=IssueFilter.from_query(request.POST), by=request.user)
    source = {"source": f"filter:{saved.pk}"}
    if draws:
        return go_to(request, f"{reverse('new_sample', args=[study.slug])}?{urlencode(source)}")
    query = {"kind": Round.Kind.SCREENING.value, **source}
    return go_to(request, f"{reverse('new_round', args=[study.slug])}?{urlencode(query)}")


@require_safe
def sample(request: AuthedRequest, slug: str, sample_id: int) -> HttpResponse:
    """Show a sample: its plan, its seed, its issues; `?check=1` draws it again and compares."""
    found, member = _sample(request, slug, sample_id)
    page = page_of(queries.drawn_issues(found), request.GET, key="position")
    strata = found.plan["strata"]
    may_plan = rules.may_create_round(member, found.study)
    context = {
        **frame(found.study, member, "samples"),
        "sample": found,
        "plan": found.plan,
        "framed": sum(stratum["issues"] for stratum in strata),
        "by_rule": sum(stratum["size"] for stratum in strata),
        "strata": [(stratum, _margin(found, [stratum])) for stratum in strata],
        "margin": _margin(found, strata),
        "has_less": any(stratum["drawn"] < stratum["size"] for stratum in strata),
        "page": page,
        "check": queries.check(found) if request.GET.get("check") else None,
        "plans": _plans(found) if may_plan else [],
        **page.links(),
    }
    return render_page(request, "annotate/samples/sample.html", context, partials=["check", "drawn"])


@require_safe
def sample_csv(request: AuthedRequest, slug: str, sample_id: int) -> StreamingHttpResponse:
    """Send the URLs of a sample; with `?of=all` the URLs of the whole frame, with the drawn ones marked."""
    found, _member = _sample(request, slug, sample_id)
    everything = request.GET.get("of") == "all"
    rows: Iterable[tuple[str, ...]]
    if everything:
        header: tuple[str, ...] = ("Repository", "Issue_URL", "Drawn")
        rows = ((path, url, "1" if drawn else "0") for path, url, drawn in queries.framed_urls(found))
    else:
        header, rows = ("Repository", "Issue_URL"), queries.drawn_urls(found)
    name = f"{slugify(found.name) or found.pk}-{'all' if everything else 'sample'}.csv"
    return csv_file(name, header, rows)


def _plans(sample: Sample) -> list[tuple[str, str, str]]:
    """Each kind of round, in words, with the address of a plan with this sample. A pilot comes first."""
    kinds = sorted(Round.PLANNED, key=lambda kind: kind != Round.Kind.PILOT)
    return [
        (kind, str(NAMES[kind]), reverse("new_round", args=[sample.study.slug], query=query))
        for kind in kinds
        for query in [{"kind": kind, "source": f"sample:{sample.pk}"}]
    ]


def _margin(sample: Sample, strata: Sequence[Mapping[str, int]]) -> float | None:
    counts = [(stratum["issues"], stratum["drawn"]) for stratum in strata]
    return margin_reached(counts, sample.plan["confidence"], sample.plan["share"])


def _sample(request: AuthedRequest, slug: str, sample_id: int) -> tuple[Sample, Membership]:
    found = get_object_or_404(queries.samples_for(request.user), pk=sample_id, study__slug=slug)
    member = own_seat(request, found.study)
    require(rules.may_read_samples(member, found.study))
    return found, member
