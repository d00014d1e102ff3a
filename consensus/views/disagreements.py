"""The disagreements of a round: the list, a lead's decision on one of them, and saved filters."""

from dataclasses import replace

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from consensus import rules
from consensus.actions import decisions as actions
from consensus.errors import StaleDecision
from consensus.forms.decisions import DecisionForm
from consensus.queries import disagreements as queries
from consensus.queries.disagreement_filters import Narrowing
from consensus.views.disagreement_page import PAGE, DisagreementsPage, numbers
from consensus.views.filter_menu import ListAddress, narrowing_of
from consensus.views.shortcuts import round_to_read
from core.http import go_to, is_fragment, render_page, require
from core.idempotency import first_time
from ingest.actions import delete_filter, save_filter
from ingest.queries.filters import saved_filters
from ingest.rules import may_import
from rounds.models import Round
from rounds.queries.categories import codebook
from studies.models import Membership


@require_safe
def disagreements(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Show the disagreements, the matrix of their pairs, and with `?issue=` one issue."""
    round_, member = round_to_read(request, round_id)
    if round_.of_id is not None:
        return redirect("disagreements", round_.of_id)
    asked = ListAddress.read(request.GET)
    if is_fragment(request) and request.headers.get("HX-Target") == "live":
        context = numbers(round_, member)
        return render_page(request, "consensus/disagreements/disagreements.html", context, partials=["live"])
    return DisagreementsPage(request, round_, member, asked).answer()


@require_POST
def settle_issue(request: AuthedRequest, round_id: int, issue_id: int) -> HttpResponse:
    """Record the lead's decision on one issue, and show the next open issue."""
    round_, member = round_to_read(request, round_id)
    asked = ListAddress.read(request.GET).but(issue=issue_id)
    item = queries.disagreement_at(round_, issue_id, member)
    if item is None:
        raise Http404
    require(rules.may_settle(member, round_), _("Only owners and leads can decide disagreements."))
    form = DecisionForm(request.POST, disagreement=item, book=codebook(round_.version_id), depth=round_.depth)
    if not form.is_valid():
        return DisagreementsPage(request, round_, member, asked).answer(form=form, status=422)
    try:
        decision = actions.settle_issue(
            round_=round_,
            issue=item.issue,
            by=member,
            **{name: form.cleaned_data[name] for name in ("category", "rationale", "cause", "seen_number")},
        )
    except StaleDecision as refusal:
        # The page shows the standing decision and the typed one.
        page = DisagreementsPage(request, round_, member, asked)
        return page.answer(form=form, refusal=str(refusal.message), status=refusal.status)
    code = codebook(round_.version_id).states[decision.category_id].code
    messages.success(request, _("%(issue)s is decided: %(code)s.") % {"issue": item.issue, "code": code})
    coming = _next_open(round_, member, asked.narrowing, issue_id)
    asked = asked.but(issue=coming)
    address = asked.address(reverse(PAGE, args=[round_.pk]))
    if not is_fragment(request):
        return go_to(request, address)
    response = DisagreementsPage(request, round_, member, asked).answer()
    response["HX-Push-Url"] = address
    return response


@require_POST
@transaction.atomic
def save_disagreement_filter(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Save the filters in the address under a name, for everybody in the study."""
    round_, member = round_to_read(request, round_id)
    require(may_import(member), _("Only owners and leads can save and delete filters."))
    narrowing = narrowing_of(request.GET)
    if first_time(request):
        query = narrowing.query and narrowing.query | {"round": str(round_.pk)}
        saved = save_filter(
            study=round_.study, name=request.POST.get("name", ""), query=query, by=request.user, page=PAGE
        )
        messages.success(request, _("The filter %(name)s is saved.") % {"name": saved.name})
    return go_to(request, ListAddress(narrowing).address(reverse(PAGE, args=[round_.pk])))


@require_POST
def remove_disagreement_filter(request: AuthedRequest, round_id: int, filter_id: int) -> HttpResponse:
    """Delete a saved filter."""
    round_, member = round_to_read(request, round_id)
    require(may_import(member), _("Only owners and leads can save and delete filters."))
    saved = get_object_or_404(saved_filters(round_.study, PAGE), pk=filter_id)
    delete_filter(saved=saved, by=request.user)
    messages.success(request, _("The filter %(name)s is deleted.") % {"name": saved.name})
    return go_to(request, ListAddress(narrowing_of(request.GET)).address(reverse(PAGE, args=[round_.pk])))


def _next_open(round_: Round, member: Membership | None, narrowing: Narrowing, issue_id: int) -> int | None:
    """The next open issue after this one in the list, else the first open issue."""
    waiting = replace(narrowing, state="open")
    for after in (queries.key_of(round_, issue_id), None):
        coming = queries.next_after(round_, waiting, member, after)
        if coming is not None:
            return coming
    return None
