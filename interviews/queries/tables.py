"""A table of participants: what each column is, and the participants that its rows describe."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from interviews.errors import IdentityUnreadable
from interviews.queries.identities import sealed, unsealed

IGNORE, PSEUDONYM, AUDIENCE, ROLE = "ignore", "pseudonym", "audience", "role"
EXPERIENCE, CONTEXT, INCENTIVE, ATTRIBUTE = "experience", "context", "incentive", "attribute"
KINDS = (IGNORE, PSEUDONYM, ROLE, EXPERIENCE, CONTEXT, INCENTIVE, ATTRIBUTE)
ONCE = (PSEUDONYM, ROLE, EXPERIENCE, CONTEXT, INCENTIVE)
"""What at most one column can be."""

_USUAL = (
    (PSEUDONYM, re.compile(r"\b(participants?|interviewees?|pseudonym|id|no)\b|编号|受访者", re.IGNORECASE)),
    (AUDIENCE, re.compile(r"\b(type|audience|group)\b|群体|类型", re.IGNORECASE)),
    (ROLE, re.compile(r"\b(roles?|positions?|job)\b|角色|职位|职务", re.IGNORECASE)),
    (EXPERIENCE, re.compile(r"experience|years|seniority|经验|年限", re.IGNORECASE)),
    (CONTEXT, re.compile(r"frameworks?|context|\btools?\b|框架", re.IGNORECASE)),
    (INCENTIVE, re.compile(r"incentive|reward|报酬", re.IGNORECASE)),
    (
        IGNORE,
        re.compile(r"\b(name|e-?mail|contact|phone|employer|company)\b|姓名|邮箱|电话|公司", re.IGNORECASE),
    ),
)


@dataclass(frozen=True)
class Table:
    """The header and the rows of a file; each row has its line, or in a sheet its number, as `unit` says, and
    as many cells as the header. `notes` are flaws of the file, in words.
    """

    header: Sequence[str]
    rows: Sequence[tuple[int, Sequence[str]]]
    notes: Sequence[str] = ()
    unit: str = "line"
    sheet: str = ""


@dataclass(frozen=True)
class Row:
    """A row as a participant: the pseudonym as the file says it, and the fields."""

    line: int
    pseudonym: str
    fields: dict[str, str]
    attributes: dict[str, str]


def guessed_kinds(header: Sequence[str]) -> list[str]:
    """What each column probably is, by its name, AUDIENCE among it; what looks like a name of somebody is
    ignored.
    """
    kinds: list[str] = []
    for name in header:
        found = next((kind for kind, usual in _USUAL if usual.search(name)), ATTRIBUTE if name else IGNORE)
        kinds.append(ATTRIBUTE if found in {*ONCE, AUDIENCE} and found in kinds else found)
    return kinds


def rows_of(table: Table, kinds: Sequence[str]) -> list[Row]:
    """The rows as participants."""
    found = []
    for line, cells in table.rows:
        given = {
            kind: " ".join(cell.split()) for kind, cell in zip(kinds, cells, strict=True) if kind in ONCE
        }
        attributes = {
            " ".join(name.split()): " ".join(cell.split())
            for name, kind, cell in zip(table.header, kinds, cells, strict=True)
            if kind == ATTRIBUTE and cell.strip()
        }
        fields = {name: given.get(name, "") for name in (ROLE, EXPERIENCE, CONTEXT, INCENTIVE)}
        found.append(Row(line, given.get(PSEUDONYM, ""), fields, attributes))
    return found


@sensitive_variables()
def packed(table: Table) -> str:
    """The table for a hidden field of the page, encrypted: the server keeps nothing before the import."""
    rows = [[line, list(cells)] for line, cells in table.rows]
    return sealed(json.dumps([list(table.header), rows, list(table.notes), table.unit, table.sheet])).decode()


@sensitive_variables()
def unpacked(text: str) -> Table | None:
    """The table of the hidden field; None for a text that this server did not write."""
    try:
        header, rows, notes, unit, sheet = json.loads(unsealed(text.encode()))
    except (IdentityUnreadable, ValueError):
        return None
    return Table(header, [(line, cells) for line, cells in rows], notes, unit, sheet)


def kind_choices() -> list[tuple[str, str]]:
    return [
        (IGNORE, _("leave out")),
        (PSEUDONYM, _("pseudonym, such as U1")),
        (ROLE, _("role")),
        (EXPERIENCE, _("experience")),
        (CONTEXT, _("frameworks")),
        (INCENTIVE, _("incentive")),
        (ATTRIBUTE, _("further column")),
    ]
