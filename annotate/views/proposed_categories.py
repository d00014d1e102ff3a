"""Categories that labels miss: put to the vote with the labels' reasons, or answered by a category."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from annotate.queries import proposed_categories
from core.http import go_to, require
from core.idempotency import once
from core.numbers import number_asked
from rounds.queries.rounds import rounds_for
from studies.rules import may_lead
from taxonomy.actions import answer, join_names
from taxonomy.models import CategoryState
from taxonomy.pages import taxonomy_of
from taxonomy.queries.taxonomies import published_version
from taxonomy.rules import may_propose
from taxonomy.views.proposals import proposal_form


@require_safe
def put_to_vote(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Show the form of a new proposal, filled in for `name`, or for the `issue` of a `round`."""
    taxonomy, member = taxonomy_of(request, taxonomy_id)
    require(may_propose(member), _("Only owners, leads and volunteers can propose and vote."))
    asked = {name: number_asked(request.GET, name) for name in ("round", "issue")}
    round_, issue_id = None, None
    if any(number is not None for number in asked.values()):
        if None in asked.values():
            raise Http404
        rounds = rounds_for(request.user).filter(version__taxonomy=taxonomy)
        round_, issue_id = get_object_or_404(rounds, pk=asked["round"]), asked["issue"]
    name = request.GET.get("name", "").strip()[:200]
    found = proposed_categories.proposing(taxonomy, member, name=name, round_=round_, issue_id=issue_id)
    if found is None:
        raise Http404
    given = {
        "kind": "add",
        "name": found.name,
        "waits": found.waits,
        "parent": found.parent,
        "reasons": found.reasons,
        "examples": found.examples,
    }
    return proposal_form(request, taxonomy, member, given, left_out=found.left_out)


@require_POST
def answer_name(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Set the `category` that answers the `name` that labels wait for; an empty value takes it back."""
    taxonomy, member = taxonomy_of(request, taxonomy_id)
    require(may_lead(member), _("Only owners and leads can choose the category for a proposed name."))
    name, code = request.POST.get("name", ""), request.POST.get("category", "")
    known = proposed_categories.name_that_waits(taxonomy, member, name)
    if known is None:
        raise Http404
    state = CategoryState.objects.filter(version=published_version(taxonomy), code=code).first()
    if code and state is None:
        raise Http404

    def say() -> bool:
        category = state.category if state else None
        answer(taxonomy=taxonomy, name=known, category=category, by=member)
        return True

    if once(request, say):
        said = (
            _("“%(name)s” now has the category %(code)s.")
            if state
            else _("“%(name)s” waits for a category again.")
        )
        messages.success(request, said % {"name": known, "code": code})
    return go_to(request, "proposals", taxonomy.pk)


@require_POST
def join_name(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Join the `name` that labels wait for with the name `into`, or separate `name` without it."""
    taxonomy, member = taxonomy_of(request, taxonomy_id)
    require(may_lead(member), _("Only owners and leads can join proposed names."))
    asked = request.POST.get("name", ""), request.POST.get("into", "")
    seen = proposed_categories.names_to_join(taxonomy, member, *asked)
    if seen is None:
        raise Http404
    name, into = seen

    def change() -> bool:
        join_names(taxonomy=taxonomy, name=name, into=into, by=member)
        return True

    if once(request, change):
        said = _("“%(name)s” now counts as “%(into)s”.") if into else _("“%(name)s” counts by itself again.")
        messages.success(request, said % {"name": name, "into": into})
    return go_to(request, "proposals", taxonomy.pk)
