"""Opening a main round of full size: its assignments are made in steps, as the worker does it."""

from collections.abc import Iterator
from typing import Any

from bench.ground import Ground, Row, seconds, timed
from bench.rounds import planned_round_in

MOST = 20.0

# A table of its own with the same columns, checks and indexes; it has no foreign keys to look up.
COPIED = "CREATE TABLE bench_slots (LIKE annotate_assignment INCLUDING CONSTRAINTS INCLUDING INDEXES)"


def rows(ground: Ground) -> Iterator[Row]:
    from annotate.actions.rounds import open_round_in_steps  # noqa: PLC0415
    from annotate.models import Assignment  # noqa: PLC0415

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
    yield Row(
        work=f"open a round: {slots:,} assignments",
        ours=seconds(took),
        limit=seconds(least),
        limit_is="COPY of the same rows into a table with the same indexes",
        ratio=took / least,
        bar=f"≤ {seconds(MOST)}",
        met=took <= MOST,
        note=f"once, in {len(reports)} steps, each reported as progress",
    )


def copied(ground: Ground, round_: Any) -> float:
    """The seconds in which PostgreSQL copies the assignments of a round."""
    from django.db import connection, transaction  # noqa: PLC0415

    file = ground.folder / "assignments"
    with connection.cursor() as cursor:
        with file.open("wb") as out:
            cursor.copy_expert(
                f"COPY (SELECT * FROM annotate_assignment WHERE round_id = {round_.pk:d}) TO STDOUT", out
            )
        cursor.execute(COPIED)
        cursor.execute("CHECKPOINT")

        def copy() -> None:
            with transaction.atomic(), file.open("rb") as rows_:
                cursor.copy_expert("COPY bench_slots FROM STDIN", rows_)

        took = timed(copy)
        cursor.execute("DROP TABLE bench_slots")
    return took
