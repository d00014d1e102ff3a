"""Texts of real issues and the published lists, read in place: none of them is part of the project."""

import json
from functools import cache
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
PUBLISHED = DATA / "published" / "filter_keywords.txt"


@cache
def _issues() -> tuple[tuple[str, str], ...]:
    files = [path.read_text(encoding="utf-8") for path in sorted((DATA / "issues").glob("*.jsonl"))]
    rows = [json.loads(line) for text in files for line in text.split("\n") if line]
    return tuple((row["title"] or "", row["body"] or "") for row in rows)


def issues() -> tuple[tuple[str, str], ...]:
    """Titles and bodies; skips the test without them."""
    if not _issues():
        pytest.skip(f"no real issues in {DATA}")
    return _issues()


def bodies() -> list[str]:
    return [body for _title, body in issues() if body]


def published() -> str:
    """The published keyword lists; skips the test without them."""
    if not PUBLISHED.exists():
        pytest.skip(f"no published lists at {PUBLISHED}")
    return PUBLISHED.read_text(encoding="utf-8")
