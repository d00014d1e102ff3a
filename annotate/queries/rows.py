"""Rows of several tables from one statement that is written out, as models.

For what is read at every label: putting such a statement together by a QuerySet took longer than running it.
"""

import json
from collections.abc import Sequence
from typing import Any

from django.db import models


class Rows:
    """The columns of these models, whose tables a statement calls p0, p1, … in the same order."""

    def __init__(self, *parts: type[models.Model]) -> None:
        self._parts: list[tuple[Any, list[str], list[str]]] = []
        for part in parts:
            fields = part._meta.concrete_fields  # noqa: SLF001 - public by documentation
            names = [field.attname for field in fields]
            as_text = [field.attname for field in fields if isinstance(field, models.JSONField)]
            self._parts.append((part, names, as_text))
        self.columns = ", ".join(
            f'p{place}."{name}"' for place, (_part, names, _json) in enumerate(self._parts) for name in names
        )

    def models(self, row: Sequence[Any]) -> list[Any]:
        """One model for each table, None for one that an outer join found nothing in."""
        found: list[Any] = []
        start = 0
        for part, names, as_text in self._parts:
            values = row[start : start + len(names)]
            start += len(names)
            if values[0] is None:
                found.append(None)
                continue
            made = part.from_db("default", names, values)
            for name in as_text:  # a bare cursor gives JSON as text
                setattr(made, name, json.loads(getattr(made, name)))
            found.append(made)
        return found
