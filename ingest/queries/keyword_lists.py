"""The keyword lists of a study as their pages show them: lists, versions, and what a version changed."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Lower

from accounts.models import User
from ingest.keywords import Term
from ingest.models import KeywordList, KeywordListVersion, KeywordTerm
from ingest.queries.keywords import Keywords, as_term
from studies.queries import studies_for


def lists_for(user: User | AnonymousUser) -> QuerySet[KeywordList]:
    """The keyword lists of the studies that this user is a member of, by name, with their `current` version's
    id and number.
    """
    latest = KeywordListVersion.objects.filter(keyword_list=OuterRef("pk")).order_by("-number")
    lists = KeywordList.objects.filter(study__in=studies_for(user)).select_related("study")
    return lists.annotate(
        current=Subquery(latest.values("pk")[:1]), current_number=Subquery(latest.values("number")[:1])
    ).order_by(F("retired_at").asc(nulls_first=True), Lower("name"), "pk")


def current_version(keyword_list: KeywordList) -> KeywordListVersion:
    return KeywordListVersion.objects.filter(keyword_list=keyword_list).order_by("-number")[0]


def versions_of(keyword_list: KeywordList) -> QuerySet[KeywordListVersion]:
    """The versions of a list, newest first, with the number of their `size` terms."""
    versions = KeywordListVersion.objects.filter(keyword_list=keyword_list)
    return versions.select_related("stored_by").annotate(size=Count("terms")).order_by("-number")


def terms_of(version: KeywordListVersion) -> tuple[Term, ...]:
    """The terms of a version, in their order."""
    return tuple(map(as_term, KeywordTerm.objects.filter(version=version).order_by("position")))


@dataclass(frozen=True)
class VersionDifference:
    """What a version changed: terms, switches by name with their new values, and repositories."""

    added: tuple[Term, ...]
    removed: tuple[Term, ...]
    switches: dict[str, Any]
    repositories: tuple[tuple[str, ...], tuple[str, ...]]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.switches or any(self.repositories))


def difference(former: Keywords, later: Keywords) -> VersionDifference:
    """What `later` changed of `former`; `repositories` are those added and those removed."""
    before, after = former.switches.as_json(), later.switches.as_json()
    return VersionDifference(
        added=_without(later.terms, former.terms),
        removed=_without(former.terms, later.terms),
        switches={name: after[name] for name in after if before[name] != after[name]},
        repositories=(
            tuple(sorted(later.repositories - former.repositories)),
            tuple(sorted(former.repositories - later.repositories)),
        ),
    )


def _without(terms: Iterable[Term], others: Iterable[Term]) -> tuple[Term, ...]:
    known = set(others)
    return tuple(term for term in terms if term not in known)
