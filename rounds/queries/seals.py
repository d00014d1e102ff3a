"""The chain of a round, checked against what the database has now; and its head."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from rounds.canonical import seal_digest
from rounds.covered import DIGEST, KINDS, TOLERANCE
from rounds.models import Round, Seal
from rounds.models.seals import FIRST
from rounds.queries.blindness import keeps_frozen
from studies.models import Membership
from studies.rules import may_read_revealed

MOST = 50
"""Of faults of one sort that are named; the others are of the same kind."""

_BLOCKS = """
    SELECT b.id, b.study_id, b.number, b.previous, b.at, b.why, b.events, b.digest, count(s.seal_id),
           encode(sha256(convert_to(coalesce(string_agg(
               s.kind || ' ' || s.key || ' ' || encode(s.digest, 'hex'), E'\\n' ORDER BY s.place
           ), ''), 'UTF8')), 'hex'),
           coalesce(min(s.place), 1), coalesce(max(s.place), 0)
    FROM rounds_seal b LEFT JOIN rounds_sealedevent s ON s.seal_id = b.id
    WHERE b.round_id = %(round)s GROUP BY b.id ORDER BY b.number
"""
_EVENTS = """
    WITH ever AS MATERIALIZED ({ever}), sealed AS MATERIALIZED (
        SELECT s.*, b.number, b.why,
               (SELECT p.at FROM rounds_seal p
                WHERE p.round_id = b.round_id AND p.number = b.number - 1) AS after
        FROM rounds_seal b JOIN rounds_sealedevent s ON s.seal_id = b.id WHERE b.round_id = %(round)s
    ), matched AS MATERIALIZED (
        SELECT s.kind, s.key, s.number, s.after, max(e.at) AS at, count(e.key) AS found
        FROM sealed s LEFT JOIN ever e ON e.kind = s.kind AND e.key = s.key AND s.digest = {digest}
        GROUP BY s.seal_id, s.place, s.kind, s.key, s.number, s.after
    )
    SELECT kind, key, number, found > 0 FROM matched
    WHERE found = 0 OR at < after - %(tolerance)s::interval ORDER BY number, kind, key LIMIT {most}
"""


_LATE = """
    WITH closing AS (
        SELECT min(s.number) AS number FROM rounds_seal s
        JOIN rounds_sealedevent e ON e.seal_id = s.id AND e.kind = 'closing'
        WHERE s.round_id = %(round)s
    )
    SELECT e.kind, e.key, s.number FROM rounds_seal s
    JOIN closing c ON s.number >= c.number AND s.number > 1
    JOIN rounds_sealedevent e ON e.seal_id = s.id AND e.kind IN ('label', 'change')
    WHERE s.round_id = %(round)s
    ORDER BY s.number, e.place LIMIT %(most)s
"""


@dataclass(frozen=True)
class Fault:
    """What is wrong with a chain: the row of a table, or a seal itself."""

    round: Round
    seal: int
    what: str
    table: str = "rounds_seal"
    key: int = 0

    def __str__(self) -> str:
        where = f"{self.table} {self.key}" if self.key else _("seal %(n)d") % {"n": self.seal}
        return f"{self.round.name}: {where}: {self.what}"


def head_of(round_: Round) -> Seal | None:
    """The newest seal of a round, whose digest is the head of its chain."""
    return Seal.objects.filter(round=round_).order_by("-number").first()


def head_at(round_: Round, moment: datetime) -> Seal | None:
    """The newest seal of a round at a moment."""
    return Seal.objects.filter(round=round_, at__lte=moment).order_by("-number").first()


def shown_head(round_: Round, member: Membership | None) -> Seal | None:
    """The head, if the member may see it: once the round is closed, and unless frozen reports are kept from
    them. A head that changes tells that somebody labels or decides, and a seal counts how much.
    """
    if round_.closed_at is None or not may_read_revealed(member) or keeps_frozen(round_, member).exists():
        return None
    return head_of(round_)


def shown_seals(round_: Round, member: Membership | None) -> QuerySet[Seal]:
    """The seals of a round in order, for whom may see its head; else none."""
    if shown_head(round_, member) is None:
        return Seal.objects.none()
    return Seal.objects.filter(round=round_).order_by("number")


def faults_of(round_: Round) -> Iterator[Fault]:
    """What is wrong with the chain of a round, and with the rows that it covers."""
    yield from _faults_of_seals(round_)
    yield from _faults_of_events(round_)
    yield from _faults_after_the_close(round_)


def _faults_of_seals(round_: Round) -> Iterator[Fault]:
    with connection.cursor() as cursor:
        cursor.execute(_BLOCKS, {"round": round_.pk})
        blocks = cursor.fetchall()
    for place, block in enumerate(blocks, start=1):
        _pk, study, number, previous, at, why, count, digest, stored, events, low, high = block
        its = seal_digest(
            round_id=round_.pk, number=number, previous=previous, at=at, why=why, count=count, events=events
        )
        if (
            its != digest
            or number != place
            or (count, 1, count) != (stored, low, high)
            or study != round_.study_id
        ):
            yield Fault(round_, number, _("was changed, or lost or gained events"))
    before = FIRST
    moment = None
    for block in blocks:
        if block[3] != before:
            yield Fault(round_, block[2], _("does not follow from the seal before"))
        if moment and block[4] < moment:
            yield Fault(round_, block[2], _("has a moment before the seal before"))
        before, moment = block[7], block[4]


def _faults_after_the_close(round_: Round) -> Iterator[Fault]:
    """Labels that were sealed after the round was closed: the close seals all before it, and nobody labels
    later. Where the first seal has the close, nobody knows what came after it.
    """
    with connection.cursor() as cursor:
        cursor.execute(_LATE, {"round": round_.pk, "most": MOST})
        found = cursor.fetchall()
    for kind, key, number in found:
        yield Fault(round_, number, _("was added or changed after the close"), KINDS[kind].table, key)


def _faults_of_events(round_: Round) -> Iterator[Fault]:
    ever = " UNION ALL ".join(
        f"SELECT '{kind.name}'::text AS kind, x.* FROM ({kind.every}) x" for kind in KINDS.values()
    )
    statement = _EVENTS.format(ever=ever, digest=DIGEST.format(salt="s.salt", content="e.content"), most=MOST)
    # NULL: of what was imported nobody here knows when it was made.
    given: dict[str, Any] = {"round": round_.pk, "tolerance": None if round_.is_imported else TOLERANCE}
    with connection.cursor() as cursor:
        cursor.execute(statement, given)
        found = cursor.fetchall()
    for kind, key, number, is_there in found:
        what = (
            _("was made later than its moment: seal %(n)d is the first that has it")
            if is_there
            else _("was changed or deleted since seal %(n)d")
        ) % {"n": number}
        yield Fault(round_, number, what, KINDS[kind].table if kind in KINDS else kind, key)
