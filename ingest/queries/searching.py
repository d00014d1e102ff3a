"""The full-text search of issues: by words, by number or by address; and the order of its pages."""

import re
from collections.abc import Mapping

from django.db.models import BigIntegerField, ExpressionWrapper, F, Q, QuerySet, Value
from django.db.models.expressions import RawSQL
from django.db.models.lookups import In

from core.numbers import whole_number
from core.pages import ON_A_PAGE, Page
from ingest.addresses import BadAddress, parse
from ingest.models import Issue
from ingest.searching import BODY, TITLE, phrases, query

TIER = 2**40
"""More than any id of an issue: every issue of a tier comes before all of the next one."""

_QUOTED = "SELECT FROM ingest_snapshot s WHERE s.id = texts.id{} OFFSET 0"
_SAYS = " AND (s.title ~* %s OR s.body ~* %s OR s.comments::text ~* %s)"
_NUMBER = re.compile(r"#?([A-Za-z]?[A-Za-z0-9]*[0-9][A-Za-z0-9]*)")


def answering(issues: QuerySet[Issue], words: str) -> QuerySet[Issue]:
    """The issues whose current text has all of the words, each in title, text or comments, or longer words
    that begin so, and all phrases in quotes; or the issue of this number or address. `#129` is a number only.
    """
    if _is_number_only(words):
        return issues.filter(_named(words))
    found = _has(words)
    return issues.filter(_named(words) | Q(found)) if _names(words) else issues.filter(found)


def best_first(
    issues: QuerySet[Issue], words: str, asked: Mapping[str, str]
) -> tuple[Page[Issue], list[int]]:
    """A page of what `answering` found, and the tier of each of its rows: 3 for the number or address, 2 for
    all words in the title, 1 for title and text, 0 with comments. In each tier the newest first. The keys of
    pages are TIER times the tier, and the id.

    A query for each tier that the page reaches: a word of many texts fills the page with titles. Their rows
    hold ids only.
    """
    keys = {name: whole_number(asked.get(name)) for name in ("before", "after")}
    goes_back = keys["after"] is not None
    key = keys["after"] if goes_back else keys["before"]
    found: list[tuple[int, Issue]] = []
    parts = _tiers(issues, words)
    for tier, part in reversed(parts) if goes_back else parts:
        bound = {} if key is None else {"pk__gt" if goes_back else "pk__lt": key - TIER * tier}
        ordered = part.filter(**bound).only("pk").order_by("pk" if goes_back else "-pk")
        found += [(tier, row) for row in ordered[: ON_A_PAGE + 1 - len(found)]]
        if len(found) > ON_A_PAGE:
            break
    more = len(found) > ON_A_PAGE
    shown = found[:ON_A_PAGE]
    if goes_back:
        shown.reverse()
    places = [tier * TIER + row.pk for tier, row in shown]
    page = Page(
        rows=[row for _tier, row in shown],
        previous=places[0] if shown and (more if goes_back else key is not None) else None,
        next=places[-1] if shown and (goes_back or more) else None,
        newest_first=True,
    )
    return page, [tier for tier, _row in shown]


def _tiers(issues: QuerySet[Issue], words: str) -> list[tuple[int, QuerySet[Issue]]]:
    """What `answering` finds in parts, the best first."""
    if _is_number_only(words):
        return [(3, issues.filter(_named(words)))]
    title, text, any_ = Q(_has(words, TITLE)), Q(_has(words, TITLE + BODY)), Q(_has(words))
    parts = [(2, issues.filter(title)), (1, issues.filter(text, ~title)), (0, issues.filter(any_, ~text))]
    if not _names(words):
        return parts
    named = _named(words)
    return [(3, issues.filter(named)), *((tier, part.exclude(named)) for tier, part in parts)]


def _has(words: str, *places: str) -> In:
    """The condition that the current text has these words. A search without words finds nothing.

    The sum keeps PostgreSQL from asking an index for each text that was found: it cannot guess their number.
    """
    current = ExpressionWrapper(F("current_id") + Value(0), output_field=BigIntegerField())
    found = "SELECT ingest_texts_with(%s::tsquery)"
    given = [query(words, *places)]
    if asked := phrases(words):
        # Only texts with all of the words are read. OFFSET 0 keeps PostgreSQL from reading all texts first.
        found = f"SELECT id FROM ({found} AS id) texts WHERE EXISTS ({_QUOTED.format(_SAYS * len(asked))})"
        given += [phrase for phrase in asked for _place in range(3)]
    return In(current, RawSQL(found, given))  # noqa: S611 - the pieces are constants


def _is_number_only(words: str) -> bool:
    return words.startswith("#") and bool(_NUMBER.fullmatch(words))


def _names(words: str) -> bool:
    return bool(_NUMBER.fullmatch(words)) or "://" in words


def _named(words: str) -> Q:
    """The issue that the words name by its number or its address, if they do."""
    if number := _NUMBER.fullmatch(words):
        return Q(number=number[1].upper())
    if "://" in words:
        try:
            address = parse(words)
        except BadAddress:
            return Q(pk__in=())
        return Q(repository__host=address.host, repository__path__iexact=address.path, number=address.number)
    return Q(pk__in=())
