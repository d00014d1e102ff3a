"""Pages of the keyword lists of a study: all lists, one list with its terms and versions, and its form."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import AuthedRequest
from core.csv import csv_file
from core.errors import DomainError
from core.http import go_to, is_fragment, render_page
from core.idempotency import once
from core.models import Job
from core.numbers import number_asked
from core.text.joining import listed, remarks
from core.text.sorting import by_name
from ingest import actions, rules
from ingest.errors import ListNameTaken, ListRefused, NothingChanged, StaleList
from ingest.forms.keyword_lists import (
    KIND_NAMES,
    MASK_NAMES,
    SWITCH_NAMES,
    ZONE_NAMES,
    KeywordListForm,
    warning_texts,
)
from ingest.keywords import MASKS, ZONES, read_list, write_list
from ingest.models import KeywordList, KeywordListVersion, Repository
from ingest.queries.filters import IssueFilter
from ingest.queries.keyword_counts import ListCounts, TermCounts, changed_finds, list_counts, term_counts
from ingest.queries.keyword_lists import VersionDifference, difference, lists_for, terms_of, versions_of
from ingest.queries.keywords import Keywords, KeywordsAsked, keywords_in, search_of
from studies.models import Study
from studies.pages import frame, study_of

MOST_VERSIONS = 20
OFTEN = 0.3
"""A term that finds more than this share of the issues is marked: it may select nothing."""
SORTS = ("position", "term", "issues", "title", "prose", "code", "masked", "alone")


@require_safe
def keywords(request: AuthedRequest, slug: str) -> HttpResponse:
    """List the keyword lists of a study with what they found."""
    study, member = study_of(request, slug, rules.may_read_issues)
    job = search_of(study)
    polls = is_fragment(request) and request.htmx.target == "job"
    if polls:
        # The page asks each second: it needs the job alone, and is loaded again when the search has ended.
        response = render_page(
            request, "ingest/keywords/lists.html", {"study": study, "job": job}, partials=["job"]
        )
        return _renewed(response) if job and job.state == Job.State.DONE else response
    lists = lists_for(request.user).filter(study=study)
    found: list[Any] = by_name(lists, lambda one: one.name)
    found.sort(key=lambda one: one.retired_at is not None)
    ids = [one.current for one in found]
    counts = list_counts(ids)
    said = {one.version: one for one in keywords_in(ids)}
    paths = _paths(study)
    if job and job.finished_at:
        job = None  # only a page that was open during the job shows its end
    context = {
        **frame(study, member, "keywords"),
        "lists": [_row(one, said[one.current], counts[one.current], paths) for one in found],
        "job": job,
        "may_import": rules.may_import(member),
    }
    return render_page(request, "ingest/keywords/lists.html", context)


def _renewed(response: HttpResponse) -> HttpResponse:
    """The search ended while its page was open: reload the page, which now has the numbers."""
    response["HX-Refresh"] = "true"
    return response


def _row(
    keyword_list: KeywordList, said: Keywords, counts: ListCounts, paths: dict[str, str]
) -> dict[str, Any]:
    return {
        "list": keyword_list,
        "terms": len(said.terms),
        "counts": counts,
        "repositories": [paths.get(key, key) for key in sorted(said.repositories)],
        "warnings": len(_warnings(said)),
    }


@require_safe
def keyword_list(request: AuthedRequest, slug: str, list_id: int) -> HttpResponse:
    """Show a list: the terms of a version with what each found, and the versions with what each changed."""
    study, member = study_of(request, slug, rules.may_read_issues)
    shown = _list(request, study, list_id)
    polls = is_fragment(request) and request.htmx.target == "job"
    job = search_of(study) if polls else None
    if job and not job.finished_at:
        # The page asks each second: what it counts is not counted before the search has ended.
        shows = {"study": study, "list": shown, "job": job}
        return render_page(request, "ingest/keywords/list.html", shows, partials=["job"])
    versions = list(versions_of(shown)[: MOST_VERSIONS + 1])
    version = _version(shown, number_asked(request.GET, "version", digits=6) or versions[0].number)
    said = keywords_in([version.pk])[0]
    counts = list_counts([version.pk])[version.pk]
    if counts.unsearched and not polls:
        job = search_of(study)
    if job and job.finished_at and not polls and job.state != Job.State.FAILED:
        job = None
    sort = request.GET.get("sort", "")
    terms = sorted_terms(term_counts(version.pk), sort if sort in SORTS else "issues")
    context = {
        **frame(study, member, "keywords"),
        "list": shown,
        "version": version,
        "is_current": version.number == versions[0].number,
        "said": said,
        "counts": counts,
        "job": job,
        "query": IssueFilter(keywords=KeywordsAsked(keyword_list=shown.pk)).query,
        "terms": [_term(one, counts) for one in terms],
        "sort": sort if sort in SORTS else "issues",
        "unfound": sum(not one.issues for one in terms),
        "warnings": _warnings(said),
        "repositories": [_paths(study).get(key, key) for key in sorted(said.repositories)],
        "switches": switches_in_words(said),
        "versions": _history(versions),
        "may_import": rules.may_import(member),
    }
    partials = ["terms", "job"] if job else ["terms"]
    response = render_page(request, "ingest/keywords/list.html", context, partials=partials)
    return _renewed(response) if polls and (not job or job.state == Job.State.DONE) else response


def sorted_terms(terms: list[TermCounts], sort: str) -> list[TermCounts]:
    """The terms by a column: texts from A, numbers from the greatest, the order of the list from its top."""
    if sort == "position":
        return terms
    if sort == "term":
        return sorted(terms, key=lambda one: one.term.text.casefold())
    return sorted(terms, key=lambda one: -getattr(one, sort))


def _term(counted: TermCounts, counts: ListCounts) -> dict[str, Any]:
    share, *shares = (
        number / counts.searched if counts.searched else 0.0
        for number in (counted.issues, counted.title, counted.prose, counted.code)
    )
    return {
        "counted": counted,
        "term": counted.term,
        "kind": KIND_NAMES[counted.term.kind],
        "share": round(share, 3),
        "zones": [
            (number, round(of_all, 3))
            for number, of_all in zip((counted.title, counted.prose, counted.code), shares, strict=True)
        ],
        "is_often": share > OFTEN,
        "finds_nothing": bool(counts.searched) and not counted.issues,
    }


def _history(versions: list[KeywordListVersion]) -> list[dict[str, Any]]:
    """Each version with what it changed of the version before; the last is there for the one above it."""
    said = dict(zip((one.pk for one in versions), keywords_in([one.pk for one in versions]), strict=True))
    changed = changed_finds([one.pk for one in versions])
    former = [*versions[1:], None]
    return [
        {
            "version": version,
            "difference": _said(difference(said[before.pk], said[version.pk])) if before else None,
            "changed": changed[version.pk] if before and version.searched_to and before.searched_to else None,
        }
        for version, before in zip(versions[:MOST_VERSIONS], former, strict=False)
    ]


def _said(found: VersionDifference) -> dict[str, Any]:
    """A difference in words: switches that were turned on or off, zones and masks by name."""
    lines = []
    for name, after in found.switches.items():
        if name in SWITCH_NAMES:
            state = _("on") if after else _("off")
            lines.append(_("%(switch)s: %(state)s") % {"switch": SWITCH_NAMES[name], "state": state})
            continue
        names = ZONE_NAMES if name == "zones" else MASK_NAMES
        template = _("searched: %(names)s") if name == "zones" else _("not counted: %(names)s")
        said = listed(names[one] for one in after) or _("none")
        lines.append(template % {"names": said})
    added, removed = found.repositories
    return {"terms": found, "switches": lines, "added": added, "removed": removed}


def switches_in_words(said: Keywords) -> list[tuple[str, str]]:
    """How the terms of a version match: what is on, where they are searched, and where they do not count."""
    switches = said.switches
    on = [str(name) for switch, name in SWITCH_NAMES.items() if getattr(switches, switch)]
    zones = [str(ZONE_NAMES[zone]) for zone in ZONES if zone in switches.zones]
    masks = [str(MASK_NAMES[mask]) for mask in MASKS if mask in switches.masks]
    return [
        (_("Matching"), remarks(on) or _("exactly as written")),
        (_("Searched"), listed(zones)),
        (_("Not counted in"), listed(masks) or _("nothing: every occurrence counts")),
    ]


@require_http_methods(["GET", "HEAD", "POST"])
def new_keyword_list(request: AuthedRequest, slug: str) -> HttpResponse:
    """The form of a new list; a POST makes it."""
    study, _member = study_of(request, slug, rules.may_import)
    form = KeywordListForm(
        request.POST if request.method == "POST" else None, repositories=_repositories(study)
    )
    if form.is_valid():
        try:
            made = once(
                request,
                lambda: actions.make_keyword_list(
                    study=study, name=form.cleaned_data["name"], content=form.content(), by=request.user
                ),
            )
        except (ListRefused, ListNameTaken) as error:
            return _form(request, study, form, refused=error)
        if made is None:
            return go_to(request, "keywords", study.slug)
        messages.success(request, _("The list %(name)s is saved.") % {"name": made.keyword_list.name})
        return go_to(request, "keyword_list", study.slug, made.keyword_list_id)
    return _form(request, study, form)


@require_http_methods(["GET", "HEAD", "POST"])
def edit_keyword_list(request: AuthedRequest, slug: str, list_id: int) -> HttpResponse:
    """The form of a list's next version; a POST stores it."""
    study, _member = study_of(request, slug, rules.may_import)
    shown = _list(request, study, list_id)
    current = _version(shown, shown.current_number)
    form = KeywordListForm(
        request.POST if request.method == "POST" else None,
        repositories=_repositories(study),
        version=current,
    )
    if form.is_valid():
        try:
            version = once(
                request,
                lambda: actions.store_keyword_list(
                    keyword_list=shown,
                    content=form.content(),
                    made_from=form.cleaned_data["made_from"] or 0,
                    by=request.user,
                ),
            )
        except (ListRefused, StaleList, NothingChanged) as error:
            return _form(request, study, form, shown=shown, current=current, refused=error)
        if version is not None:
            told = _("Version %(number)d of %(name)s is saved.")
            messages.success(request, told % {"number": version.number, "name": shown.name})
        return go_to(request, "keyword_list", study.slug, shown.pk)
    return _form(request, study, form, shown=shown, current=current)


def _form(
    request: AuthedRequest,
    study: Study,
    form: KeywordListForm,
    *,
    shown: KeywordList | None = None,
    current: KeywordListVersion | None = None,
    refused: DomainError | None = None,
) -> HttpResponse:
    """The form as it was typed; with a newer version beside it if the typed one is stale."""
    _study, member = study_of(request, study.slug, rules.may_import)
    context = {
        **frame(study, member, "keywords"),
        "form": form,
        "list": shown,
        "refused": refused,
        "newer": write_list(terms_of(current)) if current and isinstance(refused, StaleList) else "",
        "current": current,
    }
    status = refused.status if refused else 422 if form.is_bound else 200
    return render_page(request, "ingest/keywords/form.html", context, status=status)


@require_POST
def rename_keyword_list(request: AuthedRequest, slug: str, list_id: int) -> HttpResponse:
    """Give a list another name."""
    study, _member = study_of(request, slug, rules.may_import)
    shown = _list(request, study, list_id)
    actions.rename_keyword_list(keyword_list=shown, name=request.POST.get("name", ""), by=request.user)
    messages.success(request, _("The list is now named %(name)s.") % {"name": shown.name})
    return go_to(request, "keyword_list", study.slug, shown.pk)


@require_POST
def retire_keyword_list(request: AuthedRequest, slug: str, list_id: int) -> HttpResponse:
    """Put a list aside."""
    study, _member = study_of(request, slug, rules.may_import)
    shown = _list(request, study, list_id)
    actions.retire_keyword_list(keyword_list=shown, by=request.user)
    messages.success(request, _("%(name)s is retired. Its versions are kept.") % {"name": shown.name})
    return go_to(request, "keywords", study.slug)


@require_POST
def bring_back_keyword_list(request: AuthedRequest, slug: str, list_id: int) -> HttpResponse:
    """Use a retired list again."""
    study, _member = study_of(request, slug, rules.may_import)
    shown = _list(request, study, list_id)
    actions.bring_back_keyword_list(keyword_list=shown, by=request.user)
    messages.success(request, _("%(name)s is restored.") % {"name": shown.name})
    return go_to(request, "keyword_list", study.slug, shown.pk)


@require_safe
def terms_text(request: AuthedRequest, slug: str, list_id: int, number: int) -> HttpResponse:
    """Send the terms of a version as a text that can be imported."""
    study, _member = study_of(request, slug, rules.may_read_issues)
    shown = _list(request, study, list_id)
    version = _version(shown, number)
    disposition = content_disposition_header(as_attachment=True, filename=_file_name(shown, number, "txt"))
    return HttpResponse(
        write_list(terms_of(version)),
        content_type="text/plain; charset=utf-8",
        headers={"Content-Disposition": disposition or "attachment"},
    )


@require_safe
def terms_csv(request: AuthedRequest, slug: str, list_id: int, number: int) -> StreamingHttpResponse:
    """Send the terms of a version with what each found as CSV."""
    study, _member = study_of(request, slug, rules.may_read_issues)
    shown = _list(request, study, list_id)
    version = _version(shown, number)
    searched = list_counts([version.pk])[version.pk].searched
    return csv_file(
        _file_name(shown, number, "csv"),
        [
            "position", "term", "kind", "case_sensitive", "issues", "searched", "hits", "title", "prose",
            "code", "masked_only", "alone",
        ],
        (
            (
                one.position, one.term.text, one.term.kind, str(one.term.is_case_sensitive).lower(),
                one.issues, searched, one.hits, one.title, one.prose, one.code, one.masked, one.alone,
            )
            for one in term_counts(version.pk)
        ),
    )  # fmt: skip


def _file_name(shown: KeywordList, number: int, ending: str) -> str:
    return f"{slugify(shown.name) or 'keywords'}-{number}.{ending}"


def _list(request: AuthedRequest, study: Study, list_id: int) -> Any:
    return get_object_or_404(lists_for(request.user).filter(study=study), pk=list_id)


def _version(shown: KeywordList, number: int) -> KeywordListVersion:
    return get_object_or_404(KeywordListVersion, keyword_list=shown, number=number)


def _repositories(study: Study) -> list[Repository]:
    return list(Repository.objects.filter(study=study).order_by("path", "pk"))


def _paths(study: Study) -> dict[str, str]:
    return {one.key: one.path for one in _repositories(study)}


def _warnings(said: Keywords) -> list[str]:
    return warning_texts(read_list(write_list(said.terms)).warnings)
