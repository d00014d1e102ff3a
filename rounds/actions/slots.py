"""The slots of a round as rows: make them, count them and delete them, for a range of issues at a time."""

from typing import Any

from django.db import connection

from rounds.models import Round

RANK = "hashint8extended(i.issue_id, {seed})"

# Repositories in the order of the round, issues inside each shuffled by 48 bits.
RANK_BY_REPOSITORY = "(place.number << 48) | (hashint8extended(i.issue_id, {seed}) & 281474976710655)"
PLACES = """
    JOIN ingest_issue issue ON issue.id = i.issue_id
    JOIN (
        SELECT of.repository_id, row_number() OVER (ORDER BY min(o.position)) - 1 AS number
        FROM rounds_roundissue o JOIN ingest_issue of ON of.id = o.issue_id
        WHERE o.round_id = %(round)s
        GROUP BY of.repository_id
    ) place ON place.repository_id = issue.repository_id
"""

FULLY_CROSSED = """
    INSERT INTO rounds_assignment (round_id, issue_id, slot, volunteer_id, rank)
    SELECT i.round_id, i.issue_id, v."column", v.member_id, {rank}
    FROM rounds_roundissue i JOIN rounds_roundvolunteer v ON v.round_id = i.round_id {places}
    WHERE i.round_id = %(round)s AND i.position BETWEEN %(first)s AND %(last)s
    ON CONFLICT DO NOTHING
"""
K_OF_N = """
    INSERT INTO rounds_assignment (round_id, issue_id, slot, rank)
    SELECT i.round_id, i.issue_id, slot, {rank}
    FROM rounds_roundissue i CROSS JOIN generate_series(1, %(slots)s) slot {places}
    WHERE i.round_id = %(round)s AND i.position BETWEEN %(first)s AND %(last)s
    ON CONFLICT DO NOTHING
"""

FITS_CROSSED = """EXISTS (
    SELECT FROM rounds_roundvolunteer v
    WHERE v.round_id = a.round_id AND v."column" = a.slot AND v.member_id = a.volunteer_id
)"""
FITS_K_OF_N = "a.slot <= %(slots)s AND a.volunteer_id IS NULL"
COUNTED = "SELECT count(*) FROM rounds_assignment a WHERE a.round_id = %(round)s AND {fits}"
MISFITS_DROPPED = "DELETE FROM rounds_assignment a WHERE a.round_id = %(round)s AND NOT ({fits})"


def make_slots(round_: Round, *, first: int = 1, last: int = 2**31 - 1) -> int:
    """Make the missing slots of the issues at these positions; returns how many slots were made.

    Fully crossed, each volunteer gets a slot; otherwise each issue gets `labels_per_issue` free slots.
    Existing slots stay as they are. The caller has locked the round.
    """
    by_repository = round_.order == Round.Order.BY_REPOSITORY
    crossed = round_.allocation == Round.Allocation.CROSSED
    rank = RANK_BY_REPOSITORY if by_repository else RANK
    statement = (FULLY_CROSSED if crossed else K_OF_N).format(
        rank=rank.format(seed="v.seed" if crossed else "%(seed)s"), places=PLACES if by_repository else ""
    )
    return _rows(statement, {**_parameters(round_), "first": first, "last": last})


def fitting_slots(round_: Round) -> int:
    """How many slots of a round that is not open fit its plan."""
    with connection.cursor() as cursor:
        cursor.execute(COUNTED.format(fits=_fits(round_)), _parameters(round_))
        (found,) = cursor.fetchone()
    return int(found)


def drop_misfits(round_: Round) -> int:
    """Delete the slots of a broken-off opening that do not fit the plan of the round; returns how many."""
    return _rows(MISFITS_DROPPED.format(fits=_fits(round_)), _parameters(round_))


def drop_slots(round_: Round) -> int:
    """Delete all slots of a round without labels; returns how many."""
    return _rows("DELETE FROM rounds_assignment WHERE round_id = %s", [round_.pk])


def _rows(statement: str, parameters: Any) -> int:
    """Run a statement; returns how many rows it inserted or deleted."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return int(cursor.rowcount)


def renew_statistics(*tables: str) -> None:
    """Run ANALYZE on these tables, before and after an action inserts rows by the ten thousand. Otherwise the
    checks of foreign keys use plans from when the tables were small, and read a whole table for each row.
    """
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {', '.join(tables)}")


def _fits(round_: Round) -> str:
    return FITS_CROSSED if round_.allocation == Round.Allocation.CROSSED else FITS_K_OF_N


def _parameters(round_: Round) -> dict[str, int]:
    return {"round": round_.pk, "seed": round_.seed, "slots": round_.labels_per_issue}
