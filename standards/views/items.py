"""The standards page: items with their states and evidence, and what owners and leads answer."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from core.http import render_page, require
from core.idempotency import once
from standards import sets
from standards.actions.answers import answer_item, undo_answer
from standards.checks import CHECKS
from standards.errors import AnswerRefused
from standards.files import BUILT_IN
from standards.forms import AnswerForm
from standards.outcomes import ASKED, LATER, NOT_MET, STATES, Link
from standards.queries.facts import read_facts
from standards.queries.items import ItemLine, counted, item_lines
from standards.rules import may_answer_standards, may_read_standards
from standards.sets import Item, Standard
from standards.texts.checklist import KIND_NAMES, STATE_NAMES
from studies.models import Membership, Study
from studies.pages import frame, study_of
from studies.rules import may_lead


@require_safe
def standards(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show the items of a set (`set`), all or those of one state (`state`)."""
    study, member = study_of(request, slug, may_read_standards)
    found = sets.standards(CHECKS)
    standard = found.get(request.GET.get("set", BUILT_IN))
    if standard is None:
        raise Http404
    return _page(request, study, member, standard)


def _page(
    request: AuthedRequest,
    study: Study,
    member: Membership,
    standard: Standard,
    refused: tuple[str, AnswerForm] | None = None,
) -> HttpResponse:
    lines = item_lines(standard, read_facts(study, member), study)
    chosen = request.GET.get("state", "")
    shown = [line for line in lines if not chosen or line.state == chosen]
    if refused:
        shown = [line for line in lines if line.item.number == refused[0]]
    context: dict[str, Any] = {
        **frame(study, member, "standards"),
        "sets": list(sets.standards(CHECKS).values()),
        "standard": standard,
        "sections": _sections(shown, member, refused),
        "states": [(state, STATE_NAMES[state], number) for state, number in counted(lines)],
        "chosen": chosen if chosen in STATES else "",
        "all": len(lines),
        "by_platform": sum(line.by_platform for line in lines),
        "leads": may_answer_standards(member) and not study.is_read_only,
    }
    return render_page(request, "standards/standards.html", context, status=422 if refused else 200)


def _sections(
    lines: list[ItemLine], member: Membership, refused: tuple[str, AnswerForm] | None
) -> list[tuple[str, list[dict[str, Any]]]]:
    sections: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        is_typed = refused is not None and refused[0] == line.item.number
        sections.setdefault(str(line.item.section), []).append(
            {
                "line": line,
                "item": line.item,
                "state": STATE_NAMES[line.state],
                "tone": "warn" if line.state == NOT_MET else "" if line.state in {ASKED, LATER} else "ok",
                "kind": KIND_NAMES[line.item.kind],
                "links": shown_links(line.links, member),
                "form": refused[1] if refused and is_typed else None,
                "may_answer": bool(line.item.question or not line.item.check or line.answer)
                or line.state == NOT_MET,
            }
        )
    return list(sections.items())


def shown_links(links: tuple[Link, ...], member: Membership | None) -> list[str]:
    """The addresses that this member can open."""
    return [reverse(one.page, args=one.of) for one in links if not one.leads_only or may_lead(member)]


@require_POST
def answer(request: AuthedRequest, slug: str, key: str, number: str) -> HttpResponse:
    """Store the answer to an item."""
    study, member, standard, item = _item(request, slug, key, number)
    form = AnswerForm(request.POST)
    if form.is_valid():
        values = form.cleaned_data
        try:
            once(
                request,
                lambda: answer_item(study=study, standard=standard, item=item, by=member, **values),
            )
        except AnswerRefused as refused:
            form.add_error(refused.field or None, str(refused.message))
    if form.errors:
        return _page(request, study, member, standard, (item.number, form))
    messages.success(request, _("The answer to item %(item)s is stored.") % {"item": item.number})
    return _back(study, standard, item)


@require_POST
def undo(request: AuthedRequest, slug: str, key: str, number: str) -> HttpResponse:
    """Bring back the answer before the latest one."""
    study, member, standard, item = _item(request, slug, key, number)
    once(request, lambda: undo_answer(study=study, standard=standard, item=item, by=member))
    messages.success(request, _("The earlier answer to item %(item)s is back.") % {"item": item.number})
    return _back(study, standard, item)


def _back(study: Study, standard: Standard, item: Item) -> HttpResponse:
    address = reverse("standards", args=[study.slug], query={"set": standard.key})
    return HttpResponseRedirect(f"{address}#item-{item.number}")


def _item(
    request: AuthedRequest, slug: str, key: str, number: str
) -> tuple[Study, Membership, Standard, Item]:
    """The item that this user may answer. Http404, PermissionDenied."""
    study, member = study_of(request, slug, may_read_standards)
    require(may_answer_standards(member), _("Only owners and leads can answer items."))
    standard = sets.standards(CHECKS).get(key)
    item = standard.item(number) if standard else None
    if standard is None or item is None:
        raise Http404
    return study, member, standard, item
