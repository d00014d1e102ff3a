"""Changing an open round: its volunteers, their quotas, the labels per issue, the deadline. A change of slots
is first shown in numbers: GET shows them, POST makes the change.
"""

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import AuthedRequest
from annotate.actions import terms
from annotate.actions import volunteers as actions
from annotate.forms.plan_parts import end_of
from annotate.forms.volunteers import (
    AddVolunteerForm,
    AdmitForm,
    DeadlineForm,
    QuotaForm,
    RaiseLabelsForm,
    RemoveVolunteerForm,
)
from core.http import go_to, render_page, require
from core.idempotency import first_time
from core.templatetags.crosscheck import count
from rounds import rules
from rounds.models import Round, RoundVolunteer
from rounds.pages import seat_in
from rounds.queries import volunteers as queries
from rounds.views.shortcuts import frame
from studies.models import Membership


@require_safe
def round_volunteers(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Show the volunteers of a round, their progress, and the possible changes."""
    round_, member = _round(request, round_id)
    return _page(request, round_, member)


def _page(
    request: AuthedRequest, round_: Round, member: Membership, *, status: int = 200, **forms: Any
) -> HttpResponse:
    seats = queries.seats(round_)
    crossed = round_.allocation == Round.Allocation.CROSSED
    day = round_.deadline and timezone.localtime(round_.deadline).date()
    active = sum(seat.is_active for seat in seats)
    slots = queries.slot_count(round_)
    trained = queries.through_training(round_, seats, member)
    context = frame(round_, member) | {
        "seats": seats,
        "passed": {member for member, opens in trained.items() if opens},
        "failed": {member for member, opens in trained.items() if not opens},
        "active": active,
        "crossed": crossed,
        "add_form": AddVolunteerForm(round_=round_),
        "raise_form": RaiseLabelsForm(initial={"to": round_.labels_per_issue + 1}),
        "may_raise": round_.is_open and not crossed and active > round_.labels_per_issue,
        "deadline_form": DeadlineForm(initial={"deadline": day}),
        "short": 0 if crossed else _short(seats, slots),
        "slots": slots,
    }
    return render_page(request, "annotate/rounds/volunteers.html", context | forms, status=status)


def _short(seats: list[queries.Seat], slots: int) -> int:
    """How many slots of a k-of-n round no quota covers; 0 if the quotas are enough."""
    done = sum(seat.labels for seat in seats)
    quotas = [seat.volunteer.quota for seat in seats if seat.is_active]
    if None in quotas:
        return 0
    to_come = sum(max(0, (seat.volunteer.quota or 0) - seat.labels) for seat in seats if seat.is_active)
    return max(0, slots - done - to_come)


@require_http_methods(["GET", "HEAD", "POST"])
@transaction.atomic
def add_volunteer(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Let a member label in the round; GET shows the effect."""
    round_, by = _round(request, round_id)
    posted = request.method == "POST"
    if posted and not first_time(request):
        return go_to(request, "round_volunteers", round_.pk)
    form = AddVolunteerForm(request.POST if posted else request.GET, round_=round_)
    if not form.is_valid():
        return _page(request, round_, by, status=422, add_form=form)
    member: Membership = form.cleaned_data["member"]
    if posted:
        actions.add_volunteer(round_=round_, member=member, by=by)
        messages.success(
            request, _("%(who)s now labels in %(round)s.") % {"who": member.known_as, "round": round_}
        )
        return go_to(request, "round_volunteers", round_.pk)
    found = queries.addition(round_, member)
    facts = []
    words = [
        _("This volunteer gets the old column back, with all labels in it.")
        if found.returns
        else _("This volunteer gets a new column, the last one of the round.")
    ]
    if round_.allocation == Round.Allocation.CROSSED:
        facts.append((_("Issues to label"), found.slots))
        if found.revealed:
            facts.append((_("Revealed issues, not changed"), found.revealed))
            words.append(
                _(
                    "Revealed issues keep their number of labels, because a volunteer who sees"
                    " other labels is no longer blind."
                )
            )
    else:
        words.append(
            _("This volunteer gets issues from now on. The number of labels per issue stays the same.")
        )
    if round_.training_id:
        words.append(
            _("This volunteer can label after passing the training of this round, or after you let them in.")
        )
    return _confirm(
        request, round_, by,
        title=_("Add %(who)s") % {"who": member.known_as}, facts=facts, words=words,
        url=reverse("add_volunteer", args=[round_.pk]), fields={"member": member.pk},
        do=_("Add %(who)s") % {"who": member.known_as},
    )  # fmt: skip


@require_http_methods(["GET", "HEAD", "POST"])
@transaction.atomic
def remove_volunteer(request: AuthedRequest, round_id: int, member_id: int) -> HttpResponse:
    """Take a volunteer out of the round; GET shows the effect, and asks who takes over."""
    round_, by = _round(request, round_id)
    member = _volunteer(round_, member_id).member
    posted = request.method == "POST"
    if posted and not first_time(request):
        return go_to(request, "round_volunteers", round_.pk)
    form = RemoveVolunteerForm(request.POST if posted else request.GET, round_=round_, member=member)
    to: Membership | None = form.cleaned_data["to"] if form.is_valid() else None
    if posted and form.is_valid():
        done = actions.remove_volunteer(round_=round_, member=member, by=by, to=to)
        messages.success(request, _removed(round_, member, to, done))
        return go_to(request, "round_volunteers", round_.pk)
    found = queries.removal(round_, member, to)
    crossed = round_.allocation == Round.Allocation.CROSSED
    facts = [
        (_("Labels that are kept"), found.labels),
        (_("Issues without a label of this volunteer"), found.open_slots),
    ]
    if to:
        facts.append((_("Issues that go to %(who)s") % {"who": to.known_as}, found.handed))
    if found.completed:
        facts.append((_("Issues that become complete by this change"), found.completed))
    words = [
        _(
            "All labels and drafts of this volunteer are kept. You can add this volunteer"
            " again, with the old column."
        )
    ]
    if crossed and not to:
        words.append(_("Issues without a label of this volunteer get one label less."))
        if found.completed:
            words.append(
                _("Complete issues are revealed and decided by the rule of the round. You cannot undo this.")
            )
    if not crossed and not to:
        words.append(_("Issues that this volunteer has claimed are free for the others."))
    if not crossed and found.left < round_.labels_per_issue:
        words.append(
            ngettext(
                "%(n)d volunteer is left, too few for %(k)d labels per issue. Add volunteers afterwards.",
                "%(n)d volunteers are left, too few for %(k)d labels per issue. Add volunteers afterwards.",
                found.left,
            )
            % {"n": found.left, "k": round_.labels_per_issue}
        )
    return _confirm(
        request, round_, by,
        title=_("Take out %(who)s of the round") % {"who": member.known_as}, facts=facts, words=words,
        url=reverse("remove_volunteer", args=[round_.pk, member.pk]),
        fields={"to": to.pk if to else ""}, do=_("Take out %(who)s") % {"who": member.known_as},
        ask=form, danger=True, status=422 if form.errors else 200,
    )  # fmt: skip


def _removed(round_: Round, member: Membership, to: Membership | None, done: actions.RemovedVolunteer) -> str:
    said = _("%(who)s no longer labels in %(round)s. Their labels are kept.") % {
        "who": member.known_as,
        "round": round_,
    }
    if to:
        said += " " + ngettext("%(n)s issue went to %(to)s.", "%(n)s issues went to %(to)s.", done.handed) % {
            "n": count(done.handed),
            "to": to.known_as,
        }
    if done.completed and queries.shows_incomplete(round_):
        said += " " + ngettext(
            "%(n)s issue is now complete.", "%(n)s issues are now complete.", done.completed
        ) % {"n": count(done.completed)}
    return said


@require_http_methods(["GET", "HEAD", "POST"])
@transaction.atomic
def raise_labels(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Ask for more labels per issue; GET shows the effect."""
    round_, by = _round(request, round_id)
    posted = request.method == "POST"
    form = RaiseLabelsForm(request.POST if posted else request.GET)
    if not form.is_valid():
        return _page(request, round_, by, status=422, raise_form=form)
    to: int = form.cleaned_data["to"]
    if posted:
        if first_time(request):
            actions.raise_labels_per_issue(round_=round_, to=to, by=by)
            messages.success(
                request,
                ngettext(
                    "Issues of %(round)s that are not revealed now get %(n)d label.",
                    "Issues of %(round)s that are not revealed now get %(n)d labels.",
                    to,
                )
                % {"round": round_, "n": to},
            )
        return go_to(request, "round_volunteers", round_.pk)
    actions.require_raisable(round_, to)
    found = queries.raising(round_, to)
    facts = [(_("Issues that get more labels"), found.issues), (_("Additional assignments"), found.slots)]
    if found.revealed:
        facts.append((_("Revealed issues, not changed"), found.revealed))
    words = [_("You cannot undo this: the number of labels can only grow.")]
    if round_.majority is not None and round_.majority <= to // 2:
        words.append(
            _("The deciding majority rises to %(m)d of %(k)d, so that it stays more than half.")
            % {"m": to // 2 + 1, "k": to}
        )
    return _confirm(
        request, round_, by,
        title=_("Raise the labels per issue from %(before)d to %(after)d")
        % {"before": round_.labels_per_issue, "after": to},
        facts=facts, words=words, url=reverse("raise_labels", args=[round_.pk]), fields={"to": to},
        do=_("Raise to %(n)d") % {"n": to},
    )  # fmt: skip


@require_POST
def set_quota(request: AuthedRequest, round_id: int, member_id: int) -> HttpResponse:
    """Set the number of labels after which a volunteer is given no more."""
    round_, by = _round(request, round_id)
    member = _volunteer(round_, member_id).member
    form = QuotaForm(request.POST)
    if not form.is_valid():
        messages.error(
            request,
            _("The quota of %(who)s was not changed. Enter a number, or leave the field empty.")
            % {"who": member.known_as},
        )
        return _page(request, round_, by, status=422)
    quota = form.cleaned_data["quota"]
    terms.set_quota(round_=round_, member=member, by=by, quota=quota)
    done = _("%(who)s has a quota of %(n)s labels.") if quota else _("%(who)s has no quota.")
    messages.success(request, done % {"who": member.known_as, "n": count(quota or 0)})
    return go_to(request, "round_volunteers", round_.pk)


@require_POST
def set_deadline(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Set the day until which labels are wanted."""
    round_, by = _round(request, round_id)
    form = DeadlineForm(request.POST)
    if not form.is_valid():
        return _page(request, round_, by, status=422, deadline_form=form)
    day = form.cleaned_data["deadline"]
    terms.set_deadline(round_=round_, by=by, deadline=day and end_of(day))
    messages.success(request, _("The deadline is set.") if day else _("The round has no deadline."))
    return go_to(request, "round_volunteers", round_.pk)


@require_POST
def admit(request: AuthedRequest, round_id: int, member_id: int) -> HttpResponse:
    """Let a volunteer in without a passed training; `take_back` in the form undoes it."""
    round_, by = _round(request, round_id)
    member = _volunteer(round_, member_id).member
    if "take_back" in request.POST:
        terms.take_back_admission(round_=round_, member=member, by=by)
        messages.success(request, _("%(who)s needs the training again.") % {"who": member.known_as})
    else:
        form = AdmitForm(request.POST)
        if not form.is_valid():
            refused = {"admit_form": form, "refused": member.pk}
            return _page(request, round_, by, status=422, **refused)
        terms.admit(round_=round_, member=member, by=by, reason=form.cleaned_data["reason"])
        messages.success(request, _("%(who)s can label without the training.") % {"who": member.known_as})
    return go_to(request, "round_volunteers", round_.pk)


def _confirm(
    request: AuthedRequest, round_: Round, by: Membership, *, status: int = 200, **said: Any
) -> HttpResponse:
    """The page that shows the effect of a change in numbers, with the button that makes the change."""
    context = frame(round_, by) | said
    return render_page(request, "annotate/rounds/change.html", context, status=status)


def _round(request: AuthedRequest, round_id: int) -> tuple[Round, Membership]:
    """A round that the reader may change; 404 if they may not see it, 403 if they may not change it."""
    round_, member = seat_in(request, round_id)
    require(rules.may_open(member, round_) and rules.may_see_others(member, round_))
    return round_, member


def _volunteer(round_: Round, member_id: int) -> RoundVolunteer:
    found = RoundVolunteer.objects.select_related("member__user").filter(round=round_, member=member_id)
    return get_object_or_404(found)
