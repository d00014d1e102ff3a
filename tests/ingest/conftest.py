"""The published labels and the real issue texts, read in place where a checkout has them beside it."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


def _beside(name: str) -> Path:
    folder = SHARED / name
    if not folder.is_dir():
        pytest.skip(f"no {name} data beside this checkout (../shared/data/{name})")
    return folder


@pytest.fixture(scope="session")
def published() -> Path:
    return _beside("published")


@pytest.fixture(scope="session")
def real_issues() -> Path:
    return _beside("issues")
