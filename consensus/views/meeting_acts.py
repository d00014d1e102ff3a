"""Acts in a meeting. Each answers with the changed sections of the room, or redirects to the room."""

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
from consensus.views.meeting_room import back_to, live, room_page
from consensus.views.shortcuts import find_meeting
from core.errors import DomainError
from core.http import require, typed
from core.idempotency import once
from core.middleware import wants_json
from core.numbers import whole_number
from rounds.queries.categories import codebook
from studies.models import Membership


class _Act:
    """A request of a member to change a meeting, and its answer."""

    item: AgendaItem
    """Set only if the address names an item, or after `find_item`."""

    def __init__(self, request: AuthedRequest, meeting_id: int, item_id: int | None = None) -> None:
        """Raises what `find_meeting` and `find_item` raise."""
        self.request = request
        self.meeting, self.member = find_meeting(request, meeting_id)
        self.round = self.meeting.round
        if item_id is not None:
            self.find_item(item_id)

    def find_item(self, item_id: int) -> None:
        """Find an item of this meeting whose issue is not withheld; Http404 for any other."""
        items = items_seen_by(self.meeting, self.member).select_related("issue")
        self.item = get_object_or_404(items, pk=item_id)
        self.item.meeting = self.meeting

    def require(self, rule: Callable[[Membership | None, Meeting], bool], message: str) -> None:
        require(rule(self.member, self.meeting), message)

    @property
    def categories(self) -> dict[str, Any]:
        """The arguments of forms with categories."""
        return {"book": codebook(self.round.version_id), "depth": self.round.depth}

    def done(
        self, name: str, act: Callable[[], object], form: Form | None = None, *, keyed: bool = True
    ) -> HttpResponse:
        """Run the act if its form is valid, and answer with the changed sections.

        A refusal appears beside the form of this `name`, with the typed text. If the act returns a text, the
        answer shows it; the sections show every other result.
        """
        if form is not None and not form.is_valid():
            return self.invalid(name, form.errors)
        try:
            result = once(self.request, act) if keyed else act()
        except DomainError as refusal:
            return self._refused(name, [_told(refusal, self.meeting)], refusal.status, refusal)
        said = result if isinstance(result, str) else ""
        if wants_json(self.request):
            return JsonResponse({**live(self.request, self.meeting, self.member), "said": said})
        if said:
            messages.success(self.request, said)
        return back_to(self.request, self.meeting)

    def invalid(self, name: str, errors: Mapping[str, Any]) -> HttpResponse:
        said = [str(text) for texts in errors.values() for text in texts]
        if wants_json(self.request):
            return JsonResponse({"detail": " ".join(said), "code": "invalid", "errors": errors}, status=422)
        return self._refused(name, said, 422)

    def _refused(
        self, name: str, said: list[str], status: int, refusal: DomainError | None = None
    ) -> HttpResponse:
        if wants_json(self.request):
            return JsonResponse({"detail": " ".join(said), "code": type(refusal).__name__}, status=status)
        if refusal is not None and not name:
            raise refusal
        try:
            meeting, member = find_meeting(self.request, self.meeting.pk)
        except Http404:
            raise refusal or Http404 from None
        refused = {"form": name, "said": said, "typed": typed(self.request)}
        return room_page(self.request, meeting, member, refused=refused, status=status)


@require_POST
def open_meeting(request: AuthedRequest, meeting_id: int) -> HttpResponse:
    """Open the meeting."""
    act = _Act(request, meeting_id)
    act.require(rules.may_run_meeting, _("Only the chair or a lead can open the meeting."))
    return act.done("", lambda: meetings.open_meeting(meeting=act.meeting, by=act.member))


@require_POST
def close_meeting(request: AuthedRequest, meeting_id: int) -> HttpResponse:
    """Close the meeting: from now on its minutes are final."""
    act = _Act(request, meeting_id)
    act.require(rules.may_run_meeting, _("Only the chair or a lead can close the meeting."))
    return act.done("", lambda: meetings.close_meeting(meeting=act.meeting, by=act.member))


@require_POST
def take_chair(request: AuthedRequest, meeting_id: int) -> HttpResponse:
    """Make the member the chair of the meeting."""
    act = _Act(request, meeting_id)
    act.require(rules.may_take_the_chair, _("Only owners and leads can take over as chair."))
    return act.done("", lambda: meetings.take_chair(meeting=act.meeting, by=act.member))


@require_POST
def turn(request: AuthedRequest, meeting_id: int) -> HttpResponse:
    """Turn all screens to another issue."""
    act = _Act(request, meeting_id)
    act.require(rules.may_chair, _("Only the chair can choose the next issue."))
    asked = whole_number(request.POST.get("item"))
    if asked is None:
        return act.invalid("turn", {"item": [_("Choose an issue on the agenda.")]})
    act.find_item(asked)
    return act.done("turn", lambda: meetings.turn_to(meeting=act.meeting, item=act.item, by=act.member))


@require_POST
def open_vote(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Open a vote on this issue."""
    act = _Act(request, meeting_id, item_id)
    act.require(_leads, _("Only the chair can open a vote."))
    return act.done("vote", lambda: votes.open_vote(item=act.item, by=act.member))


@require_POST
def cast_ballot(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Cast the member's ballot, or change it while the vote is open."""
    act = _Act(request, meeting_id, item_id)
    act.require(rules.may_take_part, _("Only people in the meeting can vote."))
    form = BallotForm(request.POST, **act.categories)

    def cast() -> None:
        given = {name: form.cleaned_data[name] for name in ("category", "none_fits", "number")}
        votes.cast_ballot(item=act.item, member=act.member, **given)

    # Without the form's key: an equal ballot changes nothing, and a different one replaces the first.
    return act.done("vote", cast, form, keyed=False)


@require_POST
def close_vote(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Reveal the ballots before everybody has voted."""
    act = _Act(request, meeting_id, item_id)
    act.require(rules.may_chair, _("Only the chair can close a vote."))
    asked = whole_number(request.POST.get("vote"))
    if asked is None:
        return act.invalid("vote", {"vote": [_("Reload the page, then close the vote.")]})
    vote = get_object_or_404(Vote.objects.select_related("item__meeting"), pk=asked, item=act.item)
    return act.done("vote", lambda: votes.close_vote(vote=vote, by=act.member))


@require_POST
def close_votes(request: AuthedRequest, meeting_id: int) -> HttpResponse:
    """Close every vote that has its quorum, and decide the issues whose ballots suffice."""
    act = _Act(request, meeting_id)
    act.require(rules.may_chair, _("Only the chair can close votes."))

    def close() -> str:
        made = votes.close_votes_with_quorum(meeting=act.meeting, by=act.member)
        closed = ngettext("%(n)s vote is closed", "%(n)s votes are closed", made.closed)
        decided = ngettext("%(n)s issue is decided", "%(n)s issues are decided", made.decided)
        return _("%(closed)s, %(decided)s.") % {
            "closed": closed % {"n": made.closed},
            "decided": decided % {"n": made.decided},
        }

    return act.done("", close)


@require_POST
def decide_item(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Record the meeting's decision on this issue, and its follow-ups."""
    act = _Act(request, meeting_id, item_id)
    act.require(_leads, _("Only the chair can record decisions."))
    form = ChairForm(request.POST, **act.categories)

    def decide() -> None:
        cleaned = form.cleaned_data
        given = {name: cleaned[name] for name in ("category", "how", "rationale", "cause", "seen_number")}
        decision = consensus.decide_item(item=act.item, by=act.member, **given)
        follow = partial(follow_ups.follow_up, item=act.item, by=act.member)
        if cleaned["example"]:
            follow(kind=FollowUp.Kind.EXAMPLE, category=decision.category, text=decision.rationale[:1000])
        if cleaned["guideline"]:
            follow(kind=FollowUp.Kind.GUIDELINE, text=cleaned["guideline"])
        if cleaned["proposal"]:
            follow(kind=FollowUp.Kind.PROPOSAL, name=cleaned["proposal"])

    return act.done("decide", decide, form)


@require_POST
def park(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Park an issue."""
    act = _Act(request, meeting_id, item_id)
    act.require(_leads, _("Only the chair can park issues."))
    form = ParkForm(request.POST)
    return act.done("park", lambda: meetings.park(item=act.item, by=act.member, **form.cleaned_data), form)


@require_POST
def come_back(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Take a parked issue up again."""
    act = _Act(request, meeting_id, item_id)
    act.require(_leads, _("Only the chair can return issues to the agenda."))
    return act.done("park", lambda: meetings.come_back(item=act.item, by=act.member))


@require_POST
def reopen_item(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Take the decision back, with a reason: the issue is open again."""
    act = _Act(request, meeting_id, item_id)
    act.require(rules.may_run_meeting, _("Only the chair or a lead can reopen an issue."))
    form = ReopenForm(request.POST)
    reopen = partial(decisions.reopen, round_=act.round, issue=act.item.issue, by=act.member)
    return act.done("reopen", lambda: reopen(**form.cleaned_data), form)


@require_POST
def comment_on_item(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Comment on the issue: the comment appears in its thread, in the meeting and outside of it."""
    act = _Act(request, meeting_id, item_id)
    require(rules.may_comment(act.member, act.round), _("Only people who label in this study can discuss."))
    form = SayForm(request.POST, book=codebook(act.round.version_id))
    say = partial(threads.say, round_=act.round, issue=act.item.issue, author=act.member)
    return act.done("say", lambda: say(**form.cleaned_data), form)


@require_POST
def take_off_agenda(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Take an issue off the agenda, for other meetings to discuss."""
    act = _Act(request, meeting_id, item_id)
    act.require(rules.may_run_meeting, _("Only the chair or a lead can remove issues from the agenda."))
    return act.done("park", lambda: agendas.take_off_agenda(item=act.item, by=act.member))


@require_POST
def follow_up(request: AuthedRequest, meeting_id: int, item_id: int) -> HttpResponse:
    """Note a follow-up of an issue: a guideline line, a proposal or, once it is decided, an example."""
    act = _Act(request, meeting_id, item_id)
    act.require(_leads, _("Only the chair can add follow-ups."))
    form = FollowUpForm(request.POST)
    standing = decisions.standing_decision(act.round, act.item.issue_id)
    if form.is_valid() and form.cleaned_data["kind"] == FollowUp.Kind.EXAMPLE and standing is None:
        form.add_error("kind", _("An example needs a category. Decide the issue first."))

    def note() -> None:
        kind, text = form.cleaned_data["kind"], form.cleaned_data["text"]
        what: dict[str, Any] = {"name" if kind == FollowUp.Kind.PROPOSAL else "text": text}
        if standing and kind == FollowUp.Kind.EXAMPLE:
            what["category"] = standing.category
        follow_ups.follow_up(item=act.item, by=act.member, kind=kind, **what)

    return act.done("follow", note, form)


@require_POST
def decide_alike_here(request: AuthedRequest, meeting_id: int) -> HttpResponse:
    """Give issues of the agenda the same category with the same rationale, each in its own decision."""
    act = _Act(request, meeting_id)
    act.require(rules.may_chair, _("Only the chair can record decisions."))
    form = AlikeItemsForm(request.POST, **act.categories)

    def decide() -> str:
        given = {name: form.cleaned_data[name] for name in ("issues", "category", "rationale")}
        made = bulk.decide_alike(round_=act.round, by=act.member, meeting=act.meeting, **given)
        n = made.decisions.count()
        return ngettext("%(n)s issue is decided.", "%(n)s issues are decided.", n) % {"n": n}

    return act.done("alike", decide, form)


def _leads(member: Membership | None, meeting: Meeting) -> bool:
    """May this member lead here: as the chair, or as a member of the pair?"""
    may = rules.may_take_part if meeting.kind == Meeting.Kind.PAIR else rules.may_chair
    return may(member, meeting)


def _told(refusal: DomainError, meeting: Meeting) -> str:
    """The text of the refusal; a stale decision names the decision that stands and its author."""
    standing = refusal.standing if isinstance(refusal, StaleDecision) else None
    if standing is None:
        return str(refusal.message)
    code = codebook(meeting.round.version_id).states[standing.category_id].code
    who = standing.decided_by.pseudonym if standing.decided_by else _("The labels")
    return _("%(who)s just decided this issue: %(code)s. Your text is kept.") % {
        "who": who,
        "code": code,
    }
