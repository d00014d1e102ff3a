"""Keeps the words by which the full-text search finds texts (docs/decisions/0037)."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import connection, transaction
from django.db.models import Exists, OuterRef

from ingest.models import SearchedText, Snapshot
from ingest.searching import lexemes

TEXTS_A_STEP = 500

Text = tuple[int, str, str, Iterable[Any]]
"""Id of a snapshot, title, body, and comments as they are stored."""


def keep_words(texts: Iterable[Text]) -> None:
    """Store the words of these snapshots, inside the caller's transaction. Twice is as once."""
    rows = [
        (snapshot, " ".join(lexemes(title, body, _bodies(comments))))
        for snapshot, title, body, comments in texts
    ]
    with connection.cursor() as cursor:
        # In the order of the ids, so that two that store the same do not wait for one another crosswise.
        cursor.execute(
            """
            INSERT INTO ingest_searchedtext (snapshot_id, words)
            SELECT id, array_to_tsvector(string_to_array(words, ' '))
            FROM unnest(%s::bigint[], %s::text[]) AS given (id, words) ORDER BY id
            ON CONFLICT (snapshot_id) DO NOTHING
            """,
            [[snapshot for snapshot, _words in rows], [words for _snapshot, words in rows]],
        )


def _bodies(comments: Iterable[Any]) -> list[str]:
    return [str(one.get("body") or "") for one in comments if isinstance(one, Mapping)]


def keep_missing_words() -> int:
    """Store the words of all texts whose words are missing, each few hundred in one transaction; return the
    number of these texts. Texts miss theirs where an older release stored them while this one began.
    """
    missing = Snapshot.objects.filter(~Exists(SearchedText.objects.filter(snapshot=OuterRef("pk"))))
    done = last = 0
    while True:
        with transaction.atomic():
            waiting = missing.filter(pk__gt=last).order_by("pk")
            texts = list(waiting.values_list("pk", "title", "body", "comments")[:TEXTS_A_STEP])
            keep_words(texts)
        if not texts:
            return done
        done, last = done + len(texts), texts[-1][0]
