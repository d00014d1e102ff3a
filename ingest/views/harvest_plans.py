"""The page that plans a harvest, and says what it will cost before it starts."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.http import AuthedRequest
from core.errors import DomainError
from core.http import go_to, render_page
from core.idempotency import once
from ingest import actions, rules
from ingest.forges.naming import Named
from ingest.forms.harvests import HarvestForm
from ingest.models import Harvest
from ingest.queries.forge_clients import RepositoryAsked, host_of
from ingest.queries.forge_tokens import token_names
from ingest.queries.harvest_reports import lists_to_choose
from ingest.words import window_in_words
from studies.models import Study
from studies.pages import frame, study_of

PUBLIC = {"github.com": "github", "gitee.com": "gitee"}


@require_http_methods(["GET", "HEAD", "POST"])
def new_harvest(request: AuthedRequest, slug: str) -> HttpResponse:
    """Plan a harvest; a POST stores it, starts it too unless it is only to be saved, or estimates it."""
    study, member = study_of(request, slug, rules.may_import)
    lists = lists_to_choose(study)
    form = HarvestForm(request.POST if request.method == "POST" else None, lists=lists)
    refusal, status = "", 200
    if form.is_bound and form.is_valid() and "estimate" not in request.POST:
        try:
            return _stored(request, study, form)
        except DomainError as refused:
            refusal, status = str(refused.message), refused.status
            field = "minutes" if getattr(refused, "field", "") == "budget" else getattr(refused, "field", "")
            if field in form.fields:
                form.add_error(field, refusal)
                refusal = ""
    elif form.errors:
        status = 422
    context: dict[str, Any] = {
        **frame(study, member, "imports"),
        "form": form,
        "has_lists": lists.exists(),
        "refusal": refusal,
        "troubled": bool(form.errors) and "estimate" in request.POST,
        "hosts": _hosts(study, form),
    }
    return render_page(request, "ingest/harvests/new.html", context, partials=["cost"], status=status)


def asked(named: Sequence[Named]) -> list[RepositoryAsked]:
    return [RepositoryAsked(one.forge, one.host, one.path, one.base_url) for one in named]


def _stored(request: AuthedRequest, study: Study, form: HarvestForm) -> HttpResponse:
    starts = "save" not in request.POST

    def act() -> Harvest:
        given = form.cleaned_data
        harvest = actions.plan_harvest(
            study=study,
            repositories=asked(given["repositories"]),
            opened_from=given["opened_from"],
            opened_before=given["opened_before"],
            zone=given["zone"],
            with_pull_requests=given["with_pull_requests"],
            with_comments=given["with_comments"],
            lists=list(given["lists"]),
            budget=form.budget,
            by=request.user,
        )
        if starts:
            actions.start_harvest(harvest=harvest, by=request.user)
        return harvest

    harvest = once(request, act)
    if harvest is None:
        return go_to(request, "harvests", study.slug)
    told = _("The harvest has started.") if starts else _("The plan is saved. Start it when you like.")
    messages.success(request, told)
    return go_to(request, "harvest", study.slug, harvest.pk)


def _hosts(study: Study, form: HarvestForm) -> list[dict[str, Any]]:
    """The hosts that the plan asks, each with the names of its tokens; the public ones for an empty plan."""
    names = token_names(study)
    hosts = PUBLIC
    if form.is_bound and form.is_valid():
        hosts = {host_of(one.base): one.forge for one in asked(form.cleaned_data["repositories"])}
    return [{"host": host, "forge": forge, "tokens": names.get(host, [])} for host, forge in hosts.items()]


def window_of_form(form: HarvestForm) -> str:
    given = form.cleaned_data
    return window_in_words(given["opened_from"], given["opened_before"], given["zone"])
