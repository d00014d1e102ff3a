"""How the labelling page is drawn: whole, as JSON with the next turn, or as a refusal beside the typed text.

The parts of the JSON come from the templates of the page, drawn with the same names, without a request:
`label.html#issue`, `_turn.html`, `_whose.html`, `_pace.html`, `_recent.html`, `_back.html`.
"""

from typing import Any

from django.http import Http404, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils import formats
from django.utils.functional import Promise

from accounts.http import AuthedRequest
from annotate.errors import AlreadyLabelled, StaleLabel
from annotate.forms.labels import DraftForm, SkipForm
from annotate.label_input import LabelInput
from annotate.queries import labels as queries
from annotate.queries.second_looks import before, lost_labels
from annotate.queries.training import answer_view
from annotate.queries.turns import Turn, guideline_of, issue_in, reading_at, turn_at
from annotate.views.picker import picker
from annotate.views.script_strings import words
from core.errors import DomainError
from core.http import render_page
from core.middleware import wants_json
from core.numbers import whole_number
from ingest.models import Issue
from rounds.errors import StaleGuideline, TextKept
from rounds.models import Label, Round, RoundVolunteer
from rounds.queries.rounds import once_revealed
from rounds.views.shortcuts import frame
from studies.models import Membership, Study
from studies.queries import current_guideline, guideline_changes, guideline_news, guidelines

TRAINING = Round.Kind.TRAINING
RECENT = 8
LOOKED_AT = 50


def page(
    request: AuthedRequest,
    seat: RoundVolunteer,
    turn: Turn,
    *,
    content: LabelInput | None = None,
    refusal: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The labelling page with one issue. `content`: the values in the form, by default the stored values."""
    round_, member = seat.round, seat.member
    content = content or _content(round_, turn)
    choices = picker(round_)
    latest = queries.latest_labels(round_, member)
    context = (
        _turn_context(seat, turn, content)
        | _pace(seat, latest)
        | {
            "previous": _before(round_, member, turn, latest),
            "recent": _recent(round_, latest),
            "news": guideline_news(member) if round_.is_open else None,
            "lost": lost_labels(round_, member) if round_.is_open else (),
            "refusal": refusal,
            "tree": choices.with_choice(content.category),
            "codebook": choices.data,
            "counts": queries.own_counts(round_, member),
            "words": words,
            "chosen_code": choices.code(content.category),
            "ask_reason": "skip" in request.GET or (refusal or {}).get("region") == "skip-refusal",
        }
    )
    return render_page(request, "annotate/labels/label.html", context, status=status)


def moved_on(
    seat: RoundVolunteer, *, said: str, saved: Label | None, turn: Turn | None, go: str | None
) -> JsonResponse:
    """The JSON for the page after an issue is labelled or skipped: see `submit_label`."""
    stored = None
    if saved is not None:
        code = picker(seat.round).code(saved.category_id)
        stored = {"issue": saved.issue_id, "category": saved.category_id, "code": code}
    return JsonResponse(
        {"said": said, "saved": stored, "next": turn_as_json(seat, turn), "go": go} | own_parts(seat)
    )


def own_parts(seat: RoundVolunteer) -> dict[str, str]:
    """The parts of the page that show the member's last labels: pace, recent choices, the way back."""
    latest = queries.latest_labels(seat.round, seat.member)
    context = (
        frame(seat.round, seat.member)
        | _pace(seat, latest)
        | {"recent": _recent(seat.round, latest), "previous": latest[0].issue if latest else None}
    )
    return {name: _part(f"_{name}", context) for name in ("pace", "recent", "back")}


def turn_as_json(seat: RoundVolunteer, turn: Turn | None) -> dict[str, Any] | None:
    """A turn as the browser keeps it until it is shown: TURN of `ahead` and `submit_label`."""
    if turn is None:
        return None
    context = _turn_context(seat, turn, LabelInput.of(turn.draft or turn.label))
    return {
        "issue": turn.issue.pk,
        "version": seat.round.version_id,
        "title": f"{turn.issue} · {seat.round.name} · Crosscheck",
        "html": _part("label", context, partial="#issue"),
        "turn": _part("_turn", context),
        "skip_turn": _part("_skip_turn", context),
    }


def refused(
    request: AuthedRequest,
    seat: RoundVolunteer,
    issue: Issue,
    *,
    form: DraftForm | SkipForm | None = None,
    refusal: DomainError | None = None,
    region: str = "refusal",
) -> HttpResponse:
    """Show the refusal beside the form with the typed text, and the stored draft or label next to it."""
    round_, member = seat.round, seat.member
    if issue_in(round_, issue.pk) is None:
        raise Http404
    status = refusal.status if refusal else 422
    texts = [refusal.message] if refusal else _said(form)
    stored = getattr(refusal, "stored", None) or getattr(refusal, "label", None)
    is_change = bool(request.POST.get("seen"))
    turn = turn_at(round_, member, issue.pk, again=not is_change)
    if wants_json(request):
        answer: dict[str, Any] = {
            "detail": " ".join(map(str, texts)),
            "code": type(refusal or form).__name__,
            "kept": isinstance(refusal, TextKept) and refusal.is_kept,
            "issue": issue.pk,
        }
        if stored is not None:
            revision = getattr(stored, "revision", 0)
            answer["stored"] = LabelInput.of(stored).content | {"revision": revision}
        if isinstance(refusal, AlreadyLabelled):
            answer |= own_parts(seat)
        if isinstance(refusal, StaleGuideline):
            answer["guideline"] = _new_guideline(request, round_.study)
        if turn is not None and isinstance(refusal, StaleGuideline | StaleLabel):
            answer["turn"] = _part("_turn", _turn_context(seat, turn, _typed(request)))
        return JsonResponse(answer, status=status)
    if turn is None:
        raise refusal or Http404
    context = {
        "said": texts,
        "stored": stored,
        "stored_code": picker(round_).code(stored.category_id) if stored else "",
        "stored_hue": picker(round_).hue(stored.category_id) if stored else None,
        "kind": type(refusal).__name__,
        "region": region,
    }
    return page(request, seat, turn, content=_typed(request), refusal=context, status=status)


def _new_guideline(request: AuthedRequest, study: Study) -> dict[str, Any]:
    """The changes in the guideline since the version that the page showed, to be read before the label."""
    current = current_guideline(study)
    seen = whole_number(request.POST.get("guideline"))
    old = guidelines(study).filter(pk=seen).first() if seen else None
    changes = guideline_changes(old, current) if old and current else []
    return {
        "id": current.pk if current else "",
        "changes": render_to_string("studies/_changes.html", {"paragraphs": changes}).strip(),
    }


def _said(form: DraftForm | SkipForm | None) -> list[str | Promise]:
    return [str(text) for texts in form.errors.values() for text in texts] if form else []


def _part(name: str, context: dict[str, Any], *, partial: str = "") -> str:
    return render_to_string(f"annotate/labels/{name}.html{partial}", context).strip()


def _turn_context(seat: RoundVolunteer, turn: Turn, content: LabelInput) -> dict[str, Any]:
    """The turn, and its `mode`: label, change or read; answer in a training once the issue is labelled."""
    round_, member, label = seat.round, seat.member, turn.label
    is_revealed = round_.closed_at is not None
    if label:
        is_revealed = once_revealed(round_).filter(issue=turn.issue).exists()
    answer = answer_view(round_, turn.issue, member) if label and round_.kind == Round.Kind.TRAINING else None
    mode = "answer" if answer else "read" if is_revealed else "change" if label else "label"
    return frame(round_, member) | {
        "turn": turn,
        "before": before(turn, round_, member),
        "answer": answer,
        "guideline": guideline_of(seat),
        "reading": reading_at(seat, turn.issue),
        "content": content,
        "mode": mode,
        "seen": (label.changed_at or label.submitted_at).isoformat() if label else "",
        "label_code": picker(round_).code(label.category_id) if label else "",
        "label_hue": picker(round_).hue(label.category_id) if label else None,
        "is_unsaved_change": bool(
            label and turn.draft and LabelInput.of(turn.draft) != LabelInput.of(label) and not is_revealed
        ),
        "has_gone": turn.assignment is None and label is None,
    }


def _typed(request: AuthedRequest) -> LabelInput:
    """The posted content as typed, valid or not, to be shown again."""
    post = request.POST
    proposal = (post.get("proposed_name", ""), post.get("proposed_reason", ""))
    chosen = whole_number(post.get("category"))
    return LabelInput(chosen, post.get("summary", ""), "unsure" in post, *proposal)


def _content(round_: Round, turn: Turn) -> LabelInput:
    """The stored values; for an open label whose proposal a category answers, that category."""
    stored = turn.draft or turn.label
    if isinstance(stored, Label) and stored.proposal is not None and stored.proposal.answered_by_id:
        here = picker(round_).states.stands_as(stored.proposal.answered_by_id)
        if here is not None:
            return LabelInput(here, stored.summary, stored.unsure)
    return LabelInput.of(stored)


def _pace(seat: RoundVolunteer, latest: list[queries.LatestLabel]) -> dict[str, Any]:
    progress = queries.progress(seat.round, seat.member, latest, seat)
    share = 100 * progress.done / progress.total if progress.total else 0
    return {"progress": progress, "share": formats.number_format(share, 1)}


def _recent(round_: Round, latest: list[queries.LatestLabel]) -> list[tuple[Any, int]]:
    """The distinct categories of the last labels, with their hues."""
    choices = picker(round_)
    distinct = dict.fromkeys(one.category for one in latest[:LOOKED_AT] if one.category is not None)
    known = [id_ for id_ in distinct if id_ in choices.states][:RECENT]
    return [(choices.states[id_], choices.hues[id_]) for id_ in known]


def _before(round_: Round, member: Membership, turn: Turn, latest: list[queries.LatestLabel]) -> int | None:
    """The issue that the member labelled before this one, or last of all."""
    if turn.label is None:
        return latest[0].issue if latest else None
    places = [one.issue for one in latest]
    if turn.issue.pk in places[:-1]:
        return places[places.index(turn.issue.pk) + 1]
    if turn.label.pk is None:
        return None
    cursor = f"{turn.label.submitted_at.isoformat()}_{turn.label.pk}"
    rows = queries.own_labels(round_, member, after=cursor, limit=1).rows
    return rows[0].label.issue_id if rows else None
