"""Runs each engine in its own process, because an engine keeps its memory until the process ends."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def answer_of(worker: str, *arguments: str, given: str, seconds: float) -> bytes:
    """The output of the module `worker` of this room for the input `given`. Raises SubprocessError."""
    made = subprocess.run(
        [sys.executable, "-m", f"drawing.{worker}", *arguments],
        input=given.encode(),
        capture_output=True,
        cwd=ROOT,
        check=True,
        timeout=seconds,
    )
    return made.stdout
