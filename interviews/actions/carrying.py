"""Quotes of an earlier transcript are carried to a corrected one, by aligned turns and exact text. What
cannot be carried stays on the earlier version, and is listed (interviews.queries.quotes.left_behind).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from django.db import transaction

from interviews.models import Quote, QuoteCode, Settlement, Transcript, Turn

WORD = re.compile(r"[^\W\u2e80-\uffff]+|[\u2e80-\uffff]")
"""A word, or a letter of a script without spaces: turns are compared by words, which is fast enough."""
ALIKE = 0.5
"""How similar two turns must be, from 0 to 1, to be one turn that was corrected."""
AROUND = 24
"""Characters before and after a quote that tell two places with the same text apart."""
MOST_PAIRS = 400
"""In a stretch with more changed turns than this in both versions, turns are paired in their order."""


@dataclass(frozen=True)
class Said:
    """A turn as it is aligned."""

    text: str
    is_interviewer: bool


def aligned(old: Sequence[Said], new: Sequence[Said]) -> dict[int, list[int]]:
    """For each place of an old turn the places of the new turns that it may be now, best first: the equal
    one, or those of the same stretch of changes that are similar, contain it or are a part of it. A turn that
    has its counterpart is none that has another counterpart: its quotes do not move to a similar neighbour.
    """
    found: dict[int, list[int]] = {}
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag == "equal":
            found |= {old_from + step: [new_from + step] for step in range(old_to - old_from)}
            continue
        pairs = (old_to - old_from) * (new_to - new_from)
        rates: dict[int, dict[int, float]] = {}
        for place in range(old_from, old_to):
            near = range(new_from, new_to)
            if pairs > MOST_PAIRS:
                middle = new_from + (place - old_from)
                near = range(max(new_from, middle - 5), min(new_to, middle + 6))
            rated = ((other, _alike(old[place], new[other])) for other in near)
            rates[place] = {other: rate for other, rate in rated if rate >= ALIKE}
        found |= _counterparts(rates)
    return found


def _counterparts(rates: Mapping[int, Mapping[int, float]]) -> dict[int, list[int]]:
    """The new turns that each old one may be, best first, by how similar they are."""
    closest: dict[int, float] = {}
    for rated in rates.values():
        for other, rate in rated.items():
            closest[other] = max(rate, closest.get(other, 0))
    found = {}
    for place, rated in rates.items():
        near = sorted(rated, key=lambda other: (-rated[other], other))
        own = [other for other in near if rated[other] == closest[other]]
        found[place] = own if near and near[0] in own else near
    return found


def _alike(one: Said, other: Said) -> float:
    if one.is_interviewer != other.is_interviewer or not one.text or not other.text:
        return 0
    if one.text in other.text or other.text in one.text:
        return 1
    matcher = SequenceMatcher(None, WORD.findall(one.text), WORD.findall(other.text), autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= ALIKE else 0


def place_in(text: str, start: int, end: int, other: str) -> tuple[int, int] | None:
    """Where the quote `text[start:end]` is in another text: its only place, or the only one with the same
    words before or after it; None where that is not sure.
    """
    if text == other:
        return start, end
    quote = text[start:end]
    places = _places(quote, other)
    if len(places) > 1:
        before, after = text[max(0, start - AROUND) : start], text[end : end + AROUND]
        whole = [
            one
            for one in places
            if other[:one].endswith(before) and other[one + len(quote) :].startswith(after)
        ]
        half = [
            one
            for one in places
            if other[:one].endswith(before) or other[one + len(quote) :].startswith(after)
        ]
        places = whole or half
    return (places[0], places[0] + len(quote)) if len(places) == 1 else None


def _places(quote: str, other: str) -> list[int]:
    found, at = [], other.find(quote)
    while at >= 0:
        found.append(at)
        at = other.find(quote, at + 1)
    return found


@transaction.atomic
def carry_quotes(*, old: Transcript, new: Transcript) -> None:
    """Carry all quotes that are not dropped, of whatever coder, and what was settled on them. It returns and
    records nothing: even their number would tell the member who corrects how much others code.
    """
    quotes = list(
        Quote.objects.filter(transcript=old, dropped_at=None)
        .select_related("turn")
        .prefetch_related("codes")
        .order_by("turn__position", "start", "pk")
    )
    if not quotes:
        return
    before, after = (list(one.turns.order_by("position")) for one in (old, new))
    may_be = aligned(*([Said(t.text, t.is_interviewer) for t in turns] for turns in (before, after)))
    places = {turn.pk: place for place, turn in enumerate(before)}
    taken: set[tuple[int | None, int, int, int]] = set()
    made: dict[int, Quote] = {}
    for quote in quotes:
        turns = [after[other] for other in may_be.get(places[quote.turn_id], ())]
        found = _found(quote, turns)
        if found is None:
            continue
        turn, start, end = found
        if (quote.coder_id, turn.pk, start, end) in taken:
            continue
        taken.add((quote.coder_id, turn.pk, start, end))
        made[quote.pk] = carried(quote, new, turn, start, end)
    Quote.objects.bulk_create(made.values(), batch_size=1_000)
    QuoteCode.objects.bulk_create(
        (
            QuoteCode(quote=made[quote.pk], category_id=code.category_id, open_code_id=code.open_code_id)
            for quote in quotes
            if quote.pk in made
            for code in quote.codes.all()
        ),
        batch_size=2_000,
    )
    _carry_settlements(old, made)


def _found(quote: Quote, turns: Sequence[Turn]) -> tuple[Turn, int, int] | None:
    """The first of the turns that has the quote in one sure place."""
    for turn in turns:
        if turn.is_interviewer:
            continue
        place = place_in(quote.turn.text, quote.start, quote.end, turn.text)
        if place is not None and turn.text:
            return turn, *place
    return None


def carried(quote: Quote, new: Transcript, turn: Turn, start: int, end: int) -> Quote:
    """The same quote at a place of a newer transcript, without its codes, not saved."""
    kept = ("coding_id", "coder_id", "memo", "strength", "made_by_id", "made_at")
    values = {name: getattr(quote, name) for name in kept}
    return Quote(transcript=new, turn=turn, start=start, end=end, carried_from=quote, **values)


def _carry_settlements(old: Transcript, made: dict[int, Quote]) -> None:
    """What was settled holds on the new version where the common quote and a source were carried."""
    rows = Settlement.objects.filter(sources__transcript=old).prefetch_related("sources").distinct()
    for row in rows:
        sources = [made[source.pk] for source in row.sources.all() if source.pk in made]
        if not sources or (row.quote_id is not None and row.quote_id not in made):
            continue
        kept = ("coding_id", "method", "rationale", "by_id", "at")
        again = Settlement.objects.create(
            quote=made[row.quote_id] if row.quote_id is not None else None,
            **{name: getattr(row, name) for name in kept},
        )
        again.sources.set(sources)
