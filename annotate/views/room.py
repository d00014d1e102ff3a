"""How the labelling room is drawn: whole, as the next issue, or as a refusal beside what was typed."""

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import formats
from django_htmx.http import reswap, retarget

from accounts.http import AuthedRequest
from annotate.forms import DraftForm, SkipForm
from annotate.models import Draft, Label, Round
from annotate.queries import labels as queries
from annotate.queries.rounds import revealed
from annotate.queries.turns import Turn, turn_at
from annotate.views.picker import picker
from annotate.views.words import words
from core.errors import DomainError
from core.http import is_fragment, render_page
from core.middleware import wants_json
from ingest.models import Issue
from ingest.reading import read
from studies.models import Membership

RECENT = 8


@dataclass(frozen=True)
class Content:
    """What stands in the form: chosen and typed by the member, whether stored or not."""

    category: int | None = None
    summary: str = ""
    unsure: bool = False

    @classmethod
    def of(cls, stored: Draft | Label | None) -> "Content":
        return cls(stored.category_id, stored.summary, stored.unsure) if stored else cls()

    @classmethod
    def typed(cls, request: AuthedRequest) -> "Content":
        category = request.POST.get("category", "")
        chosen = int(category) if category.isascii() and category.isdecimal() and len(category) < 19 else None
        return cls(chosen, request.POST.get("summary", ""), "unsure" in request.POST)


def page(
    request: AuthedRequest,
    round_: Round,
    member: Membership,
    turn: Turn,
    *,
    content: Content | None = None,
    refusal: dict[str, Any] | None = None,
    moved: bool = False,
    said: str = "",
    status: int = 200,
) -> HttpResponse:
    """The room, or with `moved` what of it changes from one issue to the next."""
    stored = Content.of(turn.draft or turn.label)
    content = content or stored
    choices = picker(round_)
    latest = queries.latest_choices(round_, member)
    recent = [id_ for id_ in dict.fromkeys(category for _issue, category in latest) if id_ in choices.states]
    context = (
        frame(round_, member)
        | _turn_context(round_, turn)
        | {
            "reading": read(turn.issue),
            "content": content,
            "previous": _before(round_, member, turn.label)
            if turn.label
            else latest[0][0]
            if latest
            else None,
            "progress": queries.progress(round_, member),
            "recent": [(choices.states[id_], choices.hues[id_]) for id_ in recent[:RECENT]],
            "moved": moved,
            "said": said,
            "refusal": refusal,
            # Called by the template of the whole page; the answer to a submit has no use for them.
            "tree": lambda: choices.with_choice(content.category),
            "codebook": choices.data,
            "counts": lambda: queries.own_counts(round_, member),
            "words": words,
            "chosen_code": choices.code(content.category),
            "ask_reason": "skip" in request.GET or (refusal or {}).get("region") == "skip-refusal",
        }
    )
    context["share"] = _share(context["progress"])
    return render_page(request, "annotate/labels/label.html", context, partials=["issue"], status=status)


def refused(
    request: AuthedRequest,
    round_: Round,
    member: Membership,
    issue: Issue,
    *,
    form: DraftForm | SkipForm | None = None,
    refusal: DomainError | None = None,
    region: str = "refusal",
) -> HttpResponse:
    """Say no beside the form, which keeps what was typed; what is stored stands next to it."""
    status = refusal.status if refusal else 422
    said = (
        [refusal.message]
        if refusal
        else [text for texts in form.errors.values() for text in texts]
        if form
        else []
    )
    stored = getattr(refusal, "stored", None) or getattr(refusal, "label", None)
    if wants_json(request):
        answer: dict[str, Any] = {"detail": " ".join(map(str, said)), "code": type(refusal or form).__name__}
        if stored is not None:
            kept = Content.of(stored)
            answer["stored"] = {
                "category": kept.category,
                "summary": kept.summary,
                "unsure": kept.unsure,
                "revision": getattr(stored, "revision", 0),
            }
        return JsonResponse(answer, status=status)
    turn = turn_at(round_, member, issue.pk)
    if turn is None:
        raise refusal or Http404
    context = {
        "said": said,
        "stored": stored,
        "stored_code": picker(round_).code(stored.category_id) if stored else "",
        "stored_hue": picker(round_).hue(stored.category_id) if stored else None,
        "kind": type(refusal).__name__,
        "region": region,
    }
    if is_fragment(request):
        whole = frame(round_, member) | _turn_context(round_, turn) | {"refusal": context, "moved": True}
        response = render(request, "annotate/labels/_refusal_answer.html", whole, status=status)
        return reswap(retarget(response, f"#{region}"), "innerHTML")
    return page(request, round_, member, turn, content=Content.typed(request), refusal=context, status=status)


def frame(round_: Round, member: Membership) -> dict[str, Any]:
    return {"round": round_, "study": round_.study, "membership": member}


def _turn_context(round_: Round, turn: Turn) -> dict[str, Any]:
    """The turn, and what may be done with it: `mode` is label, change or read."""
    label = turn.label
    is_revealed = (
        revealed(round_).filter(issue=turn.issue).exists() if label else round_.closed_at is not None
    )
    return {
        "turn": turn,
        "mode": "read" if is_revealed else "change" if label else "label",
        "seen": (label.changed_at or label.submitted_at).isoformat() if label else "",
        "label_code": picker(round_).code(label.category_id) if label else "",
        "label_hue": picker(round_).hue(label.category_id) if label else None,
        "is_unsaved_change": bool(
            label and turn.draft and Content.of(turn.draft) != Content.of(label) and not is_revealed
        ),
        "lost": turn.assignment is None and label is None,
    }


def _before(round_: Round, member: Membership, label: Label) -> int | None:
    """The issue that the member labelled before this one."""
    cursor = f"{label.submitted_at.isoformat()}_{label.pk}"
    rows = queries.own_labels(round_, member, after=cursor, limit=1).rows
    return rows[0].label.issue_id if rows else None


def _share(progress: queries.Progress) -> str:
    return formats.number_format(100 * progress.done / progress.total if progress.total else 0, 1)
