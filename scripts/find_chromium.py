"""Prints the path of a Chromium for the browser tests, and on stderr its source; installs one if needed.

Tries in turn the variable CHROMIUM, a browser on PATH, Playwright's, the distribution's package (as root),
and Playwright's download.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]


def main() -> None:
    path = given() or on_path() or playwrights() or from_distribution() or downloaded()
    if path is None:
        sys.exit(
            "No Chromium was found, and none could be got. Install one and try again, name one with\n"
            "CHROMIUM=/path/to/chromium, or leave the browser tests out with CHROMIUM=none."
        )
    print(path)


def given() -> str | None:
    path = os.environ.get("CHROMIUM", "")
    if path == "none":
        say("The browser tests are left out: CHROMIUM=none.")
        return path
    if path and version(path) is None:
        sys.exit(f"CHROMIUM={path} does not run.")
    return chosen(path, "named by CHROMIUM") if path else None


def on_path() -> str | None:
    found = filter(None, map(shutil.which, NAMES))
    return next((path for path in (chosen(path, "found on PATH") for path in found) if path), None)


def playwrights() -> str | None:
    code = "from playwright.sync_api import sync_playwright as run\n"
    code += "with run() as here: print(here.chromium.executable_path)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    path = answer.stdout.strip()
    return chosen(path, "downloaded by Playwright") if path and Path(path).exists() else None


def from_distribution() -> str | None:
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return None
    say("No Chromium here; getting the distribution's package …")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    # The shell draws without a desktop, and takes two thirds of the time; not all distributions have it.
    for package in ("chromium-headless-shell", "chromium"):
        for command in (["update"], ["install", "-y", "--no-install-recommends", package]):
            subprocess.run(["apt-get", "-qq", *command], env=environment, capture_output=True, check=False)
        if path := on_path():
            return path
    return None


def downloaded() -> str | None:
    say("No Chromium here; getting Playwright's …")
    libraries = ["--with-deps"] if os.geteuid() == 0 and shutil.which("apt-get") else []
    command = [sys.executable, "-m", "playwright", "install", *libraries, "chromium"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode:
        say(answer.stderr.strip()[-1000:])
    return playwrights()


def chosen(path: str, how: str) -> str | None:
    found = version(path)
    if found:
        say(f"Browser tests use {path} ({found}), {how}.")
    return path if found else None


def version(path: str) -> str | None:
    """The browser's name and version; None if it does not run (a placeholder, missing libraries)."""
    try:
        answer = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
