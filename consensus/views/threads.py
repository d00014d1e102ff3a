"""The thread of an issue: its part of a page, and the forms that it sends."""

from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_POST

from accounts.http import AuthedRequest
from consensus import errors, rules
from consensus.actions import threads as actions
from consensus.forms.meetings import SayForm
from consensus.models import Disagreement
from consensus.models.comments import COMMENT_LENGTH
from consensus.queries import threads as queries
from consensus.views.shortcuts import round_to_read
from core.http import VARY, is_fragment, require
from core.idempotency import once
from ingest.models import Issue
from rounds.errors import UnknownCategory
from rounds.models import Round
from rounds.queries.categories import codebook
from studies.models import Membership

TARGET = "thread"


def talk(
    round_: Round,
    issue_id: int,
    member: Membership | None,
    *,
    url: str = "",
    chosen: Sequence[int] | None = None,
    form: SayForm | None = None,
) -> dict[str, Any]:
    """The context of `consensus/threads/_thread.html` for an issue that the member may see.

    `url` takes comments, by default `comment_on_issue`; members who only read have none. `seen_url` is called
    when new mentions were shown. `chosen`: the ids of the categories of the labels, read if not given;
    `others`: the rest at the round's depth. `form`: a refused form, whose text is shown again.
    """
    said = queries.thread(round_, issue_id, member, is_seen=True)
    unseen = any(one.is_unseen for one in said) and not round_.study.is_read_only
    place = [round_.pk, issue_id]
    drawn: dict[str, Any] = {
        "said": said,
        "seen_url": reverse("see_mentions", args=place) if unseen else "",
    }
    if not rules.may_comment(member, round_):
        return drawn
    book = codebook(round_.version_id)
    if chosen is None:
        found = Disagreement.objects.filter(round=round_, issue=issue_id).values_list("chosen", flat=True)
        chosen = found.first() or ()
    first = [book.states[id_] for id_ in chosen if id_ in book.states]
    return drawn | {
        "url": url or reverse("comment_on_issue", args=place),
        "chosen": first,
        "others": [state for state in book.counted(round_.depth) if state not in first],
        "form": form,
        "longest": COMMENT_LENGTH,
    }


@require_POST
def comment_on_issue(request: AuthedRequest, round_id: int, issue_id: int) -> HttpResponse:
    """Comment on an issue whose labels the member may see; answer with its thread."""
    round_, member, issue = _issue(request, round_id, issue_id)
    require(rules.may_comment(member, round_))
    form = SayForm(request.POST, book=codebook(round_.version_id))
    if form.is_valid():
        once(request, lambda: actions.say(round_=round_, issue=issue, author=member, **form.cleaned_data))
        return _answered(request, round_, member, issue)
    if not is_fragment(request):
        _refuse(form)
    return _thread(request, round_, member, issue, form)


@require_POST
def see_mentions(request: AuthedRequest, round_id: int, issue_id: int) -> HttpResponse:
    """Mark the mentions of the member as seen: the thread calls this when it is shown."""
    round_, member, issue = _issue(request, round_id, issue_id)
    actions.see_mentions(member=member, issues=[issue.pk], round_=round_)
    return _answered(request, round_, member, issue) if not is_fragment(request) else HttpResponse()


def _refuse(form: SayForm) -> None:
    """Raise the error of a form with its text, for a browser without JavaScript."""
    text = str(form.data.get("text", ""))
    if "category" in form.errors:
        raise UnknownCategory(kept={"text": text})
    if text.strip():
        raise errors.CommentTooLong(kept={"text": text})
    raise errors.CommentMissing


def _issue(request: AuthedRequest, round_id: int, issue_id: int) -> tuple[Round, Membership, Issue]:
    """A round, and an issue whose labels the member may see. Http404 for other issues, 403 for outsiders."""
    round_, member = round_to_read(request, round_id)
    if not queries.may_read_thread(round_, issue_id, member):
        raise Http404
    return round_, member, Issue.objects.get(pk=issue_id)


def _answered(request: AuthedRequest, round_: Round, member: Membership, issue: Issue) -> HttpResponse:
    """The current thread; without JavaScript a redirect to its page, with the same filters."""
    if is_fragment(request):
        return _thread(request, round_, member, issue)
    query = request.GET.copy()
    query["issue"] = str(issue.pk)
    page = reverse("disagreements", args=[round_.pk])
    return HttpResponseRedirect(f"{page}?{query.urlencode()}#{TARGET}")


def _thread(
    request: AuthedRequest, round_: Round, member: Membership, issue: Issue, form: SayForm | None = None
) -> HttpResponse:
    drawn = talk(round_, issue.pk, member, url=request.get_full_path(), form=form)
    status = 422 if form else 200
    # The layout of the page of disagreements; a meeting has a view of its own.
    context = {"talk": drawn, "css": "in-panel"}
    response = render(request, "consensus/threads/_thread.html", context, status=status)
    patch_vary_headers(response, VARY)
    return response
