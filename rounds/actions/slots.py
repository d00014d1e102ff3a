"""The slots of a round as rows: made, counted and taken back, a stretch of issues at a time."""

from typing import Any

from django.db import connection

from rounds.models import Round

RANK = "hashint8extended(i.issue_id, {seed})"

# The repositories of the round in its order, 48 bits of shuffle inside each.
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
    """Make the slots that the issues at these positions lack, and say how many those were.

    Everyone's slot where everyone labels everything, else as many free ones as the round asks for. What is
    there stays as it is. The caller holds the round.
    """
    by_repository = round_.order == Round.Order.BY_REPOSITORY
    crossed = round_.allocation == Round.Allocation.CROSSED
    rank = RANK_BY_REPOSITORY if by_repository else RANK
    statement = (FULLY_CROSSED if crossed else K_OF_N).format(
        rank=rank.format(seed="v.seed" if crossed else "%(seed)s"), places=PLACES if by_repository else ""
    )
    return _rows(statement, {**_parameters(round_), "first": first, "last": last})


def fitting_slots(round_: Round) -> int:
    """How many slots of a round that is not open are as its plan wants them."""
    with connection.cursor() as cursor:
        cursor.execute(COUNTED.format(fits=_fits(round_)), _parameters(round_))
        (found,) = cursor.fetchone()
    return int(found)


def drop_misfits(round_: Round) -> int:
    """Take away what an opening that was broken off made for a plan that has changed since."""
    return _rows(MISFITS_DROPPED.format(fits=_fits(round_)), _parameters(round_))


def drop_slots(round_: Round) -> int:
    """Take away all slots of a round that nobody has labelled in."""
    return _rows("DELETE FROM rounds_assignment WHERE round_id = %s", [round_.pk])


def _rows(statement: str, parameters: Any) -> int:
    """Run a statement; how many rows it made or took away."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return int(cursor.rowcount)


def renew_statistics(*tables: str) -> None:
    """Let the planner know what these tables hold now, before and after rows come by the ten thousand.

    Checks of foreign keys would else go by plans of when the tables were small, and read all of them for
    each row.
    """
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {', '.join(tables)}")


def _fits(round_: Round) -> str:
    return FITS_CROSSED if round_.allocation == Round.Allocation.CROSSED else FITS_K_OF_N


def _parameters(round_: Round) -> dict[str, int]:
    return {"round": round_.pk, "seed": round_.seed, "slots": round_.labels_per_issue}
