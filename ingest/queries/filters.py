"""The filters of a list of issues, and their parameters in addresses."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Self

from django.db import connection
from django.db.models import QuerySet
from django.db.models.functions import Lower

from core.numbers import whole_number
from core.text.sorting import by_name
from ingest.keywords import ZONES
from ingest.models import SavedFilter
from ingest.queries.keywords import (
    CURRENT_VERSIONS,
    NOTHING_ASKED,
    Keywords,
    KeywordsAsked,
    keywords_in,
)
from studies.models import Study

KINDS: dict[str, bool | None] = {"issue": False, "pull_request": True, "unknown": None}
SIMILAR = ("any", "duplicate")
TEXTS = ("with", "without")
LONGEST_WORDS = 200
MOST_DIGITS = 6
FOUND = ("any", "masked", "none")


@dataclass(frozen=True)
class IssueFilter:
    """The filters of a list of issues; empty values filter nothing. `kind`: issue, pull_request, unknown.
    `text`: with, without. `similar`: any (it has similar reports), duplicate (it is marked as one). `words`:
    each word occurs in the title or is the number. `keywords`: what the study's lists found in the text.
    """

    repository: int | None = None
    year: int | None = None
    kind: str = ""
    similar: str = ""
    text: str = ""
    words: str = ""
    keywords: KeywordsAsked = NOTHING_ASKED

    @classmethod
    def from_query(cls, given: Mapping[str, Any]) -> Self:
        """The filter that an address or a saved filter describes; invalid values are ignored."""
        kind, text = str(given.get("kind") or ""), str(given.get("text") or "")
        return cls(
            repository=whole_number(given.get("repository")),
            year=whole_number(given.get("year")),
            kind=kind if kind in KINDS else "",
            similar=_one_of(SIMILAR, given.get("similar")),
            text=text if text in TEXTS else "",
            words=_text(given, "q"),
            keywords=_keywords(given),
        )

    @property
    def query(self) -> dict[str, str]:
        """The parameters of an address for this filter; from_query(query) gives the filter again."""
        held = {
            "repository": self.repository,
            "year": self.year,
            "kind": self.kind,
            "similar": self.similar,
            "text": self.text,
            "q": self.words,
            "list": self.keywords.keyword_list,
            "keyword": self.keywords.keyword,
            "zone": self.keywords.zone,
            "hits": self.keywords.hits or None,
            "found": self.keywords.found,
        }
        return {name: str(value) for name, value in held.items() if value not in (None, "")}

    def __bool__(self) -> bool:
        return self != IssueFilter()


def _one_of(known: Collection[str], given: object) -> str:
    return given if isinstance(given, str) and given in known else ""


def _text(given: Mapping[str, Any], name: str) -> str:
    return str(given.get(name) or "").replace("\0", "").strip()[:LONGEST_WORDS]


def _keywords(given: Mapping[str, Any]) -> KeywordsAsked:
    zone, found = str(given.get("zone") or ""), str(given.get("found") or "")
    return KeywordsAsked(
        keyword_list=whole_number(given.get("list")),
        keyword=_text(given, "keyword"),
        zone=zone if zone in ZONES else "",
        hits=whole_number(given.get("hits"), digits=MOST_DIGITS) or 0,
        found=found if found in FOUND else "",
    )


def saved_filters(study: Study, page: str = "issues") -> QuerySet[SavedFilter]:
    """The filters that the study has saved for one of its lists, by name."""
    saved = SavedFilter.objects.filter(study=study, page=page)
    return saved.select_related("created_by").order_by(Lower("name"), "pk")


@dataclass(frozen=True)
class Choices:
    """The filters that a study offers for a list: repositories by id, in the order of their paths, the
    keyword lists, and the saved filters of the list: id, name, query.
    """

    repositories: dict[int, str]
    keywords: tuple[Keywords, ...]
    filters: list[tuple[int, str, dict[str, str]]]


_CHOICES = f"""
    SELECT
        (SELECT json_agg(json_build_array(id, path) ORDER BY path)
         FROM ingest_repository WHERE study_id = %(study)s),
        {CURRENT_VERSIONS.format(study="%(study)s")},
        (SELECT json_agg(json_build_array(id, name, query) ORDER BY lower(name), id)
         FROM ingest_savedfilter WHERE study_id = %(study)s AND page = %(page)s)
"""


def choices_of(study_id: int, page: str) -> Choices:
    """The choices of the menus above a list, in the orders of `keywords_of` and `saved_filters`. One
    statement in place of three small queries, because many pages run it, and two more at most, as in
    `keywords_in`.
    """
    with connection.cursor() as cursor:
        cursor.execute(_CHOICES, {"study": study_id, "page": page})
        repositories, versions, filters = cursor.fetchone()
    named = by_name(filters or (), lambda one: one[1])
    return Choices(dict(repositories or ()), keywords_in(versions), [tuple(one) for one in named])
