"""From the list to a meeting: put issues on an agenda, leave them to a pair, or open one again."""

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts.http import AuthedRequest
from consensus.actions import agendas as actions
from consensus.actions.decisions import reopen
from consensus.errors import StaleDecision
from consensus.forms.decisions import PairForm, ReopenForm
from consensus.models import Meeting
from consensus.queries.disagreement_filters import Narrowing, found
from consensus.queries.disagreements import DisagreementRow, disagreement_at
from consensus.views.bulk import filters_in_words
from consensus.views.filter_menu import narrowing_of
from consensus.views.label_cells import decided_code, split_in_words
from consensus.views.matrix import hues
from consensus.views.shortcuts import round_to_settle, tell_left_out
from core.http import go_to, render_page
from core.idempotency import once
from core.numbers import whole_number
from core.templatetags.crosscheck import count
from rounds.models import Round
from rounds.queries.categories import codebook
from studies.models import Membership
from studies.pages import frame


@dataclass(frozen=True)
class ChosenIssues:
    """The chosen disagreements: by their ids, or all that the filters find."""

    issues: tuple[int, ...]
    is_all: bool
    narrowing: Narrowing

    @classmethod
    def read(cls, request: AuthedRequest) -> "ChosenIssues":
        """Read the form, else the address. Http404 for parameters that no page produces."""
        given: QueryDict = request.POST if "issues" in request.POST or "all" in request.POST else request.GET
        parts = [part for text in given.getlist("issues") for part in text.split(",") if part]
        numbers = [number for number in map(whole_number, parts) if number is not None]
        if len(numbers) < len(parts):
            raise Http404
        return cls(
            issues=tuple(dict.fromkeys(numbers)),
            is_all=bool(given.get("all")),
            narrowing=narrowing_of(request.GET),
        )

    def __bool__(self) -> bool:
        return self.is_all or bool(self.issues)

    @property
    def query(self) -> dict[str, str]:
        """The parameters of an address that repeat the choice."""
        if self.is_all:
            return self.narrowing.query | {"all": "1"}
        return {"issues": ",".join(map(str, self.issues))}

    def waiting(self, round_: Round, member: Membership) -> list[int]:
        """The ids of the open issues that the filters find, or of all issues that were chosen by hand."""
        if not self.is_all:
            return list(self.issues)
        if self.narrowing.state not in {"", "open"}:
            return []
        rows = found(round_, replace(self.narrowing, state="open"), member)
        return list(rows.values_list("issue_id", flat=True))


@require_POST
def put_on_agenda(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Put the chosen issues on the agenda of a meeting; `meeting=new` goes to the form of a new one."""
    round_, member = round_to_settle(request, round_id)
    chosen, meeting_id = ChosenIssues.read(request), request.POST.get("meeting", "")
    if not chosen:
        return _agenda_page(request, round_, member, chosen, status=422)
    if meeting_id == "new":
        return go_to(request, f"{reverse('new_meeting', args=[round_.pk])}?{urlencode(chosen.query)}")
    if not meeting_id:
        return _agenda_page(request, round_, member, chosen)
    meeting = get_object_or_404(Meeting, round=round_, pk=whole_number(meeting_id))
    meeting.round = round_
    if chosen.is_all:
        added = actions.put_found_on_agenda(meeting=meeting, by=member, narrowing=chosen.narrowing)
    else:
        added = actions.put_on_agenda(meeting=meeting, by=member, issues=chosen.issues)
    said = ngettext(
        "%(n)s issue is now on the agenda of %(meeting)s.",
        "%(n)s issues are now on the agenda of %(meeting)s.",
        added,
    )
    messages.success(request, said % {"n": count(added), "meeting": meeting.name})
    if not chosen.is_all:
        tell_left_out(request, len(chosen.issues) - added)
    return go_to(request, _dashboard(round_, chosen))


@require_http_methods(["GET", "HEAD", "POST"])
def assign_pair(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Leave the chosen issues to two volunteers, who settle them between them."""
    round_, member = round_to_settle(request, round_id)
    chosen = ChosenIssues.read(request)
    asks = request.method == "POST" and ("first" in request.POST or not chosen)
    form = PairForm(request.POST if asks else None, round_=round_)
    if not asks or not chosen or not form.is_valid():
        context = _carried(round_, member, chosen) | {"form": form}
        return render_page(request, "consensus/bulk/pair.html", context, status=422 if asks else 200)
    issues = chosen.waiting(round_, member)
    meeting = once(
        request, lambda: actions.assign_pair(round_=round_, by=member, issues=issues, **form.cleaned_data)
    )
    if meeting:
        left = meeting.items.count()
        said = ngettext(
            "%(n)s issue is assigned to %(pair)s.", "%(n)s issues are assigned to %(pair)s.", left
        )
        messages.success(request, said % {"n": count(left), "pair": meeting.name})
    return go_to(request, _dashboard(round_, chosen))


@require_http_methods(["GET", "HEAD", "POST"])
def reopen_issue(request: AuthedRequest, round_id: int, issue_id: int) -> HttpResponse:
    """Open a decided disagreement again, with the reason."""
    round_, member = round_to_settle(request, round_id)
    item = disagreement_at(round_, issue_id, member)
    if item is None:
        raise Http404
    address = f"{reverse('disagreements', args=[round_.pk])}?issue={issue_id}"
    if request.method != "POST":
        if item.decision is None:
            return go_to(request, address)
        form = ReopenForm(initial={"seen_number": item.decision.number})
        return _reopen_page(request, round_, member, item, form)
    form = ReopenForm(request.POST)
    if not form.is_valid():
        return _reopen_page(request, round_, member, item, form, status=422)
    try:
        reopen(round_=round_, issue=item.issue, by=member, **form.cleaned_data)
    except StaleDecision as refusal:
        # The page shows the standing decision beside the typed reason.
        item = disagreement_at(round_, issue_id, member) or item
        said = _("Somebody else already reopened this issue. Nothing was changed.")
        if item.decision is not None:
            said = _(
                "Somebody else changed the decision while you typed. Your text is kept. "
                "Read the new decision, then reopen the issue if needed."
            )
        number = item.decision.number if item.decision else 0
        form = ReopenForm(initial={"why": form.cleaned_data["why"], "seen_number": number})
        return _reopen_page(request, round_, member, item, form, refusal=said, status=refusal.status)
    messages.success(request, _("%(issue)s is open again.") % {"issue": item.issue})
    return go_to(request, address)


def _dashboard(round_: Round, chosen: ChosenIssues) -> str:
    """The address of the list, with the filters from which the issues were chosen."""
    return reverse("disagreements", args=[round_.pk], query=chosen.narrowing.query)


def _carried(round_: Round, member: Membership, chosen: ChosenIssues) -> dict[str, Any]:
    """The number of chosen issues, and the parameters that pass the choice to the next form."""
    return {
        **frame(round_.study, member, "disagreements"),
        "round": round_,
        "chosen": chosen,
        "number": len(chosen.waiting(round_, member)),
        "filters": filters_in_words(round_, chosen.narrowing) if chosen.is_all else [],
        "query": urlencode(chosen.narrowing.query),
        "back_url": _dashboard(round_, chosen),
    }


def _agenda_page(
    request: AuthedRequest, round_: Round, member: Membership, chosen: ChosenIssues, *, status: int = 200
) -> HttpResponse:
    context = _carried(round_, member, chosen)
    context["meetings"] = Meeting.objects.filter(round=round_, closed_at=None).order_by("-pk")
    return render_page(request, "consensus/bulk/agenda.html", context, status=status)


def _reopen_page(
    request: AuthedRequest,
    round_: Round,
    member: Membership,
    item: DisagreementRow,
    form: ReopenForm,
    *,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    context = {
        **frame(round_.study, member, "disagreements"),
        "round": round_,
        "item": item,
        "title": item.issue.current.title if item.issue.current else "",
        "parts": split_in_words(item.split, item.open_labels),
        "decided": decided_code(item, hues(codebook(round_.version_id))),
        "form": form,
        "refusal": refusal,
        "back_url": f"{reverse('disagreements', args=[round_.pk])}?issue={item.issue.pk}",
    }
    return render_page(request, "consensus/bulk/reopen.html", context, status=status)
