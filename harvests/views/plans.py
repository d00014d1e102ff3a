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
from harvests import actions
from harvests.actions.estimates import HOURLY_WITHOUT, Estimate, estimate
from harvests.forms import HarvestForm
from harvests.models import Harvest
from harvests.queries.forge_clients import RepositoryAsked, host_of
from harvests.queries.reports import lists_to_choose
from harvests.queries.tokens import token_names
from harvests.words import window_in_words
from ingest import rules
from ingest.forges.naming import Named
from studies.models import Study
from studies.pages import frame, study_of

PUBLIC = [("github.com", "github"), ("gitee.com", "gitee")]


@require_http_methods(["GET", "HEAD", "POST"])
def new_harvest(request: AuthedRequest, slug: str) -> HttpResponse:
    """Plan a harvest; a POST stores it, starts it too unless it is only to be saved, or estimates it."""
    study, member = study_of(request, slug, rules.may_import)
    form = HarvestForm(request.POST if request.method == "POST" else None, lists=lists_to_choose(study))
    refusal, status, found = "", 200, None
    if form.is_bound and form.is_valid():
        try:
            if "estimate" not in request.POST:
                return _stored(request, study, form)
            found = _estimate(study, form)
        except DomainError as refused:
            refusal, status = _at_its_field(form, refused), refused.status
    elif form.errors:
        status = 422
    context: dict[str, Any] = {
        **frame(study, member, "harvests"),
        "form": form,
        "has_lists": form.fields["lists"].queryset.exists(),  # type: ignore[attr-defined]  # by its class
        "refusal": refusal,
        "troubled": bool(form.errors) and "estimate" in request.POST,
        "estimate": found,
        "unknown": sum(row.requests is None for row in found.rows) if found else 0,
        "window": _window(form) if found else "",
        "hosts": _hosts(study, form, found),
    }
    return render_page(request, "harvests/new.html", context, partials=["cost"], status=status)


def _at_its_field(form: HarvestForm, refused: DomainError) -> str:
    """Show a refusal at the field that it is about; its words if it is about none."""
    field = getattr(refused, "field", "")
    field = "minutes" if field == "budget" else field
    if field not in form.fields:
        return str(refused.message)
    form.add_error(field, str(refused.message))
    return ""


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
    told = (
        _("The harvest has started.")
        if starts
        else _("The plan is saved. Start the harvest when you are ready.")
    )
    messages.success(request, told)
    return go_to(request, "harvest", study.slug, harvest.pk)


def _estimate(study: Study, form: HarvestForm) -> Estimate:
    given = form.cleaned_data
    return estimate(
        study=study,
        repositories=asked(given["repositories"]),
        opened_from=given["opened_from"],
        opened_before=given["opened_before"],
        with_pull_requests=given["with_pull_requests"],
        with_comments=given["with_comments"],
    )


def _hosts(study: Study, form: HarvestForm, found: Estimate | None) -> list[dict[str, Any]]:
    """The hosts that the plan asks, each with the names of its tokens; the public ones for an empty plan.
    Where GitHub has no token, also what that costs, once it is estimated.
    """
    names = token_names(study)
    repositories = asked(form.cleaned_data.get("repositories", ())) if form.is_bound else []
    hosts = list(dict.fromkeys((host_of(one.base), one.forge) for one in repositories)) or PUBLIC
    lines: list[dict[str, Any]] = []
    for host, forge in hosts:
        line: dict[str, Any] = {"host": host, "forge": forge, "tokens": names.get(host, [])}
        if found and forge == "github" and not line["tokens"]:
            rows = [
                row
                for row, one in zip(found.rows, repositories, strict=True)
                if (host_of(one.base), one.forge) == (host, forge)
            ]
            requests = sum(row.requests or 0 for row in rows)
            waits = 3600 * (max(requests - 1, 0) // HOURLY_WITHOUT)
            line |= {"requests": requests, "seconds": waits + sum(row.seconds or 0 for row in rows)}
        lines.append(line)
    return lines


def _window(form: HarvestForm) -> str:
    given = form.cleaned_data
    return window_in_words(given["opened_from"], given["opened_before"], given["zone"])
