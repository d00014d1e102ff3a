"""Planning a round."""

from typing import Any

from django.db import transaction
from django.http import HttpResponse, QueryDict
from django.views.decorators.http import require_http_methods

from accounts.http import AuthedRequest
from annotate.actions import rounds as actions
from annotate.forms.plans import RoundForm
from annotate.plan_preview import preview
from core.http import go_to, render_page, require
from core.idempotency import first_time
from ingest.queries.issues import has_issues, issue_counts
from rounds import rules
from rounds.errors import RoundRefused
from rounds.models import Round
from rounds.queries import rounds as queries
from studies.models import Study
from studies.pages import study_of


@require_http_methods(["GET", "HEAD", "POST"])
@transaction.atomic
def new_round(request: AuthedRequest, slug: str) -> HttpResponse:
    """Plan a round; `preview` in the form only shows its numbers."""
    study, member = study_of(request, slug)
    require(rules.may_create_round(member, study))
    context: dict[str, Any] = {"study": study, "membership": member, "missing": missing(study)}
    if context["missing"]:
        return render_page(request, "annotate/rounds/new.html", context)
    posted = request.POST if request.method == "POST" else None
    form = RoundForm(
        posted, study=study, counts=issue_counts(study), by=member, initial=_started(request.GET)
    )
    only_looks = "preview" in request.POST
    if posted and not only_looks:
        try:
            with transaction.atomic():
                if not first_time(request):
                    return go_to(request, "rounds", study.slug)
                if form.is_valid():
                    return go_to(request, actions.create_round(study=study, by=member, **form.planned()))
                transaction.set_rollback(True)  # so that the form can be sent again
        except RoundRefused as refusal:
            form.refuse(refusal)
    context |= {"form": form, "kinds": Round.PLANNED, "preview": preview(form)}
    status = 422 if form.errors and not only_looks else 200
    return render_page(request, "annotate/rounds/new.html", context, partials=["preview"], status=status)


def _started(query: QueryDict) -> dict[str, Any]:
    """The first values of the form from the address."""
    started: dict[str, Any] = {name: query[name] for name in query if "\0" not in query[name]}
    return started | {name: query.getlist(name) for name in ("members", "repositories") if name in query}


def missing(study: Study) -> str:
    """What a study lacks before a round can be planned: "issues", "taxonomy", or "" for nothing."""
    if not has_issues(study):
        return "issues"
    return "" if queries.published_versions(study).exists() else "taxonomy"
