"""A category as plain data."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

TYPE, THEME, SUB_THEME = 1, 2, 3
LEVELS: Mapping[int, str] = {TYPE: "type", THEME: "theme", SUB_THEME: "sub-theme"}
LEVEL_NAMES = tuple(LEVELS.values())
TEXTS = ("definition", "includes", "excludes", "examples")
TRANSLATIONS: Mapping[str, str] = {"zh-hans": "zh"}
"""The languages that a category may be said in beside the study's own, with the ending of their fields."""
TRANSLATED = tuple(f"{name}_{end}" for end in TRANSLATIONS.values() for name in ("name", *TEXTS))
ALL_TEXTS = (*TEXTS, *TRANSLATED)
LONG_TEXTS = tuple(name for name in ALL_TEXTS if not name.startswith("name_"))


@dataclass(frozen=True, slots=True)
class Node:
    """One category. `parent` is a code, None for a type. `position` is its place in its file or version, from
    0: it orders siblings, and does not count when nodes are compared.
    """

    code: str
    level: int
    parent: str | None
    name: str
    definition: str = ""
    includes: str = ""
    excludes: str = ""
    examples: str = ""
    name_zh: str = ""
    definition_zh: str = ""
    includes_zh: str = ""
    excludes_zh: str = ""
    examples_zh: str = ""
    position: int = field(default=0, compare=False)

    @property
    def texts(self) -> dict[str, str]:
        """The name and the other texts, those of translations too, by column."""
        return {name: getattr(self, name) for name in ("name", *ALL_TEXTS)}


# Small Cyrillic and Greek letters that look like Latin letters, in lower or upper case.
_TWINS = str.maketrans("авекмнорстухіјѕԁԛԝαβεζηικμνορτυχ", "abekmhopctyxijsdqwabezhikmnoptyx")


@lru_cache(maxsize=8192)
def look_alike(text: str) -> str:
    """The key under which two codes or names look the same to a reader. It ignores case, width, Unicode
    composition and invisible characters, and treats letters of two scripts that look alike as equal.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    seen = "".join(letter for letter in folded if unicodedata.category(letter) != "Cf")
    return " ".join(seen.translate(_TWINS).split())


def other_texts(old: object, new: object) -> tuple[str, ...]:
    """The texts of a category that differ between two states of the category, those of translations too."""
    return tuple(name for name in ALL_TEXTS if getattr(old, name) != getattr(new, name))


def phrases(text: str) -> tuple[str, ...]:
    """The entries of an includes, excludes or examples text, separated by lines, by semicolon and space, or
    by a full-width semicolon.
    """
    return tuple(entry.strip() for entry in re.split(r"\n|;\s|；", text) if entry.strip())


def text_in(category: object, name: str, language: str | None) -> str:
    """The text `name` of a category in this language; the study's own text where that is not translated."""
    ending = TRANSLATIONS.get((language or "").lower())
    translated: str = getattr(category, f"{name}_{ending}") if ending else ""
    return translated or str(getattr(category, name))
