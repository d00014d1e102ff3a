"""What every test may ask for, and the servers of the run.

A run has a data folder of its own (named in config/settings/test.py) with one PostgreSQL and one Redis, started by the
first test that needs them, shared by the workers of xdist with a database each, and ended with the run. The next run
clears away what a killed one left. `var/` is never touched.
"""

import gc
import os
import shutil
import tempfile
from pathlib import Path

import psutil
import pytest
from django.conf import settings

from core import embedded

PREFIX = "crosscheck-test-"
SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def pytest_configure(config: pytest.Config) -> None:
    if _names_the_folder():
        for left in Path(tempfile.gettempdir()).glob(f"{PREFIX}[0-9]*"):
            pid = int(left.name.removeprefix(PREFIX))
            if left.stat().st_uid == os.geteuid() and (pid == os.getpid() or not psutil.pid_exists(pid)):
                _remove(left)
        settings.DATA_DIR.mkdir(mode=0o700)


def pytest_unconfigure(config: pytest.Config) -> None:
    if _names_the_folder():
        _remove(settings.DATA_DIR)


def pytest_collection_finish() -> None:
    """What the imports left is here to stay: no collection need look at it again, and there may be fewer of them."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def _names_the_folder() -> bool:
    """True in the process that began the run; not in a worker of xdist, nor in a pytest that a test started."""
    return settings.DATA_DIR.name == f"{PREFIX}{os.getpid()}"


def _remove(folder: Path) -> None:
    embedded.stop_all(folder)
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def published() -> Path:
    """The published labels of the reference study: `<Repo>/<Repo>.csv` and their lists of URLs."""
    return _shared("published")


@pytest.fixture(scope="session")
def issue_samples() -> Path:
    """Issue reports as forges answer them."""
    return _shared("issues")


def _shared(name: str) -> Path:
    folder = SHARED_DATA / name
    if not folder.is_dir():
        pytest.skip(f"{folder} is not here: the data of the reference study is not part of the project")
    return folder
