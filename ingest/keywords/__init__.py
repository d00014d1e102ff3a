"""Finds the terms of keyword lists in issues, in one pass, and reads such lists. Pure: no Django.

A term matches as a whole word, in any case, with any joiner between its parts, as its switches say; words are
letters and digits, and all else separates them: `llama` matches in `llama_index`. Scripts without spaces
(Chinese, Japanese, Thai …) have no such borders: there a term matches anywhere.
"""

from ingest.keywords.folding import fold
from ingest.keywords.listed.doubts import ListWarning
from ingest.keywords.listed.problems import LONGEST_TERM, MOST_TERMS, ListProblem
from ingest.keywords.listed.reading import ListRead, NamedList, read_list, write_list
from ingest.keywords.markdown.headings import template_headings, template_line
from ingest.keywords.marks import Counts, KeywordMatch, Marks, matches
from ingest.keywords.matcher import Matcher
from ingest.keywords.terms import KINDS, MASKS, ZONES, Hits, Kind, Mask, Switches, Term, Zone
from ingest.keywords.texts import IssueText

__all__ = [
    "KINDS",
    "LONGEST_TERM",
    "MASKS",
    "MOST_TERMS",
    "ZONES",
    "Counts",
    "Hits",
    "IssueText",
    "KeywordMatch",
    "Kind",
    "ListProblem",
    "ListRead",
    "ListWarning",
    "Marks",
    "Mask",
    "Matcher",
    "NamedList",
    "Switches",
    "Term",
    "Zone",
    "fold",
    "matches",
    "read_list",
    "template_headings",
    "template_line",
    "write_list",
]
