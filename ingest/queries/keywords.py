"""What the keyword lists of a study say now, and the issues in whose texts their terms occur.

Texts are searched by a job (ingest.actions.finds); everything here reads what it found.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, or_
from typing import Any

from django.db import connection
from django.db.models import Exists, F, Min, OuterRef, Q, QuerySet, Sum
from django.utils.functional import cached_property

from core.models import Job
from core.once import once_a_page
from ingest.keywords import ZONES, Matcher, Switches, Term, fold
from ingest.models import Issue, KeywordList, KeywordListVersion, KeywordTerm, Repository, TermFind
from studies.models import Study

SEARCH = "ingest.find_keywords"
"""The kind of job that searches a study's keywords in its texts."""

MOST_REMEMBERED = 512


@dataclass(frozen=True)
class Keywords:
    """What one version of a list says. It never changes. `ids` are those of its terms."""

    version: int
    repositories: frozenset[str]
    switches: Switches
    terms: tuple[Term, ...]
    ids: tuple[int, ...]

    def names(self, repository: Repository) -> bool:
        """Does the list name this repository? A list without repositories names all."""
        return not self.repositories or repository.key in self.repositories

    @cached_property
    def matcher(self) -> Matcher:
        return Matcher(self.terms, self.switches)


_CURRENT = """
    SELECT v.id FROM ingest_keywordlist l
    JOIN LATERAL (
        SELECT id FROM ingest_keywordlistversion WHERE keyword_list_id = l.id ORDER BY number DESC LIMIT 1
    ) v ON true
    WHERE l.study_id = {study} AND l.retired_at IS NULL ORDER BY lower(l.name), l.id
"""
CURRENT_VERSIONS = "ARRAY(" + _CURRENT + ")"
"""SQL: the ids of the current versions of a study's lists, by name; `study` is the study's id."""

_known: dict[int, Keywords] = {}


def current_ids(study_id: int) -> list[int]:
    """The ids of the current versions of the lists that are not retired, in the order of their names."""
    with connection.cursor() as cursor:
        cursor.execute(_CURRENT.format(study="%s"), [study_id])
        return [id_ for (id_,) in cursor.fetchall()]


@once_a_page
def keywords_of(study_id: int) -> tuple[Keywords, ...]:
    """What the study's lists say now, in the order of their names, without retired ones. One query, and two
    more for versions that this process has not read yet.
    """
    return keywords_in(current_ids(study_id))


def keywords_in(versions: Sequence[int]) -> tuple[Keywords, ...]:
    """What these versions say. At most two queries: a version stays as stored, and this process keeps it."""
    missing = [id_ for id_ in versions if id_ not in _known]
    read = _read(missing) if missing else {}
    while len(_known) + len(read) > MOST_REMEMBERED and _known:
        del _known[next(iter(_known))]
    found = {id_: read.get(id_) or _known[id_] for id_ in versions}
    _known.update(read)
    return tuple(found.values())


def forget_versions() -> None:
    """Let this process read versions from the database again. For tests, in which ids begin anew."""
    _known.clear()


def _read(versions: Sequence[int]) -> dict[int, Keywords]:
    terms: dict[int, list[KeywordTerm]] = {id_: [] for id_ in versions}
    for term in KeywordTerm.objects.filter(version__in=versions).order_by("version", "position"):
        terms[term.version_id].append(term)
    return {
        one.pk: Keywords(
            version=one.pk,
            repositories=frozenset(one.repositories),
            switches=Switches.from_json(one.switches),
            terms=tuple(map(as_term, terms[one.pk])),
            ids=tuple(term.pk for term in terms[one.pk]),
        )
        for one in KeywordListVersion.objects.filter(pk__in=versions)
    }


def as_term(stored: KeywordTerm) -> Term:
    return Term(stored.text, stored.kind, stored.is_case_sensitive)  # type: ignore[arg-type]  # one of KINDS


def search_of(study: Study) -> Job | None:
    """The latest job that searches the study's keywords in its texts."""
    return Job.objects.filter(kind=SEARCH, arguments__study=study.pk).order_by("-pk").first()


def words_of(lists: Iterable[Keywords]) -> tuple[str, ...]:
    """The terms of these lists, each once, in alphabetical order."""
    words = {term.text for terms in lists for term in terms.terms}
    return tuple(sorted(words, key=lambda word: (fold(word).text, word)))


def terms_named(lists: Iterable[Keywords], word: str) -> list[int]:
    """The ids of the terms that a word means: those written exactly so, or else those that differ only in
    case and width.
    """
    every = [(id_, term.text) for terms in lists for id_, term in zip(terms.ids, terms.terms, strict=True)]
    exactly = [id_ for id_, text in every if text == word]
    return exactly or [id_ for id_, text in every if fold(text).text == fold(word).text]


def with_keyword(study: Study, word: str, *, among: QuerySet[Any, Any]) -> str:
    """The ids, out of `among`, of the study's issues in whose title or text a term of a list occurs where it
    counts, in no order, as an array in PostgreSQL's notation, such as {3,1}: converting thousands of numbers
    for another statement would take longer than finding them. A word that is no term is in no issue.

    Two queries, and at most two more in a process that has not read the lists yet.
    """
    terms = terms_named(keywords_of(study.pk), word)
    if not terms:
        return "{}"
    found = Issue.objects.filter(pk__in=among, current__in=counted_finds(terms).values("snapshot"))
    query, parameters = found.values_list("pk", flat=True).query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT coalesce(array_agg(pk), '{{}}')::text FROM ({query}) found (pk)", parameters)
        return str(cursor.fetchone()[0])


def counted_finds(terms: Sequence[int], zone: str = "") -> QuerySet[TermFind]:
    """The finds of these terms where they count, or in one of the zones."""
    finds = TermFind.objects.filter(term__in=terms)
    anywhere = reduce(or_, (Q(**{f"{name}__gt": 0}) for name in ZONES))
    return finds.filter(Q(**{f"{zone}__gt": 0}) if zone else anywhere)


@dataclass(frozen=True)
class KeywordsAsked:
    """What a list of issues is narrowed to by keywords; empty values narrow nothing.

    `keyword_list`: its id; without it all lists count that are not retired. `keyword`: a term. `zone`: title,
    prose or code. `hits`: at least so many. `found`: "any" (a term counts), "masked" (terms only where they
    do not count) or "none" (no term at all).
    """

    keyword_list: int | None = None
    keyword: str = ""
    zone: str = ""
    hits: int = 0
    found: str = ""

    def __bool__(self) -> bool:
        return self != KeywordsAsked()


NOTHING_ASKED = KeywordsAsked()


def narrowed_by_keywords(issues: QuerySet[Issue], study_id: int, asked: KeywordsAsked) -> QuerySet[Issue]:
    """The issues whose current text the lists found as asked. "none" holds only issues that have a text which
    every asked list has searched, in repositories that it names. Two queries, and at most two more.
    """
    lists = lists_asked(study_id, asked.keyword_list)
    ids = [id_ for terms in lists for id_ in terms.ids]
    terms = terms_named(lists, asked.keyword) if asked.keyword else ids
    finds = TermFind.objects.filter(term__in=terms)
    if asked.found == "none":
        found = finds.filter(snapshot=OuterRef("current"))
        return _searched_by(issues, study_id, lists).filter(~Exists(found))
    if asked.found == "masked":
        # A find is somewhere: what counts nowhere is where it does not count.
        return issues.filter(current__in=_summed(finds).filter(often=0).values("snapshot"))
    counted = counted_finds(terms, asked.zone)
    if asked.hits > 1:
        often = _summed(counted, asked.zone).filter(often__gte=asked.hits)
        return issues.filter(current__in=often.values("snapshot"))
    return issues.filter(current__in=counted.values("snapshot"))


def lists_asked(study_id: int, keyword_list: int | None) -> tuple[Keywords, ...]:
    """The current lists, or the latest version of one list of the study, even of a retired one."""
    if keyword_list is None:
        return keywords_of(study_id)
    versions = KeywordListVersion.objects.filter(keyword_list=keyword_list, keyword_list__study=study_id)
    return keywords_in(list(versions.order_by("-number").values_list("pk", flat=True)[:1]))


def _summed(finds: QuerySet[TermFind], zone: str = "") -> QuerySet[Any, Any]:
    """The snapshots of these finds with their hits, `often`: in one zone, or wherever they count."""
    each = F(zone) if zone else reduce(add, map(F, ZONES))
    return finds.values("snapshot").annotate(often=Sum(each))


def _searched_by(issues: QuerySet[Issue], study_id: int, lists: Sequence[Keywords]) -> QuerySet[Issue]:
    named = [
        repository.pk
        for repository in Repository.objects.filter(study=study_id)
        if any(terms.names(repository) for terms in lists)
    ]
    versions = KeywordListVersion.objects.filter(pk__in=[terms.version for terms in lists])
    searched_to = versions.aggregate(least=Min("searched_to"))["least"] or 0
    return issues.filter(repository__in=named, current__lte=searched_to)


@dataclass(frozen=True)
class FoundBy:
    """A list that the current text of an issue was searched for, and its terms there with their hits."""

    keyword_list: KeywordList
    finds: tuple[TermFind, ...]


def term_finds(issue: Issue) -> list[FoundBy]:
    """The terms of the current lists in the current text of an issue, by list and in their order. Two
    queries, none without a text.
    """
    if issue.current_id is None:
        return []
    finds = TermFind.objects.filter(
        snapshot=issue.current_id, term__version__in=current_ids(issue.repository.study_id)
    ).select_related("term__version__keyword_list")
    found: dict[KeywordList, list[TermFind]] = {}
    ordered = finds.order_by("term__version__keyword_list__name", "term__version_id", "term__position")
    for find in ordered:
        found.setdefault(find.term.version.keyword_list, []).append(find)
    return [FoundBy(keyword_list, tuple(ones)) for keyword_list, ones in found.items()]
