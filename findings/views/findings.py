"""Pages of findings: the list, the chain of evidence, one finding, and what owners and leads do with them."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import AuthedRequest
from core.http import go_to, render_page
from core.idempotency import once
from core.numbers import number_asked
from findings.actions.findings import (
    add_finding,
    change_finding,
    delete_finding,
    freeze_finding,
    move_finding,
    restore_finding,
    thaw_finding,
)
from findings.files import findings_csv, findings_markdown, state_in_words
from findings.forms import FindingForm
from findings.models import Finding
from findings.queries.findings import finding_line, finding_lines, number_of, removed_evidence
from findings.rules import may_read_findings, may_write_findings
from findings.views.pages import around, is_stored, led_finding, read_finding
from studies.pages import study_of


@require_safe
def findings(request: AuthedRequest, slug: str) -> HttpResponse:
    """List the findings that this member may read; for owner and leads the deleted ones, too."""
    study, member = study_of(request, slug, may_read_findings)
    leads = may_write_findings(member)
    context = {
        **around(study, member),
        "lines": finding_lines(study, member),
        "deleted": Finding.objects.filter(study=study, deleted_at__isnull=False) if leads else (),
    }
    return render_page(request, "findings/findings.html", context)


@require_safe
def chain(request: AuthedRequest, slug: str) -> HttpResponse:
    """The table from quote, issue, ranking and number to finding."""
    study, member = study_of(request, slug, may_read_findings)
    lines = finding_lines(study, member)
    rows = [(line, one, state_in_words(one.state)) for line in lines for one in line.evidence]
    context = {
        **around(study, member),
        "rows": rows,
        "bare": [line for line in lines if not line.evidence],
        "any": bool(lines),
    }
    return render_page(request, "findings/chain.html", context)


@require_safe
def findings_file(request: AuthedRequest, slug: str, form: str) -> HttpResponseBase:
    """The findings that this member may read, as CSV or Markdown."""
    study, member = study_of(request, slug, may_read_findings)
    if form not in {"csv", "md"}:
        raise Http404
    lines = finding_lines(study, member)
    named = {"Content-Disposition": f'attachment; filename="findings.{form}"'}
    if form == "csv":
        rows = findings_csv(lines, study.pk)
        return StreamingHttpResponse(rows, content_type="text/csv; charset=utf-8", headers=named)
    text = findings_markdown(lines, study.pk)
    return HttpResponse(text, content_type="text/markdown; charset=utf-8", headers=named)


@require_http_methods(["GET", "HEAD", "POST"])
def new_finding(request: AuthedRequest, slug: str) -> HttpResponse:
    """Write a finding."""
    study, member = study_of(request, slug, may_write_findings)
    form = FindingForm(request.POST if request.method == "POST" else None)
    made: list[Finding] = []
    if form.is_valid() and is_stored(
        request,
        form,
        lambda: made.append(add_finding(study=study, text=form.cleaned_data["text"], by=member)),
    ):
        messages.success(request, _("The finding is stored. Now attach its evidence."))
        return go_to(request, made[-1] if made else "findings", *([] if made else [slug]))
    context = {**around(study, member), "form": form}
    status = 422 if form.errors else 200
    return render_page(request, "findings/edit.html", context, status=status)


@require_safe
def finding(request: AuthedRequest, finding_id: int) -> HttpResponse:
    """One finding with its evidence."""
    found, member = read_finding(request, finding_id)
    line = finding_line(found, member)
    context = {
        **around(found.study, member),
        "line": line,
        "finding": found,
        "rows": [(one, state_in_words(one.state)) for one in line.evidence],
        "removed": removed_evidence(found) if may_write_findings(member) else (),
    }
    return render_page(request, "findings/finding.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def edit_finding(request: AuthedRequest, finding_id: int) -> HttpResponse:
    """Change the text of a finding."""
    found, member = led_finding(request, finding_id)
    form = FindingForm(
        request.POST if request.method == "POST" else None,
        initial={"text": found.text, "revision": found.revision},
    )
    if form.is_valid() and is_stored(
        request, form, lambda: change_finding(finding=found, by=member, **form.cleaned_data)
    ):
        messages.success(request, _("The finding is changed."))
        return go_to(request, found)
    line = finding_line(found, member)
    context: dict[str, Any] = {
        **around(found.study, member),
        "form": form,
        "finding": found,
        "line": line,
        "number": line.number,
    }
    status = 422 if form.errors else 200
    return render_page(request, "findings/edit.html", context, status=status)


@require_POST
def move(request: AuthedRequest, finding_id: int) -> HttpResponse:
    """Move a finding up or down (`by`), or to a place (`to`)."""
    found, member = led_finding(request, finding_id)
    step = {"up": -1, "down": 1}.get(request.POST.get("by", ""))
    to = number_asked(request.POST, "to", digits=6)
    if step is None and not to:
        raise Http404
    place = to or max(1, number_of(found) + (step or 0))
    once(request, lambda: move_finding(finding=found, to=place, by=member))
    return go_to(request, "findings", found.study.slug)


@require_POST
def delete(request: AuthedRequest, finding_id: int) -> HttpResponse:
    """Delete a finding; the list offers to bring it back."""
    found, member = led_finding(request, finding_id)
    once(request, lambda: delete_finding(finding=found, by=member))
    messages.success(request, _("The finding is deleted. You can bring it back below the list."))
    return go_to(request, "findings", found.study.slug)


@require_POST
def restore(request: AuthedRequest, finding_id: int) -> HttpResponse:
    """Bring back a deleted finding."""
    found, member = led_finding(request, finding_id)
    once(request, lambda: restore_finding(finding=found, by=member))
    messages.success(request, _("The finding is back, as the last one."))
    return go_to(request, "findings", found.study.slug)


@require_POST
def freeze(request: AuthedRequest, finding_id: int) -> HttpResponse:
    """Freeze a finding, or let it change again (`again`)."""
    found, member = led_finding(request, finding_id)
    if "again" in request.POST:
        once(request, lambda: thaw_finding(finding=found, by=member))
        messages.success(request, _("The finding can change again. Its numbers are the current ones."))
    else:
        once(request, lambda: freeze_finding(finding=found, by=member))
        messages.success(request, _("The finding is frozen. All members can read it."))
    return go_to(request, found)
