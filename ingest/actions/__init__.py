"""Every change that brings issues in, and of a study's keywords and saved filters."""

from ingest.actions.filters import delete_filter, save_filter
from ingest.actions.finds import find_keywords, search_what_was_missed
from ingest.actions.keywords import set_keywords
from ingest.actions.loading import import_issues
from ingest.actions.similar import begin_comparison, compare_what_was_missed, find_similar
from ingest.actions.uploads import JOB, confirm_import, discard_import, receive_upload

__all__ = [
    "JOB",
    "begin_comparison",
    "compare_what_was_missed",
    "confirm_import",
    "delete_filter",
    "discard_import",
    "find_keywords",
    "find_similar",
    "import_issues",
    "receive_upload",
    "save_filter",
    "search_what_was_missed",
    "set_keywords",
]
