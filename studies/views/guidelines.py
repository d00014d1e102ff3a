"""Pages of the guideline: its text, its changes, its editor."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import AuthedRequest
from core.http import came_from, go_to, render_page, require
from core.idempotency import first_time
from core.middleware import wants_json
from core.numbers import number_asked, whole_number
from core.text.markdown import render as render_markdown
from studies import actions, queries, rules
from studies.errors import GuidelineTooLong, GuidelineUnchanged, StaleGuidelineText
from studies.forms import GuidelineForm
from studies.models import Guideline, Membership, Study
from studies.pages import frame, study_of


@require_safe
def guideline(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show the current guideline, or version `?version=n`; with `?since=m` the changes between these two. The
    fragment `text` (htmx with that target, or `?part=text`) is for a dialog on another page.
    """
    study, member = study_of(request, slug, rules.may_read_guideline)
    versions = queries.guidelines(study)
    history = list(versions.defer("text", "text_zh"))
    current = history[0] if history else None
    shown = _chosen(request, versions, "version") or (versions.first() if history else None)
    since = _chosen(request, versions, "since")
    if shown and since and since.number > shown.number:
        shown, since = since, shown
    language = _language_asked(request)
    context: dict[str, Any] = {
        **frame(study, member, "guideline"),
        "guideline": shown,
        "current": current,
        "since": since,
        "html": render_markdown(shown.text_in(language), whole=True) if shown and not since else "",
        "changes": queries.guideline_changes(since, shown, around=None, language=language)
        if shown and since
        else [],
        "history": history,
        "language": language,
        "other_language": _other_language(request, shown, language),
        "former": shown.number - 1 if shown else 0,
        "unread": bool(member and queries.guideline_news(member)),
        "may_edit": rules.may_edit_guideline(member),
    }
    if request.GET.get("part") == "text":
        return render(request, "studies/guideline.html#text", context)
    return render_page(request, "studies/guideline.html", context, partials=["text"])


@require_http_methods(["GET", "HEAD", "POST"])
def edit_guideline(request: AuthedRequest, slug: str) -> HttpResponse:
    """Edit the current guideline: preview the text (`preview`), then publish it as the next version. With
    `?outline` the first version begins from an outline.
    """
    study, member = study_of(request, slug, rules.may_edit_guideline)
    current = queries.current_guideline(study)
    number = current.number if current else 0
    is_first = not current or request.POST.get("made_from") == "0"
    if request.method == "POST" and "preview" in request.POST:
        typed = {name: request.POST.get(name, "") for name in GuidelineForm.base_fields}
        form = GuidelineForm(initial=typed, is_first=is_first)
        return _editor(request, study, member, form, number, preview=[typed["text"], typed["text_zh"]])
    outline = render_to_string("studies/guideline_outline.md") if "outline" in request.GET else ""
    start = {
        "text": current.text if current else outline,
        "text_zh": current.text_zh if current else "",
        "made_from": number,
    }
    form = GuidelineForm(request.POST if request.method == "POST" else None, initial=start, is_first=is_first)
    if not form.is_valid():
        return _editor(request, study, member, form, number, status=422 if form.is_bound else 200)
    try:
        return _publish(request, study, form)
    except StaleGuidelineText as stale:
        form.add_error(None, str(stale.message))
        return _editor(request, study, member, form, number, standing=stale.standing, status=stale.status)
    except (GuidelineUnchanged, GuidelineTooLong) as refused:
        form.add_error("text", str(refused.message))
        return _editor(request, study, member, form, number, status=refused.status)


@require_POST
def read_guideline(request: AuthedRequest, slug: str) -> HttpResponse:
    """Record that this member has read the version with the id `guideline`, or else the current one."""
    study, member = study_of(request, slug)
    require(member is not None and rules.may_read_guideline(member))
    versions = queries.guidelines(study)
    given = whole_number(request.POST.get("guideline"))
    found = versions.first() if given is None else get_object_or_404(versions, pk=given)
    if member and found:
        actions.mark_guideline_read(member=member, guideline=found)
    if wants_json(request):
        return JsonResponse({"read": found.number if found else None})
    page = came_from(request)
    return go_to(request, page) if page else go_to(request, "guideline", study.slug)


@transaction.atomic
def _publish(request: AuthedRequest, study: Study, form: GuidelineForm) -> HttpResponse:
    if first_time(request):
        published = actions.publish_guideline(study=study, by=request.user, **form.cleaned_data)
        messages.success(
            request,
            _("Version %(n)d of the guideline is published. Each member sees the changes once.")
            % {"n": published.number},
        )
    return go_to(request, "guideline", study.slug)


def _editor(
    request: AuthedRequest,
    study: Study,
    member: Membership | None,
    form: GuidelineForm,
    number: int,
    *,
    preview: Sequence[str] | None = None,
    standing: Guideline | None = None,
    status: int = 200,
) -> HttpResponse:
    """The editor. `standing`: a version that was published meanwhile, shown beside the typed text."""
    context = {
        **frame(study, member, "guideline"),
        "form": form,
        "number": number,
        "next_number": number + 1,
        "offers_outline": not number and not form["text"].value(),
        "preview": None
        if preview is None
        else [render_markdown(text, whole=True) for text in preview if text.strip()],
        "shows_chinese": bool(form["text_zh"].value()),
        "standing": standing,
        "against": queries.guideline_changes(
            standing, Guideline(text=form.cleaned_data["text"]), language="en"
        )
        if standing
        else [],
        # Publishing the typed text after having seen the newer version is a decision, not an accident.
        "made_from": standing.number if standing else form["made_from"].value(),
    }
    return render_page(request, "studies/guideline_form.html", context, partials=["preview"], status=status)


def _language_asked(request: AuthedRequest) -> str:
    """The language of the text: `?language=`, else the reader's."""
    asked = request.GET.get("language")
    return asked if asked in {"en", "zh-hans"} else get_language() or "en"


def _other_language(request: AuthedRequest, shown: Guideline | None, language: str) -> tuple[str, str] | None:
    """The language that the page can switch to: its own name and the address; None without a translation."""
    if shown is None or not shown.text_zh:
        return None
    code, name = ("en", "English") if language.lower() == "zh-hans" else ("zh-hans", "中文")
    asked = request.GET.copy()
    asked["language"] = code
    return name, f"?{asked.urlencode()}"


def _chosen(request: AuthedRequest, versions: Any, name: str) -> Guideline | None:
    """The version of the number in the query string; None without a number, Http404 for an unknown one."""
    number = number_asked(request.GET, name)
    if number is None:
        return None
    found: Guideline = get_object_or_404(versions, number=number)
    return found
