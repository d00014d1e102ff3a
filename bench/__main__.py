"""`make bench`, or `python -m bench [ROW…]`: measures, and prints a table.

Everything happens in a database of its own, made and dropped here, on an embedded server of its own.
"""

import argparse
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench import ground

# In this order: `load` leaves a study of triple size to `export`, which leaves the full one to the others.
ROWS = (
    "load", "export", "agreement", "submit", "page", "opening", "throughput", "alike", "consensus", "issues",
    "meeting", "coding", "publishing", "keywords", "similar", "millions", "scale",
)  # fmt: skip
LONG = {"similar", "millions", "scale"}
"""Rows that are measured only if they are named, because their data take long to make."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "rows",
        nargs="*",
        metavar="ROW",
        help=f"some of {', '.join(ROWS)}; all but {', '.join(LONG)} if none is named",
    )
    parser.add_argument("--issues", type=int, default=ground.FULL, help="of a full study (%(default)s)")
    parser.add_argument("--repeat", type=int, default=3, help="how often slow work is done (%(default)s)")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table there too")
    asked = parser.parse_args()
    if unknown := set(asked.rows) - set(ROWS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    busy, began = [load_average()], time.monotonic()
    progress = Console(stderr=True, highlight=False)
    data = ground.ROOT / "var" / "bench"
    with tempfile.TemporaryDirectory(prefix="crosscheck-bench-") as folder:
        here = ground.Ground(
            Path(folder), asked.issues, asked.repeat, say=lambda text: progress.print(text, style="dim")
        )
        ground.prepare(data)
        found: list[ground.Measurement] = []
        try:
            for row in measured(here, asked.rows or [name for name in ROWS if name not in LONG]):
                found.append(row)
                progress.print(f"{row.work}: {row.ours} {ratio(row)} {verdict(row)}")
        finally:
            # Also after a failed row: the rows before it took minutes.
            busy.append(load_average())
            show(found, heading(busy, time.monotonic() - began), asked.markdown)
            ground.clear_away(data)
    sys.exit(any(row.met is False for row in found))


def heading(busy: list[str], took: float) -> str:
    return (
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {machine()}, {took / 60:.0f} min,"
        f" load {' '.join(busy)} (1 min) before and after"
    )


def show(found: list[ground.Measurement], heading: str, markdown: Path | None) -> None:
    wide = None if sys.stdout.isatty() else 160
    Console(width=wide).print(table(found, heading))
    if markdown:
        markdown.write_text(as_markdown(found, heading), encoding="utf-8")


def measured(here: ground.Ground, names: list[str]) -> Iterator[ground.Measurement]:
    for name in ROWS:
        if name in names:
            began = time.monotonic()
            # Imported here, after `prepare`: these modules import Django's models.
            yield from import_module(f"bench.{name}").rows(here)
            here.say(f"{name}: {time.monotonic() - began:,.0f} s in all")


def table(rows: list[ground.Measurement], heading: str) -> Table:
    notes = [f"{row.work}: {row.note}" for row in rows if row.note]
    drawn = Table(title=heading, title_justify="left", caption="\n".join(notes), caption_justify="left")
    for name in ("work", "ours", "limit", "what limits", "ratio", "bar", ""):
        drawn.add_column(name, justify="right" if name in {"ours", "limit", "ratio", "bar"} else "left")
    for row in rows:
        colour = {True: "green", False: "red", None: "dim"}[row.met]
        shown = [row.work, row.ours, row.limit, row.limit_is, ratio(row), row.bar]
        drawn.add_row(*shown, f"[{colour}]{verdict(row)}[/{colour}]")
    return drawn


def as_markdown(rows: list[ground.Measurement], heading: str) -> str:
    lines = [
        f"{heading}\n",
        "| work | ours | limit, same run | ratio | bar | |",
        "|---|---:|---|---:|---:|---|",
    ]
    for row in rows:
        limit = f"{row.limit}: {row.limit_is}" if row.limit else row.limit_is
        lines.append(f"| {row.work} | {row.ours} | {limit} | {ratio(row)} | {row.bar} | {verdict(row)} |")
    lines += ["", *dict.fromkeys(f"* {row.work}: {row.note}." for row in rows if row.note)]
    return "\n".join(lines) + "\n"


def ratio(row: ground.Measurement) -> str:
    return "" if row.ratio is None else f"{row.ratio:.2f} ×"


def verdict(row: ground.Measurement) -> str:
    return {True: "kept", False: "missed", None: ""}[row.met]


def machine() -> str:
    """The processor, its cores, memory and Python, as text."""
    import psutil

    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    processor = names[0] if names else platform.processor()
    memory = psutil.virtual_memory().total / 2**30
    return (
        f"{processor}, {psutil.cpu_count()} cores, {memory:.0f} GB, {platform.system()},"
        f" Python {platform.python_version()}"
    )


def load_average() -> str:
    return f"{os.getloadavg()[0]:.1f}"


if __name__ == "__main__":
    main()
