"""What the coding page shows: turns with their quotes marked, the codebook, and the form of a quote."""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import json_script
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from interviews.models import Coder, Coding, Quote, Transcript
from interviews.queries.codings import coders_of
from interviews.queries.open_codes import own_names
from interviews.queries.quotes import (
    QuoteLine,
    Span,
    left_behind,
    lines_in,
    quote_lines,
    quotes_shown,
)
from interviews.views.coding_words import coding_words
from studies.models import Membership
from taxonomy.models import Level
from taxonomy.queries.codebooks import codebook, hues_of
from taxonomy.tree import TEXTS, text_in

LEAF = 20
"""Turns that the browser lays out together: it skips a leaf that is out of view in one piece."""


@lru_cache(maxsize=32)
def code_list(version_id: int, language: str | None) -> tuple[SafeString, SafeString]:
    """The categories as a list of checkboxes, and the same as JSON with all texts. A published version never
    changes.
    """
    data = []
    for state in codebook(version_id).states:
        shown = text_in(state, "name", language)
        data.append(
            {
                "code": state.code,
                "name": shown,
                "also": " ".join(name for name in (state.name, state.name_zh) if name and name != shown),
                "level": state.level,
                **{name: text_in(state, name, language) for name in TEXTS},
            }
        )
    return tree_of(version_id), json_script(data, "codebook")


def tree_of(version_id: int, chosen: Collection[str] = ()) -> SafeString:
    """The categories as a list of checkboxes; `chosen` are checked, for readers without scripts."""
    book = codebook(version_id)
    rows = [
        {
            "state": state,
            "hue": book.hue(state.category_id),
            "css": "plain" if state.level == Level.SUB_THEME else "",
            "place": place,
        }
        for place, state in enumerate(book.states)
    ]
    drawn = render_to_string("interviews/coding/_tree.html", {"rows": rows, "chosen": chosen})
    return mark_safe(" ".join(drawn.split()))  # noqa: S308 - a template made it


@dataclass(frozen=True)
class Piece:
    """Words of a turn that have the same quotes. `codes`: the codes of these quotes, "" if there are none."""

    text: str
    codes: str = ""


def pieces(text: str, quotes: Iterable[QuoteLine]) -> list[Piece]:
    """The text of a turn, cut where its quotes begin and end. One pass; a quote costs its own length."""
    waiting = sorted(quotes, key=lambda one: (one.span.start, one.span.end))
    cuts = sorted({0, len(text), *(place for one in waiting for place in (one.span.start, one.span.end))})
    made: list[Piece] = []
    open_: list[QuoteLine] = []
    next_ = 0
    for at, to in pairwise(cuts):
        open_ = [one for one in open_ if one.span.end > at]
        while next_ < len(waiting) and waiting[next_].span.start <= at:
            open_.append(waiting[next_])
            next_ += 1
        names = dict.fromkeys(name for one in open_ for name in (*one.content.codes, *one.content.open_codes))
        made.append(Piece(text[at:to], ", ".join(names)))
    return made


def screen(
    coding: Coding,
    coder: Coder,
    member: Membership,
    transcript: Transcript,
    asked: Span | None,
    turn: int | None,
    typed: dict[str, Any],
    *,
    is_plain: bool,
) -> dict[str, Any]:
    """The context of the page for a coder. `turn` is the turn that a reader without scripts codes, `asked`
    the quote that they change, `typed` what they typed into a form that was refused; `is_plain` has the
    marks in the page, which scripts paint themselves.
    """
    book = codebook(coding.version_id)
    shown = quotes_shown(coding, member)
    turns = list(transcript.turns.order_by("position"))
    quotes = lines_in(transcript, turns, shown, book)
    by_turn: dict[int, list[QuoteLine]] = {}
    for quote in quotes:
        by_turn.setdefault(quote.span.turn, []).append(quote)
    rows = [
        (
            str(one.position),
            "turn asks" if one.is_interviewer else "turn",
            one.speaker,
            "" if one.begins is None else one.time,
            pieces(one.text, by_turn.get(one.position, ())) if is_plain else one.text,
        )
        for one in turns
    ]
    tree, data = code_list(coding.version_id, get_language())
    chosen = _chosen(by_turn.get(turn, ()) if turn is not None else (), asked)
    checked = typed["codes"] if typed else chosen["quote"].content.codes if chosen else ()
    return {
        "coding": coding,
        "coder": coder,
        "transcript": transcript,
        "leaves": [rows[at : at + LEAF] for at in range(0, len(rows), LEAF)],
        "is_plain": is_plain,
        "own": by_turn.get(turn, ()) if turn is not None else (),
        "asked_place": str(turn),
        "asked_turn": next((one for one in turns if one.position == turn and not one.is_interviewer), None),
        "asked": chosen,
        "tree": tree_of(coding.version_id, checked) if checked else tree,
        "codebook": data,
        "quotes": json_script([quote.as_row for quote in quotes], "quotes"),
        "own_codes": json_script(own_names(member), "own-codes"),
        "count": len(quotes),
        "left_behind": quote_lines(left_behind(coding, shown, transcript), book),
        "dropped": quote_lines(shown.filter(transcript=transcript, dropped_at__isnull=False), book),
        "coders": coders_of(coding),
        "strengths": Quote.Strength.choices,
        "words": coding_words(),
        "hues": hues_of(book.at_level(Level.TYPE)),
        "can_edit": not (coder.done_at or coder.released_at) and coding.session.participant.erased_at is None,
    }


def _chosen(quotes: Sequence[QuoteLine], asked: Span | None) -> dict[str, Any] | None:
    """The quote that the form holds, with what is stored as the form sends it back."""
    found = next((one for one in quotes if one.span == asked), None)
    if found is None:
        return None
    was = found.as_json()
    kept = {name: was[name] for name in ("codes", "open_codes", "memo", "strength")}
    return {"quote": found, "was": json.dumps(kept)}
