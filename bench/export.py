"""The wide CSV of a full study, against COPY of a query that gives the same rows."""

import io
import statistics
from collections.abc import Iterator

from bench.ground import Ground, Row, child, median_of, megabytes, seconds

MOST = 1.5
FLAT = 1.1

WIDE = """
    COPY (
        SELECT i.url, string_agg(c.code, ',' ORDER BY a.slot), final.code
        FROM annotate_roundissue ri
        JOIN ingest_issue i ON i.id = ri.issue_id
        JOIN annotate_assignment a ON a.round_id = ri.round_id AND a.issue_id = ri.issue_id
        LEFT JOIN annotate_label l ON l.assignment_id = a.id
        LEFT JOIN taxonomy_categorystate c ON c.category_id = l.category_id AND c.version_id = %(version)s
        LEFT JOIN annotate_decision d
          ON d.round_id = ri.round_id AND d.issue_id = ri.issue_id AND d.superseded_at IS NULL
        LEFT JOIN taxonomy_categorystate final
          ON final.category_id = d.category_id AND final.version_id = %(version)s
        WHERE ri.round_id = %(round)s
        GROUP BY ri.position, i.url, final.code ORDER BY ri.position
    ) TO STDOUT (FORMAT csv)
"""


def rows(ground: Ground) -> Iterator[Row]:
    from django.db import connection  # noqa: PLC0415

    from annotate.models import Round  # noqa: PLC0415

    slug = ground.study(ground.issues)
    round_ = Round.objects.get(study__slug=slug, name="Main round")

    def copy() -> None:
        with connection.cursor() as cursor:
            statement = cursor.mogrify(WIDE, {"round": round_.pk, "version": round_.version_id})
            cursor.copy_expert(statement, io.BytesIO())

    ground.say("wide CSV …")
    limit = median_of(ground.repeat, copy)
    found = [child("export", slug) for _ in range(ground.repeat)]
    ours = statistics.median(run["seconds"] for run in found)
    yield Row(
        work=f"wide CSV of {ground.issues:,} issues × 7, streamed",
        ours=seconds(ours),
        limit=seconds(limit),
        limit_is="COPY (SELECT the same rows) TO STDOUT",
        ratio=ours / limit,
        bar=f"≤ {seconds(MOST)}",
        met=ours <= MOST,
        note=f"{found[0]['bytes'] / 1e6:.1f} MB; median of {ground.repeat}, each in a new process",
    )
    thrice = child("export", ground.study(3 * ground.issues))
    once = statistics.median(run["peak"] for run in found)
    yield Row(
        work="memory of the wide CSV: once the size, three times",
        ours=f"{megabytes(once)}, {megabytes(thrice['peak'])}",
        limit=megabytes(once),
        limit_is="once the size",
        ratio=thrice["peak"] / once,
        bar=f"flat (≤ {FLAT:g} ×)",
        met=thrice["peak"] / once <= FLAT,
        note="peak resident memory of the process, Django and all",
    )
