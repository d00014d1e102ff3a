"""The state of an item, and what it rests on: sentences made from rows, and pages that show them. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

MET, NOT_MET, ASKED, ANSWERED, NOT_APPLICABLE, LATER = (
    "met", "not met", "yours to answer", "answered", "does not apply", "after reveal",
)  # fmt: skip
STATES = (MET, NOT_MET, ASKED, ANSWERED, NOT_APPLICABLE, LATER)
"""In this order on the page. `LATER`: labels must be revealed before rows can answer the item."""


@dataclass(frozen=True)
class Said:
    """A sentence made from rows. `numbers` are the numbers in it by name, as they are shown, and `files` the
    files of the package in which they are found.
    """

    text: str
    numbers: tuple[tuple[str, str], ...] = ()
    files: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Link:
    """A page that shows the evidence: its address by name, and whether only owners and leads can open it."""

    page: str
    of: tuple[object, ...]
    leads_only: bool = False


@dataclass(frozen=True)
class Outcome:
    """What the rows say about one item."""

    state: str
    said: tuple[Said, ...] = ()
    links: tuple[Link, ...] = ()


def met(said: Iterable[Said | None], *links: Link | None) -> Outcome:
    return _made(MET, said, links)


def not_met(said: Iterable[Said | None], *links: Link | None) -> Outcome:
    return _made(NOT_MET, said, links)


def asked(said: Iterable[Said | None], *links: Link | None) -> Outcome:
    return _made(ASKED, said, links)


def not_applicable(said: Iterable[Said | None], *links: Link | None) -> Outcome:
    return _made(NOT_APPLICABLE, said, links)


def later(said: Iterable[Said | None], *links: Link | None) -> Outcome:
    return _made(LATER, said, links)


def _made(state: str, said: Iterable[Said | None], links: Iterable[Link | None]) -> Outcome:
    return Outcome(state, tuple(one for one in said if one), tuple(one for one in links if one))
