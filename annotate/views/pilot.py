"""What came out of a pilot, and what follows from it: a draft of a taxonomy, and a training."""

import io
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import AuthedRequest
from annotate import rules
from annotate.actions.pilot import plan_training
from annotate.errors import RoundRefused
from annotate.models import Round
from annotate.pilot_forms import AnswerRows, TrainingForm
from annotate.queries import pilot as queries
from annotate.queries.rounds import published_versions, reveals_complete_issues, rounds_for
from annotate.queries.withheld import held_back
from core.http import go_to, render_page, require
from core.idempotency import first_time
from studies.models import Membership
from studies.pages import frame
from studies.queries import membership_of
from taxonomy.models import Level, Version
from taxonomy.queries import codebook, hues_of
from taxonomy.tree import write_csv


@require_safe
def pilot(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Show what the revealed labels of a pilot say; `?unused=1` keeps unused categories in the draft."""
    round_, member = _pilot(request, round_id)
    book = codebook(round_.version_id)
    found = queries.outcome(round_, book, held_back(round_, member))
    keep_unused = bool(request.GET.get("unused"))
    tree = queries.draft(book, found, keep_unused=keep_unused) if found.labels else None
    context: dict[str, Any] = {
        **frame(round_.study, member, "rounds"),
        "round": round_,
        "outcome": found,
        "late": not reveals_complete_issues(round_),
        "keep_unused": keep_unused,
        "draft_size": len(tree) if tree else 0,
        "draft": "",
        "draft_name": _("%(taxonomy)s, after %(round)s")
        % {"taxonomy": round_.version.taxonomy.name, "round": round_.name},
    }
    if tree:
        text = io.StringIO(newline="")
        write_csv(tree, text)
        context["draft"] = text.getvalue()
    return render_page(request, "annotate/pilot/pilot.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@transaction.atomic
def pilot_training(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Choose issues of a pilot to train with, and plan that training; `show` in the form only shows more."""
    round_, member = _pilot(request, round_id)
    old = codebook(round_.version_id)
    held = held_back(round_, member)
    form = TrainingForm(
        request.POST if request.method == "POST" else None,
        pilot=round_,
        by=member,
        held=held,
        initial={"version": _version(request, round_)},
    )
    if form.is_bound:
        form.is_valid()
        version = form.cleaned_data.get("version") or round_.version
        depth = form.cleaned_data.get("depth") or round_.depth
    else:
        version, depth = form.initial["version"], round_.depth
    rows = AnswerRows(round_, version, depth, queries.proposal_names(round_, held), held)
    only_looks = "show" in request.POST
    if form.is_bound:
        rows.take(request.POST, old, form.cleaned_data.get("more", ()))
        answers = [] if only_looks else rows.answers()
        if member and form.is_valid() and not only_looks and not rows.has_errors:
            try:
                with transaction.atomic():
                    if not first_time(request):
                        return go_to(request, "rounds", round_.study.slug)
                    chosen = {
                        name: form.cleaned_data[name]
                        for name in ("name", "version", "depth", "members", "pass_mark")
                    }
                    made = plan_training(pilot=round_, by=member, answers=answers, **chosen)
                    messages.success(
                        request,
                        _("%(round)s is planned, with all of its right labels. Open it when you are ready.")
                        % {"round": made},
                    )
                    return go_to(request, made)
            except RoundRefused as refusal:
                form.add_error(refusal.field if refusal.field in form.fields else None, str(refusal.message))
    else:
        rows.suggest(old)
    failed = form.is_bound and not only_looks
    context = {
        **frame(round_.study, member, "rounds"),
        "round": round_,
        "form": form,
        "rows": rows,
        "withheld": held.count(),
        "types": hues_of(old.at_level(Level.TYPE)),
    }
    return render_page(request, "annotate/pilot/training.html", context, status=422 if failed else 200)


def _pilot(request: AuthedRequest, round_id: int) -> tuple[Round, Membership | None]:
    """The pilot, if this user may see it (Http404) and what came out of it (403), and their seat."""
    round_ = get_object_or_404(rounds_for(request.user), pk=round_id)
    member = membership_of(request.user, round_.study)
    require(rules.may_create_round(member, round_.study))
    if not rules.may_read_pilot(member, round_):
        raise Http404
    return round_, member


def _version(request: AuthedRequest, round_: Round) -> Version:
    """The version of `?version=`, if the study has published it, else the pilot's."""
    asked = request.GET.get("version", "")
    number = int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 19 else 0
    return published_versions(round_.study).filter(pk=number).first() or round_.version
