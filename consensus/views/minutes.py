"""The minutes of a meeting: as a page, as Markdown, as PDF."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from consensus import rules
from consensus.minutes_files import markdown, pdf
from consensus.minutes_text import Document, document
from consensus.models import Meeting
from consensus.queries import minutes as queries
from consensus.views.shortcuts import find_meeting
from core.http import render_page
from rounds.queries.categories import types_of
from studies.models import Membership
from studies.pages import frame
from taxonomy.queries.codebooks import hues_of


@require_safe
def minutes(request: AuthedRequest, meeting_id: int) -> HttpResponse:
    """Show the minutes, until now if the meeting is open."""
    meeting, member, found = _minutes(request, meeting_id)
    context: Mapping[str, Any] = {
        **frame(meeting.round.study, member, "study_meetings"),
        "round": meeting.round,
        "meeting": meeting,
        "minutes": found,
        "types": hues_of(types_of(meeting.round.version_id)),
        "may_plan": meeting.closed_at is None and rules.may_plan_meeting(member, meeting.round),
    }
    return render_page(request, "consensus/meetings/minutes.html", context)


@require_safe
def minutes_md(request: AuthedRequest, meeting_id: int) -> HttpResponse:
    """Send the minutes as Markdown."""
    meeting, _member, found = _minutes(request, meeting_id)
    return _attached(meeting, markdown(found).encode(), "text/markdown; charset=utf-8", "md")


@require_safe
def minutes_pdf(request: AuthedRequest, meeting_id: int) -> HttpResponse:
    """Send the minutes as PDF."""
    meeting, _member, found = _minutes(request, meeting_id)
    return _attached(meeting, pdf(found), "application/pdf", "pdf")


def _minutes(request: AuthedRequest, meeting_id: int) -> tuple[Meeting, Membership, Document]:
    meeting, member = find_meeting(request, meeting_id)
    return meeting, member, document(queries.minutes(meeting, member))


def _attached(meeting: Meeting, content: bytes, kind: str, suffix: str) -> HttpResponse:
    name = f"{slugify(meeting.round.study.slug)}-{slugify(meeting.name) or meeting.pk}.{suffix}"
    disposition = content_disposition_header(as_attachment=True, filename=name) or "attachment"
    return HttpResponse(content, content_type=kind, headers={"Content-Disposition": disposition})
