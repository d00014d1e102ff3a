"""The content of an issue as plain data, for comparing and for storing as a snapshot."""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from ingest.readers import CommentDraft, Draft


@dataclass(frozen=True, slots=True)
class Content:
    """The fields of a snapshot. `comments` are {author, association, at, body}, in order."""

    title: str = ""
    body: str = ""
    author: str = ""
    author_association: str = ""
    labels: tuple[str, ...] = ()
    state: str = ""
    state_reason: str = ""
    opened_at: datetime | None = None
    closed_at: datetime | None = None
    updated_at: datetime | None = None
    comments: tuple[Mapping[str, Any], ...] = ()
    comment_count: int = 0

    @property
    def hash(self) -> str:
        """SHA-256 of the visible content: line ends, the order of labels and `updated_at` do not count. A
        forge changes `updated_at` for a reaction or a subscription, which change no text.
        """
        parts = [
            _lines(self.title), _lines(self.body), self.author, self.author_association, sorted(self.labels),
            self.state, self.state_reason, _moment(self.opened_at), _moment(self.closed_at),
            [[c["author"], c["association"], c["at"], _lines(c["body"])] for c in self.comments],
            self.comment_count,
        ]  # fmt: skip
        return hashlib.sha256(json.dumps(parts, separators=(",", ":")).encode()).hexdigest()


_TEXTS = ("title", "body", "author", "author_association", "labels", "state", "state_reason")
_FIELD_OF = {**{name: name for name in (*_TEXTS, "closed_at", "updated_at")}, "opened_at": "created_at"}
"""Field of a snapshot to its source field of a draft; comments have rules of their own."""


def content_of(draft: Draft) -> Content | None:
    """The draft's content of its issue; None if the draft is only an address."""
    said = Content(
        **{field: getattr(draft, source) for field, source in _FIELD_OF.items()},
        comments=tuple(_comment(comment) for comment in draft.comments),
        comment_count=len(draft.comments) if draft.comment_count is None else draft.comment_count,
    )
    return None if said == Content() else said


def completed(said: Content, draft: Draft, known: Content, fields: Collection[str]) -> Content:
    """The content `said`, with every field that its file lacks taken from `known`, the issue's current text.

    `fields` are the fields that the file's mapping names: an empty value in one of them was emptied on the
    forge. A file with the number of comments, but without the comments, keeps the known comments; one with
    some of the comments adds them to the known ones, and an older one adds nothing else.
    """
    if draft.has_some_comments:
        comments = _together(known.comments, said.comments)
        count = max(len(comments), said.comment_count)
        if said.updated_at and known.updated_at and said.updated_at < known.updated_at:
            return replace(known, comments=comments, comment_count=max(len(comments), known.comment_count))
        said = replace(said, comments=comments, comment_count=count)
    kept = {field: getattr(known, field) for field, source in _FIELD_OF.items() if source not in fields}
    if not draft.comments and draft.comment_count != 0:
        kept["comments"] = known.comments
        if draft.comment_count is None:
            kept["comment_count"] = known.comment_count
    return replace(said, **kept)


def _together(
    known: tuple[Mapping[str, Any], ...], said: tuple[Mapping[str, Any], ...]
) -> tuple[Mapping[str, Any], ...]:
    """All comments in order of time; of two by the same author at the same time the one that is said now."""
    by_place = {(comment["author"], comment["at"]): comment for comment in (*known, *said)}
    return tuple(sorted(by_place.values(), key=lambda comment: comment["at"] or ""))


def _comment(comment: CommentDraft) -> dict[str, Any]:
    return {
        "author": comment.author,
        "association": comment.author_association,
        "at": _moment(comment.created_at),
        "body": comment.body,
    }


def _moment(when: datetime | None) -> str | None:
    return when.astimezone(UTC).isoformat() if when else None


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n")
