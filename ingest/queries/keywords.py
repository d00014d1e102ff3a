"""The keywords of a study, and the issues in whose texts a word stands."""

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
        # The plain search first: it is many times as fast, and what it leaves is little.
        named |= Q(**{f"{text}__icontains": stem}) & Q(**{f"{text}__iregex": pattern(word)})
    return named


def with_keyword(study: Study, word: str, *, among: QuerySet[Any, Any]) -> str:
    """The ids of the study's issues in whose title or text a word stands, of those `among` these ids, in no
    order. Two queries.

    An array as PostgreSQL writes it, such as {3,1}: it goes back there, and making thousands of numbers of it
    would take longer than finding them.

    They are small for a keyword of the study: only texts that it was not searched in are read here. Of any
    other word all texts are, which takes a second or two at full size.
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
    """The last job that searches the study's keywords in its texts."""
    return Job.objects.filter(kind=SEARCH, arguments__study=study.pk).order_by("-pk").first()


@once_a_page
def keywords_of(study_id: int) -> tuple[str, ...]:
    """The words by which the study's issues were found, in the order of the alphabet."""
    words = Keyword.objects.filter(study=study_id).order_by(Lower("word"), "pk")
    return tuple(words.values_list("word", flat=True))


def fingerprint(keywords: Sequence[str]) -> str:
    """A short hash of a list of keywords, for a form that must notice that the list has changed."""
    return sha256("\n".join(keywords).encode()).hexdigest()[:16]
