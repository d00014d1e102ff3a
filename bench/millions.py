"""The agreement command over 27 million labels: a hundred copies of a full study, with noise. Measured only
if named: the labels take minutes to make, and 11 GB of disk.
"""

from collections.abc import Iterator
from typing import Any

import psycopg2
from django.db import connection

from bench.ground import Ground, Measurement, child, megabytes, rows_of, stopwatch
from bench.rounds import main_round

TIMES = 100
NOISE = 0.02
MOST = 10.0
MEMORY = 2e9
RUNS = 3

# Copies all issues of the study, each copy a week before the last, with decisions and labels, some of them
# changed; last the columns that triggers would set one by one. Makes no slots: no report reads them.
MADE = """
    SELECT setseed(0.2025);
    CREATE TEMPORARY TABLE copy AS SELECT generate_series(1, %(times)s - 1) AS number;
    CREATE TEMPORARY TABLE span AS
        SELECT min(issue_id) AS first, max(issue_id) - min(issue_id) + 1 AS issues,
               (SELECT max(assignment_id) FROM rounds_label WHERE round_id = %(round)s) AS slots
        FROM rounds_roundissue WHERE round_id = %(round)s;
    INSERT INTO ingest_issue (id, number, url, is_pull_request, year, repository_id)
        SELECT i.id + c.number * s.issues, i.number || '.' || c.number, i.url || '.' || c.number,
               i.is_pull_request, i.year, i.repository_id
        FROM copy c CROSS JOIN span s JOIN ingest_issue i ON i.id BETWEEN s.first AND s.first + s.issues - 1
        ORDER BY c.number, i.id;
    INSERT INTO consensus_decision (
        round_id, issue_id, number, method, rationale, decided_at, category_id, version_id
    )
        SELECT d.round_id, d.issue_id + c.number * s.issues, d.number, d.method, d.rationale,
               d.decided_at - c.number * interval '7 days', d.category_id, d.version_id
        FROM copy c CROSS JOIN span s JOIN consensus_decision d ON d.round_id = %(round)s
        ORDER BY c.number, d.issue_id;
    INSERT INTO rounds_label (
        round_id, issue_id, volunteer_id, assignment_id, surplus, category_id, version_id, summary, unsure,
        submitted_at
    )
        SELECT l.round_id, l.issue_id + c.number * s.issues, l.volunteer_id,
               l.assignment_id + c.number * s.slots, false,
               CASE WHEN random() < %(noise)s THEN used.ids[1 + floor(random() * cardinality(used.ids))::int]
                    ELSE l.category_id END,
               l.version_id, '', false, l.submitted_at - c.number * interval '7 days'
        FROM (
            SELECT array_agg(DISTINCT category_id) AS ids FROM rounds_label WHERE round_id = %(round)s
        ) used
        CROSS JOIN copy c CROSS JOIN span s
        JOIN LATERAL (
            SELECT * FROM rounds_label WHERE round_id = %(round)s AND c.number > 0
            AND issue_id < s.first + s.issues ORDER BY issue_id, volunteer_id
        ) l ON true;
    INSERT INTO rounds_roundissue (round_id, issue_id, position, completed_at, labels, whose, decided)
        SELECT r.round_id, l.issue_id, r.position + c.number * s.issues,
               r.completed_at - c.number * interval '7 days', l.labels, r.whose, r.decided
        FROM (
            SELECT issue_id, string_agg(category_id::text, ' ' ORDER BY volunteer_id) AS labels
            FROM rounds_label WHERE round_id = %(round)s GROUP BY issue_id
        ) l
        CROSS JOIN span s JOIN copy c ON c.number = (l.issue_id - s.first) / s.issues
        JOIN rounds_roundissue r
          ON r.round_id = %(round)s AND r.issue_id = l.issue_id - c.number * s.issues
        ORDER BY l.issue_id
"""
TABLES = ("ingest_issue", "rounds_roundissue", "consensus_decision", "rounds_label")
GROUPED = """
    SELECT count(*) FROM (
        SELECT array_agg(category_id ORDER BY volunteer_id) AS labels
        FROM rounds_label WHERE round_id = %s AND NOT surplus GROUP BY issue_id
    ) of_issue
"""


def rows(ground: Ground) -> Iterator[Measurement]:
    slug = ground.study(ground.issues)
    round_ = main_round(slug)
    ground.say(f"{TIMES} times as many labels …")
    with stopwatch() as made:
        multiply(round_.pk)
    ground.say(f"made in {made[0]:,.0f} s; the agreement command …")
    found = [measured(slug) for _ in range(RUNS + 1)][1:]
    ours = sorted(one["seconds"] for one in found)[RUNS // 2]
    peak = max(one["peak"] for one in found)
    overall = found[0]["answer"]["groups"][0]
    with stopwatch() as grouped:
        rows_of(GROUPED, [round_.pk])
    # The larger study must not slow down other rows.
    ground.forget_studies()
    yield Measurement.timed(
        f"agreement command, {overall['labels']:,} labels of {overall['issues']:,} issues",
        ours,
        grouped[0],
        "labels put together by issue in one process, and counted",
        most=MOST,
        note=f"from the start of the process to its end, nothing kept; median of {RUNS}",
    )
    yield Measurement(
        work="memory of that command",
        ours=megabytes(peak),
        bar=f"≤ {megabytes(MEMORY)}",
        met=peak <= MEMORY,
        note="peak resident memory of the process, Django and all",
    )


def measured(slug: str) -> dict[str, Any]:
    """Seconds, peak memory and JSON of `manage.py agreement` in a separate process."""
    with stopwatch() as taken:
        found = child("command", "agreement", "--study", slug)
    return found | {"seconds": taken[0]}


def multiply(round_: int) -> None:
    """Copy the round's issues as the server's superuser, without triggers and foreign keys on each row."""
    where = connection.get_connection_params()
    as_superuser = psycopg2.connect(
        host=where["host"], port=where["port"], dbname=where["dbname"], user="postgres"
    )
    as_superuser.autocommit = True
    try:
        cursor = as_superuser.cursor()
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(MADE, {"times": TIMES, "noise": NOISE, "round": round_})
        for table in TABLES:
            cursor.execute(f"VACUUM (ANALYZE) {table}")
        cursor.execute("CHECKPOINT")
    finally:
        as_superuser.close()
