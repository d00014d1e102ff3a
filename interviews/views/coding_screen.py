"""What the coding page shows: turns with their quotes marked, the codebook, and the form of a quote."""

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import escape, json_script
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from interviews.models import Coder, Coding, Quote, Transcript
from interviews.queries.codings import coders_of
from interviews.queries.open_codes import own_names
from interviews.queries.quotes import (
    QuoteLine,
    Span,
    left_behind,
    on_newest,
    quote_lines,
    quotes_shown,
)
from interviews.views.coding_words import coding_words
from studies.models import Membership
from taxonomy.models import Level
from taxonomy.queries.codebooks import codebook, hues_of
from taxonomy.tree import TEXTS, text_in


@lru_cache(maxsize=32)
def code_list(version_id: int, language: str | None) -> tuple[SafeString, SafeString]:
    """The categories as a list of checkboxes, and the same as JSON with all texts. A published version never
    changes.
    """
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
    data = []
    for state in book.states:
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
    tree = render_to_string("interviews/coding/_tree.html", {"rows": rows})
    tidy = "".join(line.strip() for line in tree.splitlines())
    return mark_safe(tidy), json_script(data, "codebook")  # noqa: S308 - a template made it


def marked(text: str, quotes: Iterable[QuoteLine]) -> SafeString:
    """The text of a turn with its quotes as marks, in one pass; the codes of a mark are in its title."""
    waiting = sorted(quotes, key=lambda one: (one.span.start, one.span.end))
    cuts = sorted({0, len(text), *(place for one in waiting for place in (one.span.start, one.span.end))})
    parts: list[str] = []
    open_: list[QuoteLine] = []
    next_ = 0
    for at, to in pairwise(cuts):
        open_ = [one for one in open_ if one.span.end > at]
        while next_ < len(waiting) and waiting[next_].span.start <= at:
            open_.append(waiting[next_])
            next_ += 1
        piece = escape(text[at:to])
        if open_:
            names = dict.fromkeys(
                name for one in open_ for name in (*one.content.codes, *one.content.open_codes)
            )
            parts.append(f'<mark title="{escape(", ".join(names))}">{piece}</mark>')
        else:
            parts.append(piece)
    return mark_safe("".join(parts))  # noqa: S308 - each part is escaped


def with_chosen(tree: SafeString, codes: Iterable[str]) -> SafeString:
    """The list with some boxes checked, for readers without scripts."""
    made = str(tree)
    for code in codes:
        value = f'value="{escape(code)}"'
        made = made.replace(value, f"{value} checked", 1)
    return mark_safe(made)  # noqa: S308 - a template made it


def screen(
    coding: Coding,
    coder: Coder,
    member: Membership,
    transcript: Transcript,
    asked: Span | None,
    turn: int | None,
    typed: dict[str, Any],
) -> dict[str, Any]:
    """The context of the page for a coder. `turn` is the turn that a reader without scripts codes, `asked`
    the quote that they change, `typed` what they typed into a form that was refused.
    """
    book = codebook(coding.version_id)
    shown = quotes_shown(coding, member)
    quotes = quote_lines(on_newest(coding, shown, transcript), book)
    by_turn: dict[int, list[QuoteLine]] = {}
    for quote in quotes:
        by_turn.setdefault(quote.span.turn, []).append(quote)
    turns = list(transcript.turns.order_by("position"))
    rows = [
        {
            "turn": one,
            "html": marked(one.text, by_turn.get(one.position, ())),
            "quotes": by_turn.get(one.position, ()) if one.position == turn else (),
        }
        for one in turns
    ]
    tree, data = code_list(coding.version_id, get_language())
    chosen = _chosen(by_turn.get(turn, ()) if turn is not None else (), asked)
    return {
        "coding": coding,
        "coder": coder,
        "transcript": transcript,
        "rows": rows,
        "asked_turn": next((one for one in turns if one.position == turn and not one.is_interviewer), None),
        "asked": chosen,
        "tree": with_chosen(
            tree, typed["codes"] if typed else chosen["quote"].content.codes if chosen else ()
        ),
        "codebook": data,
        "quotes": json_script([quote.as_json() for quote in quotes], "quotes"),
        "own_codes": json_script(own_names(member), "own-codes"),
        "count": len(quotes),
        "left_behind": quote_lines(left_behind(coding, shown, transcript), book),
        "dropped": quote_lines(shown.filter(transcript=transcript, dropped_at__isnull=False), book),
        "coders": coders_of(coding),
        "strengths": Quote.Strength.choices,
        "words": coding_words(),
        "hues": hues_of(book.at_level(Level.TYPE)),
        "can_edit": coder.done_at is None and coding.session.participant.erased_at is None,
    }


def _chosen(quotes: Sequence[QuoteLine], asked: Span | None) -> dict[str, Any] | None:
    """The quote that the form holds, with what is stored as the form sends it back."""
    found = next((one for one in quotes if one.span == asked), None)
    if found is None:
        return None
    was = found.as_json()
    kept = {name: was[name] for name in ("codes", "open_codes", "memo", "strength")}
    return {"quote": found, "was": json.dumps(kept)}
