"""Terms, the switches that say how they match, and what a text says of a term."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, TypeVar, get_args

Zone = Literal["title", "prose", "code"]
Mask = Literal["user_names", "urls", "paths", "hashes", "template_headings"]
Kind = Literal["word", "model", "module"]

ZONES: tuple[Zone, ...] = get_args(Zone)
MASKS: tuple[Mask, ...] = get_args(Mask)
KINDS: tuple[Kind, ...] = get_args(Kind)

_ON_OR_OFF = ("folds", "joins", "plurals", "version_tails", "unspaced")

Named = TypeVar("Named", bound=str)


@dataclass(frozen=True)
class Term:
    """One term of a list. With a final `*` it is the beginning of a word. Only names of models can have a
    version behind them.
    """

    text: str
    kind: Kind = "word"
    is_case_sensitive: bool = False


@dataclass(frozen=True)
class Switches:
    """How terms match, as it is stored with each version of a list and with each run.

    `folds`: compared after NFKC and casefold; a case-sensitive term after NFKC only. `joins`: a space, a
    hyphen, an underscore and a line break between two parts of a term are the same; exactly one of them has
    to be there. `plurals`: the last part may end in s or es. `version_tails`: a model may have a version
    behind it. `unspaced`: letters of scripts without spaces, such as Chinese, separate words and have no
    borders themselves; without it they are letters as all others. `zones` are searched, and nothing else is.
    `masks`: where a hit does not count.
    """

    folds: bool = True
    joins: bool = True
    plurals: bool = False
    version_tails: bool = True
    unspaced: bool = True
    zones: tuple[Zone, ...] = ZONES
    masks: tuple[Mask, ...] = MASKS

    def as_json(self) -> dict[str, Any]:
        """Values for a JSON column; `from_json` takes them back."""
        return asdict(self) | {"zones": list(self.zones), "masks": list(self.masks)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Switches":
        """The stored switches; what is not stored has its default. Raises ValueError for any
        other value."""
        unknown = stored.keys() - {field.name for field in fields(cls)}
        if unknown:
            raise ValueError(f"no such switch: {', '.join(sorted(unknown))}")
        values = dict(stored)
        if unclear := [name for name in _ON_OR_OFF if values.get(name, True) not in {True, False}]:
            raise ValueError(f"on or off: {', '.join(unclear)}")
        if "zones" in values:
            values["zones"] = _some_of(ZONES, values["zones"])
        if "masks" in values:
            values["masks"] = _some_of(MASKS, values["masks"])
        return cls(**values)


@dataclass(frozen=True)
class Hits:
    """How often a term occurs in the title, in the prose and in the code of an issue, and where it does not
    count. A zone that is not searched has 0.
    """

    title: int = 0
    prose: int = 0
    code: int = 0
    masked: int = 0

    @property
    def counted(self) -> int:
        return self.title + self.prose + self.code


def _some_of(known: tuple[Named, ...], stored: list[str]) -> tuple[Named, ...]:
    """The stored ones in the order of the known ones."""
    unknown = set(stored) - set(known)
    if unknown:
        raise ValueError(f"unknown: {', '.join(sorted(unknown))}")
    return tuple(one for one in known if one in stored)
