"""Sets of items, as TOML files: the one that comes with Crosscheck, and those of the server's own folder.

A file names `key`, `name`, `version` and `source`, then `[[sections]]` with `name`, each with
`[[sections.items]]`: `number`, `kind` (E essential, D desirable, X extraordinary, AP antipattern), `text`,
and if they are there `check` (a name of `standards.checks.CHECKS`) and `question` (for people). Each text may
have a Chinese one beside it: `text_zh`.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import get_language

KINDS = ("E", "D", "X", "AP")
HERE = Path(__file__).parent
MOST_BYTES, MOST_ITEMS, LONGEST = 200_000, 500, 1_000
_KEY = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_NUMBER = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,19}")


class SetRefusedError(ValueError):
    """A file is no set of items; the text tells where and why."""


@dataclass(frozen=True)
class Words:
    """A text in English and in Chinese; without Chinese the English one."""

    en: str
    zh: str = ""

    def __str__(self) -> str:
        return (self.zh if (get_language() or "").lower() == "zh-hans" else "") or self.en


@dataclass(frozen=True)
class Item:
    """One item of a set. `check` names what answers it from rows; without it only people do."""

    number: str
    kind: str
    section: Words
    text: Words
    check: str = ""
    question: Words = Words("")


@dataclass(frozen=True)
class Standard:
    """A set of items with its name, its version and where it comes from."""

    key: str
    name: Words
    version: str
    source: Words
    items: tuple[Item, ...]

    def item(self, number: str) -> Item | None:
        return next((one for one in self.items if one.number == number), None)


def read_standard(data: bytes, checks: Mapping[str, Any]) -> Standard:
    """Read one file. Raises SetRefusedError."""
    if len(data) > MOST_BYTES:
        raise SetRefusedError(f"larger than {MOST_BYTES} bytes")
    try:
        found = tomllib.loads(data.decode("utf-8"))
    except ValueError as error:
        raise SetRefusedError(f"no TOML in UTF-8: {error}") from None
    items = tuple(_items(found, checks))
    numbers = [one.number for one in items]
    if not items or len(items) > MOST_ITEMS:
        raise SetRefusedError(f"{len(items)} items: 1 to {MOST_ITEMS} are possible")
    if twice := {number for number in numbers if numbers.count(number) > 1}:
        raise SetRefusedError(f"twice: {', '.join(sorted(twice))}")
    key = _text(found, "key")
    if not _KEY.fullmatch(key) or key == "files":
        raise SetRefusedError("key: small letters, digits and hyphens, at most 40; not files")
    return Standard(key, _words(found, "name"), _text(found, "version"), _words(found, "source"), items)


def _items(found: Mapping[str, Any], checks: Mapping[str, Any]) -> Iterator[Item]:
    for section in _tables(found, "sections"):
        name = _words(section, "name")
        for one in _tables(section, "items"):
            number, kind = _text(one, "number"), _text(one, "kind")
            check = _text(one, "check") if "check" in one else ""
            if not _NUMBER.fullmatch(number):
                raise SetRefusedError(f"number {number!r}: letters, digits, dots and hyphens, at most 20")
            if kind not in KINDS:
                raise SetRefusedError(f"{number}: kind is one of {', '.join(KINDS)}")
            if check and check not in checks:
                raise SetRefusedError(f"{number}: there is no check {check!r}")
            question = _words(one, "question") if "question" in one else Words("")
            yield Item(number, kind, name, _words(one, "text"), check, question)


def _tables(found: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    tables = found.get(name)
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
        raise SetRefusedError(f"[[{name}]] is missing")
    return tables


def _text(found: Mapping[str, Any], name: str) -> str:
    text = found.get(name)
    if not isinstance(text, str) or not text.strip() or len(text) > LONGEST:
        raise SetRefusedError(f"{name}: a text of 1 to {LONGEST} characters")
    return text.strip()


def _words(found: Mapping[str, Any], name: str) -> Words:
    chinese = f"{name}_zh"
    return Words(_text(found, name), _text(found, chinese) if chinese in found else "")


def standards(checks: Mapping[str, Any]) -> dict[str, Standard]:
    """All sets by their key, that of Crosscheck first; files that are refused are left out."""
    found: dict[str, Standard] = {}
    for path in paths():
        try:
            one = _read(path, path.stat().st_mtime_ns, frozenset(checks))
        except (OSError, SetRefusedError):  # `manage.py check` names them
            continue
        found.setdefault(one.key, one)
    return found


def paths() -> list[Path]:
    """The files of sets: those that come with Crosscheck, then those of the folder in the settings."""
    own = settings.STANDARDS_FOLDER
    return [*sorted(HERE.glob("*.toml")), *(sorted(Path(own).glob("*.toml")) if own else [])]


@lru_cache(maxsize=32)
def _read(path: Path, _changed: int, checks: frozenset[str]) -> Standard:
    return read_standard(path.read_bytes(), dict.fromkeys(checks))
