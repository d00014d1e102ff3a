"""What the lists of a selection say about a fetched issue."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harvests.actions.pages import Outcome, owner_of, path_of
from harvests.models import HarvestedIssue, HarvestedRepository
from ingest.forges.pages import Record
from ingest.keywords import Hits, IssueText, template_headings
from ingest.models import KeywordListVersion
from ingest.queries.keywords import Keywords, keywords_in

MASKED_ONLY = 4
"""Where the counts of a term say in how many issues all its hits were masked; before it: issues with a
counted hit, hits in titles, in prose, in code.
"""


@dataclass(slots=True)
class Compiled:
    """A version of a list, and what its terms found so far, in the order of the list."""

    version: KeywordListVersion
    said: Keywords
    searched: int = 0
    terms: list[list[int]] = field(default_factory=list)

    def count(self, hits: Mapping[int, Hits]) -> None:
        self.searched += 1
        for index, found in hits.items():
            counts = self.terms[index]
            counts[0] += found.counted > 0
            counts[1] += found.title
            counts[2] += found.prose
            counts[3] += found.code
            counts[MASKED_ONLY] += not found.counted and found.masked > 0

    def restore(self, told: Sequence[Mapping[str, Any]]) -> None:
        """Count from what `as_json` told before; from nothing if this version is not in it."""
        former = next((one for one in told if one["version"] == self.version.pk), None)
        self.searched = former["searched"] if former else 0
        self.terms = (
            [counts[1:] for counts in former["terms"]] if former else [[0] * 5 for _ in self.said.terms]
        )

    def as_json(self) -> dict[str, Any]:
        return {
            "version": self.version.pk,
            "list": self.version.keyword_list.name,
            "number": self.version.number,
            "searched": self.searched,
            "terms": [[term.text, *counts] for term, counts in zip(self.said.terms, self.terms, strict=True)],
        }


def compiled(versions: Iterable[KeywordListVersion]) -> list[Compiled]:
    """The versions ready to search."""
    by_id = {version.pk: version for version in versions}
    found = [Compiled(by_id[said.version], said) for said in keywords_in(list(by_id))]
    for one in found:
        one.restore(())
    return found


class Judge:
    """Decides what becomes of fetched issues. Without any list all are kept; with lists, those in which a
    list that names their repository has a hit that counts.
    """

    def __init__(self, lists: Sequence[Compiled], *, with_pull_requests: bool) -> None:
        self.lists = lists
        self._with_pull_requests = with_pull_requests
        self._headings: dict[int, frozenset[str]] = {}

    def outcome(self, row: HarvestedIssue, repository: HarvestedRepository, record: Record) -> str:
        """The outcome of an issue by these lists alone, whatever became of it before; counts the hits of
        their terms. `record` is empty outside the window.
        """
        if row.vanished_at:
            return Outcome.VANISHED
        if not record:
            return Outcome.OUTSIDE
        if row.is_pull_request and not self._with_pull_requests:
            return Outcome.PULL_REQUEST
        if not self.lists:
            return Outcome.KEPT
        is_matched = is_masked = False
        text = IssueText(_text(record, "title"), _text(record, "body"), self._headings_of(repository))
        for one in self.lists:
            if not names(one.version, repository):
                continue
            hits = one.said.matcher.search_in(text)
            one.count(hits)
            is_matched |= any(found.counted for found in hits.values())
            is_masked |= bool(hits)
        if is_matched:
            return Outcome.KEPT
        return Outcome.PATH_ONLY if is_masked else Outcome.UNMATCHED

    def _headings_of(self, repository: HarvestedRepository) -> frozenset[str]:
        """Headings of the repository's templates, if a list has them masked."""
        key = owner_of(repository)
        if key not in self._headings:
            wanted = any("template_headings" in one.said.switches.masks for one in self.lists)
            self._headings[key] = template_headings(_bodies(key)) if wanted else frozenset()
        return self._headings[key]


def names(version: KeywordListVersion, repository: HarvestedRepository) -> bool:
    """Is the list for this repository, by the path asked for or its present one?"""
    host = repository.host.lower()
    paths = {f"{host}/{path.lower()}" for path in (repository.path, path_of(repository))}
    return not version.repositories or bool(paths & set(version.repositories))


def _bodies(repository_id: int) -> Iterator[str]:
    rows = HarvestedIssue.objects.filter(repository=repository_id, is_pull_request=False).exclude(record="")
    for record in rows.values_list("record", flat=True).iterator(chunk_size=200):
        yield _text(json.loads(record), "body")


def _text(record: Record, key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""
