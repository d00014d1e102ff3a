"""The engines, each in a process of its own: they keep what they have drawn in memory until it ends."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def answer_of(worker: str, *arguments: str, given: str, seconds: float) -> bytes:
    """What the module `worker` of this room writes when it reads `given`. Raises SubprocessError."""
    made = subprocess.run(
        [sys.executable, "-m", f"drawing.{worker}", *arguments],
        input=given.encode(),
        capture_output=True,
        cwd=ROOT,
        check=True,
        timeout=seconds,
    )
    return made.stdout
