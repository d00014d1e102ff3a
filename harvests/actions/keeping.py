"""Brings fetched issues into the study, and writes down what became of each of them."""

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db import connection

from harvests.actions.matching import Judge
from harvests.actions.pages import Outcome, owner_of
from harvests.models import Harvest, HarvestedComment, HarvestedIssue, HarvestedRepository
from harvests.queries.forge_clients import dialect_of
from ingest.actions import chunks
from ingest.actions.loading import refused_row
from ingest.forges.dialects import Dialect
from ingest.forges.pages import Record
from ingest.models import ImportRow
from ingest.readers import Draft, Refusal
from ingest.readers.refusals import Refused


class Keeper:
    """Judges and stores rows of a harvest inside the caller's transaction. `repositories` are those of the
    harvest, by the id of the repository whose rows they are. Rows up to `looked_at_since` know what the
    finished selection before found, since others that did not finish looked at them later.
    """

    def __init__(
        self,
        harvest: Harvest,
        repositories: Mapping[int, HarvestedRepository],
        judge: Judge,
        *,
        looked_at_since: int = 0,
    ) -> None:
        self._harvest = harvest
        self._repositories = repositories
        self._judge = judge
        self._looked_at_since = looked_at_since
        self._dialects: dict[int, Dialect] = {}

    def keep(self, rows: Sequence[HarvestedIssue]) -> dict[int, Counter[str]]:
        """Decide about each row, and store those that stay; the numbers of each repository."""
        counts: dict[int, Counter[str]] = {key: Counter() for key in self._repositories}
        chosen: list[tuple[HarvestedIssue, Record]] = []
        for row in rows:
            record = json.loads(row.record) if row.record else {}
            outcome = self._judge.outcome(row, self._repositories[row.repository_id], record)
            is_matched = outcome == Outcome.KEPT
            if not self._harvest.refreshes_id:
                if row.pk > self._looked_at_since:
                    row.was_matched = row.is_matched
            elif is_matched != row.is_matched or not row.outcome:
                # A refresh brings other texts: no selection gained or lost what they changed.
                row.was_matched = is_matched
            row.is_matched = is_matched
            if row.outcome != Outcome.KEPT:
                row.outcome = outcome
            if row.outcome == Outcome.KEPT and record:
                chosen.append((row, record))
        self._store(chosen, counts)
        for row in rows:
            _count(row, counts[row.repository_id])
        written(rows)
        return counts

    def bring_in(self, rows: Sequence[HarvestedIssue]) -> None:
        """Store these rows, whatever is found in them."""
        counts: dict[int, Counter[str]] = {key: Counter() for key in self._repositories}
        self._store([(row, json.loads(row.record)) for row in rows], counts)
        written(rows)

    def _store(
        self, chosen: Sequence[tuple[HarvestedIssue, Record]], counts: Mapping[int, Counter[str]]
    ) -> None:
        """Bring issues in that are not in the study yet; of a refresh, also the texts of those that are."""
        wanted = [(row, record) for row, record in chosen if self._harvest.refreshes_id or not row.issue_id]
        drafts = self._drafts(wanted)
        first: dict[tuple[str, str, str], Draft] = {}
        for draft in drafts.values():
            first.setdefault(draft.address.identity, draft)
        if not first:
            return
        placed = chunks.place(self._harvest.run.study_id, self._harvest.run_id, list(first.values()))
        by_identity = {place.draft.address.identity: place for place in placed}
        differs: set[int] = set()
        for forge, fields in self._mappings().items():
            some = [place for place in placed if place.draft.address.forge == forge]
            differs |= chunks.store_texts(some, fields, keeps_current=True)
        for row, _record in wanted:
            if row.pk not in drafts:
                continue
            place = by_identity[drafts[row.pk].address.identity]
            row.issue_id = place.issue_id
            told = "new" if place.is_new else "changed" if place.issue_id in differs else "known"
            counts[row.repository_id][told] += 1

    def _mappings(self) -> dict[str, Collection[str]]:
        """The fields that the records of each forge name."""
        return {
            repository.forge: frozenset(self._dialect(repository).mapping())
            for repository in self._repositories.values()
        }

    def _drafts(self, wanted: Sequence[tuple[HarvestedIssue, Record]]) -> dict[int, Draft]:
        """By the id of the row; what cannot be stored is reported, and refused."""
        comments = self._comments([row for row, _record in wanted])
        drafts: dict[int, Draft] = {}
        for row, record in wanted:
            repository = self._repositories[row.repository_id]
            try:
                draft = self._dialect(repository).draft(record, comments[row.pk])
                if not chunks.fits(draft):
                    raise Refused("address_too_long")  # noqa: TRY301 - one way out for both
            except Refused as refused:
                self._refuse(row, Refusal(0, refused.code, refused.params, record.get("html_url", "")))
                continue
            drafts[row.pk] = replace(draft, address=replace(draft.address, forge=repository.forge))
        return drafts

    def _refuse(self, row: HarvestedIssue, refusal: Refusal) -> None:
        row.outcome, row.is_matched = Outcome.REFUSED, False
        if not ImportRow.objects.filter(
            run=self._harvest.run_id, raw=refusal.raw, code=refusal.code
        ).exists():
            refused_row(self._harvest.run, refusal).save()

    def _dialect(self, repository: HarvestedRepository) -> Dialect:
        if repository.pk not in self._dialects:
            self._dialects[repository.pk] = dialect_of(repository.forge, repository.host, repository.base_url)
        return self._dialects[repository.pk]

    def _comments(self, rows: Sequence[HarvestedIssue]) -> dict[int, list[Record] | None]:
        """The comments of each row by its id; None where they were not asked for."""
        asked = {
            (row.repository_id, row.number): row.pk
            for row in rows
            if self._harvest.with_comments and not row.number.startswith("!")
        }
        found: dict[int, list[Record] | None] = {row.pk: None for row in rows}
        found.update({pk: [] for pk in asked.values()})
        for repository_id in {repository_id for repository_id, _number in asked}:
            numbers = [number for key, number in asked if key == repository_id]
            stored = HarvestedComment.objects.filter(repository=repository_id, number__in=numbers)
            for number, record in stored.values_list("number", "record").iterator():
                held = found[asked[repository_id, number]]
                if held is not None:
                    held.append(json.loads(record))
        return found


def _count(row: HarvestedIssue, counts: Counter[str]) -> None:
    counts["listed"] += 1
    counts[_NAMES[row.outcome]] += 1
    if row.outcome == Outcome.KEPT:
        counts["matched"] += row.is_matched
        by_hand = row.kept_by_hand and not row.is_matched
        counts["by_hand"] += by_hand
        counts["kept_earlier"] += not row.is_matched and not by_hand


_NAMES: Mapping[str, str] = {
    Outcome.OUTSIDE: "outside",
    Outcome.PULL_REQUEST: "pull_requests",
    Outcome.VANISHED: "vanished",
    Outcome.UNMATCHED: "unmatched",
    Outcome.PATH_ONLY: "path_only",
    Outcome.REFUSED: "refused",
    Outcome.KEPT: "kept",
}


def written(rows: Sequence[HarvestedIssue]) -> None:
    """Store what was decided about rows."""
    columns: list[list[Any]] = [
        [row.pk for row in rows],
        [row.outcome for row in rows],
        [row.is_matched for row in rows],
        [row.was_matched for row in rows],
        [row.kept_by_hand for row in rows],
        [row.issue_id for row in rows],
    ]
    with connection.cursor() as cursor:
        cursor.execute(
            """
            UPDATE harvests_harvestedissue row
            SET outcome = given.outcome, is_matched = given.is_matched, was_matched = given.was_matched,
                kept_by_hand = given.kept_by_hand, issue_id = given.issue_id
            FROM unnest(%s::bigint[], %s::text[], %s::bool[], %s::bool[], %s::bool[], %s::bigint[])
                 AS given (id, outcome, is_matched, was_matched, kept_by_hand, issue_id)
            WHERE row.id = given.id
            """,
            columns,
        )


def by_owner(repositories: Sequence[HarvestedRepository]) -> dict[int, HarvestedRepository]:
    """Repositories of a harvest by the id of the repository whose rows they are."""
    return {owner_of(repository): repository for repository in repositories}
