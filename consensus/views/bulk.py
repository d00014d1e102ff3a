"""Bulk decisions by majority: first the effect, then the decision, and how to take one back."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts.http import AuthedRequest
from consensus.actions import bulk as actions
from consensus.forms.decisions import MajorityForm
from consensus.models import BulkDecision, Decision
from consensus.queries import bulk as queries
from consensus.queries.disagreement_filters import Narrowing
from consensus.queries.disagreements import disagreement_counts
from consensus.views.filter_menu import POSTERIORS, narrowing_of, said_of
from consensus.views.matrix import hues
from consensus.views.shortcuts import round_to_read, round_to_settle
from core.http import go_to, render_page
from core.idempotency import once
from core.templatetags.crosscheck import count
from ingest.models import Repository
from rounds.models import Round
from rounds.queries.categories import codebook
from rounds.queries.rounds import reveals_complete_issues
from studies.models import Membership
from studies.pages import frame
from taxonomy.models import Level


@require_http_methods(["GET", "HEAD", "POST"])
def decide_majority(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Show which of the filtered issues a majority would decide, and decide them."""
    round_, member = round_to_settle(request, round_id)
    narrowing = narrowing_of(request.GET)
    if request.method != "POST":
        asked = request.GET if "at_least" in request.GET else None
        return _page(request, round_, member, narrowing, MajorityForm(asked, round_=round_))
    form = MajorityForm(request.POST, round_=round_)
    if not form.is_valid():
        return _page(request, round_, member, narrowing, form, status=422)
    at_least = form.cleaned_data["at_least"]
    bulk = once(
        request,
        lambda: actions.decide_majority(round_=round_, by=member, at_least=at_least, narrowing=narrowing),
    )
    if round_.kind == Round.Kind.SCREENING and not narrowing:
        address = reverse("screening", args=[round_.pk])
    else:
        query = narrowing.query | {"at_least": at_least} | ({"done": bulk.pk} if bulk else {})
        address = f"{reverse('decide_majority', args=[round_.pk])}?{urlencode(query)}"
    if bulk:
        done = bulk.decisions.count()
        said = ngettext("%(n)s issue is decided by majority.", "%(n)s issues are decided by majority.", done)
        messages.success(request, said % {"n": count(done)})
    return go_to(request, address)


@require_POST
def take_back_bulk(request: AuthedRequest, round_id: int, bulk_id: int) -> HttpResponse:
    """Take a bulk decision back, and go to the page that made it."""
    round_, member = round_to_read(request, round_id)
    bulk = get_object_or_404(BulkDecision.objects.select_related("round"), pk=bulk_id, round=round_)
    bulk.round = round_
    done = actions.take_back(bulk=bulk, by=member)
    said = ngettext("%(n)s issue is open again.", "%(n)s issues are open again.", done)
    messages.success(request, said % {"n": count(done)})
    if bulk.asked.get("meeting"):
        return go_to(request, "meeting", bulk.asked["meeting"])
    if bulk.kind == BulkDecision.Kind.ALIKE:
        page, query = reverse("alike", args=[round_.pk]), request.GET.urlencode()
        return go_to(request, f"{page}?{query}" if query else page)
    if round_.kind == Round.Kind.SCREENING:
        return go_to(request, "screening", round_.pk)
    return go_to(request, "decide_majority", round_.pk)


def filters_in_words(round_: Round, narrowing: Narrowing) -> list[tuple[str, str]]:
    """The name and the value of each active filter."""
    said: list[tuple[str, str]] = []
    if narrowing.pair:
        first, second = narrowing.pair
        said.append((_("Pair"), _("%(first)s and %(second)s") % {"first": first, "second": second}))
    if narrowing.type:
        said.append((_("Type"), narrowing.type))
    if narrowing.repository is not None:
        found = Repository.objects.filter(study=round_.study_id, pk=narrowing.repository).first()
        said.append((_("Repository"), found.path if found else "–"))
    if narrowing.volunteer is not None:
        stands = Membership.objects.filter(study=round_.study_id, pk=narrowing.volunteer).first()
        said.append((_("Minority label"), stands.pseudonym if stands else "–"))
    if narrowing.split:
        said.append((_("Split"), said_of(narrowing.split)))
    if narrowing.parts_at is not None:
        said.append((_("Differ in"), str(Level(narrowing.parts_at).label)))
    if narrowing.keyword:
        said.append((_("Keyword"), narrowing.keyword))
    return said + _of_decisions_in_words(narrowing)


def _of_decisions_in_words(narrowing: Narrowing) -> list[tuple[str, str]]:
    said: list[tuple[str, str]] = []
    if narrowing.cause:
        said.append((_("Cause"), str(Decision.Cause(narrowing.cause).label)))
    if narrowing.posterior:
        said.append((_("More probable"), str(POSTERIORS[narrowing.posterior])))
    if narrowing.state:
        states = {
            "open": pgettext("disagreement", "open"),
            "agenda": _("on an agenda"),
            "decided": _("decided"),
        }
        said.append((_("State"), states[narrowing.state]))
    return said


def _page(
    request: AuthedRequest,
    round_: Round,
    member: Membership,
    narrowing: Narrowing,
    form: MajorityForm,
    *,
    status: int = 200,
) -> HttpResponse:
    path = reverse("decide_majority", args=[round_.pk])
    made = queries.bulk_decisions(round_, member)
    most = round_.labels_per_issue
    context: dict[str, Any] = {
        **frame(round_.study, member, "disagreements"),
        "round": round_,
        "form": form,
        "filters": filters_in_words(round_, narrowing),
        "query": urlencode(narrowing.query),
        "whole_url": path,
        "bulks": [_bulk(round_, one) for one in made],
        "done": next((one for one in made if str(one.pk) == request.GET.get("done")), None),
        "why_not": why_no_majority(round_),
        "withheld": disagreement_counts(round_, member).withheld,
    }
    if not context["why_not"]:
        at_least = most // 2 + 1
        if form.is_bound and form.is_valid():
            at_least = form.cleaned_data["at_least"]
        context |= {
            "at_least": at_least,
            "choices": [
                {
                    "name": f"{m} : {most - m}",
                    "url": f"{path}?{urlencode(narrowing.query | {'at_least': m})}",
                    "current": m == at_least,
                }
                for m in range(most // 2 + 1, max(most, 2))
            ],
        }
        context |= _forecast(round_, queries.forecast(round_, member, at_least, narrowing), at_least)
    return render_page(request, "consensus/bulk/majority.html", context, status=status)


def why_no_majority(round_: Round) -> str:
    """The reason why nobody decides by majority in this round; "" if leads can."""
    if round_.rule == Round.Rule.MEETING:
        return _("In this round only a meeting decides disagreements.")
    if round_.kind == Round.Kind.TRAINING:
        return _("In a training, only the right labels decide.")
    if not reveals_complete_issues(round_):
        return _("Labels are revealed when this round closes. Until then, you cannot decide by majority.")
    if round_.labels_per_issue < 3:
        return _("A majority needs at least three labels for each issue.")
    return ""


def _forecast(round_: Round, found: queries.MajorityForecast, at_least: int) -> dict[str, Any]:
    book = codebook(round_.version_id)
    colours = hues(book)
    return {
        "forecast": found,
        "categories": [
            (book.states[id_], colours[book.states[id_].code], issues)
            for id_, issues in found.categories.items()
        ],
        "decided": [(said_of(split), issues) for split, issues in found.decided.items()],
        "left": [
            (said_of(split), issues, _why_left(split, at_least)) for split, issues in found.left.items()
        ],
    }


def _why_left(sizes: tuple[int, ...], at_least: int) -> str:
    if len(sizes) > 1 and max(sizes) == sorted(sizes)[-2]:
        return _("no largest group")
    return _("fewer than %(n)s equal labels") % {"n": at_least}


def _bulk(round_: Round, one: Any) -> dict[str, Any]:
    is_majority = one.kind == BulkDecision.Kind.MAJORITY
    narrowing = Narrowing.from_query(one.asked) if is_majority else Narrowing()
    return {"one": one, "filters": filters_in_words(round_, narrowing), "is_majority": is_majority}
