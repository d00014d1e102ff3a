"""The labelling page: one issue at a time, the member's own labels, and nothing of other members."""

from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from annotate import errors, rules
from annotate.actions import label_drafts, turns
from annotate.actions import labels as actions
from annotate.forms.labels import ChangeForm, DraftForm, LabelForm, SkipForm
from annotate.queries import labels as queries
from annotate.queries.outcomes import OutcomeFilter, outcome_counts, outcomes_of
from annotate.queries.repeats import next_comes
from annotate.queries.second_looks import look_to_label, lost_labels
from annotate.queries.training import standing
from annotate.queries.turns import current_turn, issue_in, seat_of, turn_at
from annotate.views.labelling_screen import moved_on, own_parts, page, refused, turn_as_json
from annotate.views.picker import picker
from core.errors import DomainError
from core.http import go_to, render_page
from core.middleware import wants_json
from core.numbers import whole_number
from ingest.models import Issue
from rounds.models import Label, Round, RoundVolunteer
from rounds.queries.categories import categories_of
from rounds.queries.rounds import rounds_for
from rounds.rules import may_be_volunteer
from rounds.views.shortcuts import frame
from rounds.wording import coming
from studies.models import Membership

T = TypeVar("T")

AT_HAND = 10


@require_safe
def label(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Show the member's current issue, or with `?issue=` another issue of the member."""
    seat, round_, member = _seat(request, round_id)
    if "issue" in request.GET:
        number = whole_number(request.GET["issue"])
        asked = number is not None and turn_at(round_, member, number, again="skip" in request.GET)
        if not asked:
            raise Http404
        return page(request, seat, asked)
    turn = current_turn(round_, member) if rules.may_take_turns(member, round_) else None
    if turn is None:
        return _no_turn(request, round_, member, may_claim=round_.allocation == Round.Allocation.K_OF_N)
    return page(request, seat, turn)


@require_POST
def next_issue(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Claim the next issue of a k-of-n round."""
    _own, round_, member = _seat(request, round_id)
    if turns.next_turn(round_=round_, member=member):
        return go_to(request, "label", round_.pk)
    return _no_turn(request, round_, member, may_claim=False)


@require_POST
def ahead(request: AuthedRequest, round_id: int) -> HttpResponse:
    """JSON {"next": TURN or null}: the turn after the issues that the page has already (`have`), fetched
    ahead. k of n: claims a slot, MOST_HELD at once at most. Null is also the answer in a training, and for a
    member who may take no turns now: their page shows the reason when they submit.
    """
    seat, round_, member = _seat(request, round_id)
    if round_.kind == Round.Kind.TRAINING or not rules.may_take_turns(member, round_):
        return JsonResponse({"next": None})
    turn, _refusal = _attempt(lambda: turns.next_turn(round_=round_, member=member, holding=_have(request)))
    return JsonResponse({"next": turn_as_json(seat, turn)})


@require_POST
def submit_label(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Store a label, and go on: by a redirect or, for `Accept: application/json`, in the same answer.

    200 {"said", "saved": {"issue", "category", "code"}, "pace", "recent", "back": HTML, "next": TURN or null,
    "go"}. `next` is the turn after the issues in `have`. `go` is the address of another page to show: the
    answer of a training, or the labelling page after a new version of the taxonomy or if no issue is left. A
    TURN is {"issue", "version", "title", "html", "turn", "skip_turn"}. Refusals: {"detail", "code", "kept":
    is the text saved as a draft, "issue"}, with "stored" (the other stored content), "guideline" if it
    changed, "turn" if the form may simply be sent again, and "pace", "recent" and "back" if the issue has
    the member's label already.
    """
    seat, round_, member = _seat(request, round_id)
    issue = _posted_key(request, member)
    form = LabelForm(request.POST, round_=round_)
    if not form.is_valid():
        return refused(request, seat, issue, form=form)
    submitted, refusal = _attempt(
        lambda: actions.submit_label(round_=round_, issue=issue, member=member, given=form.given)
    )
    if submitted is None:
        return refused(request, seat, issue, refusal=refusal)
    if submitted.surplus and not submitted.repeated:
        text = _("Another volunteer had taken this issue. Your label is kept but not counted.")
        messages.warning(request, text)
    stored = submitted.label
    go = (
        f"{reverse('label', args=[round_.pk])}?issue={issue.pk}" if round_.kind == Round.Kind.TRAINING else ""
    )
    return _go_on(request, seat, _("Saved %(label)s.") % _named(round_, stored), saved=stored, go=go)


@require_POST
def change_label(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Change one of the member's own labels, until others can see it.

    As JSON {"said", "go"}; with `stays`, for a page that has the next issue already, "pace", "recent" and
    "back" as well, and no message waits for the next page.
    """
    seat, round_, member = _seat(request, round_id)
    issue = _posted_issue(request, round_, member)
    form = ChangeForm(request.POST, round_=round_)
    if not form.is_valid():
        return refused(request, seat, issue, form=form)
    changed, refusal = _attempt(
        lambda: actions.change_label(round_=round_, issue=issue, member=member, given=form.given)
    )
    if changed is None:
        return refused(request, seat, issue, refusal=refusal)
    said = _("%(issue)s now has your label %(label)s.") % (_named(round_, changed) | {"issue": issue})
    go = reverse("label", args=[round_.pk])
    if wants_json(request) and "stays" in request.POST:
        return JsonResponse({"said": said, "go": go} | own_parts(seat))
    messages.success(request, said)
    return JsonResponse({"said": said, "go": go}) if wants_json(request) else redirect(go)


@require_POST
def save_draft(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Save the draft. The page's script asks for JSON; without scripts a button posts here."""
    seat, round_, member = _seat(request, round_id)
    issue = _posted_key(request, member)
    form = DraftForm(request.POST, round_=round_)
    if not form.is_valid():
        return refused(request, seat, issue, form=form)
    draft, refusal = _attempt(
        lambda: label_drafts.save_draft(
            round_=round_,
            issue=issue,
            member=member,
            given=form.given,
            of_change=bool(request.POST.get("seen")),
        )
    )
    if draft is None:
        return refused(request, seat, issue, refusal=refusal)
    if wants_json(request):
        return JsonResponse({"revision": draft.revision})
    messages.success(request, _("Your draft is saved."))
    # Without `?issue=` an issue that came again is shown as a turn; with it, the first label would be shown.
    is_turn = round_.drift_percent and not request.POST.get("seen")
    return redirect(reverse("label", args=[round_.pk]) + ("" if is_turn else f"?issue={issue.pk}"))


@require_POST
def skip_issue(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Skip an issue, with a reason, and answer with the next issue."""
    seat, round_, member = _seat(request, round_id)
    issue = _posted_issue(request, round_, member)
    form = SkipForm(request.POST)
    if not form.is_valid():
        return refused(request, seat, issue, form=form, region="skip-refusal")
    skipped, refusal = _attempt(
        lambda: turns.skip_issue(round_=round_, issue=issue, member=member, **form.cleaned_data)
    )
    if skipped is None:
        return refused(request, seat, issue, refusal=refusal, region="skip-refusal")
    return _go_on(request, seat, _("%(issue)s is skipped and comes again later.") % {"issue": issue})


@require_POST
def take_back_skip(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Take a skip back, and show the issue."""
    _own, round_, member = _seat(request, round_id)
    issue = _posted_issue(request, round_, member)
    turns.take_back_skip(round_=round_, issue=issue, member=member)
    return go_to(request, f"{reverse('label', args=[round_.pk])}?issue={issue.pk}")


@require_safe
def own_labels(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Show the member's own labels, newest first, and their skipped issues."""
    _own, round_, member = _seat(request, round_id)
    after, narrowed = request.GET.get("after"), OutcomeFilter.of(request.GET)
    try:
        found = queries.own_labels(round_, member, after=after, among=narrowed.labels(round_, member))
    except ValueError as error:
        raise Http404 from error
    chosen, outcomes = picker(round_), outcomes_of(round_, member, [row.label for row in found.rows])
    counts, states = outcome_counts(round_, member), categories_of(round_.version_id).by_id
    progress = queries.progress(round_, member)
    may_claim = round_.allocation == Round.Allocation.K_OF_N and not progress.has_reached_quota
    context = frame(round_, member) | {
        "rows": [
            {
                "own": row,
                "hue": chosen.hue(row.label.category_id),
                "outcome": outcome,
                "decided_hue": chosen.hue(outcome.state.category_id) if outcome and outcome.state else None,
            }
            for row in found.rows
            for outcome in [outcomes.get(row.label.issue_id)]
        ],
        "narrowed": narrowed,
        "counts": counts,
        "categories": [
            (states[category], labels)
            for category, labels in (queries.own_counts(round_, member) if counts else {}).items()
        ],
        "newer_url": f"?{urlencode(narrowed.query)}" if after else "",
        "older_url": f"?{urlencode(narrowed.query | {'after': found.next})}" if found.next else "",
        "skips": [] if after or narrowed.query else queries.own_skips(round_, member),
        "lost": [] if after or narrowed.query or not round_.is_open else lost_labels(round_, member),
        "progress": progress,
        "goes_on": round_.is_open and (progress.left > 0 or may_claim),
    }
    return render_page(request, "annotate/labels/own_labels.html", context)


def _seat(request: AuthedRequest, round_id: int) -> tuple[RoundVolunteer, Round, Membership]:
    """The user's place in the round, with both; 404 for other users, 403 for other members. One query."""
    seat = seat_of(request.user, round_id)
    if seat is not None and may_be_volunteer(seat.member, seat.round.study):
        return seat, seat.round, seat.member
    get_object_or_404(rounds_for(request.user), pk=round_id)
    raise PermissionDenied(
        _("You are not a volunteer of this round. A lead chooses the volunteers when planning the round.")
    )


def _posted_issue(request: AuthedRequest, round_: Round, member: Membership) -> Issue:
    """The posted issue of the round. Raises SomebodyElse if another member opened the posting page."""
    issue = issue_in(round_, _posted_key(request, member).pk)
    if issue is None:
        raise Http404
    return issue


def _posted_key(request: AuthedRequest, member: Membership) -> Issue:
    """The posted issue by its id alone, without a query: the action locks it and checks the round."""
    if request.POST.get("member", str(member.pk)) != str(member.pk):
        raise errors.SomebodyElse
    number = whole_number(request.POST.get("issue"))
    if number is None:
        raise Http404
    return Issue(pk=number)


def _attempt(act: Callable[[], T]) -> tuple[T | None, DomainError | None]:
    """Act; if a rule is broken, return the refusal, which this page shows beside the typed text."""
    try:
        return act(), None
    except DomainError as refusal:
        return None, refusal


def _have(request: AuthedRequest) -> list[int]:
    """The issues that the page has already, the issue shown next first."""
    numbers = (whole_number(text) for text in request.POST.getlist("have")[:AT_HAND])
    return [number for number in numbers if number is not None]


def _go_on(
    request: AuthedRequest, seat: RoundVolunteer, said: str, *, saved: Label | None = None, go: str = ""
) -> HttpResponse:
    """Answer with the member's next issue, or with another address: as JSON, or by a redirect."""
    round_, member = seat.round, seat.member
    label_url = reverse("label", args=[round_.pk])
    if not wants_json(request):
        messages.success(request, said)
        return redirect(go or label_url)
    have, turn = _have(request), None
    if not have and not go and whole_number(request.POST.get("version")) not in {None, round_.version_id}:
        text = _(
            "The taxonomy now has version %(n)s. Your label is kept, and you see the new"
            " categories from now on."
        )
        messages.info(request, text % {"n": round_.version.number})
        go = label_url
    if not go:
        turn, _refusal = _attempt(lambda: turns.next_turn(round_=round_, member=member, holding=have))
        go = "" if turn or have else label_url
    if go:
        messages.success(request, said)
    return moved_on(seat, said=said, saved=saved, turn=turn, go=go or None)


def _named(round_: Round, label: Label) -> dict[str, str]:
    """The short text of a label: its code, or its proposed name."""
    name = f"“{label.proposal.name}”" if label.proposal else picker(round_).code(label.category_id)
    return {"label": name}


def _no_turn(request: AuthedRequest, round_: Round, member: Membership, *, may_claim: bool) -> HttpResponse:
    progress = queries.progress(round_, member)
    is_through = round_.allocation == Round.Allocation.CROSSED or progress.has_reached_quota
    comes_at = next_comes(round_, member) if is_through and round_.is_open else None
    context = frame(round_, member) | {
        "progress": progress,
        "comes": coming(comes_at) if comes_at else "",
        "may_claim": may_claim and round_.is_open,
        "standing": standing(round_, member),
        "lost": lost_labels(round_, member) if round_.is_open else (),
        "look": look_to_label(round_, member),
    }
    return render_page(request, "annotate/labels/no_turn.html", context)
