"""What a list of issues can be narrowed to, and how that stands in an address."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

KINDS: dict[str, bool | None] = {"issue": False, "pull_request": True, "unknown": None}
TEXTS = ("with", "without")
LONGEST_WORDS = 200


@dataclass(frozen=True)
class IssueFilter:
    """What a list of issues is narrowed to; empty values narrow nothing.

    `kind`: issue, pull_request, unknown. `text`: with, without. `words`: each occurs in the title, or it is
    the number.
    """

    repository: int | None = None
    year: int | None = None
    kind: str = ""
    text: str = ""
    words: str = ""

    @classmethod
    def from_query(cls, given: Mapping[str, Any]) -> Self:
        """The filter that an address or a saved filter holds; what it cannot mean is left out."""
        kind, text = str(given.get("kind") or ""), str(given.get("text") or "")
        return cls(
            repository=key(given, "repository"),
            year=key(given, "year"),
            kind=kind if kind in KINDS else "",
            text=text if text in TEXTS else "",
            words=str(given.get("q") or "").replace("\0", "").strip()[:LONGEST_WORDS],
        )

    @property
    def query(self) -> dict[str, str]:
        """What stands in an address for it: from_query(query) is this filter again."""
        held = {
            "repository": self.repository,
            "year": self.year,
            "kind": self.kind,
            "text": self.text,
            "q": self.words,
        }
        return {name: str(value) for name, value in held.items() if value not in (None, "")}

    def __bool__(self) -> bool:
        return self != IssueFilter()


def key(given: Mapping[str, Any], name: str) -> int | None:
    """A number from a query; None for what is no number that a key can be."""
    text = str(given.get(name, ""))
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None
