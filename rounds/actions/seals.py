"""Seals the events of a round that no seal covers yet: a block of the round's chain (docs/decisions/0061)."""
# ruff: noqa: S608 - the pieces are the registered kinds

import logging
from datetime import datetime

from django.db import DatabaseError, connection, transaction

from core import clock
from rounds.canonical import seal_digest
from rounds.covered import DIGEST, KINDS, TOLERANCE
from rounds.models import Round, Seal
from rounds.models.seals import FIRST

logger = logging.getLogger(__name__)

_LOCK = 0x5EA1
MARGIN = 2000
"""So far below the highest sealed key the run of each minute looks again, for what committed late."""

_SEAL = """
    WITH found AS MATERIALIZED ({found}), fresh AS MATERIALIZED (
        SELECT f.*, gen_random_uuid() AS salt FROM found f WHERE NOT EXISTS (
            SELECT FROM rounds_sealedevent s WHERE s.kind = f.kind AND s.key = f.key
              AND (NOT f.changes OR s.digest = {old})
        )
    ), numbered AS MATERIALIZED (
        SELECT kind, key, at, salt, {new} AS digest,
               row_number() OVER (ORDER BY at, kind, key) AS place
        FROM fresh f
    ), stored AS (
        INSERT INTO rounds_sealedevent (seal_id, place, kind, key, salt, digest)
        SELECT %(seal)s, place, kind, key, salt, digest FROM numbered ORDER BY place
    )
    SELECT count(*), min(at),
           encode(sha256(convert_to(string_agg(kind || ' ' || key || ' ' || encode(digest, 'hex'), E'\\n'
                                               ORDER BY place), 'UTF8')), 'hex')
    FROM numbered
"""


@transaction.atomic
def seal_round(
    *, round_: Round, why: str = Seal.Why.REGULAR, above: dict[str, int] | None = None
) -> Seal | None:
    """Seal what is not sealed yet; None if there is nothing new. `above`: look only for rows above these keys
    by kind, which is cheap; what committed very late is left to the next full run.

    One at a time for each round. Takes no lock that labelling takes, and waits for no row. Call in a
    transaction that sees what others committed meanwhile (READ COMMITTED).
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_LOCK, round_.pk % 2**31])
        last = Seal.objects.filter(round=round_).order_by("-number").first()
        only_new = above is not None and last is not None
        known = above if above is not None and only_new else {}
        parts = [
            f"SELECT '{kind.name}'::text AS kind, {kind.changes} AS changes, x.* FROM ({kind.now}"
            + (f" AND {kind.recent}" if only_new else "")
            + ") x"
            for kind in KINDS.values()
        ]
        statement = _SEAL.format(
            found=" UNION ALL ".join(parts),
            old=DIGEST.format(salt="s.salt", content="f.content"),
            new=DIGEST.format(salt="f.salt", content="f.content"),
        )
        cursor.execute("SELECT nextval(pg_get_serial_sequence('rounds_seal', 'id'))")
        (seal_id,) = cursor.fetchone()
        cursor.execute(statement, {"seal": seal_id, "round": round_.pk, **known})
        count, oldest, events = cursor.fetchone()
    if not count:
        return None
    now = clock.now()
    made = Seal(
        id=seal_id,
        study_id=round_.study_id,
        round=round_,
        number=last.number + 1 if last else 1,
        previous=last.digest if last else FIRST,
        at=max(now, last.at) if last else now,
        why=why if last else _why_first(round_, oldest, now, why),
        events=count,
    )
    made.digest = seal_digest(
        round_id=round_.pk,
        number=made.number,
        previous=made.previous,
        at=made.at,
        why=made.why,
        count=count,
        events=events,
    )
    made.save(force_insert=True)
    return made


def seal_for_package(round_: Round) -> None:
    """Seal a closed round before its package is written. A read-only study keeps the seals that it has."""
    if round_.closed_at and not round_.study.is_read_only:
        seal_round(round_=round_, why=Seal.Why.PACKAGE)


def _why_first(round_: Round, oldest: datetime, now: datetime, why: str) -> str:
    if round_.is_imported:
        return Seal.Why.IMPORTED
    return Seal.Why.FIRST if oldest < now - TOLERANCE else why


def known_keys(cursor: object) -> dict[str, int]:
    """By kind, the key above which the run of each minute looks."""
    found = {}
    for name in KINDS:
        cursor.execute("SELECT max(key) FROM rounds_sealedevent WHERE kind = %s", [name])  # type: ignore[attr-defined]
        (highest,) = cursor.fetchone()  # type: ignore[attr-defined]
        found[name] = max((highest or 0) - MARGIN, 0)
    return found


def seal_new() -> int:
    """Seal the rounds in which something happened lately; return how many seals were made."""
    with connection.cursor() as cursor:
        active = " UNION ".join(kind.active for kind in KINDS.values() if kind.active)
        # Once for all rounds: the seals that this run makes must not move the mark for the rounds after.
        above = known_keys(cursor)
        cursor.execute(active, above)
        rounds = [round_id for (round_id,) in cursor.fetchall()]
    return _seal(rounds, above=above)


def seal_all() -> int:
    """Seal every round that has labels or decisions, and leave nothing out; return how many were made."""
    return _seal(list(Round.objects.filter(opened_at__isnull=False).values_list("pk", flat=True)), above=None)


def _seal(rounds: list[int], *, above: dict[str, int] | None) -> int:
    """Each round by itself: one that cannot be sealed keeps no other from it. Nothing of a read-only study
    changes, and nothing can be written there.
    """
    found = Round.objects.filter(pk__in=rounds, labels__isnull=False).distinct().order_by("pk")
    made = 0
    for round_ in found.filter(study__archived_at=None, study__delete_at=None):
        try:
            made += seal_round(round_=round_, above=above) is not None
        except DatabaseError:
            logger.exception("round %s was not sealed", round_.pk)
    return made
