"""The outcome of a pilot, and what is made from it: a draft of a taxonomy, and a training."""

import io
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import AuthedRequest
from annotate.actions.pilot import plan_training
from annotate.forms.pilot import AnswerRows, TrainingForm
from annotate.queries import pilot as queries
from consensus.queries.disagreement_states import tally
from core.http import go_to, render_page, require
from core.idempotency import once
from core.numbers import whole_number
from rounds import rules
from rounds.errors import RoundRefused
from rounds.models import Round
from rounds.pages import seat_in
from rounds.queries.blindness import withheld_issues
from rounds.queries.rounds import published_versions, reveals_complete_issues
from studies.models import Membership
from studies.pages import frame
from taxonomy.models import Level, Version
from taxonomy.queries.codebooks import codebook, hues_of
from taxonomy.tree import write_csv


@require_safe
def pilot(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Show the outcome of a pilot by revealed labels; `?unused=1` keeps unused categories in the draft."""
    round_, member = _pilot(request, round_id)
    book = codebook(round_.version_id)
    found = queries.outcome(round_, book, withheld_issues(round_, member))
    keep_unused = bool(request.GET.get("unused"))
    tree = queries.draft(book, found, keep_unused=keep_unused) if found.labels else None
    context: dict[str, Any] = {
        **frame(round_.study, member, "rounds"),
        "round": round_,
        "outcome": found,
        "late": not reveals_complete_issues(round_),
        "keep_unused": keep_unused,
        "draft": "",
        "draft_name": _("%(taxonomy)s, after %(round)s")
        % {"taxonomy": round_.version.taxonomy.name, "round": round_.name},
    }
    if found.labels and not round_.has_one_label:
        states = tally(round_, member)
        context |= {"differ": states.total(), "undecided": states["open"] + states["agenda"]}
    if tree:
        own = {state.code for state in book.states}
        kept = sum(node.code in own for node in tree)
        context |= {"kept": kept, "added": len(tree) - kept, "unused": found.size - kept}
        text = io.StringIO(newline="")
        write_csv(tree, text)
        context["draft"] = text.getvalue()
    return render_page(request, "annotate/pilot/pilot.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def pilot_training(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Choose issues of a pilot for a training, and plan it; `show` in the form only changes the view."""
    round_, member = _pilot(request, round_id)
    old = codebook(round_.version_id)
    blind = withheld_issues(round_, member)
    form = TrainingForm(
        request.POST if request.method == "POST" else None,
        pilot=round_,
        by=member,
        blind=blind,
        initial={"version": _version(request, round_)},
    )
    if form.is_bound:
        form.is_valid()
        version = form.cleaned_data.get("version") or round_.version
        depth = form.cleaned_data.get("depth") or round_.depth
    else:
        version, depth = form.initial["version"], round_.depth
    rows = AnswerRows(round_, version, depth, queries.proposal_names(round_, blind), blind)
    only_looks = "show" in request.POST
    if form.is_bound:
        rows.take(request.POST, old, form.cleaned_data.get("more", ()))
        answers = [] if only_looks else rows.answers()
        if form.is_valid() and not only_looks and not rows.has_errors:
            names = ("name", "version", "depth", "members", "pass_mark")
            chosen = {name: form.cleaned_data[name] for name in names}
            try:
                made = once(
                    request, lambda: plan_training(pilot=round_, by=member, answers=answers, **chosen)
                )
                if made is None:
                    return go_to(request, "rounds", round_.study.slug)
                said = _(
                    "%(round)s is planned with all of its right labels. Open the training when you are ready."
                )
                messages.success(request, said % {"round": made})
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
        "withheld": blind.count(),
        "types": hues_of(old.at_level(Level.TYPE)),
    }
    return render_page(request, "annotate/pilot/training.html", context, status=422 if failed else 200)


def _pilot(request: AuthedRequest, round_id: int) -> tuple[Round, Membership]:
    """The pilot and the reader's seat. 403 without the right to plan rounds, Http404 for any other round."""
    round_, member = seat_in(request, round_id)
    require(rules.may_create_round(member, round_.study))
    if not rules.may_read_pilot(member, round_):
        raise Http404
    return round_, member


def _version(request: AuthedRequest, round_: Round) -> Version:
    """The version of `?version=` if the study has published it, otherwise the pilot's version."""
    asked = whole_number(request.GET.get("version")) or 0
    return published_versions(round_.study).filter(pk=asked).first() or round_.version
