"""Training: the right labels that a lead writes before it opens, and the comments of its volunteers."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from annotate import rules
from annotate.actions import training as actions
from annotate.errors import LabelsInThisTraining
from annotate.forms.training import AnswerForm
from annotate.queries.turns import issue_in
from annotate.views.picker import picker
from core.http import VARY, go_to, is_fragment, render_page, require
from core.idempotency import first_time
from core.numbers import SHORT, number_asked, whole_number
from ingest.models import Issue
from rounds import errors
from rounds.models import Round, RoundVolunteer
from rounds.pages import seat_in
from rounds.queries import training as queries
from rounds.queries.training import AnswerLine
from rounds.rules import may_open
from rounds.views.shortcuts import frame
from studies.models import Membership
from taxonomy.queries.codebooks import codebook

AT_ONCE = 20


@require_safe
def answers(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Show the issues of a training with their right labels, which can be edited until it opens."""
    round_, member = _training(request, round_id)
    after = number_asked(request.GET, "after", digits=SHORT) or 0
    found = queries.answer_lines(round_, after=after, limit=AT_ONCE + 1)
    context = _frame(round_, member) | {
        "lines": [_row(round_, line) for line in found[:AT_ONCE]],
        "first": after + 1,
        "last": after + min(len(found), AT_ONCE),
        "older_url": f"?after={after + AT_ONCE}" if len(found) > AT_ONCE else "",
        "newer_url": f"?after={max(after - AT_ONCE, 0)}" if after else "",
    }
    return render_page(request, "annotate/training/answers.html", context)


@require_POST
def set_answer(request: AuthedRequest, round_id: int, issue_id: int) -> HttpResponse:
    """Set the right label of one issue, with its explanation."""
    round_, member = _training(request, round_id)
    issue = _issue(round_, issue_id)
    form = AnswerForm(request.POST, round_=round_)
    said = [str(text) for texts in form.errors.values() for text in texts]
    status = 422
    if form.is_valid():
        try:
            actions.set_answer(round_=round_, issue=issue, by=member, **form.cleaned_data)
        except (errors.UnknownCategory, errors.TooShallow) as refusal:
            # The refusal is shown beside the typed text, which stays in the form.
            said, status = [str(refusal.message)], refusal.status
    return _answered(request, round_, member, issue, said, status if said else 200)


@require_POST
def remove_answer(request: AuthedRequest, round_id: int, issue_id: int) -> HttpResponse:
    """Delete the right label of one issue."""
    round_, member = _training(request, round_id)
    issue = _issue(round_, issue_id)
    actions.remove_answer(round_=round_, issue=issue, by=member)
    return _answered(request, round_, member, issue, [], 200)


@require_POST
@transaction.atomic
def comment(request: AuthedRequest, round_id: int, issue_id: int) -> HttpResponse:
    """Comment on a labelled issue of a training; `next` goes to the next issue, even without a comment."""
    round_, member = seat_in(request, round_id, rules.may_see_own_labels)
    issue = _issue(round_, issue_id)
    goes_on, text = "next" in request.POST, request.POST.get("text", "")
    if (text.strip() or not goes_on) and first_time(request):
        actions.comment(round_=round_, issue=issue, author=member, text=text)
        messages.success(request, _("Thank you. The leads read your comment."))
    if goes_on:
        return go_to(request, "label", round_.pk)
    return go_to(request, f"{reverse('label', args=[round_.pk])}?issue={issue.pk}")


def _row(
    round_: Round, line: AnswerLine, *, typed: AuthedRequest | None = None, said: Sequence[str] = ()
) -> dict[str, Any]:
    """One issue of the page of answers: `options` of its select; `said`: the errors of the form."""
    answer = line.answer
    chosen, explanation = (str(answer.category_id), answer.explanation) if answer else ("", "")
    if typed is not None:
        chosen, explanation = typed.POST.get("category", ""), typed.POST.get("explanation", "")
    options = _options(round_.version_id, round_.depth, get_language())
    if whole_number(chosen) is not None:
        value = f'value="{chosen}"'
        options = mark_safe(options.replace(value, f"{value} selected", 1))  # noqa: S308 - both are a number
    known = picker(round_)
    return {
        "line": line,
        "state": known.states.get(answer.category_id) if answer else None,
        "hue": known.hues.get(answer.category_id, 0) if answer else 0,
        "options": options,
        "explanation": explanation,
        "said": said,
    }


@lru_cache(maxsize=32)
def _options(version_id: int, depth: int, _language: str | None) -> SafeString:
    """The options of a select of categories, made once for a version, which never changes."""
    book = codebook(version_id)
    choosable = book.choosable(depth)
    rows = [{"state": state, "can": state.category_id in choosable} for state in book.states]
    html = render_to_string("annotate/training/_options.html", {"rows": rows})
    return mark_safe("".join(line.strip() for line in html.splitlines()))  # noqa: S308 - a template made it


def _answered(
    request: AuthedRequest, round_: Round, member: Membership, issue: Issue, said: list[str], status: int
) -> HttpResponse:
    """For htmx only this issue again; otherwise the page at this issue, or the refused form."""
    [line] = queries.answer_lines(round_, only=issue)
    row = _row(round_, line, typed=request if said else None, said=said)
    context = _frame(round_, member) | {"row": row, "saved": not said}
    if is_fragment(request):
        response = render(request, "annotate/training/_line.html", context | {"moved": True}, status=status)
        patch_vary_headers(response, VARY)
        return response
    if said:
        return render(
            request,
            "annotate/training/answers.html",
            context | {"lines": [row], "alone": True},
            status=status,
        )
    after = (line.position - 1) // AT_ONCE * AT_ONCE
    return go_to(request, f"{reverse('answers', args=[round_.pk])}?after={after}#answer-{issue.pk}")


def _training(request: AuthedRequest, round_id: int) -> tuple[Round, Membership]:
    """A training, and the seat of a lead who never was its volunteer; after it is closed, of any lead. A
    volunteer who was taken out may be added again, and may know no more than before.
    """
    round_, member = seat_in(request, round_id, may_open)
    if round_.kind != Round.Kind.TRAINING:
        raise Http404
    labels_in_it = RoundVolunteer.objects.filter(round=round_, member=member).exists()
    require(not labels_in_it or round_.closed_at is not None, LabelsInThisTraining.message)
    return round_, member


def _issue(round_: Round, issue_id: int) -> Issue:
    issue = issue_in(round_, issue_id)
    if issue is None:
        raise Http404
    return issue


def _frame(round_: Round, member: Membership) -> dict[str, Any]:
    given, issues = queries.answers_given(round_)
    counts = {"given": given, "issues": issues, "is_planned": round_.opened_at is None}
    return frame(round_, member) | counts
