"""How similar two reports are, and which of many are similar: near-duplicates. Pure: no Django.

The likeness of two reports is the resemblance of their sets of elements: words in a row of title and text,
and lines of code and logs, without what many reports of a repository share (docs/decisions/0030). It depends
on their texts and on templates alone: on no label, no order and no chance.
"""

from ingest.similarity.elements import Elements, elements
from ingest.similarity.groups import groups_of
from ingest.similarity.search import LEAST, Pair, Report, Search, likeness

VERSION = 1
"""Of the elements and of the likeness: raised with every change that gives other numbers."""

LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""The likenesses from which groups can be asked for."""

__all__ = [
    "LEAST",
    "LEVELS",
    "VERSION",
    "Elements",
    "Pair",
    "Report",
    "Search",
    "elements",
    "groups_of",
    "likeness",
]
