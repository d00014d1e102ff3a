"""The agreement of a screening's raters, and its table: the same for page, file and REST."""

from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db.models import Count, Max

from agreement import Agreement
from consensus.queries.screening import ScreenedRepository, ScreeningCounts
from reports.agreement_report import agreement_report
from reports.formats.tables import Table
from rounds.models import Round
from rounds.queries.blindness import NOTHING, WithheldIssues
from rounds.queries.rounds import revealed
from taxonomy.models import Level


def screening_agreement(round_: Round, blind: WithheldIssues = NOTHING) -> Agreement:
    """The agreement of the raters on the type. One query, and the queries of the report if an issue was
    completed since the last call, or if any issue is withheld from the reader.
    """
    if blind.exists():
        return agreement_report(round_, level=Level.TYPE, blind=blind).overall
    complete = revealed(round_).filter(completed_at__isnull=False)
    count, last = complete.aggregate(count=Count("pk"), last=Max("completed_at")).values()
    # Labels of complete, revealed issues do not change within a version: the same issues agree as before.
    return _agreement(round_.pk, round_.version_id, round_.closed_at, count, last)


@lru_cache(maxsize=64)
def _agreement(
    round_id: int, _version: int, _closed: datetime | None, _count: int, _last: datetime | None
) -> Agreement:
    round_ = Round.objects.select_related("study").get(pk=round_id)
    return agreement_report(round_, level=Level.TYPE).overall


def repositories_table(counts: ScreeningCounts) -> Table:
    """A row per repository and a row for all, as in Table I of the reference study."""
    columns = (
        "repository", "issues", "false_positives", "rate_percent", "kept", "decided",
        "open_disagreements", "incomplete",
    )  # fmt: skip
    return Table.of(columns, [_cells(row) for row in (*counts.repositories, counts.whole)])


def _cells(row: ScreenedRepository) -> tuple[object, ...]:
    return (
        row.repository or "all", row.issues, row.excluded, row.rate, row.kept, row.decided,
        row.open_disagreements, row.incomplete,
    )  # fmt: skip


def as_dict(round_: Round, counts: ScreeningCounts, agreement: Agreement) -> dict[str, Any]:
    """The JSON of REST."""
    names = repositories_table(counts)
    rows = [dict(zip(names.columns, row, strict=True)) for row in names.rows]
    reasons = counts.reasons
    kappa, percent = (agreement.coefficients[name] for name in ("fleiss_kappa", "percent_agreement"))
    return {
        "study": round_.study.slug,
        "round": round_.name,
        "study_issues": counts.study_issues,
        "withheld": counts.withheld,
        "all": {name: value for name, value in rows[-1].items() if name != "repository"},
        "repositories": rows[:-1],
        "reasons": {
            "base": reasons.base,
            "codes": [
                {name: getattr(one, name) for name in ("code", "name", "issues", "shared")}
                for one in reasons.reasons
            ],
            "differ": reasons.differ,
            "unsaid": reasons.unsaid,
        },
        "agreement": {
            "issues": agreement.issues,
            "raters": agreement.raters,
            "fleiss_kappa": kappa.as_dict(),
            "percent_agreement": percent.as_dict(),
        },
    }
