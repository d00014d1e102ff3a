"""The protocol as its readers see it: the version in force, earlier versions, files."""

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from core.http import render_page
from protocols.files import protocol_markdown
from protocols.plan import FIELDS, filled, lines
from protocols.queries.protocols import draft_of, frozen_versions
from protocols.rules import may_plan
from protocols.views.pages import around, read_study


@require_safe
def protocol(request: AuthedRequest, slug: str) -> HttpResponse:
    """The version in force, the list of versions, and for owner and leads the draft."""
    study, member = read_study(request, slug)
    versions = list(frozen_versions(study))
    current = versions[-1] if versions else None
    draft = draft_of(study) if may_plan(member) else None
    context = {
        **around(study, member),
        "versions": versions[::-1],
        "protocol": current,
        "groups": lines(current.plan, current.taken) if current else [],
        "draft": draft,
        "filled": filled(draft.plan) if draft else 0,
        "fields": len(FIELDS),
    }
    return render_page(request, "protocols/protocol.html", context)


@require_safe
def protocol_version(request: AuthedRequest, slug: str, number: int) -> HttpResponse:
    """One frozen version, with what it changed."""
    study, member = read_study(request, slug)
    versions = {one.number: one for one in frozen_versions(study)}
    found = versions.get(number)
    if found is None:
        raise Http404
    before = versions.get(number - 1)
    context = {
        **around(study, member),
        "protocol": found,
        "before": before,
        "groups": lines(found.plan, found.taken, before.plan if before else None),
    }
    return render_page(request, "protocols/version.html", context)


@require_safe
def protocol_file(request: AuthedRequest, slug: str, number: int, form: str) -> HttpResponse:
    """A frozen version: as Markdown, or the canonical JSON whose SHA-256 is its hash."""
    study, _member = read_study(request, slug)
    if form not in {"md", "json"}:
        raise Http404
    found = get_object_or_404(frozen_versions(study), number=number)
    named = {"Content-Disposition": f'attachment; filename="protocol-v{number}.{form}"'}
    if form == "json":
        return HttpResponse(found.document, content_type="application/json", headers=named)
    text = protocol_markdown(found)
    return HttpResponse(text, content_type="text/markdown; charset=utf-8", headers=named)
