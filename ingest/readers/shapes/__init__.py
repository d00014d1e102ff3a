"""The programs whose records are read: what each of their records holds, in the keys of a forge's answer.

A shape is recognised from the first records of a file and stored by its name. `unfold` makes the issues and
comments of one record; none if it is about something else.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ingest.readers.shapes import comments, events, gitlab, graphql, jira, perceval
from ingest.readers.shapes.items import Item, Raw

__all__ = ["GATHERED", "Item", "Raw", "Shape", "shape_named", "shape_of"]


@dataclass(frozen=True, slots=True)
class Shape:
    """`fits` says whether a record is of this shape. `mapping` is the source of each field where the keys
    are always the same; else they are found by their names.
    """

    name: str
    fits: Callable[[Raw], bool]
    unfold: Callable[[Raw], Sequence[Item]]
    mapping: Mapping[str, str] | None = None


def _usual(record: Raw) -> Sequence[Item]:
    return (Item("comment" if comments.fits(record) else "issue", record),)


USUAL = Shape("", lambda _record: True, _usual)
_SHAPES = (
    Shape("events", events.fits, events.unfold, events.MAPPING),
    Shape("perceval", perceval.fits, perceval.unfold),
    Shape("jira", jira.fits, jira.unfold),
    Shape("gitlab_export", gitlab.fits, gitlab.unfold),
    Shape("graphql", graphql.fits, graphql.unfold),
    # The usual records too, but with names of their own for people.
    Shape("comments", comments.fits, _usual),
    Shape("mixed", lambda _record: False, _usual),
    Shape("github", lambda r: "html_url" in r and "node_id" in r, _usual),
    Shape("gitlab", lambda r: "web_url" in r and "iid" in r, _usual),
    Shape("gitee", lambda r: "issue_state" in r and "html_url" in r, _usual),
    Shape("gh", lambda r: "url" in r and ("createdAt" in r or "updatedAt" in r), _usual),
)
_BY_NAME = {shape.name: shape for shape in (USUAL, *_SHAPES)}

GATHERED = frozenset({"events", "perceval", "comments", "mixed"})
"""Shapes of files in which an issue comes in several records: all of them make one draft."""


def shape_of(records: Sequence[Raw]) -> Shape:
    """The shape of a file with these first records."""
    found = next((shape for shape in _SHAPES if shape.fits(records[0])), USUAL)
    if found.unfold is _usual:
        told = [comments.fits(record) for record in records]
        return _BY_NAME["comments"] if all(told) else _BY_NAME["mixed"] if any(told) else found
    return found


def shape_named(name: str) -> Shape:
    return _BY_NAME[name]
