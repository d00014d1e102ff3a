"""Builds .venv from a lock file if it is missing or out of date: `install.py [dev]`.

Runs with any Python 3, to tell the user clearly if that is too old; so it uses only the standard library and
the syntax of Python 3.7.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

OLDEST = (3, 11)
CANDIDATES = ["python3.14", "python3.13", "python3.12", "python3.11"]
ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LOCKS = {"runtime": ROOT / "requirements.lock", "dev": ROOT / "requirements-dev.lock"}


def main(kind: str) -> None:
    if sys.version_info < OLDEST:
        use_a_newer_python()
    with (ROOT / ".venv.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # `make demo` and `make test` may run at the same time
        if current("dev") or current(kind):  # dev includes the packages of runtime
            return
        if not works():
            make_venv()
        install(kind)


def use_a_newer_python() -> None:
    for name in CANDIDATES:
        if shutil.which(name):
            os.execvp(name, [name, *sys.argv])  # noqa: S606 - an interpreter found on PATH
    fail(
        f"Crosscheck needs Python 3.11 or newer; {sys.executable} is {version()}.\n"
        "Install one (on Debian and Ubuntu: apt install python3.11 python3.11-venv), then try again,\n"
        "or name it: make PYTHON=/path/to/python3.11 demo"
    )


def current(kind: str) -> bool:
    """True if .venv was installed from this lock file as it is now, and works."""
    try:
        return stamp(kind).read_text() == fingerprint(kind) and works()
    except OSError:
        return False


def stamp(kind: str) -> Path:
    return VENV / f"installed-{kind}"


def fingerprint(kind: str) -> str:
    return hashlib.sha256(LOCKS[kind].read_bytes()).hexdigest()


def works() -> bool:
    """True if .venv has a Python that runs and is new enough; its original may be gone."""
    check = f"import sys, pip; sys.exit(sys.version_info < {OLDEST})"
    try:
        return subprocess.call([str(PYTHON), "-c", check], stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def make_venv() -> None:
    say(f"Making .venv with Python {version()} …")
    made = run([sys.executable, "-m", "venv", "--clear", str(VENV)])
    if made.returncode:
        shutil.rmtree(str(VENV), ignore_errors=True)
        fail(
            f"{made.stdout.strip()[-2000:]}\n\n"
            "Python cannot make a virtual environment here. On Debian and Ubuntu its venv module is a\n"
            f"package of its own: apt install python{sys.version_info[0]}.{sys.version_info[1]}-venv"
        )


def install(kind: str) -> None:
    for path in map(stamp, LOCKS):
        if path.exists():
            path.unlink()
    lock = LOCKS[kind]
    packages = sum("==" in line and line[0] not in " #" for line in lock.read_text().splitlines())
    say(f"Installing the {packages} packages of {lock.name} …")
    began = time.time()
    quiet = ["--quiet", "--no-input", "--disable-pip-version-check"]
    options = ["--require-hashes", "--no-deps", "--no-compile", *quiet]
    done = run([str(PYTHON), "-m", "pip", "install", *options, "--requirement", str(lock)])
    if done.returncode:
        fail(f"{done.stdout.strip()[-6000:]}\n\nThe packages could not be installed; pip says why, above.")
    stamp(kind).write_text(fingerprint(kind))
    say(f"Installed in {time.time() - began:.0f} s.")


def run(command: list) -> subprocess.CompletedProcess:
    """Run with captured output, which the caller shows after a failure."""
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def version() -> str:
    return ".".join(map(str, sys.version_info[:3]))


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def fail(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.exit(1)


if __name__ == "__main__":
    main("dev" if sys.argv[1:] == ["dev"] else "runtime")
