"""How many of the issues that a term found a screening excluded: this is how keywords are validated."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import BooleanField, Case, Exists, OuterRef, Q, QuerySet, When

from agreement import Coefficient, share
from consensus.models import Decision
from consensus.queries.screening import excluded_codes
from ingest.keywords import Term
from ingest.models import KeywordListVersion
from ingest.queries.keywords import keywords_in
from rounds.models import Round
from rounds.queries.blindness import NOTHING, Reader, WithheldIssues
from rounds.queries.categories import codebook
from rounds.queries.rounds import revealed

_COUNTED = """
    WITH decided AS MATERIALIZED (
        SELECT issue_id, bool_or(is_out) AS is_out FROM ({decisions}) made (issue_id, is_out)
        GROUP BY issue_id
    ), found AS MATERIALIZED (
        SELECT f.term_id, i.id AS issue_id
        FROM ingest_keywordterm t
        JOIN ingest_termfind f ON f.term_id = t.id AND f.title + f.prose + f.code > 0
        JOIN ingest_issue i ON i.current_id = f.snapshot_id
        WHERE t.version_id = %s
    )
    SELECT term_id, count(*), count(*) FILTER (WHERE is_out) FROM found JOIN decided USING (issue_id)
    GROUP BY term_id
    UNION ALL
    SELECT 0, count(*), count(*) FILTER (WHERE is_out) FROM decided
    WHERE issue_id IN (SELECT issue_id FROM found)
"""


@dataclass(frozen=True)
class FalsePositives:
    """Of the screened issues that a term, or any term of a list (`term` None), found: those with a decision,
    and those that a decision excludes. `rate` has Wilson's interval; None without decisions.
    """

    term: Term | None
    decided: int
    excluded: int

    @property
    def rate(self) -> Coefficient | None:
        return share(self.excluded, self.decided) if self.decided else None


@dataclass(frozen=True)
class KeywordFalsePositives:
    """A version of a list and its terms, in their order. `withheld` issues are in no other number."""

    whole: FalsePositives
    terms: tuple[FalsePositives, ...]
    withheld: int


def keyword_false_positives(version: KeywordListVersion, reader: Reader) -> KeywordFalsePositives | None:
    """The false positives of a version's terms by all screenings of its study; None without a screening.

    Only standing decisions on revealed issues count, without those withheld from the reader. An issue that
    several screenings decided is excluded if one of them excludes it. Queries: five, and those of codebooks.
    """
    screenings = Round.objects.filter(
        study=version.keyword_list.study_id,
        kind=Round.Kind.SCREENING,
        opened_at__isnull=False,
        excludes__isnull=False,
    )
    rounds = list(screenings.order_by("pk"))
    if not rounds:
        return None
    blind = reader.withheld_issues(rounds)
    found = _counted(_decisions(rounds, blind), version.pk)
    said = keywords_in([version.pk])[0]
    return KeywordFalsePositives(
        whole=FalsePositives(None, *found.get(0, (0, 0))),
        terms=tuple(
            FalsePositives(term, *found.get(id_, (0, 0)))
            for id_, term in zip(said.ids, said.terms, strict=True)
        ),
        withheld=blind.values("issue").distinct().count(),
    )


def _counted(decisions: QuerySet[Decision, tuple[int, bool]], version: int) -> dict[int, tuple[int, int]]:
    """Decided and excluded issues by the id of the term; 0 for the whole version."""
    try:
        query, parameters = decisions.query.sql_with_params()
    except EmptyResultSet:  # nothing is revealed
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_COUNTED.format(decisions=query), [*parameters, version])
        return {term: (decided, excluded) for term, decided, excluded in cursor.fetchall()}


def _decisions(rounds: Sequence[Round], blind: WithheldIssues) -> QuerySet[Decision, tuple[int, bool]]:
    """The standing decisions of these screenings that the reader may see: the issue, and is it excluded."""
    place = {"round": OuterRef("round"), "issue": OuterRef("issue")}
    shown = reduce(or_, map(revealed, rounds), NOTHING)
    excluding = reduce(
        or_, (Q(round=one, category__in=excluded_codes(codebook(one.version_id), one)) for one in rounds)
    )
    decisions = Decision.objects.filter(Exists(shown.filter(**place)), round__in=rounds, superseded_at=None)
    is_out = Case(When(excluding, then=True), default=False, output_field=BooleanField())
    return decisions.exclude(Exists(blind.filter(**place))).values_list("issue_id", is_out)
