"""Codebooks as files of a replication package."""

import io
from collections.abc import Iterable, Iterator
from operator import attrgetter

from core.csv import csv_lines
from reports.agreement_report import level_name
from rounds.models import Round
from taxonomy.models import CategoryState
from taxonomy.queries.codebooks import Codebook, codebook
from taxonomy.tree import write_csv


def taxonomy_csv(round_: Round) -> bytes:
    buffer = io.StringIO(newline="")
    write_csv(codebook(round_.version_id).tree(), buffer)
    return buffer.getvalue().encode()


def former_csv(states: Iterable[CategoryState], book: Codebook) -> Iterator[bytes]:
    """The former categories that labels or ballots name; `book` has them too."""
    codes = {state.category_id: state.code for state in book.states}
    rows = (
        (
            state.code,
            level_name(state.level),
            codes.get(state.parent_id or 0, ""),
            state.name,
            state.definition,
        )
        for state in sorted(states, key=attrgetter("code"))
    )
    return csv_lines(("code", "level", "parent", "name", "definition"), rows)
