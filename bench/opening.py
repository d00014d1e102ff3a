"""Opening a main round of full size: its assignments are made in steps, as in the worker."""

from collections.abc import Iterator
from typing import Any

from django.db import connection, transaction

from annotate.actions.rounds import open_round_in_steps
from bench.ground import Ground, Measurement, timed
from bench.rounds import planned_round_in
from rounds.models import Assignment

MOST = 20.0

# A separate table with the same columns, checks and indexes, without foreign keys.
COPIED = "CREATE TABLE bench_slots (LIKE rounds_assignment INCLUDING CONSTRAINTS INCLUDING INDEXES)"


def rows(ground: Ground) -> Iterator[Measurement]:
    round_, lead = planned_round_in(ground.study(ground.issues))
    reports: list[int] = []

    def report(done: int, _total: int, _what: object) -> None:
        reports.append(done)

    ground.say("opening a round …")
    took = timed(lambda: open_round_in_steps(round_=round_, by=lead, report=report))
    slots = Assignment.objects.filter(round=round_).count()
    if slots != reports[-1]:
        raise RuntimeError(f"{slots} assignments, and {reports[-1]} reported")
    least = copied(ground, round_)
    yield Measurement.timed(
        f"open a round: {slots:,} assignments",
        took,
        least,
        "COPY of the same rows into a table with the same indexes",
        most=MOST,
        note=f"once, in {len(reports)} steps, each reported as progress",
    )


def copied(ground: Ground, round_: Any) -> float:
    """The seconds that PostgreSQL takes to copy the assignments of a round."""
    file = ground.folder / "assignments"
    with connection.cursor() as cursor:
        with file.open("wb") as out:
            cursor.copy_expert(
                f"COPY (SELECT * FROM rounds_assignment WHERE round_id = {round_.pk:d}) TO STDOUT", out
            )
        cursor.execute(COPIED)
        cursor.execute("CHECKPOINT")

        def copy() -> None:
            with transaction.atomic(), file.open("rb") as rows_:
                cursor.copy_expert("COPY bench_slots FROM STDIN", rows_)

        took = timed(copy)
        cursor.execute("DROP TABLE bench_slots")
    return took
