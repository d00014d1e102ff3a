"""The thread of an issue: drawn on the pages that show the issue, and said to here."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_POST

from accounts.http import AuthedRequest
from annotate import errors, rules
from annotate.actions import threads as actions
from annotate.actions.training import COMMENT_LENGTH
from annotate.models import Disagreement, Round
from annotate.queries import threads as queries
from annotate.queries.categories import Codebook, codebook
from annotate.queries.rounds import rounds_for
from annotate.queries.threads import Said
from annotate.thread_forms import SayForm
from core.http import VARY, is_fragment, require
from core.idempotency import once
from ingest.models import Issue
from studies.models import Membership
from studies.queries import membership_of
from taxonomy.models import CategoryState

TARGET = "thread"


@dataclass(frozen=True)
class Talk:
    """What `annotate/threads/_thread.html` draws.

    `url` takes a comment, "" for who only reads; `seen_url` takes the word that new mentions were seen, ""
    without any. `chosen` are the categories of the labels, `others` the rest of those at the round's depth.
    `form` is one that was refused, so that its text is shown again.
    """

    said: list[Said]
    url: str = ""
    seen_url: str = ""
    names: bool = False
    chosen: Sequence[CategoryState] = ()
    others: Sequence[CategoryState] = ()
    form: SayForm | None = None
    longest: int = COMMENT_LENGTH


def talk(
    round_: Round,
    issue_id: int,
    member: Membership | None,
    *,
    said: list[Said] | None = None,
    url: str | None = None,
    names: bool = False,
    book: Codebook | None = None,
    chosen: Sequence[int] | None = None,
    form: SayForm | None = None,
) -> Talk:
    """The thread of an issue for a template, for who may read it (else it is empty).

    `said`: what `queries.threads.thread` gave, where the caller has it. `url`: where comments are sent, if
    not to `comment_on_issue`. `names`: people by their names. `chosen`: the ids of the categories that the
    labels chose, asked for if not given.
    """
    may_say = rules.may_comment(member, round_)
    if said is None:
        said = queries.thread(round_, issue_id, member)
        may_say = may_say and (bool(said) or queries.may_read_thread(round_, issue_id, member))
    seen_url = reverse("see_mentions", args=[round_.pk, issue_id])
    drawn = Talk(said, names=names, seen_url=seen_url if any(one.is_unseen for one in said) else "")
    if not may_say:
        return drawn
    book = book or codebook(round_.version_id)
    if chosen is None:
        found = Disagreement.objects.filter(round=round_, issue=issue_id).values_list("chosen", flat=True)
        chosen = found.first() or ()
    first = [id_ for id_ in chosen if id_ in book.states]
    others = [
        state
        for id_, state in book.states.items()
        if id_ not in first
        and (state.level == round_.depth or (book.is_leaf(id_) and state.level < round_.depth))
    ]
    return Talk(
        said,
        url=reverse("comment_on_issue", args=[round_.pk, issue_id]) if url is None else url,
        seen_url=drawn.seen_url,
        names=names,
        chosen=[book.states[id_] for id_ in first],
        others=others,
        form=form,
    )


@require_POST
def comment_on_issue(request: AuthedRequest, round_id: int, issue_id: int) -> HttpResponse:
    """Say something about an issue whose labels one may see; answers with its thread."""
    round_, member, issue = _issue(request, round_id, issue_id)
    require(rules.may_comment(member, round_))
    form = SayForm(request.POST, book=codebook(round_.version_id))
    if form.is_valid():
        say_once(request, round_, issue, member, form)
        return _answered(request, round_, member, issue)
    if not is_fragment(request):
        refuse(form)
    return _thread(request, round_, member, issue, form)


@require_POST
def see_mentions(request: AuthedRequest, round_id: int, issue_id: int) -> HttpResponse:
    """Note that the comments which name one were read: sent by the thread itself once it is shown."""
    round_, member, issue = _issue(request, round_id, issue_id)
    actions.see_mentions(member=member, issues=[issue.pk], round_=round_)
    return _answered(request, round_, member, issue) if not is_fragment(request) else HttpResponse()


def say_once(request: AuthedRequest, round_: Round, issue: Issue, member: Membership, form: SayForm) -> None:
    """Store the comment of a valid form; a second sending of the same form stores nothing."""
    text, category = form.cleaned_data["text"], form.cleaned_data["category"]
    once(
        request,
        lambda: actions.say(round_=round_, issue=issue, author=member, text=text, category=category),
    )


def refuse(form: SayForm) -> None:
    """Raise what is wrong with a form, with its text, for a browser that shows a page of its own for it."""
    text = str(form.data.get("text", ""))
    if "category" in form.errors:
        raise errors.UnknownCategory(kept={"text": text})
    if text.strip():
        raise errors.CommentTooLong(kept={"text": text})
    raise errors.CommentMissing


def _issue(request: AuthedRequest, round_id: int, issue_id: int) -> tuple[Round, Membership, Issue]:
    """A round, and an issue of it whose labels one may see. Http404 for any other, 403 for who sees none."""
    round_ = get_object_or_404(rounds_for(request.user), pk=round_id)
    member = membership_of(request.user, round_.study)
    require(rules.may_see_disagreements(member, round_))
    if member is None or not queries.may_read_thread(round_, issue_id, member):
        raise Http404
    return round_, member, Issue.objects.get(pk=issue_id)


def _answered(request: AuthedRequest, round_: Round, member: Membership, issue: Issue) -> HttpResponse:
    """The thread as it is now; without JavaScript the page that it stands on, filtered as it was."""
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
    # As it stands on the page of disagreements; a meeting has a view of its own.
    context = {"talk": drawn, "css": "in-panel"}
    response = render(request, "annotate/threads/_thread.html", context, status=status)
    patch_vary_headers(response, VARY)
    return response
