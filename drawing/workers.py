"""Runs each engine in its own process, because an engine keeps its memory until the process ends."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = re.compile(r'File "[^"]+", line \d+')
CLASS = re.compile(r"^[A-Za-z_.]+(?=:|$)")


def answer_of(worker: str, *arguments: str, given: str, seconds: float, folder: Path | None = None) -> bytes:
    """The output of the module `worker` of this room for the input `given`; its temporary files are in
    `folder`. Raises SubprocessError.
    """
    made = subprocess.run(
        [sys.executable, "-m", f"drawing.{worker}", *arguments],
        input=given.encode(),
        capture_output=True,
        cwd=ROOT,
        env=None if folder is None else {**os.environ, "TMPDIR": str(folder)},
        check=True,
        timeout=seconds,
    )
    return made.stdout


def where_it_failed(printed: str) -> str:
    """Of what a failed engine printed: the places in code and the class of the error. The rest can hold texts
    of the picture or the document, and no log keeps those.
    """
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    places = [line for line in lines if PLACE.match(line)]
    return "; ".join([*places[-3:], *(CLASS.findall(lines[-1]) if lines else [])]) or "nothing was printed"
