"""How the labelling room is drawn: whole, as JSON with the next turn, or as a refusal beside what was typed.

The parts of the JSON are the same templates as those of the page, drawn with the same names, without a
request: `label.html#issue`, `_turn.html`, `_whose.html`, `_pace.html`, `_recent.html`, `_back.html`.
"""

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils import formats
from django.utils.functional import Promise

from accounts.http import AuthedRequest
from annotate.errors import StaleGuideline, StaleLabel, TextKept
from annotate.forms import DraftForm, SkipForm
from annotate.models import Draft, Label, Round, RoundVolunteer
from annotate.queries import labels as queries
from annotate.queries.looks import before, lost_labels
from annotate.queries.rounds import was_revealed
from annotate.queries.training import answer_view
from annotate.queries.turns import Turn, guideline_of, issue_in, keywords_at, turn_at
from annotate.views.picker import picker
from annotate.views.words import words
from core.errors import DomainError
from core.http import render_page
from core.middleware import wants_json
from ingest.models import Issue
from ingest.reading import read
from studies.models import Membership, Study
from studies.queries import current_guideline, guideline_changes, guideline_news, guidelines

TRAINING = Round.Kind.TRAINING
RECENT = 8
LOOKED_AT = 50


@dataclass(frozen=True)
class Content:
    """What stands in the form: chosen and typed by the member, whether stored or not.

    With a proposed name nothing fits, and `category` is what comes nearest, if anything does.
    """

    category: int | None = None
    summary: str = ""
    unsure: bool = False
    proposed_name: str = ""
    proposed_reason: str = ""

    @classmethod
    def of(cls, stored: Draft | Label | None) -> "Content":
        if stored is None:
            return cls()
        if isinstance(stored, Draft):
            proposed = (stored.proposed_name, stored.proposed_reason)
            return cls(stored.category_id, stored.summary, stored.unsure, *proposed)
        if stored.proposal is None:
            return cls(stored.category_id, stored.summary, stored.unsure)
        name, reason = stored.proposal.name, stored.proposed_reason
        return cls(stored.nearest_id, stored.summary, stored.unsure, name, reason)

    @classmethod
    def typed(cls, request: AuthedRequest) -> "Content":
        post = request.POST
        category = post.get("category", "")
        chosen = int(category) if category.isascii() and category.isdecimal() and len(category) < 19 else None
        proposed = (post.get("proposed_name", ""), post.get("proposed_reason", ""))
        return cls(chosen, post.get("summary", ""), "unsure" in post, *proposed)

    def as_json(self) -> dict[str, Any]:
        return {
            "category": self.category,
            "summary": self.summary,
            "unsure": self.unsure,
            "proposed_name": self.proposed_name,
            "proposed_reason": self.proposed_reason,
        }


def page(
    request: AuthedRequest,
    seat: RoundVolunteer,
    turn: Turn,
    *,
    content: Content | None = None,
    refusal: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The room with one issue. `content`: what stands in the form, else what is stored."""
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
    """What the page needs once an issue is labelled or put off: see `submit_label`."""
    round_ = seat.round
    latest = queries.latest_labels(round_, seat.member)
    stored = None
    if saved is not None:
        code = picker(round_).code(saved.category_id)
        stored = {"issue": saved.issue_id, "category": saved.category_id, "code": code}
    context = (
        frame(round_, seat.member)
        | _pace(seat, latest)
        | {"recent": _recent(round_, latest), "previous": latest[0].issue if latest else None}
    )
    return JsonResponse(
        {
            "said": said,
            "saved": stored,
            "pace": _part("_pace", context),
            "recent": _part("_recent", context),
            "back": _part("_back", context),
            "next": turn_as_json(seat, turn),
            "go": go,
        }
    )


def turn_as_json(seat: RoundVolunteer, turn: Turn | None) -> dict[str, Any] | None:
    """A turn as the browser holds it until it is shown: TURN of `ahead` and `submit_label`."""
    if turn is None:
        return None
    context = _turn_context(seat, turn, Content.of(turn.draft or turn.label))
    return {
        "issue": turn.issue.pk,
        "version": seat.round.version_id,
        "title": f"{turn.issue} · {seat.round.name} · Crosscheck",
        "html": _part("label", context, partial="#issue"),
        "turn": _part("_turn", context),
        "skip_turn": f'<span id="skip-turn">{_part("_whose", context)}</span>',
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
    """Say no beside the form, which keeps what was typed; what is stored stands next to it."""
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
            answer["stored"] = Content.of(stored).as_json() | {"revision": revision}
        if isinstance(refusal, StaleGuideline):
            answer["guideline"] = _new_guideline(request, round_.study)
        if turn is not None and isinstance(refusal, StaleGuideline | StaleLabel):
            answer["turn"] = _part("_turn", _turn_context(seat, turn, Content.typed(request)))
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
    return page(request, seat, turn, content=Content.typed(request), refusal=context, status=status)


def _new_guideline(request: AuthedRequest, study: Study) -> dict[str, Any]:
    """What to read before a label counts as made under it: what changed since the version that the page
    showed.
    """
    current = current_guideline(study)
    seen = request.POST.get("guideline", "")
    old = guidelines(study).filter(pk=int(seen)).first() if seen.isdecimal() and len(seen) < 19 else None
    changes = guideline_changes(old, current) if old and current else ""
    return {"id": current.pk if current else "", "changes": changes}


def _said(form: DraftForm | SkipForm | None) -> list[str | Promise]:
    return [str(text) for texts in form.errors.values() for text in texts] if form else []


def frame(round_: Round, member: Membership) -> dict[str, Any]:
    return {"round": round_, "study": round_.study, "membership": member}


def _part(name: str, context: dict[str, Any], *, partial: str = "") -> str:
    return render_to_string(f"annotate/labels/{name}.html{partial}", context).strip()


def _turn_context(seat: RoundVolunteer, turn: Turn, content: Content) -> dict[str, Any]:
    """The turn, and what may be done with it: `mode` is label, change or read, or in a training answer."""
    round_, member, label = seat.round, seat.member, turn.label
    is_revealed = was_revealed(round_, turn.issue) if label else round_.closed_at is not None
    answer = answer_view(round_, turn.issue, member) if label and round_.kind == Round.Kind.TRAINING else None
    mode = "answer" if answer else "read" if is_revealed else "change" if label else "label"
    return frame(round_, member) | {
        "turn": turn,
        "before": before(turn, round_, member),
        "answer": answer,
        "guideline": guideline_of(seat),
        "reading": read(turn.issue, keywords_at(seat)),
        "content": content,
        "mode": mode,
        "seen": (label.changed_at or label.submitted_at).isoformat() if label else "",
        "label_code": picker(round_).code(label.category_id) if label else "",
        "label_hue": picker(round_).hue(label.category_id) if label else None,
        "is_unsaved_change": bool(
            label and turn.draft and Content.of(turn.draft) != Content.of(label) and not is_revealed
        ),
        "has_gone": turn.assignment is None and label is None,
    }


def _content(round_: Round, turn: Turn) -> Content:
    """What is stored; of an open label whose name a category answers by now, that one, to be submitted."""
    stored = turn.draft or turn.label
    if isinstance(stored, Label) and stored.proposal is not None and stored.proposal.answered_by_id:
        here = picker(round_).states.stands_as(stored.proposal.answered_by_id)
        if here is not None:
            return Content(here, stored.summary, stored.unsure)
    return Content.of(stored)


def _pace(seat: RoundVolunteer, latest: list[queries.Latest]) -> dict[str, Any]:
    progress = queries.progress(seat.round, seat.member, latest, seat)
    share = 100 * progress.done / progress.total if progress.total else 0
    return {"progress": progress, "share": formats.number_format(share, 1)}


def _recent(round_: Round, latest: list[queries.Latest]) -> list[tuple[Any, int]]:
    """The last categories, each once, with their hues."""
    choices = picker(round_)
    distinct = dict.fromkeys(one.category for one in latest[:LOOKED_AT] if one.category is not None)
    known = [id_ for id_ in distinct if id_ in choices.states][:RECENT]
    return [(choices.states[id_], choices.hues[id_]) for id_ in known]


def _before(round_: Round, member: Membership, turn: Turn, latest: list[queries.Latest]) -> int | None:
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
