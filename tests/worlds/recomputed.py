"""The script of a replication package, run as others would run it: another process, without the project."""

import atexit
import hashlib
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

PYTHON = [sys.executable, "-E", "-s", "-W", "error"]


def run(package: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own, forked from one that has imported the libraries already: they take it longer
    than all else.
    """
    with TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("out", "err")]
        asked = {"package": str(package), "arguments": arguments, "files": [str(file) for file in files]}
        server = _server()
        print(json.dumps(asked), file=server.stdin, flush=True)
        code = int(server.stdout.readline())
        return subprocess.CompletedProcess(["recompute.py"], code, *(file.read_text() for file in files))


def run_alone(package: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """From nothing, libraries included."""
    command = [*PYTHON, str(package / "recompute.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=package, check=False, timeout=300)


_SERVER = """
import json, os, runpy, sys
import numpy, pandas, scipy.stats, statsmodels.stats.inter_rater
for line in sys.stdin:
    asked = json.loads(line)
    child = os.fork()
    if not child:
        for file, number in zip(asked["files"], (1, 2)):
            os.dup2(os.open(file, os.O_CREAT | os.O_WRONLY), number)
        os.chdir(asked["package"])
        script = os.path.join(asked["package"], "recompute.py")
        sys.path[0], sys.argv = asked["package"], [script, *asked["arguments"]]
        runpy.run_path(script, run_name="__main__")
        sys.exit()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@cache
def _server() -> subprocess.Popen[str]:
    # One thread: a process with more cannot be forked safely.
    made = subprocess.Popen(
        [*PYTHON, "-c", _SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
    )
    atexit.register(made.communicate)
    return made


def summary(package: Path, *arguments: str) -> tuple[int, int, int]:
    """How many numbers there are, how many of them differ, and how many are not in the package.

    The others are equal to the last digit.
    """
    done = run(package, *arguments)
    assert not done.stderr, done.stderr
    found = re.search(r"(\d+) numbers: .* (\d+) within .* (\d+) differ\.\n(\d+) more", done.stdout)
    assert found, done.stdout
    assert "Faults of files: 0.\n" in done.stdout, done.stdout[done.stdout.index("What is wrong") :]
    numbers, near, wrong, skipped = (int(text) for text in found.groups())
    assert not near, done.stdout
    assert done.returncode == (1 if wrong else 0), done.stdout
    return numbers, wrong, skipped


def changed_files(output: str) -> list[str]:
    """The files that are not those of the manifest, each with what became of it."""
    became = ("CHANGED", "MISSING", "ADDED")
    return [" ".join(line.split()) for line in output.splitlines() if line.endswith(became)]


def wrong_files(output: str) -> set[str]:
    """The files that the script names at its end."""
    found = re.search(r"(?m)^Files that were changed, or differ from another: (.*)$", output)
    return set(found[1].split(", ")) if found else set()


def forge_hashes(package: Path) -> None:
    """Write the manifest anew, with the hashes of the files that are there: what somebody would do who hides a
    change.
    """
    path = package / "manifest.json"
    besides = {path, package / "manifest.sha256"}
    manifest = json.loads(path.read_text()) | {
        "sha256": {
            one.relative_to(package).as_posix(): hashlib.sha256(one.read_bytes()).hexdigest()
            for one in sorted(package.rglob("*"))
            if one.is_file() and one not in besides and "__pycache__" not in one.parts
        }
    }
    path.write_text(json.dumps(manifest, indent=2) + "\n")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    (package / "manifest.sha256").write_text(f"{digest}  manifest.json\n")


def wrong_paths(package: Path) -> set[str]:
    """The paths of the numbers that differ."""
    done = run(package)
    assert done.returncode == 1, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    return {line[:70].strip() for line in lines if line.endswith("DIFFERS")}
