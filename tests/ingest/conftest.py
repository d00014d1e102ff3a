"""Uploads of each test in a folder of their own, below the data folder of the run."""

from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings

from ingest import files


@pytest.fixture(autouse=True)
def uploads(monkeypatch) -> Path:
    """The folder that files are kept in."""
    name = f"uploads-{uuid4().hex}"
    monkeypatch.setattr(files, "FOLDER", name)
    return settings.DATA_DIR / name
