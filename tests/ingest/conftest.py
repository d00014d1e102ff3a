"""Uploads of each test in a folder of their own, below the data folder of the run, and a server of forges."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings

from core import clock, jobs
from ingest import files
from tests.factories import make_repository
from tests.forges import ForgeServer


@pytest.fixture(autouse=True)
def uploads(monkeypatch) -> Path:
    """The folder that files are kept in."""
    name = f"uploads-{uuid4().hex}"
    monkeypatch.setattr(files, "FOLDER", name)
    return settings.DATA_DIR / name


@pytest.fixture(autouse=True)
def _no_bell(monkeypatch) -> None:
    monkeypatch.setattr(jobs, "ring", lambda job_id: None)


@pytest.fixture
def repository(study):
    return make_repository(study, "o/engine")


@pytest.fixture
def server(settings, monkeypatch) -> Iterator[ForgeServer]:
    """Plays the forges. Its clock is that of the platform: what waits takes no time."""
    with ForgeServer(patience=0.3) as server:
        settings.FORGE_HOSTS = [server.host]
        monkeypatch.setattr(clock, "now", server.clock.now)
        monkeypatch.setattr(clock, "sleep", server.clock.sleep)
        yield server
