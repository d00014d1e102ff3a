"""Reads the files of the demonstration study: demo/invented."""

import csv
import json
from collections.abc import Iterator
from importlib.resources import files
from io import StringIO
from typing import Any

DATA = files("demo.invented")


def rows(name: str) -> Iterator[dict[str, str]]:
    """The rows of a CSV file, by column."""
    yield from csv.DictReader(StringIO(text(name), newline=""), strict=True)


def text(name: str) -> str:
    return DATA.joinpath(name).read_bytes().decode()


def meeting_lines() -> list[dict[str, Any]]:
    """The events of the first meeting, line by line."""
    return [json.loads(line) for line in text("meeting.jsonl").splitlines()]
