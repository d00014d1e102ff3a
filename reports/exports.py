"""Labels as files: the published layout (a row per issue), the long layout (a row per label), the issues, and
the labels of the drift check. Each file is read from one snapshot and streamed.

A file has only revealed issues, without those withheld from its reader; the response counts withheld issues.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from django.db import connection

from core.csv import csv_lines
from core.sql.snapshots import snapshot
from ingest.models import Repository
from ingest.queries.issues import NAMES
from rounds.models import Round
from rounds.queries.blindness import NOTHING, WithheldIssues, seen_sql
from rounds.queries.categories import STANDS_AS
from rounds.queries.first_labels import former_codes, has_second_looks
from rounds.queries.rounds import reveals_complete_issues

LAYOUTS = ("wide", "long", "second-look")

LONG_COLUMNS = (
    "Issue_URL", "Repository", "Number", "Round", "Volunteer", "Label", "Summary", "Unsure", "Surplus",
    "Submitted_at", "Final_Label", "Method", "Open", "Guideline",
)  # fmt: skip

SECOND_LOOK_COLUMNS = (
    "Issue_URL", "Volunteer", "Second_look", "First_Label", "Label", "Open", "Summary", "Unsure",
    "Submitted_at", "Version", "Guideline",
)  # fmt: skip

ISSUE_COLUMNS = ("Issue_URL", "Repository", "Number", "Year", "Completed_at", "Final_Label", "Method")

TWICE_COLUMNS = (
    "Issue_URL", "Volunteer", "First_Label", "First_Open", "Second_Label", "Second_Open", "Submitted_at",
)  # fmt: skip

DECISION_COLUMNS = (
    "Issue_URL", "Number", "Label", "Version", "Method", "Meeting_rule", "Cause", "Rationale", "By",
    "Decided_at", "Superseded_at",
)  # fmt: skip

BATCH = 2000

_CHOSEN = """
    WITH chosen AS MATERIALIZED (
        SELECT ri.issue_id, ri.position, ri.completed_at, ri.decided, i.url, i.number, i.year,
               i.repository_id,
               CASE WHEN ri.completed_at IS NOT NULL THEN coalesce(ri.first_revealed_at, ri.completed_at) END
               AS revealed_at
        FROM rounds_roundissue ri
        JOIN ingest_issue i ON i.id = ri.issue_id
        WHERE ri.round_id = %(round)s
          AND (%(closed)s OR (%(by_issue)s AND ri.completed_at IS NOT NULL))
          AND (%(repositories)s::bigint[] IS NULL OR i.repository_id = ANY(%(repositories)s::bigint[]))
          AND {seen}
    ), code AS MATERIALIZED (
        SELECT category_id, code FROM taxonomy_categorystate WHERE version_id = %(version)s
    )
"""

_WIDE = f"""
    {_CHOSEN}, labelled AS (
        SELECT a.issue_id, array_agg(code.code ORDER BY a.slot) AS codes,
               array_agg(a.slot ORDER BY a.slot) AS slots
        FROM rounds_assignment a
        JOIN chosen ON chosen.issue_id = a.issue_id
        LEFT JOIN rounds_said l ON l.assignment_id = a.id
        LEFT JOIN code ON code.category_id = l.category_id
        WHERE a.round_id = %(round)s
        GROUP BY a.issue_id
    )
    SELECT chosen.url, labelled.codes, labelled.slots, final.code
    FROM chosen
    LEFT JOIN labelled ON labelled.issue_id = chosen.issue_id
    LEFT JOIN code final ON final.category_id = chosen.decided
    ORDER BY chosen.position
"""

_LONG = f"""
    {_CHOSEN}
    SELECT chosen.url, r.path, chosen.number, %(name)s, m.pseudonym, {{code}}, t.summary, t.unsure,
           l.surplus, t.submitted_at, final.code, coalesce(d.method, ''),
           CASE WHEN t.category_id IS NULL THEN p.name END, g.number
    FROM chosen
    JOIN ingest_repository r ON r.id = chosen.repository_id
    JOIN rounds_label l ON l.round_id = %(round)s AND l.issue_id = chosen.issue_id
    JOIN rounds_roundvolunteer v ON v.round_id = l.round_id AND v.member_id = l.volunteer_id
    JOIN studies_membership m ON m.id = v.member_id
    LEFT JOIN rounds_said said ON said.id = l.id {{first}}
    JOIN rounds_label t ON t.id = coalesce({{given}}, l.id)
    LEFT JOIN code ON code.category_id = CASE
      WHEN l.surplus THEN {STANDS_AS.format(row="l")} {{when}} ELSE said.category_id END
    LEFT JOIN taxonomy_proposal p ON p.id = t.proposal_id
    LEFT JOIN studies_guideline g ON g.id = t.guideline_id
    LEFT JOIN consensus_decision d
      ON d.round_id = %(round)s AND d.issue_id = chosen.issue_id AND d.superseded_at IS NULL
    LEFT JOIN code final ON final.category_id = chosen.decided
    ORDER BY chosen.position, v."column"
"""

_FORMER = "LEFT JOIN unnest(%(gone)s::bigint[], %(former)s::text[]) {name} (id, code) ON {name}.id = {of}"
_LOST = f"""
    LEFT JOIN taxonomy_gone gone_{{row}} ON gone_{{row}}.version_id = %(version)s
     AND gone_{{row}}.category_id = {{row}}.category_id AND {{row}}.version_id < gone_{{row}}.since_id
     AND {{row}}.version_id >= coalesce(gone_{{row}}.after_id, 0)
    {_FORMER.format(name="lost_{row}", of="gone_{row}.id")}
"""
"""SQL: the code of a category that was split or retired since, by a row of Gone or by the row of a choice."""
_AS_SAID = {"code": "code.code", "first": "", "given": "said.label_id", "when": ""}
_AS_FIRST = {
    "code": "coalesce(former.code, code.code)",
    "first": "LEFT JOIN rounds_first f ON f.id = l.id " + _FORMER.format(name="former", of="f.gone_id"),
    "given": "f.label_id, said.label_id",
    "when": "WHEN f.id IS NOT NULL THEN f.category_id",
}
"""Parts of _LONG: for a round without second looks, and for one with them, whose first labels are read."""

_SECOND_LOOK = f"""
    {_CHOSEN}
    SELECT chosen.url, m.pseudonym, looks.name, coalesce(former.code, first.code),
           coalesce(lost_k.code, code.code), CASE WHEN k.category_id IS NULL THEN p.name END, k.summary,
           k.unsure, k.submitted_at, version.number, g.number
    FROM chosen
    JOIN rounds_roundissue c ON c.round_id = %(round)s AND c.issue_id = chosen.issue_id
     AND c.first_revealed_at IS NOT NULL AND c.completed_at IS NOT NULL
    JOIN rounds_first f ON f.round_id = c.round_id AND f.issue_id = c.issue_id
    JOIN rounds_round looks ON looks.of_id = c.round_id
    JOIN rounds_label k ON k.round_id = looks.id AND k.issue_id = f.issue_id
     AND k.volunteer_id = f.volunteer_id AND NOT k.surplus AND k.submitted_at > c.first_revealed_at
    JOIN rounds_roundvolunteer v ON v.round_id = c.round_id AND v.member_id = k.volunteer_id
    JOIN studies_membership m ON m.id = v.member_id
    JOIN taxonomy_version version ON version.id = k.version_id
    LEFT JOIN code first ON first.category_id = f.category_id
    LEFT JOIN code ON code.category_id = {STANDS_AS.format(row="k")}
    LEFT JOIN taxonomy_proposal p ON p.id = k.proposal_id
    LEFT JOIN studies_guideline g ON g.id = k.guideline_id
    {_FORMER.format(name="former", of="f.gone_id")}
    {_LOST.format(row="k")}
    ORDER BY chosen.position, v."column", k.round_id
"""

_ISSUES = f"""
    {_CHOSEN}
    SELECT chosen.url, r.name, chosen.number, chosen.year, chosen.revealed_at, final.code,
           coalesce(d.method, '')
    FROM chosen
    JOIN ({NAMES}) r ON r.id = chosen.repository_id
    LEFT JOIN consensus_decision d
      ON d.round_id = %(round)s AND d.issue_id = chosen.issue_id AND d.superseded_at IS NULL
    LEFT JOIN code final ON final.category_id = chosen.decided
    ORDER BY chosen.position
"""

_DECISIONS = f"""
    {_CHOSEN}
    SELECT chosen.url, d.number, s.code, version.number, d.method, d.how, d.cause, d.rationale, m.pseudonym,
           d.decided_at, d.superseded_at
    FROM chosen
    JOIN consensus_decision d ON d.round_id = %(round)s AND d.issue_id = chosen.issue_id
    JOIN taxonomy_version version ON version.id = d.version_id
    LEFT JOIN taxonomy_categorystate s ON s.category_id = d.category_id AND s.version_id = d.version_id
    LEFT JOIN studies_membership m ON m.id = d.decided_by_id
    ORDER BY chosen.position, d.number
"""

_TWICE = f"""
    {_CHOSEN}
    SELECT chosen.url, m.pseudonym, coalesce(lost_l.code, first.code),
           CASE WHEN l.category_id IS NULL THEN p.name END, coalesce(lost_t.code, second.code),
           CASE WHEN t.category_id IS NULL THEN q.name END, t.submitted_at
    FROM chosen
    JOIN annotate_repeat t
      ON t.round_id = %(round)s AND t.issue_id = chosen.issue_id AND t.submitted_at IS NOT NULL
    JOIN rounds_label l
      ON l.round_id = t.round_id AND l.issue_id = t.issue_id AND l.volunteer_id = t.volunteer_id
    JOIN rounds_roundvolunteer v ON v.round_id = t.round_id AND v.member_id = t.volunteer_id
    JOIN studies_membership m ON m.id = v.member_id
    LEFT JOIN code first ON first.category_id = {STANDS_AS.format(row="l")}
    LEFT JOIN code second ON second.category_id = {STANDS_AS.format(row="t")}
    {_LOST.format(row="l")}
    {_LOST.format(row="t")}
    LEFT JOIN taxonomy_proposal p ON p.id = l.proposal_id
    LEFT JOIN taxonomy_proposal q ON q.id = t.proposal_id
    ORDER BY v."column", chosen.position
"""


def labels_csv(
    round_: Round,
    *,
    layout: str = "wide",
    repositories: Iterable[Repository] | None = None,
    blind: WithheldIssues = NOTHING,
) -> Iterator[bytes]:
    """The revealed labels of a round as UTF-8 CSV with LF, in pieces of about 100 kB.

    `wide`: the published layout, `Issue_URL,Label1,…,LabelN,Final_Label`, in the round's order, with the
    labels as they are now, after second looks. `long`: a row per label with LONG_COLUMNS: the first label,
    which its author had given when the issue was revealed, at its own time, even if its category was split or
    retired since (`C.1@v1`). `second-look`: a row with SECOND_LOOK_COLUMNS per label that was given again
    after the reveal. `repositories`: only their issues. `blind`: withheld issues to leave out. A cell is
    empty without a label, for an open label (the long layouts have its proposed name), and without a second
    look for a category split or retired since. A volunteer who was taken out keeps the column.
    """
    if layout in HEADERS:
        return csv_lines(HEADERS[layout], label_rows(round_, layout, repositories=repositories, blind=blind))
    labels = round_.labels_per_issue
    header = ("Issue_URL", *(f"Label{n}" for n in range(1, labels + 1)), "Final_Label")
    return csv_lines(header, _rows(round_, blind, _WIDE, partial(_wide_row, labels), repositories))


def label_rows(
    round_: Round,
    layout: str,
    *,
    repositories: Iterable[Repository] | None = None,
    blind: WithheldIssues = NOTHING,
) -> Iterator[Iterable[object]]:
    """The rows of a layout of HEADERS: a row per label, below these columns."""
    parts = _AS_FIRST if layout != "long" or has_second_looks(round_) else _AS_SAID
    statement, make_row = _BY_LABEL[layout]
    return _rows(round_, blind, statement, make_row, repositories, parts)


def issues_csv(round_: Round, *, blind: WithheldIssues = NOTHING) -> Iterator[bytes]:
    """The revealed issues: the time of the last label before the reveal, empty if a label is missing, and the
    decision.

    Repositories have the same names as in the agreement report.
    """
    return csv_lines(ISSUE_COLUMNS, _rows(round_, blind, _ISSUES, _plain_row))


def decisions_csv(round_: Round, *, blind: WithheldIssues = NOTHING) -> Iterator[bytes]:
    """Every decision on the revealed issues, also those that a later one superseded: a row with
    DECISION_COLUMNS each, by issue and number. `Label` is the code in the `Version` in which it was decided.
    """
    return csv_lines(DECISION_COLUMNS, _rows(round_, blind, _DECISIONS, _plain_row))


def labels_twice_csv(round_: Round, *, blind: WithheldIssues = NOTHING) -> Iterator[bytes]:
    """The second labels of the drift check beside the first labels, for revealed issues. An open label has
    its proposed name; a label whose category was split or retired since is empty.
    """
    return labels_csv(round_, layout="twice", blind=blind)


def _rows(
    round_: Round,
    blind: WithheldIssues,
    statement: str,
    make_row: Callable[[tuple[Any, ...]], Iterable[object]],
    repositories: Iterable[Repository] | None = None,
    parts: Mapping[str, str] = _AS_SAID,
) -> Iterator[Iterable[object]]:
    seen, kept = seen_sql(blind, "ri.issue_id")
    values: dict[str, Any] = {
        **kept,
        "round": round_.pk,
        "study": round_.study_id,
        "name": round_.name,
        "version": round_.version_id,
        "closed": round_.closed_at is not None,
        "by_issue": reveals_complete_issues(round_),
        "repositories": None if repositories is None else [repository.pk for repository in repositories],
    }
    if parts is _AS_FIRST:
        codes = former_codes(round_.version_id)
        values |= {"gone": list(codes), "former": list(codes.values())}
    with snapshot(), connection.chunked_cursor() as cursor:
        cursor.execute(statement.format(seen=seen, **parts), values)
        for row in _fetched(cursor):
            yield make_row(row)


def _fetched(cursor: Any) -> Iterator[tuple[Any, ...]]:
    while rows := cursor.fetchmany(BATCH):
        yield from rows


def _wide_row(width: int, row: tuple[Any, ...]) -> Iterable[object]:
    url, codes, slots, final = row
    if codes is None or len(codes) < width:
        by_slot = dict(zip(slots or (), codes or (), strict=True))
        codes = [by_slot.get(slot) for slot in range(1, width + 1)]
    return (url, *codes, final)


def _plain_row(row: tuple[Any, ...]) -> Iterable[object]:
    return (cell.isoformat() if isinstance(cell, datetime) else cell for cell in row)


def _second_look_row(row: tuple[Any, ...]) -> Iterable[object]:
    cells = list(row)
    cells[7:9] = ("yes" if cells[7] else "", cells[8].isoformat())
    return cells


def _long_row(row: tuple[Any, ...]) -> Iterable[object]:
    cells = list(row)
    cells[7:10] = ("yes" if cells[7] else "", "yes" if cells[8] else "", cells[9].isoformat())
    return cells


HEADERS = {"long": LONG_COLUMNS, "second-look": SECOND_LOOK_COLUMNS, "twice": TWICE_COLUMNS}
"""The columns of the layouts with a row per label."""
_BY_LABEL = {
    "long": (_LONG, _long_row),
    "second-look": (_SECOND_LOOK, _second_look_row),
    "twice": (_TWICE, _plain_row),
}
