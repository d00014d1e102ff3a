"""What the demonstration study is made of: the files of annotate/demo, read."""

import csv
import json
from collections.abc import Iterator
from importlib.resources import files
from io import StringIO
from typing import Any

DATA = files("annotate.demo")


def rows(name: str) -> Iterator[dict[str, str]]:
    """The lines of one of the CSV files, by their columns."""
    text = DATA.joinpath(name).read_bytes().decode()
    yield from csv.DictReader(StringIO(text, newline=""), strict=True)


def text(name: str) -> str:
    return DATA.joinpath(name).read_bytes().decode()


def told() -> list[dict[str, Any]]:
    """What was done in the meeting that is over, line by line."""
    return [json.loads(line) for line in text("meeting.jsonl").splitlines()]
