"""The wide CSV of a full study, against COPY of a query with the same rows."""

import io
import statistics
from collections.abc import Iterator

from django.db import connection

from bench.ground import Ground, Measurement, child, median_of
from bench.rounds import main_round

MOST = 1.5
FLAT = 1.1

WIDE = """
    COPY (
        SELECT i.url, string_agg(c.code, ',' ORDER BY a.slot), final.code
        FROM rounds_roundissue ri
        JOIN ingest_issue i ON i.id = ri.issue_id
        JOIN rounds_assignment a ON a.round_id = ri.round_id AND a.issue_id = ri.issue_id
        LEFT JOIN rounds_label l ON l.assignment_id = a.id
        LEFT JOIN taxonomy_categorystate c ON c.category_id = l.category_id AND c.version_id = %(version)s
        LEFT JOIN consensus_decision d
          ON d.round_id = ri.round_id AND d.issue_id = ri.issue_id AND d.superseded_at IS NULL
        LEFT JOIN taxonomy_categorystate final
          ON final.category_id = d.category_id AND final.version_id = %(version)s
        WHERE ri.round_id = %(round)s
        GROUP BY ri.position, i.url, final.code ORDER BY ri.position
    ) TO STDOUT (FORMAT csv)
"""


def rows(ground: Ground) -> Iterator[Measurement]:
    ground.say("wide CSV …")
    thrice = child("export", ground.study(3 * ground.issues))
    slug = ground.study(ground.issues)
    round_ = main_round(slug)

    def copy() -> None:
        with connection.cursor() as cursor:
            statement = cursor.mogrify(WIDE, {"round": round_.pk, "version": round_.version_id})
            cursor.copy_expert(statement, io.BytesIO())

    limit = median_of(ground.repeat, copy)
    found = [child("export", slug) for _ in range(ground.repeat)]
    ours = statistics.median(run["seconds"] for run in found)
    yield Measurement.timed(
        f"wide CSV of {ground.issues:,} issues × 7, streamed",
        ours,
        limit,
        "COPY (SELECT the same rows) TO STDOUT",
        most=MOST,
        note=f"{found[0]['bytes'] / 1e6:.1f} MB; median of {ground.repeat}, each in a new process",
    )
    once = statistics.median(run["peak"] for run in found)
    yield Measurement.grown(
        "memory of the wide CSV: once the size, three times",
        once,
        thrice["peak"],
        most=FLAT,
        note="peak resident memory of the process, Django and all",
    )
