"""Pages of numbers over revealed codings: agreement of coders, coverage of categories, saturation."""

from collections.abc import Iterator
from typing import Any

from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from consensus.queries.category_counts import LabelCount, label_counts
from core.csv import csv_file
from core.http import render_page
from core.numbers import number_asked
from drawing.vega import FORMS, render
from interviews.models import Coding
from interviews.queries.agreement_rows import HEADER, LEVELS, agreement_rows
from interviews.queries.coded import CodedStudy, coded_interviews, coded_study
from interviews.queries.coding_agreement import agreement_of
from interviews.queries.coverage import coverage, saturation
from interviews.rules import may_enter_interviews
from interviews.views.codings import CODING, revealed_coding
from interviews.views.pages import around
from interviews.views.saturation_figure import curve, specification
from studies.models import Membership, Study
from studies.pages import study_of
from taxonomy.models import Level
from taxonomy.queries.codebooks import Codebook, codebook, hues_of


def level_asked(request: AuthedRequest) -> str:
    """The level of `?level=`, themes without it. Raises Http404 for another word."""
    name = request.GET.get("level") or "theme"
    if name not in LEVELS:
        raise Http404
    return name


def coded_in(request: AuthedRequest, study: Study, member: Membership) -> CodedStudy:
    """The revealed interviews of the taxonomy of `?taxonomy=`, else of the newest coding. Raises Http404."""
    found = coded_study(study, member, number_asked(request.GET, "taxonomy", digits=9))
    if found is None:
        raise Http404
    return found


def _around(
    study: Study, member: Membership, book: Codebook | None, level: str, coded: CodedStudy
) -> dict[str, Any]:
    return {
        **around(study, member, CODING),
        "level": level,
        "levels": [("type", _("Types")), ("theme", _("Themes")), ("sub-theme", _("Sub-themes"))],
        "taxonomies": coded.taxonomies,
        "taxonomy": coded.version.taxonomy if coded.version else None,
        "hues": hues_of(book.at_level(Level.TYPE)) if book else {},
    }


@require_safe
def coding_agreement(request: AuthedRequest, coding_id: int) -> HttpResponse:
    """The agreement of the coders of one interview."""
    found, member = revealed_coding(request, coding_id)
    level, book = level_asked(request), codebook(found.version_id)
    interviews = coded_interviews(Coding.objects.filter(pk=found.pk))
    context = {
        **_around(found.session.study, member, book, level, CodedStudy([], None, [])),
        "session": found.session,
        "coding": found,
        "found": agreement_of(interviews, book, LEVELS[level]),
    }
    return render_page(request, "interviews/coding/agreement.html", context)


@require_safe
def codings_agreement(request: AuthedRequest, slug: str) -> HttpResponse:
    """The agreement of all coders in all revealed interviews that this member may read."""
    study, member = study_of(request, slug, may_enter_interviews)
    level = level_asked(request)
    coded = coded_in(request, study, member)
    book = codebook(coded.version) if coded.version else None
    context = {
        **_around(study, member, book, level, coded),
        "found": agreement_of(coded.interviews, book, LEVELS[level]) if book else None,
    }
    return render_page(request, "interviews/coding/agreement.html", context)


@require_safe
def coding_agreement_csv(request: AuthedRequest, coding_id: int) -> StreamingHttpResponse:
    """The numbers of the page of one interview, each with its unit."""
    found, _member = revealed_coding(request, coding_id)
    level = level_asked(request)
    interviews = coded_interviews(Coding.objects.filter(pk=found.pk))
    agreed = agreement_of(interviews, codebook(found.version_id), LEVELS[level])
    rows = agreement_rows(agreed, found.version.taxonomy.name, level)
    return csv_file(f"{found.session.study.slug}-{found.session}-agreement.csv", HEADER, rows)


@require_safe
def codings_agreement_csv(request: AuthedRequest, slug: str) -> StreamingHttpResponse:
    """The numbers of the page of all interviews, each with its unit."""
    study, member = study_of(request, slug, may_enter_interviews)
    level = level_asked(request)
    coded = coded_in(request, study, member)
    rows: Iterator[tuple[object, ...]] = iter(())
    if coded.version:
        agreed = agreement_of(coded.interviews, codebook(coded.version), LEVELS[level])
        rows = agreement_rows(agreed, coded.version.taxonomy.name, level)
    return csv_file(f"{slug}-coder-agreement.csv", HEADER, rows)


@require_safe
def coverage_page(request: AuthedRequest, slug: str) -> HttpResponse:
    """Categories by participants, new codes by interview, and issues against interviews."""
    study, member = study_of(request, slug, may_enter_interviews)
    level = level_asked(request)
    coded = coded_in(request, study, member)
    version = coded.version
    book = codebook(version) if version else None
    context = _around(study, member, book, level, coded)
    if book and version:
        rows = coverage(coded.interviews, book, LEVELS[level])
        counts = label_counts(version, member)
        lines = saturation(coded.interviews, book, LEVELS[level])
        context |= {
            "interviews": coded.interviews,
            "rows": [(row, counts.get(row.state.category_id, LabelCount()).labels) for row in rows],
            "withheld": counts.withheld,
            "lines": lines,
            "curve": curve([line.so_far for line in lines]),
            "forms": [form for form in FORMS if form != "png"],
        }
    return render_page(request, "interviews/coding/coverage.html", context)


@require_safe
def saturation_file(request: AuthedRequest, slug: str, form: str) -> HttpResponse:
    """The curve of new codes as a file for a paper."""
    study, member = study_of(request, slug, may_enter_interviews)
    level = level_asked(request)
    coded = coded_in(request, study, member)
    if form not in FORMS or coded.version is None:
        raise Http404
    lines = saturation(coded.interviews, codebook(coded.version), LEVELS[level])
    spec = specification([(line.interview.name, line.so_far) for line in lines])
    headers = {"Content-Disposition": f'attachment; filename="saturation.{form}"'}
    return HttpResponse(render(spec, form), content_type=FORMS[form], headers=headers)
