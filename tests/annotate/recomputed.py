"""The script of a replication package, run as others would run it: another process, without the project."""

import re
import subprocess
import sys
from pathlib import Path


def run(package: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-E", "-s", "-W", "error", str(package / "recompute.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=package, check=False, timeout=300)


def summary(package: Path, *arguments: str) -> tuple[int, int, int]:
    """How many numbers there are, how many of them differ, and how many are not in the package.

    The others are equal to the last digit.
    """
    done = run(package, *arguments)
    assert not done.stderr, done.stderr
    found = re.search(r"(\d+) numbers: .* (\d+) within .* (\d+) differ\.\n(\d+) more", done.stdout)
    assert found, done.stdout
    numbers, near, wrong, skipped = (int(text) for text in found.groups())
    assert not near, done.stdout
    assert done.returncode == (1 if wrong else 0), done.stdout
    return numbers, wrong, skipped


def wrong_paths(package: Path) -> set[str]:
    """The paths of the numbers that differ."""
    done = run(package)
    assert done.returncode == 1, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    return {line[:70].strip() for line in lines if line.endswith("DIFFERS")}
