"""Acts in a meeting. Each answers with the sections of the room that it changed, or redirects to the room."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from accounts.http import AuthedRequest
from consensus import rules
from consensus.actions import agendas, bulk, consensus, decisions, follow_ups, meetings, threads, votes
from consensus.errors import StaleDecision
from consensus.forms.decisions import ReopenForm
from consensus.forms.meetings import AlikeItemsForm, BallotForm, ChairForm, FollowUpForm, ParkForm, SayForm
from consensus.models import AgendaItem, FollowUp, Meeting, Vote
from consensus.queries.meeting_items import items_seen_by
from consensus.views.meeting_room import RefusedForm, back_to, find_meeting, live, room_page
from core.errors import DomainError
from core.http import require, typed
from core.idempotency import once
from core.middleware import wants_json
from core.numbers import whole_number
from rounds.queries.categories import codebook
from studies.models import Membership


@require_POST
def open_meeting(request: AuthedRequest, meeting_id: int) -> HttpResponse:
    """Let the meeting begin."""
    meeting, member = find_meeting(request, meeting_id)
    require(rules.may_run_meeting(member, meeting), _("Its chair, or a lead of the study, opens a meeting."))
    return _done(request, meeting, member, "", lambda: meetings.open_meeting(meeting=meeting, by=member))


@require_POST
def close_meeting(request: AuthedRequest, meeting_id: int) -> HttpResponse:
    """End the meeting: its minutes stand from now on."""
    meeting, member = find_meeting(request, meeting_id)
    require(rules.may_run_meeting(member, meeting), _("Its chair, or a lead of the study, closes a meeting."))
    return _done(request, meeting, member, "", lambda: meetings.close_meeting(meeting=meeting, by=member))


@require_POST
def take_chair(request: AuthedRequest, meeting_id: int) -> HttpResponse:
    """Lead the meeting from now on."""
    meeting, member = find_meeting(request, meeting_id)
    require(
        rules.may_take_the_chair(member, meeting), _("An owner or a lead of the study can take the chair.")
    )
    return _done(request, meeting, member, "", lambda: meetings.take_chair(meeting=meeting, by=member))


@require_POST
def turn(request: AuthedRequest, meeting_id: int) -> HttpResponse:
    """Turn all screens to another issue."""
    meeting, member = find_meeting(request, meeting_id)
    require(rules.may_chair(member, meeting), _("The chair leads from issue to issue."))
    asked = whole_number(request.POST.get("item"))
    if asked is None:
        return _invalid(request, meeting, member, "turn", {"item": [_("Choose an issue of the agenda.")]})
    item = _item(meeting, member, asked)
    return _done(
        request, meeting, member, "turn", lambda: meetings.turn_to(meeting=meeting, item=item, by=member)
    )


@require_POST
def open_vote(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Let everybody vote on this issue."""
    meeting, member, item = _on_item(request, meeting_id, item_id)
    require(_leads(member, meeting), _("The chair opens the ballot."))
    return _done(request, meeting, member, "vote", lambda: votes.open_vote(item=item, by=member))


@require_POST
def cast_ballot(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Cast the member's ballot, or change it while the vote is open."""
    meeting, member, item = _on_item(request, meeting_id, item_id)
    require(rules.may_take_part(member, meeting), _("Who takes part in the meeting votes."))
    form = BallotForm(request.POST, book=codebook(meeting.round.version_id), depth=meeting.round.depth)

    def cast() -> None:
        cleaned = form.cleaned_data
        votes.cast_ballot(item=item, member=member, category=cleaned["category"], number=cleaned["number"])

    # Without its form's key: the same ballot twice is one, and another one is a change of mind.
    return _done(request, meeting, member, "vote", cast, form, keyed=False)


@require_POST
def close_vote(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Reveal the ballots, though not everybody has voted."""
    meeting, member, item = _on_item(request, meeting_id, item_id)
    require(rules.may_chair(member, meeting), _("The chair reveals the ballots."))
    asked = whole_number(request.POST.get("vote"))
    if asked is None:
        return _invalid(request, meeting, member, "vote", {"vote": [_("Load the page again, then reveal.")]})
    vote = get_object_or_404(Vote.objects.select_related("item__meeting"), pk=asked, item=item)
    return _done(request, meeting, member, "vote", lambda: votes.close_vote(vote=vote, by=member))


@require_POST
def close_votes(request: AuthedRequest, meeting_id: int) -> HttpResponse:
    """Close every vote that has its quorum, and decide what the ballots suffice for."""
    meeting, member = find_meeting(request, meeting_id)
    require(rules.may_chair(member, meeting), _("The chair closes votes."))

    def close() -> str:
        made = votes.close_votes_with_quorum(meeting=meeting, by=member)
        closed = ngettext("%(n)s vote is closed", "%(n)s votes are closed", made.closed) % {"n": made.closed}
        decided = ngettext("%(n)s issue is decided", "%(n)s issues are decided", made.decided) % {
            "n": made.decided
        }
        return _("%(closed)s, %(decided)s.") % {"closed": closed, "decided": decided}

    return _done(request, meeting, member, "", close)


@require_POST
def decide_item(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Record what the meeting decides on this issue, and what follows from it."""
    meeting, member, item = _on_item(request, meeting_id, item_id)
    require(_leads(member, meeting), _("The chair records decisions."))
    form = ChairForm(request.POST, book=codebook(meeting.round.version_id), depth=meeting.round.depth)

    def decide() -> None:
        cleaned = form.cleaned_data
        given = {name: cleaned[name] for name in ("category", "how", "rationale", "cause", "seen_number")}
        decision = consensus.decide_item(item=item, by=member, **given)

        def follow(kind: str, **what: Any) -> None:
            follow_ups.follow_up(item=item, by=member, kind=kind, **what)

        if cleaned["example"]:
            follow(FollowUp.Kind.EXAMPLE, category=decision.category, text=decision.rationale[:1000])
        if cleaned["guideline"]:
            follow(FollowUp.Kind.GUIDELINE, text=cleaned["guideline"])
        if cleaned["proposal"]:
            follow(FollowUp.Kind.PROPOSAL, name=cleaned["proposal"])

    return _done(request, meeting, member, "decide", decide, form)


@require_POST
def park(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Leave an issue for later, and go on with the next one."""
    meeting, member, item = _on_item(request, meeting_id, item_id)
    require(_leads(member, meeting), _("The chair puts issues off."))
    form = ParkForm(request.POST)
    act = lambda: meetings.park(item=item, by=member, **form.cleaned_data)  # noqa: E731
    return _done(request, meeting, member, "park", act, form)


@require_POST
def come_back(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Take a parked issue up again."""
    meeting, member, item = _on_item(request, meeting_id, item_id)
    require(_leads(member, meeting), _("The chair takes issues up again."))
    return _done(request, meeting, member, "park", lambda: meetings.come_back(item=item, by=member))


@require_POST
def reopen_item(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Take the decision back, with a reason: the issue waits again."""
    meeting, member, item = _on_item(request, meeting_id, item_id)
    require(
        rules.may_chair(member, meeting) or rules.may_settle(member, meeting.round),
        _("The chair, or a lead of the study, reopens an issue."),
    )
    form = ReopenForm(request.POST)
    act = partial(decisions.reopen, round_=meeting.round, issue=item.issue, by=member)
    return _done(request, meeting, member, "reopen", lambda: act(**form.cleaned_data), form)


@require_POST
def comment_on_item(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Comment on the issue: the comment stands in its thread, here and outside of the meeting."""
    meeting, member, item = _on_item(request, meeting_id, item_id)
    require(rules.may_comment(member, meeting.round), _("Who labels in the study takes part in discussions."))
    form = SayForm(request.POST, book=codebook(meeting.round.version_id))
    act = partial(threads.say, round_=meeting.round, issue=item.issue, author=member)
    return _done(request, meeting, member, "say", lambda: act(**form.cleaned_data), form)


@require_POST
def take_off_agenda(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Free an issue for other meetings."""
    meeting, member, item = _on_item(request, meeting_id, item_id)
    require(
        rules.may_chair(member, meeting) or rules.may_plan_meeting(member, meeting.round),
        _("The chair, or a lead of the study, takes issues off the agenda."),
    )
    return _done(request, meeting, member, "park", lambda: agendas.take_off_agenda(item=item, by=member))


@require_POST
def follow_up(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Note what follows from a decided issue: an example, a line for the guideline, a proposal."""
    meeting, member, item = _on_item(request, meeting_id, item_id)
    require(_leads(member, meeting), _("The chair notes what follows."))
    form = FollowUpForm(request.POST)
    standing = decisions.standing_decision(meeting.round, item.issue_id)
    if form.is_valid() and form.cleaned_data["kind"] == FollowUp.Kind.EXAMPLE and standing is None:
        form.add_error("kind", _("An example is one of a category: decide the issue first."))

    def note() -> None:
        kind, text = form.cleaned_data["kind"], form.cleaned_data["text"]
        follow_ups.follow_up(
            item=item,
            by=member,
            kind=kind,
            category=standing.category if standing and kind == FollowUp.Kind.EXAMPLE else None,
            text="" if kind == FollowUp.Kind.PROPOSAL else text,
            name=text if kind == FollowUp.Kind.PROPOSAL else "",
        )

    return _done(request, meeting, member, "follow", note, form)


@require_POST
def decide_alike_here(request: AuthedRequest, meeting_id: int) -> HttpResponse:
    """Give issues of the agenda the same category for the same reason, each a decision of its own."""
    meeting, member = find_meeting(request, meeting_id)
    require(rules.may_chair(member, meeting), _("The chair records decisions."))
    form = AlikeItemsForm(request.POST, book=codebook(meeting.round.version_id), depth=meeting.round.depth)

    def decide() -> str:
        given = {name: form.cleaned_data[name] for name in ("issues", "category", "rationale")}
        n = bulk.decide_alike(round_=meeting.round, by=member, meeting=meeting, **given).decisions.count()
        return ngettext("%(n)s issue is decided.", "%(n)s issues are decided.", n) % {"n": n}

    return _done(request, meeting, member, "alike", decide, form)


def _item(meeting: Meeting, member: Membership, item_id: int) -> AgendaItem:
    """An item of this meeting's agenda, if nothing keeps its issue from this member."""
    item = get_object_or_404(items_seen_by(meeting, member).select_related("issue"), pk=item_id)
    item.meeting = meeting
    return item


def _on_item(request: AuthedRequest, meeting_id: int, item_id: int) -> tuple[Meeting, Membership, AgendaItem]:
    meeting, member = find_meeting(request, meeting_id)
    return meeting, member, _item(meeting, member, item_id)


def _leads(member: Membership, meeting: Meeting) -> bool:
    """May this member lead here: as the chair, or as one of the two of a pair?"""
    if meeting.kind == Meeting.Kind.PAIR:
        return rules.may_take_part(member, meeting)
    return rules.may_chair(member, meeting)


def _done(
    request: AuthedRequest,
    meeting: Meeting,
    member: Membership,
    name: str,
    act: Callable[[], object],
    form: Form | None = None,
    *,
    keyed: bool = True,
) -> HttpResponse:
    """Run the act once its form is valid, and answer with the changed sections.

    A refusal stands beside the form of this `name`, with the typed text. A text that the act returns is
    shown; screens show every other result anyway.
    """
    if form is not None and not form.is_valid():
        return _invalid(request, meeting, member, name, form.errors)
    try:
        result = once(request, act) if keyed else act()
    except DomainError as refusal:
        return _refused(request, meeting, member, name, [_told(refusal, meeting)], refusal.status, refusal)
    said = result if isinstance(result, str) else ""
    if wants_json(request):
        return JsonResponse({**live(request, meeting, member), "said": said})
    if said:
        messages.success(request, said)
    return back_to(request, meeting)


def _invalid(
    request: AuthedRequest, meeting: Meeting, member: Membership, name: str, errors: Mapping[str, Any]
) -> HttpResponse:
    said = [str(text) for texts in errors.values() for text in texts]
    if wants_json(request):
        return JsonResponse({"detail": " ".join(said), "code": "invalid", "errors": errors}, status=422)
    return _refused(request, meeting, member, name, said, 422)


def _refused(
    request: AuthedRequest,
    meeting: Meeting,
    member: Membership,
    name: str,
    said: list[str],
    status: int,
    refusal: DomainError | None = None,
) -> HttpResponse:
    if wants_json(request):
        return JsonResponse({"detail": " ".join(said), "code": type(refusal).__name__}, status=status)
    if refusal is not None and not name:
        raise refusal
    try:
        meeting, member = find_meeting(request, meeting.pk)
    except Http404:
        raise refusal or Http404 from None
    refused = RefusedForm(form=name, said=said, typed=typed(request))
    return room_page(request, meeting, member, refused=refused, status=status)


def _told(refusal: DomainError, meeting: Meeting) -> str:
    """The refusal in words: of two who decide at once, the second is told what the first decided."""
    standing = refusal.standing if isinstance(refusal, StaleDecision) else None
    if standing is None:
        return str(refusal.message)
    code = codebook(meeting.round.version_id).states[standing.category_id].code
    who = standing.decided_by.pseudonym if standing.decided_by else _("The labels")
    return _("%(who)s decided this a moment ago: %(code)s. What you typed is still here.") % {
        "who": who,
        "code": code,
    }
