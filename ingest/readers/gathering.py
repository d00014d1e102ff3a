"""One draft for each issue of an upload in which an issue comes in several records: the newest one counts,
and comments that were listed apart are put under their issues. What waits is on disk, not in memory.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Self

from ingest.addresses import Address
from ingest.readers.drafts import CommentDraft, Draft
from ingest.readers.frames import database
from ingest.readers.refusals import Refusal

_TABLES = """
CREATE TABLE issue (id INTEGER PRIMARY KEY, identity TEXT UNIQUE, updated TEXT, has_text INTEGER,
                    are_all INTEGER, draft TEXT);
CREATE TABLE name (name TEXT PRIMARY KEY, issue INTEGER) WITHOUT ROWID;
CREATE TABLE comment (id INTEGER PRIMARY KEY, key TEXT UNIQUE, updated TEXT, at TEXT, forge_id INTEGER,
                      size INTEGER, draft TEXT);
CREATE TABLE place (name TEXT, comment INTEGER, PRIMARY KEY (name, comment)) WITHOUT ROWID;
"""
_COMMENTS = """
    SELECT DISTINCT comment.at, comment.forge_id, comment.size, comment.draft
    FROM name JOIN place ON place.name = name.name JOIN comment ON comment.id = place.comment
    WHERE name.issue = ? AND comment.draft IS NOT NULL ORDER BY comment.at, comment.forge_id
"""
_STRAYS = """
    SELECT count(*) FROM comment WHERE draft IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM place JOIN name ON name.name = place.name WHERE place.comment = comment.id)
"""


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment with the names of its issue; `draft` is None if it was deleted. `key` is its identity."""

    key: str
    names: tuple[str, ...]
    forge_id: int
    updated_at: datetime | None
    draft: CommentDraft | None


class Gathering:
    """`are_listed`: the upload has lists of comments, so that an issue without one has none."""

    def __init__(self, max_characters: int) -> None:
        self._most = max_characters
        self._database = database(cache=16 * 1024)
        self._database.executescript(_TABLES)
        self._database.execute("BEGIN")
        self.are_listed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._database.close()

    def add(self, draft: Draft, names: tuple[str, ...], *, are_all: bool) -> None:
        """An issue; of two with the same address the newer one stays, of equally old ones the later one."""
        identity = "/".join(draft.address.identity)
        updated, has_text = _sortable(draft.updated_at), bool(draft.title or draft.body)
        run = self._database.execute
        known = run("SELECT id, updated, has_text FROM issue WHERE identity = ?", [identity]).fetchone()
        if known is None:
            values = [identity, updated, has_text, are_all, _dumped(draft)]
            cursor = run(
                "INSERT INTO issue (identity, updated, has_text, are_all, draft) VALUES (?, ?, ?, ?, ?)",
                values,
            )
            issue_id = cursor.lastrowid
        else:
            issue_id = known[0]
            if (has_text, updated) >= (bool(known[2]), known[1]):
                run(
                    "UPDATE issue SET updated = ?, has_text = ?, draft = ? WHERE id = ?",
                    [updated, has_text, _dumped(draft), issue_id],
                )
        for name in names:
            run("INSERT OR IGNORE INTO name VALUES (?, ?)", [name, issue_id])

    def add_comment(self, comment: Comment) -> None:
        said = comment.draft
        updated = _sortable(comment.updated_at)
        values = [
            updated,
            _sortable(said.created_at) if said else "",
            comment.forge_id,
            len(said.body) if said else 0,
            _comment_dumped(said) if said else None,
        ]
        run = self._database.execute
        known = run("SELECT id, updated FROM comment WHERE key = ?", [comment.key]).fetchone()
        if known is None:
            cursor = run(
                "INSERT INTO comment (key, updated, at, forge_id, size, draft) VALUES (?, ?, ?, ?, ?, ?)",
                [comment.key, *values],
            )
            comment_id = cursor.lastrowid
        else:
            comment_id = known[0]
            if updated >= known[1]:
                run(
                    "UPDATE comment SET updated = ?, at = ?, forge_id = ?, size = ?, draft = ? WHERE id = ?",
                    [*values, comment_id],
                )
        for name in comment.names:
            run("INSERT OR IGNORE INTO place VALUES (?, ?)", [name, comment_id])

    def strays(self) -> int:
        """How many comments are under issues that the upload does not have."""
        return int(self._database.execute(_STRAYS).fetchone()[0])

    def drafts(self) -> Iterator[Draft | Refusal]:
        """The issues, in the order in which they came first."""
        issues = self._database.execute("SELECT id, are_all, draft FROM issue ORDER BY id")
        for issue_id, are_all, dumped in issues:
            draft = _loaded(dumped)
            comments: list[CommentDraft] = []
            size = 0
            for _at, _id, length, said in self._database.execute(_COMMENTS, [issue_id]):
                size += length
                if size > self._most:
                    break
                comments.append(_comment_loaded(said))
            if size > self._most:
                yield Refusal(
                    draft.line, "record_too_long", {"limit": self._most}, draft.url, file=draft.file
                )
            elif self.are_listed and are_all and not draft.comments:
                yield replace(draft, comments=tuple(comments), comment_count=len(comments))
            elif comments:
                count = max(draft.comment_count or 0, len(comments))
                yield replace(draft, comments=tuple(comments), comment_count=count, has_some_comments=True)
            else:
                yield draft


def _sortable(at: datetime | None) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds") if at else ""


def _dumped(draft: Draft) -> str:
    return json.dumps(asdict(draft), default=_plain)


def _comment_dumped(comment: CommentDraft) -> str:
    return json.dumps(asdict(comment), default=_plain)


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(type(value))


def _loaded(dumped: str) -> Draft:
    said: dict[str, Any] = json.loads(dumped)
    for name in ("created_at", "closed_at", "updated_at"):
        said[name] = datetime.fromisoformat(said[name]) if said[name] else None
    said["address"] = Address(**said["address"])
    said["labels"] = tuple(said["labels"])
    said["comments"] = tuple(_comment_of(comment) for comment in said["comments"])
    return Draft(**said)


def _comment_loaded(dumped: str) -> CommentDraft:
    return _comment_of(json.loads(dumped))


def _comment_of(said: dict[str, Any]) -> CommentDraft:
    at = said["created_at"]
    return CommentDraft(**{**said, "created_at": datetime.fromisoformat(at) if at else None})
