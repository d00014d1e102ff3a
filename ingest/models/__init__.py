"""Issues of repositories, frozen as fetched, what brought them, keyword lists and saved filters."""

from ingest.models.imports import Import, ImportRow
from ingest.models.issues import Issue, Repository, Snapshot, Source, SourceEntry
from ingest.models.keywords import (
    KeywordList,
    KeywordListVersion,
    KeywordTerm,
    SavedFilter,
    TermFind,
)
from ingest.models.searching import SearchedText
from ingest.models.similar import ComparedText, SimilaritySearch, SimilarMark, SimilarPair

__all__ = [
    "ComparedText",
    "Import",
    "ImportRow",
    "Issue",
    "KeywordList",
    "KeywordListVersion",
    "KeywordTerm",
    "Repository",
    "SavedFilter",
    "SearchedText",
    "SimilarMark",
    "SimilarPair",
    "SimilaritySearch",
    "Snapshot",
    "Source",
    "SourceEntry",
    "TermFind",
]
