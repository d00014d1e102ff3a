"""Categories that labels miss: put to the vote with what the labels say, or answered by one that there is."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from annotate.models import Round
from annotate.queries import missing
from annotate.queries.rounds import rounds_for
from core.http import go_to, require
from core.idempotency import once
from studies.models import Membership
from studies.queries import membership_of
from studies.rules import may_lead
from taxonomy.actions import answer
from taxonomy.models import CategoryState, Taxonomy
from taxonomy.queries import published_version, taxonomies_for
from taxonomy.rules import may_propose
from taxonomy.views.proposals import proposal_form


def vote_url(round_: Round, issue_id: int) -> str:
    """Where what the labels of an issue miss is put to the vote."""
    page = reverse("put_to_vote", args=[round_.version.taxonomy_id])
    return f"{page}?{urlencode({'round': round_.pk, 'issue': issue_id})}"


@require_safe
def put_to_vote(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Show the form of a new proposal, filled in for `name`, or for the `issue` of a `round`."""
    taxonomy, member = _taxonomy(request, taxonomy_id)
    require(may_propose(member), _("Owner, leads and volunteers of the study propose and vote."))
    asked = {name: request.GET.get(name, "") for name in ("round", "issue")}
    round_, issue_id = None, None
    if asked["round"] or asked["issue"]:
        if not all(text.isascii() and text.isdecimal() and len(text) < 10 for text in asked.values()):
            raise Http404
        rounds = rounds_for(request.user).filter(version__taxonomy=taxonomy)
        round_, issue_id = get_object_or_404(rounds, pk=asked["round"]), int(asked["issue"])
    name = request.GET.get("name", "").strip()[:200]
    found = missing.proposing(taxonomy, member, name=name, round_=round_, issue_id=issue_id)
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
    """Say which `category` answers the `name` that labels wait for; empty takes it back."""
    taxonomy, member = _taxonomy(request, taxonomy_id)
    require(may_lead(member), _("An owner or a lead of the study says what answers a name."))
    name, code = request.POST.get("name", ""), request.POST.get("category", "")
    known = missing.name_that_waits(taxonomy, member, name)
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
        said = _("“%(name)s” is answered by %(code)s.") if state else _("“%(name)s” waits again.")
        messages.success(request, said % {"name": known, "code": code})
    return go_to(request, "proposals", taxonomy.pk)


def _taxonomy(request: AuthedRequest, taxonomy_id: int) -> tuple[Taxonomy, Membership]:
    taxonomy = get_object_or_404(taxonomies_for(request.user), pk=taxonomy_id)
    member = membership_of(request.user, taxonomy.study)
    if member is None:
        raise Http404
    return taxonomy, member
