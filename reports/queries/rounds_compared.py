"""The agreement of all rounds of a study with the same taxonomy, from one query of their labels."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import Count

from agreement import MISSING, Agreement
from core import clock
from reports.level_agreement import agreement_of
from reports.queries.label_tuples import AGAIN, REASONS, Edition, Tuples
from rounds.models import Round, RoundVolunteer
from rounds.queries.blindness import NOTHING, Reader, WithheldIssues, seen_sql
from rounds.queries.coached import coached_issues_in
from rounds.queries.first_labels import FOLLOWED, OVERRIDDEN, FirstLabels, choosable, first_labels
from rounds.queries.rounds import reveals_complete_issues
from taxonomy.models import CategoryState, Level
from taxonomy.queries.codebooks import Codebook, codebooks

# Only crossed rounds need the authors of labels: other rounds compare no pairs of volunteers.
_GROUPED = """
    SELECT c.round_id, {labels}, CASE WHEN c.round_id = ANY(%(crossed)s) THEN c.whose ELSE '' END, count(*)
    FROM rounds_roundissue c {join_first}
    WHERE c.round_id = ANY(%(rounds)s) AND c.completed_at IS NOT NULL AND c.labels <> '' AND {seen}
    GROUP BY 1, 2, 3
"""
_RATERS = """
    SELECT l.round_id, count(DISTINCT l.volunteer_id) FROM rounds_label l
    JOIN rounds_roundissue c
      ON c.round_id = l.round_id AND c.issue_id = l.issue_id AND c.completed_at IS NOT NULL AND {seen}
    WHERE l.round_id = ANY(%(rounds)s) AND NOT l.surplus GROUP BY 1
"""

# The counts of what is left out of each round, in the order of REASONS, and the other facts of its `Edition`.
_FACTS = f"""
    SELECT r.id, i.issues - i.complete, l.labels, s.surplus, i.complete, i.last,
           {FOLLOWED.format(round="r.id")},
           EXISTS (SELECT FROM rounds_round looks WHERE looks.of_id = r.id)
    FROM rounds_round r,
        LATERAL (SELECT count(*) AS issues, count(completed_at) AS complete, max(completed_at) AS last
                 FROM rounds_roundissue WHERE round_id = r.id) i,
        LATERAL (SELECT count(*) AS labels FROM rounds_label l
                 JOIN rounds_roundissue c ON c.round_id = l.round_id AND c.issue_id = l.issue_id
                 WHERE l.round_id = r.id AND NOT l.surplus AND c.completed_at IS NULL) l,
        LATERAL (SELECT count(*) AS surplus FROM rounds_label WHERE round_id = r.id AND surplus) s
    WHERE r.id = ANY(%(rounds)s)
"""


@dataclass(frozen=True)
class RoundAgreement:
    """The agreement of one round at the level of a report; None if its version has no category at this level.

    `withheld` issues are withheld from the reader and in no other number. `labels` are the label tuples, and
    `book` is the codebook of their places.
    """

    round: Round
    agreement: Agreement | None
    withheld: int
    labels: Tuples = field(repr=False, compare=False)
    book: Codebook = field(repr=False, compare=False)

    @property
    def choosable(self) -> Mapping[int, CategoryState] | None:
        """As in `Tuples`."""
        return self.labels.choosable

    def as_dict(self) -> dict[str, Any]:
        """The JSON of its group, with the number of issues withheld from the reader."""
        found = self.agreement.as_dict() if self.agreement else {}
        return {"group": {"round": self.round.name}, "withheld": self.withheld, **found}


def other_rounds(
    round_: Round, level: Level, reader: Reader, *, without_coached: bool = False
) -> list[RoundAgreement]:
    """The agreement of every other round of the study with the same taxonomy, as in the round's own report:
    over its revealed labels, without issues withheld from the reader, and on request without those that its
    volunteers were coached on.

    Every round is read with its own version: a label counts as its ancestor in this version's tree, and
    expected agreement uses the categories of this version. Labels name their category by identity, so renamed
    and moved categories stay the same. A round on an older version keeps categories that a later version
    merged, split or retired. Nine queries at most for any number of rounds.
    """
    rounds = comparable_rounds(round_)
    if not rounds:
        return []
    blind = reader.withheld_issues(rounds)
    books = codebooks({one.version_id for one in rounds})
    coached = coached_issues_in(rounds) if without_coached else NOTHING
    found = tuples_of(rounds, books, blind | coached)
    counted = blind.filter(completed_at__isnull=False).order_by().values_list("round").annotate(Count("pk"))
    withheld = dict(counted)
    return [
        RoundAgreement(
            one,
            agreement_of(found[one.pk], found[one.pk].book or books[one.version_id], level)
            if books[one.version_id].at_level(level)
            else None,
            withheld.get(one.pk, 0),
            found[one.pk],
            found[one.pk].book or books[one.version_id],
        )
        for one in rounds
    ]


def comparable_rounds(round_: Round) -> list[Round]:
    """The other opened rounds of the study with any version of the same taxonomy, by time of opening, without
    trainings, second looks and rounds that reveal nothing yet.
    """
    rounds = Round.objects.filter(
        study=round_.study_id, version__taxonomy=round_.version.taxonomy_id, opened_at__isnull=False
    ).exclude(kind__in=Round.APART)
    found = rounds.exclude(pk=round_.pk).select_related("version").order_by("opened_at", "pk")
    return [other for other in found if reveals_complete_issues(other)]


def tuples_of(
    rounds: Collection[Round], books: Mapping[int, Codebook], blind: WithheldIssues
) -> dict[int, Tuples]:
    """`Tuples` of the complete, revealed issues of each of these rounds, by round id: labels and volunteers.

    Each round is read with the codebook of its own version, by the identity of categories. `rounds` come from
    `comparable_rounds`; `blind` issues of any of them are withheld. Four queries, five if one followed a
    version, or two if no issue can be withheld and this process has cached the labels.
    """
    given = {"rounds": [one.pk for one in rounds]}
    with connection.cursor() as cursor:
        cursor.execute(_FACTS, given)
        facts = {round_id: tuple(row) for round_id, *row in cursor.fetchall()}
    columns: dict[int, list[tuple[int, str]]] = defaultdict(list)
    people = RoundVolunteer.objects.filter(round__in=rounds).order_by("round", "column")
    for round_id, member, name in people.values_list("round", "member", "member__pseudonym"):
        columns[round_id].append((member, name))
    editions = tuple(
        Edition(
            round=one.pk,
            version=one.version_id,
            depth=one.depth,
            is_crossed=one.allocation == Round.Allocation.CROSSED,
            is_revealed=True,
            labels_per_issue=one.labels_per_issue,
            volunteers=tuple(columns[one.pk]),
            left_out=facts[one.pk][: len(REASONS)],
            facts=("side by side", *facts[one.pk][len(REASONS) : -2]),
            is_first=facts[one.pk][-1],
            has_followed=bool(facts[one.pk][-2]),
        )
        for one in rounds
    )
    if blind.query.is_empty():
        return dict(zip(given["rounds"], _kept(editions, tuple(books.values())), strict=True))
    found = _grouped(editions, tuple(books.values()), *seen_sql(blind, "c.id", by="id"))
    return {one.round: replace(each, edition=None) for one, each in zip(editions, found, strict=True)}


@lru_cache(maxsize=8)
def _kept(editions: tuple[Edition, ...], books: tuple[Codebook, ...]) -> tuple[Tuples, ...]:
    return _grouped(editions, books)


def _grouped(
    editions: Collection[Edition],
    books: Collection[Codebook],
    seen: str = "true",
    kept: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[Tuples, ...]:
    """The tuples of these editions. `seen` and `kept`: the condition on issues, and its parameters."""
    crossed = [one.round for one in editions if one.is_crossed]
    given = {"rounds": [one.round for one in editions], "crossed": crossed, **kept}
    rows: dict[int, list[tuple[list[int], list[int], int]]] = defaultdict(list)
    firsts = {one.round: first_labels(one.round, one.version, seen, kept) for one in editions if one.is_first}
    followed = {one.round: (one.version, one.depth) for one in editions if one.has_followed}
    could_be = choosable(followed, seen, kept, had_looks=bool(firsts)) if followed else {}
    labels, join = "c.labels", ""
    if firsts:
        labels, join = "coalesce(f.labels, c.labels)", OVERRIDDEN
        for name in ("first_ids", "first_labels"):
            given[name] = [value for one in firsts.values() for value in one.parameters[name]]
    with connection.cursor() as cursor:
        cursor.execute(_GROUPED.format(seen=seen, labels=labels, join_first=join), given)
        for round_id, labels, whose, count in cursor.fetchall():
            said = [int(one) for one in labels.split()], [int(one) for one in whose.split()]
            rows[round_id].append((*said, count))
        cursor.execute(_RATERS.format(seen=seen), given)
        raters: dict[int, int] = dict(cursor.fetchall())
    of_version = {book.version_id: book for book in books}
    return tuple(
        _tuples(
            one,
            rows[one.round],
            of_version[one.version],
            raters.get(one.round, 0),
            firsts.get(one.round),
            could_be.get(one.round),
        )
        for one in editions
    )


def _tuples(
    edition: Edition,
    rows: list[tuple[list[int], list[int], int]],
    book: Codebook,
    raters: int,
    first: FirstLabels | None,
    could_be: Mapping[int, CategoryState] | None,
) -> Tuples:
    if first:
        book = first.former.beside(book)
    columns = edition.volunteers if edition.is_crossed else ()
    column = {member: index for index, (member, _name) in enumerate(columns)}
    width = max([len(columns), *(len(labels) for labels, _whose, _count in rows)], default=0)
    codes = np.full((len(rows), width), MISSING, dtype=np.int32)
    for index, (labels, whose, _count) in enumerate(rows):
        at = [column[member] for member in whose] if whose else list(range(len(labels)))
        codes[index, at] = [book.places.get(one, MISSING) for one in labels]
    left_out = dict(zip(REASONS, edition.left_out, strict=True))
    left_out["open_labels"] = sum(labels.count(0) * count for labels, _whose, count in rows)
    left_out[AGAIN] = sum(first.again.values()) if first else 0
    nowhere = np.full(len(rows), MISSING)
    return Tuples(
        codes=codes,
        counts=np.array([count for _labels, _whose, count in rows], dtype=np.int64),
        decided=nowhere.astype(np.int32),
        repositories=nowhere.astype(np.int64),
        months=np.full(len(rows), "NaT", dtype="datetime64[M]"),
        columns=tuple(name for _member, name in columns),
        raters=len(columns) or raters,
        left_out={reason: count for reason, count in left_out.items() if count},
        as_of=clock.now(),
        edition=edition,
        book=book,
        choosable=could_be,
    )
