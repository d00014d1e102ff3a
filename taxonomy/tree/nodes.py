"""What a category is, as plain data."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

TYPE, THEME, SUB_THEME = 1, 2, 3
LEVELS: Mapping[int, str] = {TYPE: "type", THEME: "theme", SUB_THEME: "sub-theme"}
TEXTS = ("definition", "includes", "excludes", "examples")


@dataclass(frozen=True, slots=True)
class Node:
    """One category. `parent` is a code, None for a type.

    `position` is its place in the file or the version that it came from, from 0: it orders siblings, and does
    not count when nodes are compared.
    """

    code: str
    level: int
    parent: str | None
    name: str
    definition: str = ""
    includes: str = ""
    excludes: str = ""
    examples: str = ""
    position: int = field(default=0, compare=False)

    @property
    def texts(self) -> dict[str, str]:
        """The name and the four explaining texts, by column."""
        return {name: getattr(self, name) for name in ("name", *TEXTS)}


# Small Cyrillic and Greek letters that are drawn like Latin ones, alone or as capitals.
_TWINS = str.maketrans("авекмнорстухіјѕԁԛԝαβεζηικμνορτυχ", "abekmhopctyxijsdqwabezhikmnoptyx")


@lru_cache(maxsize=8192)
def look_alike(text: str) -> str:
    """The key under which two codes or names are the same to a reader. It ignores case, width, Unicode
    composition and invisible characters, and takes letters of two scripts that are drawn alike for one.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    seen = "".join(letter for letter in folded if unicodedata.category(letter) != "Cf")
    return " ".join(seen.translate(_TWINS).split())


def other_texts(old: object, new: object) -> tuple[str, ...]:
    """Which of the explaining texts of a category differ between two states of it."""
    return tuple(name for name in TEXTS if getattr(old, name) != getattr(new, name))


def phrases(text: str) -> tuple[str, ...]:
    """The entries of an includes, excludes or examples text: one a line, or parted by semicolon and space."""
    return tuple(entry.strip() for entry in re.split(r"\n|;\s", text) if entry.strip())
