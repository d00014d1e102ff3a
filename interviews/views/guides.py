"""Pages of the guide: its versions, one version to read and to print, a new one with a preview."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import AuthedRequest
from core.http import go_to, render_page, require
from interviews.actions.guides import publish_guide
from interviews.forms.guides import GuideForm, RankingsForm, kept_source
from interviews.models import Guide
from interviews.queries.guides import audiences_asked, guide_on_paper, guides_for, parts_of
from interviews.queries.rankings import guides_of
from interviews.rules import may_read_guide
from interviews.views.pages import GUIDE, around, is_stored, led_study
from studies.models import Membership
from studies.pages import own_seat, study_of


@require_safe
def guides(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show the newest version of the guide, and list all."""
    study, member = study_of(request, slug, may_read_guide)
    versions = list(guides_of(study))
    return _guide(request, versions[0] if versions else None, versions, around(study, member, GUIDE))


@require_safe
def guide(request: AuthedRequest, guide_id: int) -> HttpResponse:
    """Show one version."""
    found, member = _read(request, guide_id)
    return _guide(request, found, list(guides_of(found.study)), around(found.study, member, GUIDE))


def _guide(
    request: AuthedRequest, found: Guide | None, versions: list[Guide], context: dict[str, Any]
) -> HttpResponse:
    context |= {
        "guide": found,
        "parts": parts_of(found) if found else [],
        "versions": versions,
        "newest": versions[0] if versions else None,
    }
    return render_page(request, "interviews/guide.html", context)


@require_safe
def guide_md(request: AuthedRequest, guide_id: int) -> HttpResponse:
    """Send the text as it was published, byte by byte."""
    found, _member = _read(request, guide_id)
    name = f"guide-v{found.number}.md"
    answer = HttpResponse(found.text.encode(), content_type="text/markdown; charset=utf-8")
    answer.headers["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name)
    return answer


@require_safe
def print_guide(request: AuthedRequest, guide_id: int) -> HttpResponse:
    """Show a version for paper, with all questions or those to one audience (`?audience=`)."""
    found, member = _read(request, guide_id)
    audiences = list(audiences_asked(found))
    chosen = next((one for one in audiences if str(one.pk) == request.GET.get("audience")), None)
    context = {
        **around(found.study, member, GUIDE),
        "guide": found,
        "parts": guide_on_paper(found, chosen),
        "audiences": audiences,
        "audience": chosen,
    }
    return render_page(request, "interviews/guide_print.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new_guide(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show what a text says (`preview`), then publish it as the next version."""
    study, member = led_study(request, slug)
    newest = Guide.objects.filter(study=study).order_by("-number").first()
    start = {"text": newest.text, "source": kept_source(newest.text)} if newest else {}
    posted = request.method == "POST"
    form = GuideForm(request.POST if posted else None, request.FILES if posted else None, initial=start)
    said, chosen, status = None, None, 422 if posted else 200
    problems: list[Any] = []
    if form.is_valid():
        text = form.cleaned_data["text"]
        said = form.said
        is_preview = "preview" in request.POST or bool(form.cleaned_data["file"])
        chosen = RankingsForm(None if is_preview else request.POST, study=study, said=said)
        if not is_preview and chosen.is_valid():
            note, rankings, prefixes = form.cleaned_data["note"], chosen.rankings, chosen.prefixes

            def act() -> Guide:
                return publish_guide(
                    study=study,
                    text=text,
                    said=said,
                    note=note,
                    rankings=rankings,
                    prefixes=prefixes,
                    by=member,
                )

            made: list[Guide] = []
            if is_stored(request, form, act, made):
                if made:
                    told = _("Version %(number)s of the guide is published.")
                    messages.success(request, told % {"number": made[0].number})
                return go_to(request, "guides", slug)
        status = 200 if is_preview else 422
        # What came from a file is in the text area from now on.
        typed = {"text": text, "note": request.POST.get("note", ""), "source": kept_source(text)}
        problems = [message for messages_ in form.errors.values() for message in messages_]
        form = GuideForm(initial=typed)
    context = {
        **around(study, member, GUIDE),
        "form": form,
        "refusals": problems,
        "said": said,
        "chosen": chosen,
        "next_number": newest.number + 1 if newest else 1,
    }
    return render_page(request, "interviews/new_guide.html", context, status=status)


def _read(request: AuthedRequest, guide_id: int) -> tuple[Guide, Membership]:
    found = get_object_or_404(guides_for(request.user), pk=guide_id)
    member = own_seat(request, found.study)
    require(may_read_guide(member), _("Only owners, leads and volunteers can read the guide."))
    return found, member
