"""A table of participants: whom its rows describe, and what is wrong with them, before anything is stored."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from interviews.actions.participants import LONGEST, LONGEST_VALUE, Background, NewParticipant
from interviews.models import Audience, Participant
from interviews.queries.table_audiences import MOST_GROUPS, Assignment, group_names, groups_of
from interviews.queries.tables import PSEUDONYM, Row, Table, rows_of
from studies.models import Study

_NUMBERED = re.compile(r"(.*?)[\s._-]*0*([1-9]\d{0,4})", re.DOTALL)


@dataclass(frozen=True)
class TablePlan:
    """Whom an import would add. `counts` has each audience of the study with its number of them; `problems`
    are lines with causes, and nobody is added while there are any.
    """

    people: list[NewParticipant]
    problems: list[tuple[int, str]]
    counts: list[tuple[Audience, int]]


def planned_people(study: Study, table: Table, kinds: Sequence[str], by: Assignment) -> TablePlan:
    """The participants of the rows. `kinds` says what each column is."""
    audiences = list(Audience.objects.filter(study=study))
    taken = {(one.audience_id, one.number) for one in Participant.objects.filter(study=study)}
    names = _names(table, by)
    is_numbered = by.column is not None and kinds[by.column] == PSEUDONYM
    people: list[NewParticipant] = []
    problems: list[tuple[int, str]] = []
    for row, name in zip(rows_of(table, kinds), names, strict=True):
        audience, number, cause = _placed(row, name, by, audiences, is_numbered=is_numbered)
        if audience and number and (audience.pk, number) in taken:
            words = _("the participant %(participant)s already exists")
            cause = words % {"participant": f"{audience.prefix}{number}"}
        cause = cause or _too_long(row)
        if cause or audience is None:
            problems.append((row.line, cause))
            continue
        if number:
            taken.add((audience.pk, number))
        people.append(NewParticipant(audience, Background(**row.fields, attributes=row.attributes), number))
    counted = Counter(one.audience.pk for one in people)
    return TablePlan(people, problems, [(one, counted[one.pk]) for one in audiences])


def _names(table: Table, by: Assignment) -> list[str]:
    """For each row the group that tells its audience, "" where none does."""
    if by.column is None or len(groups_of(table, by.column)) > MOST_GROUPS:
        return [""] * len(table.rows)
    column = by.column
    return group_names(cells[column] for _line, cells in table.rows)


def _placed(
    row: Row, name: str, by: Assignment, audiences: Sequence[Audience], *, is_numbered: bool
) -> tuple[Audience | None, int | None, str]:
    """Audience, number and, if the row has no place, why."""
    match = _NUMBERED.fullmatch(row.pseudonym)
    own = next((one for one in audiences if match and one.prefix == match[1].upper()), None)
    told = by.groups.get(name.casefold()) if name else own
    if name and told is None:
        return None, None, _("no audience is chosen for “%(group)s”") % {"group": name[:80]}
    if not row.pseudonym:
        found = told or by.default
        return found, None, "" if found else _("no audience is chosen")
    if match and told and (is_numbered or own == told):
        return told, int(match[2]), ""
    if own:
        return None, None, _("the pseudonym is of another audience")
    return None, None, _("no audience has the prefix of this pseudonym")


def _too_long(row: Row) -> str:
    long = any(len(row.fields[name]) > most for name, most in LONGEST.items())
    return (
        _("a cell is too long")
        if long or any(len(value) > LONGEST_VALUE for value in row.attributes.values())
        else ""
    )
