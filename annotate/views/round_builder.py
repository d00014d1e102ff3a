"""Planning a round, changing its plan, taking its opening back, deleting it."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.http import AuthedRequest
from annotate.actions import plan_changes
from annotate.actions import rounds as actions
from annotate.forms.plans import RoundForm
from annotate.plan_preview import preview
from annotate.queries.left_out import usually_left_out
from annotate.queries.planning import as_planned, free_name
from core.http import go_to, is_fragment, render_page, require
from core.idempotency import first_time
from core.numbers import whole_number
from ingest.queries.issues import has_issues, issue_counts
from rounds import rules
from rounds.errors import RoundRefused
from rounds.models import Round
from rounds.pages import seat_in
from rounds.queries import rounds as queries
from rounds.views.shortcuts import frame
from studies.models import Study
from studies.pages import study_of


@require_http_methods(["GET", "HEAD", "POST"])
@transaction.atomic
def new_round(request: AuthedRequest, slug: str) -> HttpResponse:
    """Plan a round; `preview` in the form only shows its numbers. `copy` in the address begins with the plan
    of another round.
    """
    study, member = study_of(request, slug)
    require(rules.may_create_round(member, study))
    context: dict[str, Any] = {"study": study, "membership": member, "missing": missing(study)}
    if context["missing"]:
        return render_page(request, "annotate/rounds/new.html", context)
    posted = request.POST if request.method == "POST" else None
    form = RoundForm(
        posted, study=study, counts=issue_counts(study), by=member, initial=_started(request, study)
    )

    def store(*, is_first: bool) -> HttpResponse:
        if not is_first:
            return go_to(request, "rounds", study.slug)
        return go_to(request, actions.create_round(study=study, by=member, **form.planned()))

    return _planned(request, form, context, store)


@require_http_methods(["GET", "HEAD", "POST"])
@transaction.atomic
def edit_plan(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Change the plan of a round that is not open; `preview` in the form only shows its numbers."""
    round_, member = seat_in(request, round_id, rules.may_change_plan)
    if round_.opened_at is not None:
        return go_to(request, round_)
    posted = request.POST if request.method == "POST" else None
    form = RoundForm(
        posted,
        study=round_.study,
        counts=issue_counts(round_.study),
        by=member,
        replaces=round_,
        initial=as_planned(round_),
    )

    def store(*, is_first: bool) -> HttpResponse:
        if is_first:
            plan_changes.change_plan(round_=round_, by=member, **form.planned())
            messages.success(request, _("The plan of %(round)s is saved.") % {"round": form.asked["name"]})
        return go_to(request, round_)

    return _planned(request, form, frame(round_, member), store)


def _planned(
    request: AuthedRequest, form: RoundForm, context: dict[str, Any], store: Callable[..., HttpResponse]
) -> HttpResponse:
    """Let `store` store a valid plan, or show the form with what is to be changed. `is_first` is false for a
    form that was sent before.
    """
    only_looks = "preview" in request.POST
    if form.is_bound and not only_looks:
        try:
            with transaction.atomic():
                if not first_time(request):
                    return store(is_first=False)
                if form.is_valid():
                    return store(is_first=True)
                transaction.set_rollback(True)  # so that the form can be sent again
        except RoundRefused as refusal:
            form.refuse(refusal)
    context |= {
        "form": form,
        "kinds": Round.PLANNED,
        "preview": preview(form),
        "is_fragment": is_fragment(request),
    }
    status = 422 if form.errors and not only_looks else 200
    return render_page(request, "annotate/rounds/new.html", context, partials=["preview"], status=status)


@require_POST
def take_back_opening(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Make a plan again of an open round in which nobody has begun."""
    round_, member = seat_in(request, round_id, rules.may_change_plan)
    plan_changes.take_back_opening(round_=round_, by=member)
    messages.success(
        request, _("%(round)s is a plan again. Change the plan, then open the round.") % {"round": round_}
    )
    return go_to(request, round_)


@require_http_methods(["GET", "HEAD", "POST"])
def delete_round(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Delete a round in which nobody has begun; GET asks first, and shows what goes with it."""
    round_, member = seat_in(request, round_id, rules.may_change_plan)
    if request.method == "POST":
        plan_changes.delete_round(round_=round_, by=member)
        messages.success(request, _("The round %(round)s is deleted.") % {"round": round_})
        return go_to(request, "rounds", round_.study.slug)
    context = frame(round_, member) | {
        "issues": round_.round_issues.count(),
        "volunteers": round_.volunteers.count(),
        "answers": round_.answers.count(),
    }
    return render_page(request, "annotate/rounds/delete.html", context)


def _started(request: AuthedRequest, study: Study) -> dict[str, Any]:
    """The first values of the form from the address, or from the plan that is copied."""
    query = request.GET
    started: dict[str, Any] = {name: query[name] for name in query if "\0" not in query[name]}
    rounds = queries.rounds_for(request.user).filter(study=study, kind__in=Round.PLANNED)
    key = whole_number(query.get("copy"))
    if key and (copied := rounds.filter(pk=key).first()):
        plan = as_planned(copied) | {"name": free_name(study, copied.name), "deadline": None}
        if copied.kind == Round.Kind.MAIN:
            # The copy takes none of the issues of what it copies, as a new main round would.
            usual = usually_left_out(copied.kind, copied.version.taxonomy_id, plan["source"])
            plan["left_out"] = list({*plan["left_out"], *usual})
        return plan
    return started | {name: query.getlist(name) for name in ("members", "repositories") if name in query}


def missing(study: Study) -> str:
    """What a study lacks before a round can be planned: "issues", "taxonomy", or "" for nothing."""
    if not has_issues(study):
        return "issues"
    return "" if queries.published_versions(study).exists() else "taxonomy"
