"""Which rows are events of a round, and what of them is sealed. Rooms above register theirs when they start.

The content of an event is the JSON of PostgreSQL's jsonb: keys ordered by length and then by bytes, ", " and
": " between, no empty values, moments as UTC text. It has ids and pseudonymous rows only, no name or address,
so erasing a person changes none.
"""
# ruff: noqa: SLF001 - `_meta` is public by documentation

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import DateTimeField, Model

MOMENT = """to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')"""

TOLERANCE = timedelta(minutes=10)
"""An event that is older than the seal before its own by more than this was made later than it says."""
DIGEST = "sha256(convert_to({salt}::text || ' ' || {content}, 'UTF8'))"


@dataclass(frozen=True)
class Kind:
    """One kind of event: SQL that gives (key, at, content) of the events of the round %(round)s.

    `table` is where the row of `key` stands. `now` ends in its condition. `ever` gives, where it is not the
    same, all contents that a sealed event may have: those of today and of the history. `recent` is a
    condition on the rows of `now` for the run of each minute, and `active` gives the rounds with such rows:
    %(label)s is the highest sealed key of that kind, less the margin for late commits. `changes`: the same
    row can be an event several times.
    """

    name: str
    table: str
    now: str
    ever: str = ""
    recent: str = "true"
    changes: bool = False
    active: str = ""

    @property
    def every(self) -> str:
        return self.ever or self.now


KINDS: dict[str, Kind] = {}


def register(*kinds: Kind) -> None:
    KINDS.update({kind.name: kind for kind in kinds})


def columns_of(model: type[Model], without: Collection[str] = ()) -> dict[str, str]:
    """The columns of a model, but for these, as what SQL makes of them; {t} stands for the alias."""
    return {
        str(field.column): MOMENT.format(f"{{t}}.{field.column}")
        if isinstance(field, DateTimeField)
        else f"{{t}}.{field.column}"
        for field in model._meta.local_concrete_fields
        if field.column not in without
    }


def content(alias: str, columns: dict[str, str], names: dict[str, str] | None = None) -> str:
    """The SQL of the content of a row; `names` renames columns."""
    named = names or {}
    pairs = ", ".join(
        f"'{named.get(name, name)}', {made.format(t=alias)}" for name, made in sorted(columns.items())
    )
    return f"jsonb_strip_nulls(jsonb_build_object({pairs}))::text"
