"""The keywords of a study, and the issues in whose texts a word occurs."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet
from django.db.models.functions import Lower

from core.models import Job
from core.once import once_a_page
from ingest.keywords import lowered, pattern
from ingest.models import Issue, Keyword, KeywordFind
from studies.models import Study

SEARCH = "ingest.find_keywords"
"""The kind of job that searches a study's keywords in its texts."""


def stands_in(word: str, snapshot: str = "") -> Q:
    """The condition that a word occurs in the title or body of a snapshot, as ingest.keywords finds it.
    `snapshot` is the lookup that leads to the snapshot, such as `current__`. The condition reads the texts.
    """
    stem = lowered(word).removesuffix("*")
    named = Q()
    for text in (f"{snapshot}title", f"{snapshot}body"):
        # The plain search first: it is many times as fast, and leaves few texts to the pattern.
        named |= Q(**{f"{text}__icontains": stem}) & Q(**{f"{text}__iregex": pattern(word)})
    return named


def with_keyword(study: Study, word: str, *, among: QuerySet[Any, Any]) -> str:
    """The ids, out of `among`, of the study's issues in whose title or text a word occurs, in no order, as an
    array in PostgreSQL's notation, such as {3,1}: converting thousands of numbers for another statement would
    take longer than finding them.

    Two queries. For a keyword of the study they read only texts that the job has not searched yet. For any
    other word they read all texts, which takes a second or two at full size.
    """
    near = Keyword.objects.filter(study=study, word__iexact=word)
    keyword = next((one for one in near if lowered(one.word) == lowered(word)), None)
    searched_to = keyword.searched_to if keyword else 0
    issues = Issue.objects.filter(pk__in=among)
    unsearched = issues.filter(repository__study=study, current__gt=searched_to)
    found = unsearched.filter(stands_in(word, "current__")).values_list("pk", flat=True)
    if keyword:
        finds = KeywordFind.objects.filter(keyword=keyword)
        found = found.union(
            issues.filter(current__in=finds.values("snapshot")).values_list("pk", flat=True), all=True
        )
    query, parameters = found.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT coalesce(array_agg(pk), '{{}}')::text FROM ({query}) found (pk)", parameters)
        return str(cursor.fetchone()[0])


def search_of(study: Study) -> Job | None:
    """The latest job that searches the study's keywords in its texts."""
    return Job.objects.filter(kind=SEARCH, arguments__study=study.pk).order_by("-pk").first()


@once_a_page
def keywords_of(study_id: int) -> tuple[str, ...]:
    """The keywords by which the study's issues were found, in alphabetical order."""
    words = Keyword.objects.filter(study=study_id).order_by(Lower("word"), "pk")
    return tuple(words.values_list("word", flat=True))


def fingerprint(keywords: Sequence[str]) -> str:
    """A short hash of a list of keywords, by which a form notices that the list has changed."""
    return sha256("\n".join(keywords).encode()).hexdigest()[:16]
