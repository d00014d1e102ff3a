"""How a sentence is made: its numbers are kept beside it, with the files of the package that have them."""

from datetime import datetime

from core.text.joining import listed
from reports.formats.tables import number
from reports.sentences.numbers import grouped
from standards.outcomes import Said

LABELS = ("labels_long.csv",)
REPORT = ("agreement.json",)
ISSUES = ("issues.csv",)
DECISIONS = ("decisions.csv",)
TAXONOMY = ("taxonomy.csv",)
HERE = ("method_numbers.csv",)
"""Numbers of the platform's own rows, which this file lists and no other file has."""


class Percent(float):
    """A percentage, shown with one digit."""


def say(text: str, *files: str, **values: object) -> Said:
    """The text with these values. Numbers among them are kept by their names."""
    shown = {name: _shown(value) for name, value in values.items()}
    numbers = tuple(
        (name, shown[name])
        for name, value in values.items()
        if isinstance(value, int | float) or (isinstance(value, str) and value.isdecimal())
    )
    return Said(text % shown if values else text, numbers, files or HERE)


def _shown(value: object) -> str:
    if isinstance(value, int):
        return grouped(value)
    if isinstance(value, Percent):
        return number(value, 1)
    if isinstance(value, float):
        return number(value)
    if isinstance(value, datetime):
        return value.date().isoformat()
    if isinstance(value, tuple | list):
        return listed(value)
    return str(value)
