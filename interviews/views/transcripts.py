"""Pages of transcripts with names: import, pseudonymise, store; and of corrections. Words of a transcript
with names are shown only as the answer to a POST, which the audit notes.
"""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods

from accounts.http import AuthedRequest
from core.http import go_to, render_page
from core.idempotency import once
from core.numbers import whole_number
from interviews.actions.identities import note_look_at_transcript
from interviews.actions.transcripts import (
    add_replacement,
    correct_transcript,
    import_transcript,
    remove_replacement,
    store_transcript,
)
from interviews.errors import InterviewRefused
from interviews.forms.transcripts import CorrectionForm, ReplacementForm, SpeakersForm, TranscriptForm
from interviews.models import RawTranscript, Session
from interviews.queries.pseudonyms import Spoken, pairs_of, places_in, raw_turns
from interviews.queries.reading import Unread, missed_names, read_turns, turns_as_text
from interviews.queries.sessions import newest_transcript, turns_of
from interviews.views.pages import SESSIONS, around, form_page, is_stored, led_session
from studies.models import Membership

SHOWN = 500
"""The most places and missed names on one page."""


@sensitive_post_parameters()
@sensitive_variables()
@require_http_methods(["GET", "HEAD", "POST"])
def new_transcript(request: AuthedRequest, session_id: int) -> HttpResponse:
    """Import a transcript with names, from a text or a file."""
    session, member = led_session(request, session_id)
    posted = request.method == "POST"
    form = TranscriptForm(request.POST if posted else None, request.FILES if posted else None)
    if form.is_valid():
        data, ending = form.given
        try:
            read = read_turns(data, ending)
        except Unread as refused:
            form.add_error("file" if form.cleaned_data["file"] else "secret_text", str(refused))
        else:

            def act() -> RawTranscript:
                return import_transcript(
                    session=session, turns=read.turns, notes=read.notes, file_format=ending, by=member
                )

            if is_stored(request, form, act):
                messages.success(request, _("The transcript is imported, encrypted. Nobody codes it yet."))
                return go_to(request, "pseudonymise", session.pk)
    return form_page(request, "new_transcript", form, _context(session, member))


@sensitive_post_parameters()
@sensitive_variables()
@require_http_methods(["GET", "HEAD", "POST"])
def pseudonymise(request: AuthedRequest, session_id: int) -> HttpResponse:
    """The list of replacements with its places, what it may have missed, and the button that stores. A GET
    shows no word of the transcript.
    """
    session, member = led_session(request, session_id)
    raw = RawTranscript.objects.filter(session=session).first()
    if raw is None:
        return go_to(request, session)
    context = _context(session, member) | {"raw": raw}
    if request.method != "POST":
        return render_page(request, "interviews/pseudonymise.html", context)
    note_look_at_transcript(session=session, by=member)
    turns = raw_turns(raw)
    speakers = SpeakersForm(
        request.POST if "speaker_0" in request.POST else None,
        speakers=list(dict.fromkeys(turn.speaker for turn in turns)),
    )
    form, status = ReplacementForm(), 200
    if "add" in request.POST:
        form = ReplacementForm(request.POST)
        if form.is_valid() and _is_added(request, session, member, form):
            form = ReplacementForm()
        status = 422 if form.errors else 200
    elif "remove" in request.POST:
        number = whole_number(request.POST["remove"]) or 0
        remove_replacement(participant=session.participant, replacement_id=number, by=member)
    elif "store" in request.POST:
        status = 422
        if speakers.is_valid():
            try:
                once(request, lambda: store_transcript(session=session, speakers=speakers.roles, by=member))
            except InterviewRefused as refused:
                context["refusal"] = str(refused.message)
            else:
                messages.success(request, _("The transcript is stored. The version with names is deleted."))
                return go_to(request, session)
    context |= _places(session, turns) | {"form": form, "speakers": speakers}
    return render_page(request, "interviews/pseudonymise.html", context, status=status)


@sensitive_variables()
def _is_added(request: AuthedRequest, session: Session, member: Membership, form: ReplacementForm) -> bool:
    given = form.cleaned_data
    try:
        once(
            request,
            lambda: add_replacement(
                participant=session.participant,
                original=given["secret_original"],
                stand_in=given["stand_in"],
                by=member,
            ),
        )
    except InterviewRefused as refused:
        form.add_error("secret_original" if refused.field == "original" else "stand_in", str(refused.message))
        return False
    return True


@sensitive_variables()
def _places(session: Session, turns: list[Spoken]) -> dict[str, Any]:
    pairs = pairs_of(session.participant)
    places = places_in(turns, pairs)
    return {
        "turns": turns,
        "pairs": pairs,
        "places": places[:SHOWN],
        "replaced": len(places),
        "missed": missed_names(session.participant, turns)[:SHOWN],
    }


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def correct(request: AuthedRequest, session_id: int) -> HttpResponse:
    """Correct a stored transcript as text, or by a file; quotes are carried to the new version."""
    session, member = led_session(request, session_id)
    newest = newest_transcript(session)
    if newest is None:
        return go_to(request, session)
    posted = request.method == "POST"
    start = {"secret_text": turns_as_text(turns_of(newest)), "made_from": newest.number}
    form = CorrectionForm(request.POST if posted else None, request.FILES if posted else None, initial=start)
    if form.is_valid():
        data, ending = form.given
        try:
            read = read_turns(data, ending)
        except Unread as refused:
            form.add_error("file" if form.cleaned_data["file"] else "secret_text", str(refused))
        else:
            given = form.cleaned_data

            def act() -> Any:
                if given["secret_original"]:
                    add_replacement(
                        participant=session.participant,
                        original=given["secret_original"],
                        stand_in=given["stand_in"],
                        by=member,
                    )
                return correct_transcript(
                    session=session,
                    turns=read.turns,
                    note=given["note"],
                    made_from=given["made_from"],
                    by=member,
                )

            if is_stored(request, form, act):
                messages.success(request, _("The correction is stored as the next version."))
                return go_to(request, session)
    return form_page(request, "correct", form, _context(session, member) | {"newest": newest})


def _context(session: Session, member: Membership) -> dict[str, Any]:
    return {**around(session.study, member, SESSIONS), "session": session}
