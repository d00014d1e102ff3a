"""Measurements in a process of their own, for its memory: `python -m bench.children NAME ARGUMENT…`. Prints
one line of JSON. The parent's environment names the database.
"""

import json
import resource
import sys
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import django


def load(folder: str, slug: str) -> dict[str, Any]:
    """Load a published study: the `seconds` of the load alone, and the `peak` bytes of memory."""
    from bench.ground import owner
    from replication.actions.published import import_study

    by = owner()
    began = time.perf_counter()
    import_study(folder=Path(folder), slug=slug, owner=by)
    return {"seconds": time.perf_counter() - began, "peak": peak_memory()}


def export(slug: str) -> dict[str, Any]:
    """Stream a study's wide CSV, as for a browser, and discard it."""
    from bench.rounds import main_round
    from reports.exports import labels_csv

    round_ = main_round(slug)
    began = time.perf_counter()
    size = sum(len(chunk) for chunk in labels_csv(round_))
    return {"seconds": time.perf_counter() - began, "peak": peak_memory(), "bytes": size}


def command(*arguments: str) -> dict[str, Any]:
    """Run `manage.py` with these arguments; `answer` is the JSON that it prints, `bytes` the JSON's size."""
    from django.core.management import call_command

    printed = StringIO()
    call_command(*arguments, stdout=printed)
    return {"answer": json.loads(printed.getvalue()), "bytes": printed.tell(), "peak": peak_memory()}


def peak_memory() -> int:
    """The largest resident memory of this process so far, in bytes. On Linux VmHWM gives it; ru_maxrss starts
    there at the size of the parent process.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


if __name__ == "__main__":
    django.setup()
    named: dict[str, Callable[..., dict[str, Any]]] = {"load": load, "export": export, "command": command}
    answer = named[sys.argv[1]](*sys.argv[2:])
    print(json.dumps(answer))
