"""Training: the right labels that a lead writes before it opens, and comments of who has seen one."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from annotate import errors, rules
from annotate.actions import training as actions
from annotate.models import Round, RoundVolunteer
from annotate.queries import training as queries
from annotate.queries.rounds import rounds_for
from annotate.queries.training import AnswerLine
from annotate.queries.turns import issue_in
from annotate.training_forms import AnswerForm, CommentForm
from core.http import VARY, go_to, is_fragment, render_page, require
from core.idempotency import first_time
from ingest.models import Issue
from studies.models import Membership
from studies.queries import membership_of
from taxonomy.queries import codebook

AT_ONCE = 20


@require_safe
def answers(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Show the issues of a training with their right labels, to be given as long as it is not open."""
    round_, member = _training(request, round_id)
    after = request.GET.get("after", "0")
    if not after.isascii() or not after.isdecimal() or len(after) > 9:
        raise Http404
    found = queries.answer_lines(round_, after=int(after), limit=AT_ONCE + 1)
    context = _frame(round_, member) | {
        "lines": [_row(round_, line) for line in found[:AT_ONCE]],
        "first": int(after) + 1,
        "last": int(after) + min(len(found), AT_ONCE),
        "older_url": f"?after={int(after) + AT_ONCE}" if len(found) > AT_ONCE else "",
        "newer_url": f"?after={max(int(after) - AT_ONCE, 0)}" if int(after) else "",
    }
    return render_page(request, "annotate/training/answers.html", context)


@require_POST
def set_answer(request: AuthedRequest, round_id: int, issue_id: int) -> HttpResponse:
    """Give the right label of one issue, with its explanation."""
    round_, member = _training(request, round_id)
    issue = _issue(round_, issue_id)
    form = AnswerForm(request.POST, round_=round_)
    said = [str(text) for texts in form.errors.values() for text in texts]
    status = 422
    if form.is_valid():
        try:
            actions.set_answer(round_=round_, issue=issue, by=member, **form.cleaned_data)
        except (errors.UnknownCategory, errors.TooShallow) as refusal:
            # Said beside what was typed, which stays in the form.
            said, status = [str(refusal.message)], refusal.status
    return _answered(request, round_, member, issue, said, status if said else 200)


@require_POST
def remove_answer(request: AuthedRequest, round_id: int, issue_id: int) -> HttpResponse:
    """Take the right label of one issue back."""
    round_, member = _training(request, round_id)
    issue = _issue(round_, issue_id)
    actions.remove_answer(round_=round_, issue=issue, by=member)
    return _answered(request, round_, member, issue, [], 200)


@require_POST
@transaction.atomic
def comment(request: AuthedRequest, round_id: int, issue_id: int) -> HttpResponse:
    """Say something about a training issue that one has labelled; `next` goes on, also without words."""
    round_ = get_object_or_404(rounds_for(request.user), pk=round_id)
    member = membership_of(request.user, round_.study)
    require(rules.may_see_own_labels(member, round_))
    issue = _issue(round_, issue_id)
    form = CommentForm(request.POST)
    goes_on = "next" in request.POST
    if goes_on and not request.POST.get("text", "").strip():
        return go_to(request, "label", round_.pk)
    if member and form.is_valid():
        if first_time(request):
            actions.comment(round_=round_, issue=issue, author=member, text=form.cleaned_data["text"])
            messages.success(request, _("Thank you: the leads of the study read it."))
    elif "text" in form.data and len(form.data["text"].strip()) > actions.COMMENT_LENGTH:
        raise errors.CommentTooLong(kept={"text": form.data["text"]})
    else:
        raise errors.CommentMissing
    if goes_on:
        return go_to(request, "label", round_.pk)
    return go_to(request, f"{reverse('label', args=[round_.pk])}?issue={issue.pk}")


@dataclass(frozen=True)
class Row:
    """One issue of the page of answers: `options` of its select; `said`: what is wrong with the form."""

    line: AnswerLine
    code: str
    name: str
    hue: int
    options: SafeString
    explanation: str
    said: list[str]


def _row(
    round_: Round, line: AnswerLine, *, typed: AuthedRequest | None = None, said: list[str] | None = None
) -> Row:
    answer = line.answer
    book = _choices(round_.version_id, round_.depth, get_language())
    chosen = str(answer.category_id) if answer else ""
    explanation = answer.explanation if answer else ""
    if typed is not None:
        chosen, explanation = typed.POST.get("category", ""), typed.POST.get("explanation", "")
    state, hue = book.states.get(answer.category_id, (None, 0)) if answer else (None, 0)
    return Row(
        line=line,
        code=state.code if state else "",
        name=state.name if state else "",
        hue=hue,
        options=book.with_choice(chosen),
        explanation=explanation,
        said=said or [],
    )


@dataclass(frozen=True)
class Choices:
    """The options of a select of categories, made once for a version, which never changes."""

    html: SafeString
    states: dict[int, tuple[Any, int]]

    def with_choice(self, category: str) -> SafeString:
        """The options with one of them chosen."""
        if not category.isascii() or not category.isdecimal():
            return self.html
        value = f'value="{category}"'
        return mark_safe(self.html.replace(value, f"{value} selected", 1))  # noqa: S308 - both are a number


@lru_cache(maxsize=32)
def _choices(version_id: int, depth: int, _language: str | None) -> Choices:
    book = codebook(version_id)
    parents = {state.parent_id for state in book.states}
    rows = [
        {"state": state, "can": state.level >= depth or state.category_id not in parents}
        for state in book.states
    ]
    html = render_to_string("annotate/training/_options.html", {"rows": rows})
    return Choices(
        mark_safe("".join(line.strip() for line in html.splitlines())),  # noqa: S308 - a template made it
        {state.category_id: (state, book.hue(state.category_id)) for state in book.states},
    )


def _answered(
    request: AuthedRequest, round_: Round, member: Membership, issue: Issue, said: list[str], status: int
) -> HttpResponse:
    """For htmx the one issue again; else the page, at this issue, or with what was refused."""
    line = queries.answer_line(round_, issue.pk)
    if line is None:
        raise Http404
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
    after = (queries.position_of(round_, issue) - 1) // AT_ONCE * AT_ONCE
    return go_to(request, f"{reverse('answers', args=[round_.pk])}?after={after}#answer-{issue.pk}")


def _training(request: AuthedRequest, round_id: int) -> tuple[Round, Membership]:
    """A training, and the seat of a lead who does not label in it; after it is closed, of any lead.

    Who was taken out of it may be taken in again, and is to know no more than before.
    """
    round_ = get_object_or_404(rounds_for(request.user), pk=round_id)
    member = membership_of(request.user, round_.study)
    require(rules.may_give_answers(member, round_))
    if member is None or round_.kind != Round.Kind.TRAINING:
        raise Http404
    labels_in_it = RoundVolunteer.objects.filter(round=round_, member=member).exists()
    require(not labels_in_it or round_.closed_at is not None, errors.LabelsInThisTraining.message)
    return round_, member


def _issue(round_: Round, issue_id: int) -> Issue:
    issue = issue_in(round_, issue_id)
    if issue is None:
        raise Http404
    return issue


def _frame(round_: Round, member: Membership) -> dict[str, Any]:
    given, issues = queries.answers_given(round_)
    return {
        "round": round_,
        "study": round_.study,
        "membership": member,
        "given": given,
        "issues": issues,
        "is_planned": round_.opened_at is None,
    }
