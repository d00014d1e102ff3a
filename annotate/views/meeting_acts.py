"""What is done in a meeting. An act answers with the sections of the room that it changed, or leads back."""

from collections.abc import Callable, Iterable

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from accounts.http import AuthedRequest
from annotate import rules
from annotate.actions import agendas, bulk, consensus, follow_ups, meetings, threads, votes
from annotate.errors import StaleDecision
from annotate.meeting_forms import AlikeForm, BallotForm, ChairForm, FollowUpForm, ParkForm, ReopenForm
from annotate.models import AgendaItem, Decision, FollowUp, Meeting, Vote
from annotate.queries.categories import codebook
from annotate.queries.meeting_items import items_seen_by
from annotate.thread_forms import SayForm
from annotate.views.meeting_room import Refused, back_to, find_meeting, live, room_page
from core.errors import DomainError
from core.http import require, typed
from core.idempotency import once
from core.middleware import wants_json
from studies.models import Membership

Act = Callable[[], str | None]


@require_POST
def open_meeting(request: AuthedRequest, meeting_id: int) -> HttpResponse:
    """Let the meeting begin."""
    meeting, member = find_meeting(request, meeting_id)
    require(rules.may_run_meeting(member, meeting), _("Its chair, or a lead of the study, opens a meeting."))
    return _done(
        request, meeting, member, "", lambda: _quiet(meetings.open_meeting(meeting=meeting, by=member))
    )


@require_POST
def close_meeting(request: AuthedRequest, meeting_id: int) -> HttpResponse:
    """End the meeting: its minutes stand from now on."""
    meeting, member = find_meeting(request, meeting_id)
    require(rules.may_run_meeting(member, meeting), _("Its chair, or a lead of the study, closes a meeting."))
    return _done(
        request, meeting, member, "", lambda: _quiet(meetings.close_meeting(meeting=meeting, by=member))
    )


@require_POST
def take_chair(request: AuthedRequest, meeting_id: int) -> HttpResponse:
    """Lead the meeting from now on."""
    meeting, member = find_meeting(request, meeting_id)
    require(
        rules.may_take_the_chair(member, meeting), _("An owner or a lead of the study can take the chair.")
    )
    return _done(
        request, meeting, member, "", lambda: _quiet(meetings.take_chair(meeting=meeting, by=member))
    )


@require_POST
def turn(request: AuthedRequest, meeting_id: int) -> HttpResponse:
    """Turn all screens to another issue."""
    meeting, member = find_meeting(request, meeting_id)
    require(rules.may_chair(member, meeting), _("The chair leads from issue to issue."))
    asked = request.POST.get("item", "")
    if not asked.isascii() or not asked.isdecimal() or len(asked) > 18:
        return _invalid(request, meeting, member, "turn", {"item": [_("Choose an issue of the agenda.")]})
    item = _item(meeting, member, int(asked))
    return _done(
        request,
        meeting,
        member,
        "turn",
        lambda: _quiet(meetings.turn_to(meeting=meeting, item=item, by=member)),
    )


@require_POST
def open_vote(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Let everybody vote on this issue."""
    meeting, member, item = _on_item(request, meeting_id, item_id)
    require(_leads(member, meeting), _("The chair opens the ballot."))
    return _done(request, meeting, member, "vote", lambda: _quiet(votes.open_vote(item=item, by=member)))


@require_POST
def cast_ballot(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Vote, or change one's vote while the ballot is open."""
    meeting, member, item = _on_item(request, meeting_id, item_id)
    require(rules.may_take_part(member, meeting), _("Who takes part in the meeting votes."))
    form = BallotForm(request.POST, book=codebook(meeting.round.version_id), depth=meeting.round.depth)
    if not form.is_valid():
        return _invalid(request, meeting, member, "vote", form)

    def cast() -> None:
        cleaned = form.cleaned_data
        votes.cast_ballot(item=item, member=member, category=cleaned["category"], number=cleaned["number"])

    # Without its form's key: the same ballot twice is one, and another one is a change of mind.
    return _done(request, meeting, member, "vote", cast, keyed=False)


@require_POST
def close_vote(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Reveal the ballots, though not everybody has voted."""
    meeting, member, item = _on_item(request, meeting_id, item_id)
    require(rules.may_chair(member, meeting), _("The chair reveals the ballots."))
    asked = request.POST.get("vote", "")
    if not asked.isascii() or not asked.isdecimal() or len(asked) > 18:
        return _invalid(request, meeting, member, "vote", {"vote": [_("Load the page again, then reveal.")]})
    vote = get_object_or_404(Vote.objects.select_related("item__meeting"), pk=int(asked), item=item)
    return _done(request, meeting, member, "vote", lambda: _quiet(votes.close_vote(vote=vote, by=member)))


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
    if not form.is_valid():
        return _invalid(request, meeting, member, "decide", form)
    cleaned = form.cleaned_data

    def decide() -> None:
        decision = consensus.decide_item(
            item=item,
            by=member,
            **{name: cleaned[name] for name in ("category", "how", "rationale", "cause", "seen_number")},
        )
        _follow(item, member, decision, cleaned)

    return _done(request, meeting, member, "decide", decide)


@require_POST
def park(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Leave an issue for later, and go on with the next one."""
    meeting, member, item = _on_item(request, meeting_id, item_id)
    require(_leads(member, meeting), _("The chair puts issues off."))
    form = ParkForm(request.POST)
    if not form.is_valid():
        return _invalid(request, meeting, member, "park", form)
    why = form.cleaned_data["why"]
    return _done(
        request, meeting, member, "park", lambda: _quiet(meetings.park(item=item, by=member, why=why))
    )


@require_POST
def come_back(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Take up again what was put off."""
    meeting, member, item = _on_item(request, meeting_id, item_id)
    require(_leads(member, meeting), _("The chair takes issues up again."))
    return _done(request, meeting, member, "park", lambda: _quiet(meetings.come_back(item=item, by=member)))


@require_POST
def reopen_item(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Take the decision back, with a reason: the issue waits again."""
    meeting, member, item = _on_item(request, meeting_id, item_id)
    require(
        rules.may_chair(member, meeting) or rules.may_settle(member, meeting.round),
        _("The chair, or a lead of the study, reopens an issue."),
    )
    form = ReopenForm(request.POST)
    if not form.is_valid():
        return _invalid(request, meeting, member, "reopen", form)
    return _done(
        request,
        meeting,
        member,
        "reopen",
        lambda: _quiet(bulk.reopen(round_=meeting.round, issue=item.issue, by=member, **form.cleaned_data)),
    )


@require_POST
def comment_on_item(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Say something about the issue: it stands in its thread, here and outside of the meeting."""
    meeting, member, item = _on_item(request, meeting_id, item_id)
    require(rules.may_comment(member, meeting.round), _("Who labels in the study takes part in discussions."))
    form = SayForm(request.POST, book=codebook(meeting.round.version_id))
    if not form.is_valid():
        return _invalid(request, meeting, member, "say", form)
    return _done(
        request,
        meeting,
        member,
        "say",
        lambda: _quiet(
            threads.say(round_=meeting.round, issue=item.issue, author=member, **form.cleaned_data)
        ),
    )


@require_POST
def take_off_agenda(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Free an issue for other meetings."""
    meeting, member, item = _on_item(request, meeting_id, item_id)
    require(
        rules.may_chair(member, meeting) or rules.may_plan_meeting(member, meeting.round),
        _("The chair, or a lead of the study, takes issues off the agenda."),
    )
    return _done(
        request, meeting, member, "park", lambda: _quiet(agendas.take_off_agenda(item=item, by=member))
    )


@require_POST
def follow_up(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Note what follows from a decided issue: an example, a line for the guideline, a proposal."""
    meeting, member, item = _on_item(request, meeting_id, item_id)
    require(_leads(member, meeting), _("The chair notes what follows."))
    form = FollowUpForm(request.POST)
    if not form.is_valid():
        return _invalid(request, meeting, member, "follow", form)
    kind, text = form.cleaned_data["kind"], form.cleaned_data["text"]
    standing = consensus.standing_on(item)
    if kind == FollowUp.Kind.EXAMPLE and standing is None:
        said = {"kind": [_("An example is one of a category: decide the issue first.")]}
        return _invalid(request, meeting, member, "follow", said)

    def note() -> None:
        follow_ups.follow_up(
            item=item,
            by=member,
            kind=kind,
            category=standing.category if standing and kind == FollowUp.Kind.EXAMPLE else None,
            text="" if kind == FollowUp.Kind.PROPOSAL else text,
            name=text if kind == FollowUp.Kind.PROPOSAL else "",
        )

    return _done(request, meeting, member, "follow", note)


@require_POST
def decide_alike_here(request: AuthedRequest, meeting_id: int) -> HttpResponse:
    """Give issues of the agenda the same category for the same reason, each a decision of its own."""
    meeting, member = find_meeting(request, meeting_id)
    require(rules.may_chair(member, meeting), _("The chair records decisions."))
    form = AlikeForm(request.POST, book=codebook(meeting.round.version_id), depth=meeting.round.depth)
    if not form.is_valid():
        return _invalid(request, meeting, member, "alike", form)
    cleaned = form.cleaned_data

    def decide() -> str:
        made = bulk.decide_alike(
            round_=meeting.round,
            by=member,
            issues=cleaned["issues"],
            category=cleaned["category"],
            rationale=cleaned["rationale"],
            meeting=meeting,
        )
        n = made.decisions.count()
        return ngettext("%(n)s issue is decided.", "%(n)s issues are decided.", n) % {"n": n}

    return _done(request, meeting, member, "alike", decide)


def _item(meeting: Meeting, member: Membership | None, item_id: int) -> AgendaItem:
    """An item of this meeting's agenda, if nothing keeps its issue from this member."""
    found = items_seen_by(meeting, member).select_related("issue")
    item = get_object_or_404(found, pk=item_id)
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


def _follow(item: AgendaItem, member: Membership, decision: Decision, said: dict[str, object]) -> None:
    """What the form of a decision says that follows from it."""
    if said["example"]:
        follow_ups.follow_up(
            item=item,
            by=member,
            kind=FollowUp.Kind.EXAMPLE,
            category=decision.category,
            text=decision.rationale[:1000],
        )
    if said["guideline"]:
        follow_ups.follow_up(item=item, by=member, kind=FollowUp.Kind.GUIDELINE, text=str(said["guideline"]))
    if said["proposal"]:
        follow_ups.follow_up(item=item, by=member, kind=FollowUp.Kind.PROPOSAL, name=str(said["proposal"]))


def _quiet(_made: object) -> None:
    """An act whose result is on every screen anyway."""


def _done(
    request: AuthedRequest,
    meeting: Meeting,
    member: Membership,
    form: str,
    act: Act,
    *,
    keyed: bool = True,
) -> HttpResponse:
    """Act, and answer with what is new; a refusal stands beside the form, which keeps its text."""
    try:
        said = once(request, act) if keyed else act()
    except DomainError as refusal:
        return _refused(request, meeting, member, form, [_told(refusal, meeting)], refusal.status, refusal)
    if wants_json(request):
        return JsonResponse({**live(request, meeting, member), "said": said or ""})
    if said:
        messages.success(request, said)
    return back_to(request, meeting)


def _invalid(
    request: AuthedRequest,
    meeting: Meeting,
    member: Membership,
    form: str,
    errors: forms.Form | dict[str, list[str]],
) -> HttpResponse:
    by_field = errors.errors if isinstance(errors, forms.Form) else errors
    said = [str(text) for texts in by_field.values() for text in texts]
    if wants_json(request):
        detail = {"detail": " ".join(said), "code": "invalid", "errors": by_field}
        return JsonResponse(detail, status=422)
    return _refused(request, meeting, member, form, said, 422)


def _refused(
    request: AuthedRequest,
    meeting: Meeting,
    member: Membership,
    form: str,
    said: Iterable[str],
    status: int,
    refusal: DomainError | None = None,
) -> HttpResponse:
    texts = list(said)
    if wants_json(request):
        code = type(refusal).__name__
        return JsonResponse({"detail": " ".join(texts), "code": code}, status=status)
    if refusal is not None and not form:
        raise refusal
    try:
        meeting, member = find_meeting(request, meeting.pk)
    except Http404:
        raise refusal or Http404 from None
    refused = Refused(form=form, said=texts, typed=typed(request))
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
