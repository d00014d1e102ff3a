"""The cells of a frame that pandas wrote column by column, until its rows can be read."""

import json
import sqlite3
from collections.abc import Iterator
from typing import Self

from ingest.readers.refusals import Refusal

MOST_CHARACTERS = 64 * 1024 * 1024
"""The longest file in this layout: nothing of it can be shown before all of it is read."""


def database(*, cache: int = 8 * 1024) -> sqlite3.Connection:
    """A database of this process alone, in a file without a name that ends with it; `cache` are kilobytes."""
    opened = sqlite3.connect("", isolation_level=None)
    opened.execute(f"PRAGMA cache_size = -{cache}")
    opened.execute("PRAGMA journal_mode = OFF")
    opened.execute("PRAGMA synchronous = OFF")
    opened.execute("BEGIN")
    return opened


class Cells:
    def __init__(self) -> None:
        self._database = database()
        self._database.execute("CREATE TABLE label (id INTEGER PRIMARY KEY, name TEXT UNIQUE)")
        self._database.execute(
            "CREATE TABLE cell (label INTEGER, nth INTEGER, name TEXT, value TEXT, refusal TEXT,"
            " PRIMARY KEY (label, nth)) WITHOUT ROWID"
        )
        self._nth = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._database.close()

    def add(self, label: str, column: str, value: object) -> None:
        """One cell; a Refusal in its place refuses its row."""
        self._nth += 1
        label = json.dumps(label)
        found = self._database.execute("SELECT id FROM label WHERE name = ?", [label]).fetchone()
        if found is None:
            found = self._database.execute(
                "INSERT INTO label (name) VALUES (?) RETURNING id", [label]
            ).fetchone()
        refused = (
            json.dumps([value.line, value.code, dict(value.params)]) if isinstance(value, Refusal) else None
        )
        said = "null" if refused else json.dumps(value)
        self._database.execute(
            "INSERT INTO cell VALUES (?, ?, ?, ?, ?)",
            [found[0], self._nth, json.dumps(column), said, refused],
        )

    def rows(self) -> Iterator[tuple[dict[str, object], Refusal | None]]:
        """Each row with its label as `index`, in the order of the first column."""
        for number, label in self._database.execute("SELECT id, name FROM label ORDER BY id"):
            row: dict[str, object] = {"index": json.loads(label)}
            refusal = None
            cells = self._database.execute(
                "SELECT name, value, refusal FROM cell WHERE label = ? ORDER BY nth", [number]
            )
            for name, value, refused in cells:
                row[json.loads(name)] = json.loads(value)
                if refused:
                    line, code, params = json.loads(refused)
                    refusal = Refusal(line, code, params)
            yield row, refusal
