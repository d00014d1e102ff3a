"""Loading a published study, against COPY of the same rows into the same tables and constraints."""

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from django.db import connection, transaction

from bench.ground import EMPTIED, PUBLISHED, Ground, Measurement, child, seconds, timed

# Referenced tables come first.
TABLES = (
    "ingest_repository", "ingest_issue", "ingest_source", "ingest_sourceentry", "rounds_roundissue",
    "rounds_assignment", "rounds_label", "consensus_decision",
)  # fmt: skip
MOST = 4.0
FLAT = 1.25


def rows(ground: Ground) -> Iterator[Measurement]:
    """Ours and COPY in turns, `repeat` times each, the published study once; then memory at both sizes."""
    if PUBLISHED.is_dir():
        yield compared(ground, "load the published study: 25,784 issues × 7", PUBLISHED, turns=1)[0]
    name, folder = f"load a study: {ground.issues:,} issues × 7", ground.files(ground.issues)
    row, peak = compared(ground, name, folder, turns=ground.repeat)
    yield row
    yield memory(ground, peak)


def compared(ground: Ground, name: str, folder: Path, *, turns: int) -> tuple[Measurement, int]:
    """The row, and the median of our peak memory."""
    loads, copies, copied = [], [], 0
    for turn in range(turns):
        ground.say(f"{name}: {turn + 1} of {turns} …")
        ground.forget_studies()
        loads.append(child("load", folder, "loaded"))
        duration, copied = copy_again()
        copies.append(duration)
    ground.forget_studies()
    ours = [load["seconds"] for load in loads]
    our, limit = statistics.median(ours), statistics.median(copies)
    row = Measurement(
        work=name,
        ours=seconds(our),
        limit=seconds(limit),
        limit_is=f"COPY of the same {copied:,} rows",
        ratio=our / limit,
        bar=f"≤ {MOST:g} ×",
        met=our / limit <= MOST,
        note=f"median of {turns}; ours {spread(ours)}, COPY {spread(copies)}",
    )
    return row, statistics.median_low(load["peak"] for load in loads)


def spread(times: list[float]) -> str:
    return f"{min(times):.2f}–{max(times):.2f} s"


def copy_again() -> tuple[float, int]:
    """Seconds and rows of a COPY of the tables' contents, in one transaction, including its commit."""
    with tempfile.TemporaryDirectory() as place, connection.cursor() as cursor:
        paths = {table: Path(place) / table for table in TABLES}
        copied = 0
        for table, path in paths.items():
            with path.open("wb") as file:
                cursor.copy_expert(f"COPY {table} TO STDOUT", file)
                copied += cursor.rowcount
        cursor.execute(EMPTIED.format("ingest_repository"))
        cursor.execute("CHECKPOINT")

        def copy() -> None:
            with transaction.atomic():
                for table, path in paths.items():
                    with path.open("rb") as file:
                        cursor.copy_expert(f"COPY {table} FROM STDIN", file)

        return timed(copy), copied


def memory(ground: Ground, once: int) -> Measurement:
    """The growth of memory; `once` is the peak memory at single size."""
    ground.say(f"memory of a load of {3 * ground.issues:,} issues …")
    thrice = ground.study_of_a_child(3 * ground.issues)["peak"]
    return Measurement.grown(
        "memory of the load: once the size, three times",
        once,
        thrice,
        most=FLAT,
        note="peak resident memory of the loading process",
    )
