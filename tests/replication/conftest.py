"""Uploads of each test in a folder of their own."""

from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings

from core import jobs
from ingest import files


@pytest.fixture
def kept(monkeypatch) -> Path:
    """The folder that files are kept in; no worker hears of a job."""
    name = f"uploads-{uuid4().hex}"
    monkeypatch.setattr(files, "FOLDER", name)
    monkeypatch.setattr(jobs, "ring", lambda job_id: None)
    return settings.DATA_DIR / name
