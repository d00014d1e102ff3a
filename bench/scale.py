"""Ten studies and their labels: bytes of each table, the cost of a request beside one study, and partitions
beside one table. Measured only if named; docs/scale.md calculates what a thousand studies and a billion
labels take.

`--issues` is the size of one study. Seven label each issue, in a finished round and in an open one: 7,143
issues make a million labels, 71,429 ten million.
"""

# ruff: noqa: SLF001 - Django documents _meta

import statistics
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import psycopg2
from django.apps import apps
from django.conf import settings
from django.db import connection

from bench.ground import Ground, Measurement, megabytes, percentile, seconds
from bench.rounds import open_round_in
from bench.submit import submits

STUDIES = 10
OFFSET = 100_000_000
"""Between the numbers of two copies of a row."""
COPIED = (
    "studies.Study", "studies.Membership", "ingest.Repository", "ingest.Issue", "ingest.Snapshot",
    "rounds.Round", "rounds.RoundVolunteer", "rounds.RoundIssue", "rounds.Assignment", "rounds.Label",
    "consensus.Decision",
)  # fmt: skip
ARE_TEXTS_OF_A_COPY = {("studies_study", "slug")}
LOOKS = 400
ROWS = 20_000


def rows(ground: Ground) -> Iterator[Measurement]:
    settings.ROOT_URLCONF = "bench.urls"
    slug = ground.study(ground.issues)
    round_, member = open_round_in(slug)
    ground.say("submitting labels in one study …")
    alone = submits(round_, member)
    ground.say(f"copying the study {STUDIES - 1} times …")
    with closing(as_superuser()) as opened:
        began = time.monotonic()
        copy_studies(opened)
        ground.say(f"copied in {time.monotonic() - began:.0f} s; submitting labels beside the others …")
    beside = submits(round_, member)
    yield Measurement.timed(
        f"submit and next beside {STUDIES - 1} other studies, median",
        statistics.median(beside.times),
        statistics.median(alone.times),
        "the same while there was one study",
        note=f"p95 {seconds(percentile(beside.times, 0.95))}, alone {seconds(percentile(alone.times, 0.95))}",
    )
    yield from sizes()
    ground.say("one table and partitions …")
    with closing(as_superuser()) as opened:
        yield from partitions(opened)


def as_superuser() -> Any:
    """A connection that may switch triggers and foreign keys off for itself."""
    given = connection.get_connection_params()
    return psycopg2.connect(host=given["host"], port=given["port"], dbname=given["dbname"], user="postgres")


def copy_studies(opened: Any) -> None:
    """Copy each row of the studies; rows of a copy refer to each other."""
    models = [apps.get_model(name) for name in COPIED]
    tables = {model._meta.db_table for model in models}
    with opened.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        for model in models:
            table, wanted, made = model._meta.db_table, [], []
            for field in model._meta.concrete_fields:
                if getattr(field, "generated", False):
                    continue
                wanted.append(f'"{field.column}"')
                remote = field.remote_field.model._meta.db_table if field.remote_field else ""
                if field.primary_key or remote in tables:
                    made.append(f't."{field.column}" + n * {OFFSET}')
                elif (table, field.column) in ARE_TEXTS_OF_A_COPY:
                    made.append(f"t.\"{field.column}\" || '-' || n")
                elif field.column == "form_key":
                    made.append("NULL")
                else:
                    made.append(f't."{field.column}"')
            cursor.execute(
                f"INSERT INTO {table} ({', '.join(wanted)}) SELECT {', '.join(made)}"
                f" FROM generate_series(1, {STUDIES - 1}) n CROSS JOIN {table} t ORDER BY n, t.id"
            )
            opened.commit()
        opened.autocommit = True
        for table in tables:
            cursor.execute(f"VACUUM ANALYZE {table}")


def sizes() -> Iterator[Measurement]:
    """Bytes of each copied table, and for each label."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM rounds_label")
        (labels,) = cursor.fetchone()
        for name in COPIED:
            table = apps.get_model(name)._meta.db_table
            cursor.execute(
                f"SELECT count(*), pg_table_size('{table}'), pg_indexes_size('{table}') FROM {table}"
            )
            count, heap, indexes = cursor.fetchone()
            if count * 100 < labels:
                continue
            yield Measurement(
                work=f"{table}: {count:,} rows",
                ours=f"{megabytes(heap)} and {megabytes(indexes)} of indexes",
                note=f"{heap / count:.0f} + {indexes / count:.0f} bytes a row; "
                f"{(heap + indexes) / labels:.0f} bytes a label",
            )


def partitions(opened: Any) -> Iterator[Measurement]:
    """The labels in one table and in a partition for each round, with the same keys; the same five works in
    both.
    """
    opened.autocommit = True
    with opened.cursor() as cursor:
        cursor.execute("SET jit = off")
        cursor.execute("SELECT round_id, count(*) FROM rounds_label GROUP BY 1 ORDER BY 1")
        rounds = [number for number, _count in cursor.fetchall()]
        for name, kind in (("one_label", ""), ("parted_label", " PARTITION BY LIST (round_id)")):
            cursor.execute(f"DROP TABLE IF EXISTS {name} CASCADE")
            cursor.execute(f"CREATE TABLE {name} (LIKE rounds_label INCLUDING DEFAULTS){kind}")
            if kind:
                for number in rounds:
                    cursor.execute(
                        f"CREATE TABLE {name}_{number} PARTITION OF {name} FOR VALUES IN ({number})"
                    )
            cursor.execute(
                f"CREATE UNIQUE INDEX ON {name} (round_id, issue_id, volunteer_id)"
                " INCLUDE (category_id, surplus)"
            )
            cursor.execute(f"CREATE INDEX ON {name} (volunteer_id, round_id, submitted_at DESC)")
            cursor.execute(f"CREATE UNIQUE INDEX ON {name} (assignment_id, round_id)")
            cursor.execute(f"INSERT INTO {name} SELECT * FROM rounds_label")
            cursor.execute(f"VACUUM ANALYZE {name}")
        middle = rounds[len(rounds) // 2]
        cursor.execute(
            "SELECT issue_id, volunteer_id FROM one_label WHERE round_id = %s LIMIT %s", [middle, LOOKS]
        )
        places = cursor.fetchall()

        def timed(statement: str, given: list[Any]) -> float:
            began = time.perf_counter()
            cursor.execute(statement, given)
            return time.perf_counter() - began

        def compared(what: str, work: Any) -> Measurement:
            one, parted = work("one_label"), work("parted_label")
            return Measurement.timed(what, parted, one, "the same in one table")

        yield compared(
            f"{len(rounds)} partitions: a label by its key, median of {LOOKS}",
            lambda table: statistics.median(
                timed(
                    f"SELECT * FROM {table} WHERE round_id = %s AND issue_id = %s AND volunteer_id = %s",
                    [middle, *at],
                )
                for at in places
            ),
        )
        yield compared(
            "partitions: own labels, newest first, median of 50",
            lambda table: statistics.median(
                timed(
                    f"SELECT * FROM {table} WHERE volunteer_id = %s AND round_id = %s"
                    " ORDER BY submitted_at DESC LIMIT 20",
                    [places[0][1], middle],
                )
                for _turn in range(50)
            ),
        )
        yield compared(
            "partitions: label tuples of a round, best of 3",
            lambda table: min(
                timed(
                    f"SELECT issue_id, array_agg(category_id ORDER BY volunteer_id) FROM {table}"
                    " WHERE round_id = %s GROUP BY issue_id",
                    [middle],
                )
                for _turn in range(3)
            ),
        )
        cursor.execute(
            f"CREATE TEMPORARY TABLE more AS SELECT * FROM rounds_label ORDER BY md5(id::text) LIMIT {ROWS}"
        )
        cursor.execute("UPDATE more SET id = -id, assignment_id = -assignment_id, issue_id = -issue_id")
        yield compared(
            f"partitions: {ROWS:,} labels more, of all rounds",
            lambda table: timed(f"INSERT INTO {table} SELECT * FROM more", []),
        )
        yield compared(
            "partitions: a study goes",
            lambda table: timed(
                f"DELETE FROM {table} WHERE round_id = {middle}"
                if table == "one_label"
                else f"DROP TABLE {table}_{middle}",
                [],
            ),
        )
        cursor.execute("DROP TABLE one_label; DROP TABLE parted_label")
