"""Uploads of each test in a folder of their own, below the data folder of the run."""

from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings

from core import jobs
from ingest import files
from tests.factories import make_repository


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
