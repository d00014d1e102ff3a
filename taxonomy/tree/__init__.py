"""The tree of a taxonomy as plain data: categories by code, their levels and order, and their CSV.

Pure: no Django, no database. A `Tree` is complete and sound by construction; one `TaxonomyFileError` lists
all problems of a file or of a set of nodes, by line.
"""

from taxonomy.tree.checks import MAX_CODE, MAX_NAME, MAX_TEXT, Problem, TaxonomyFileError
from taxonomy.tree.files import COLUMNS, MAX_BYTES, MAX_CATEGORIES, read_csv, write_csv
from taxonomy.tree.nodes import (
    ALL_TEXTS,
    LEVELS,
    LONG_TEXTS,
    SUB_THEME,
    TEXTS,
    THEME,
    TRANSLATED,
    TRANSLATIONS,
    TYPE,
    Node,
    look_alike,
    other_texts,
    phrases,
    text_in,
)
from taxonomy.tree.trees import Tree

__all__ = [
    "ALL_TEXTS",
    "COLUMNS",
    "LEVELS",
    "LONG_TEXTS",
    "MAX_BYTES",
    "MAX_CATEGORIES",
    "MAX_CODE",
    "MAX_NAME",
    "MAX_TEXT",
    "SUB_THEME",
    "TEXTS",
    "THEME",
    "TRANSLATED",
    "TRANSLATIONS",
    "TYPE",
    "Node",
    "Problem",
    "TaxonomyFileError",
    "Tree",
    "look_alike",
    "other_texts",
    "phrases",
    "read_csv",
    "text_in",
    "write_csv",
]
