"""`make bench`, or `python -m bench [ROW…]`: measures, and prints a table.

Everything happens in a database of its own, made and dropped here, on an embedded server of its own.
"""

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench import (
    agreement,
    alike,
    consensus,
    export,
    ground,
    load,
    meeting,
    millions,
    opening,
    page,
    publishing,
    submit,
    throughput,
)

ROWS = {
    "load": load, "agreement": agreement, "export": export, "submit": submit, "page": page,
    "opening": opening, "throughput": throughput, "alike": alike, "consensus": consensus, "meeting": meeting,
    "publishing": publishing, "millions": millions,
}  # fmt: skip
LONG = {"millions"}
"""What is measured only where it is named: it takes long to make."""


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
    busy = [load_average()]
    progress = Console(stderr=True, highlight=False)
    data = ground.ROOT / "var" / "bench"
    with tempfile.TemporaryDirectory(prefix="crosscheck-bench-") as folder:
        here = ground.Ground(
            Path(folder), asked.issues, asked.repeat, say=lambda text: progress.print(text, style="dim")
        )
        ground.prepare(data)
        found: list[ground.Row] = []
        try:
            for row in measured(here, asked.rows or [name for name in ROWS if name not in LONG]):
                found.append(row)
                progress.print(f"{row.work}: {row.ours} {verdict(row)}")
        finally:
            ground.clear_away(data)
    busy.append(load_average())
    heading = (
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {machine()}, load {' '.join(busy)} (1 min) before and after"
    )
    wide = None if sys.stdout.isatty() else 160
    Console(width=wide).print(table(found, heading))
    if asked.markdown:
        asked.markdown.write_text(as_markdown(found, heading), encoding="utf-8")
    sys.exit(any(row.met is False for row in found))


def measured(here: ground.Ground, names: list[str]) -> Iterator[ground.Row]:
    for name, module in ROWS.items():
        if name in names:
            yield from module.rows(here)


def table(rows: list[ground.Row], heading: str) -> Table:
    notes = [f"{row.work}: {row.note}" for row in rows if row.note]
    drawn = Table(title=heading, title_justify="left", caption="\n".join(notes), caption_justify="left")
    for name in ("work", "ours", "limit", "what limits", "ratio", "bar", ""):
        drawn.add_column(name, justify="right" if name in {"ours", "limit", "ratio", "bar"} else "left")
    for row in rows:
        colour = {True: "green", False: "red", None: "dim"}[row.met]
        shown = [row.work, row.ours, row.limit, row.limit_is, ratio(row), row.bar]
        drawn.add_row(*shown, f"[{colour}]{verdict(row)}[/{colour}]")
    return drawn


def as_markdown(rows: list[ground.Row], heading: str) -> str:
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


def ratio(row: ground.Row) -> str:
    return "" if row.ratio is None else f"{row.ratio:.2f} ×"


def verdict(row: ground.Row) -> str:
    return {True: "kept", False: "missed", None: ""}[row.met]


def machine() -> str:
    """Processor, its cores, memory, Python."""
    import psutil  # noqa: PLC0415

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
