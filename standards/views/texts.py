"""The method section as a page, and the files of this room."""

from django.http import Http404, HttpResponse, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from core.http import render_page
from standards import sets
from standards.checks import CHECKS
from standards.files import BUILT_IN, TEXTS, text_file
from standards.queries.facts import read_facts
from standards.queries.items import item_lines
from standards.rules import may_read_standards
from standards.texts.checklist import checklist_csv, checklist_dict, checklist_markdown
from standards.texts.method import method
from studies.pages import frame, study_of

TYPES = {"md": "text/markdown", "csv": "text/csv", "cff": "text/plain"}


@require_safe
def standards_method(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show the method section."""
    study, member = study_of(request, slug, may_read_standards)
    facts = read_facts(study, member)
    lines = item_lines(sets.standards(CHECKS)[BUILT_IN], facts, study)
    context = {**frame(study, member, "standards"), "parts": method(facts, lines), "facts": facts}
    return render_page(request, "standards/method.html", context)


@require_safe
def standards_file(request: AuthedRequest, slug: str, name: str) -> HttpResponseBase:
    """The method section, its numbers, the data availability section, or CITATION.cff."""
    study, member = study_of(request, slug, may_read_standards)
    if name not in TEXTS:
        raise Http404
    facts = read_facts(study, member)
    lines = item_lines(sets.standards(CHECKS)[BUILT_IN], facts, study)
    kind = TYPES[name.rpartition(".")[2]]
    return StreamingHttpResponse(
        text_file(name, facts, lines), content_type=f"{kind}; charset=utf-8", headers=_attached(name)
    )


@require_safe
def checklist_file(request: AuthedRequest, slug: str, key: str, form: str) -> HttpResponseBase:
    """The checklist of a set as Markdown, CSV or JSON."""
    study, member = study_of(request, slug, may_read_standards)
    standard = sets.standards(CHECKS).get(key)
    if standard is None or form not in {"md", "csv", "json"}:
        raise Http404
    lines = item_lines(standard, read_facts(study, member), study)
    attached = _attached(f"checklist-{key}.{form}")
    if form == "json":
        return JsonResponse(checklist_dict(standard, lines), headers=attached)
    if form == "csv":
        return StreamingHttpResponse(
            checklist_csv(lines), content_type="text/csv; charset=utf-8", headers=attached
        )
    text = checklist_markdown(standard, lines)
    return HttpResponse(text, content_type="text/markdown; charset=utf-8", headers=attached)


def _attached(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
