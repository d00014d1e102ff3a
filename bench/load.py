"""Loading a published study, against COPY of the same rows into the same tables with their constraints."""

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.ground import PUBLISHED, Ground, Row, child, megabytes, seconds, timed

# In the order of their references.
TABLES = (
    "ingest_repository", "ingest_issue", "ingest_source", "ingest_sourceentry", "annotate_roundissue",
    "annotate_assignment", "annotate_label", "annotate_decision",
)  # fmt: skip
MOST = 4.0
FLAT = 1.25


def rows(ground: Ground) -> Iterator[Row]:
    """Ours and COPY by turns, each `repeat` times; then the memory at one and at three times the size."""
    name = f"load a study: {ground.issues:,} issues × 7"
    yield compared(ground, name, ground.files(ground.issues))
    if PUBLISHED.is_dir():
        yield compared(ground, "load the published study: 25,784 issues × 7", PUBLISHED)
    yield memory(ground)


def compared(ground: Ground, name: str, folder: Path) -> Row:
    ours, copies, copied = [], [], 0
    for turn in range(ground.repeat):
        ground.say(f"{name}: {turn + 1} of {ground.repeat} …")
        ground.forget_studies()
        ours.append(child("load", folder, "loaded")["seconds"])
        duration, copied = copy_again()
        copies.append(duration)
    ground.forget_studies()
    our, limit = statistics.median(ours), statistics.median(copies)
    return Row(
        work=name,
        ours=seconds(our),
        limit=seconds(limit),
        limit_is=f"COPY of the same {copied:,} rows",
        ratio=our / limit,
        bar=f"≤ {MOST:g} ×",
        met=our / limit <= MOST,
        note=f"median of {ground.repeat}; ours {spread(ours)}, COPY {spread(copies)}",
    )


def spread(times: list[float]) -> str:
    return f"{min(times):.2f}–{max(times):.2f} s"


def copy_again() -> tuple[float, int]:
    """Seconds and rows of a COPY, in one transaction, of what the tables hold; its commit is included."""
    from django.db import connection, transaction  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as place, connection.cursor() as cursor:
        paths = {table: Path(place) / table for table in TABLES}
        copied = 0
        for table, path in paths.items():
            with path.open("wb") as file:
                cursor.copy_expert(f"COPY {table} TO STDOUT", file)
                copied += cursor.rowcount
        cursor.execute("TRUNCATE ingest_repository CASCADE")
        cursor.execute("CHECKPOINT")

        def copy() -> None:
            with transaction.atomic():
                for table, path in paths.items():
                    with path.open("rb") as file:
                        cursor.copy_expert(f"COPY {table} FROM STDIN", file)

        return timed(copy), copied


def memory(ground: Ground) -> Row:
    peaks = []
    for size in (ground.issues, 3 * ground.issues):
        ground.say(f"memory of a load of {size:,} issues …")
        ground.forget_studies()
        peaks.append(child("load", ground.files(size), "loaded")["peak"])
    ground.forget_studies()
    once, thrice = peaks
    return Row(
        work="memory of the load: once the size, three times",
        ours=f"{megabytes(once)}, {megabytes(thrice)}",
        ratio=thrice / once,
        limit=megabytes(once),
        limit_is="once the size",
        bar=f"flat (≤ {FLAT:g} ×)",
        met=thrice / once <= FLAT,
        note="peak resident memory of the loading process",
    )
