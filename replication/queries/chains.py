"""The chain of a round as files of its package."""

from collections.abc import Iterator
from typing import Any

from django.db import connection

from rounds.covered import DIGEST, KINDS
from rounds.models import Round, Seal

CHAIN, EVENTS = "chain.csv", "chain_events.csv"
CHAIN_COLUMNS = ("Seal", "Round_id", "Previous", "Sealed_at", "Reason", "Events", "Digest")
EVENT_COLUMNS = (
    "Seal", "Place", "Kind", "Key", "Digest", "Salt", "Content", "Issue_URL", "Volunteer", "Label",
)  # fmt: skip
BATCH = 2000

_EVENTS = """
    WITH now AS MATERIALIZED ({now})
    SELECT b.number, s.place, s.kind, s.key, encode(s.digest, 'hex'),
           CASE WHEN n.content IS NOT NULL THEN s.salt END, n.content, i.url, m.pseudonym, c.code
    FROM rounds_seal b
    JOIN rounds_sealedevent s ON s.seal_id = b.id
    LEFT JOIN now n ON n.kind = s.kind AND n.key = s.key AND s.digest = {digest} AND s.kind <> 'change'
    LEFT JOIN ingest_issue i ON i.id = (n.content::jsonb ->> 'issue_id')::bigint
    LEFT JOIN studies_membership m ON m.id = (n.content::jsonb ->> 'volunteer_id')::bigint
    LEFT JOIN taxonomy_categorystate c ON c.category_id = (n.content::jsonb ->> 'category_id')::bigint
     AND c.version_id = (n.content::jsonb ->> 'version_id')::bigint
    WHERE b.round_id = %(round)s ORDER BY b.number, s.place
"""


def seal_rows(round_: Round) -> Iterator[tuple[object, ...]]:
    """A row with CHAIN_COLUMNS for each seal, in order."""
    for seal in Seal.objects.filter(round=round_).order_by("number"):
        yield (
            seal.number,
            round_.pk,
            seal.previous,
            seal.at.isoformat(),
            seal.why,
            seal.events,
            seal.digest,
        )


def event_rows(round_: Round) -> Iterator[tuple[Any, ...]]:
    """A row with EVENT_COLUMNS for each sealed event. Salt and content are empty where the round has another
    content now: what a label was before its author changed it is in no package.
    """
    now = " UNION ALL ".join(
        f"SELECT '{kind.name}'::text AS kind, x.* FROM ({kind.now}) x" for kind in KINDS.values()
    )
    statement = _EVENTS.format(now=now, digest=DIGEST.format(salt="s.salt", content="n.content"))
    with connection.chunked_cursor() as cursor:
        cursor.execute(statement, {"round": round_.pk})
        while rows := cursor.fetchmany(BATCH):
            yield from rows
