"""The room of a meeting: as a page, and once a second as the sections that have changed since."""

import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from django.http import HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import AuthedRequest
from consensus import rules
from consensus.actions import presence
from consensus.actions.threads import see_mentions
from consensus.models import Meeting
from consensus.queries.meeting_items import is_up_to_date
from consensus.queries.meeting_room import room
from consensus.views.meeting_screen import screen
from consensus.views.shortcuts import find_meeting
from core import clock
from core.http import render_page, require
from core.middleware import wants_json
from core.numbers import number_asked, whole_number
from studies.models import Membership

TEMPLATES = "consensus/meetings"
SECTIONS = ("bar", "agenda", "issue", "labels", "thread", "ballot", "decision")
PASSING = re.compile(
    r'(?<=name="csrfmiddlewaretoken" value=")[^"]*|(?<=name="form_key" value=")[^"]*|<time.*?</time>',
    re.DOTALL,
)
"""The parts that differ in each drawing of a section: tokens, keys, relative times."""

words: Mapping[str, Any] = {
    "unsent": _(
        "Not sent: no connection. Your text is kept here. Send the text again when the connection is back."
    ),
    "send_now": _("The connection is back. Send your text now."),
    "signed_out": _("Not sent: your session has ended. Sign in again in another tab, then send your text."),
    "back": _("The connection is back."),
    "refused": _("The server refused your text (%(n)s). Your text is still here."),
    "typed": _("You typed: %(text)s"),
    "meanwhile": _("%(said)s Your text is still here."),
    "too_soon": _("The key %(key)s was not used, because the next issue was not here yet. Press it again."),
    "not_yet": _("To record a decision, the vote must be closed and the quorum must be present."),
    "read_on": _("Show more"),
    "fold": _("Show less"),
    "minutes": _("%(n)s min"),
    "hours": _("%(h)s h %(m)s min"),
}


@require_safe
def meeting(request: AuthedRequest, meeting_id: int) -> HttpResponse:
    """Show the room as it is now, or with `?item=` another issue. A reader does not count as present."""
    found, member = find_meeting(request, meeting_id)
    return room_page(request, found, member)


@require_http_methods(["GET", "HEAD", "POST"])
def here(request: AuthedRequest, meeting_id: int) -> HttpResponse:
    """Take a sign of life, once a second: 204, or the changes since the revision of the page. A GET asks for
    the changes alone and stores nothing: a page goes on so where a POST is refused, because the study is
    read-only or the disk is full.
    """
    lives = request.method == "POST"
    asked = request.POST if lives else request.GET
    known = whole_number(asked.get("revision"))
    if lives and known is not None and wants_json(request):
        seen_after = clock.now() - presence.SEEN_EVERY
        if is_up_to_date(meeting_id, request.user, known, seen_after):
            return HttpResponse(status=204)
    found, member = find_meeting(request, meeting_id)
    revision = found.revision
    if lives and rules.may_take_part(member, found):
        now = presence.here(meeting=found, member=member).meeting
        found.opened_at, found.closed_at, revision = now.opened_at, now.closed_at, now.revision
    if "planned" in asked:
        return JsonResponse({"reload": True}) if found.opened_at else HttpResponse(status=204)
    if not wants_json(request):
        return back_to(request, found)
    # That a study became read-only is no revision of its meetings; the page asks no more once it knows.
    if known == revision and not found.round.study.is_read_only:
        return HttpResponse(status=204)
    return JsonResponse(live(request, found, member))


@require_POST
def away(request: AuthedRequest, meeting_id: int) -> HttpResponse:
    """Take the message that the page was closed: its member has left."""
    found, member = find_meeting(request, meeting_id)
    require(rules.may_take_part(member, found))
    presence.away(meeting=found, member=member)
    return HttpResponse(status=204)


def room_page(
    request: AuthedRequest,
    found: Meeting,
    member: Membership,
    *,
    refused: Mapping[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The whole room. `refused`: the id of a refused `form`, its reasons, and the `typed` values."""
    context = _context(request, found, member) | {"refused": refused, "words": words}
    is_live = found.opened_at is not None
    context["is_live"] = is_live
    names = SECTIONS if is_live else SECTIONS[:1]
    context["parts"] = {name: html for name, (_hash, html) in _sections(request, context, names).items()}
    return render_page(request, f"{TEMPLATES}/room.html", context, status=status)


def live(request: AuthedRequest, found: Meeting, member: Membership) -> dict[str, Any]:
    """What the member's page lacks: `parts` maps ids to the sections whose hash the page does not have.
    `revision`: that of the meeting. `item`: the id of the shown item, or "".
    """
    context = _context(request, found, member)
    lives = request.method == "POST"
    have = set((request.POST if lives else request.GET).getlist("have"))
    parts = {
        name: html
        for name, (mark, html) in _sections(request, context, SECTIONS).items()
        if f"{name}:{mark}" not in have
    }
    shown = context["shown"]
    if lives and shown and any(one.is_unseen for one in shown.thread):
        see_mentions(member=member, issues=[shown.item.issue_id], round_=found.round)
    return {
        "revision": context["meeting"].revision,
        "item": str(shown.item.pk) if shown else "",
        "pins": context["pins"],
        "title": f"{context['title']} · Crosscheck",
        "parts": parts,
    }


def back_to(request: AuthedRequest, found: Meeting) -> HttpResponse:
    """Redirect to the room, at the issue that the page showed, for a browser without JavaScript."""
    item = number_asked(request.GET, "item")
    query = f"?item={item}" if item is not None else ""
    return HttpResponseRedirect(f"{found.get_absolute_url()}{query}")


def _context(request: AuthedRequest, found: Meeting, member: Membership) -> dict[str, Any]:
    item = number_asked(request.GET, "item")
    return screen(room(found, member, item), member, item)


def _sections(
    request: AuthedRequest, context: dict[str, Any], names: tuple[str, ...]
) -> dict[str, tuple[str, SafeString]]:
    """Each section with the hash of its content; the section contains the hash too."""
    drawn: dict[str, tuple[str, SafeString]] = {}
    for name in names:
        html = render_to_string(f"{TEMPLATES}/_{name}.html", context, request).strip()
        mark = blake2b(PASSING.sub("", html).encode(), digest_size=8).hexdigest()
        html = html.replace('data-hash=""', f'data-hash="{mark}"', 1)
        drawn[name] = (mark, mark_safe(html))  # noqa: S308 - a template made it
    return drawn
