"""Every change that brings issues in, and of a study's keywords and saved filters."""

from ingest.actions.filters import delete_filter, save_filter
from ingest.actions.finds import find_keywords, search_what_was_missed
from ingest.actions.keywords import set_keywords
from ingest.actions.loading import import_issues
from ingest.actions.uploads import JOB, confirm_import, discard_import, receive_upload

__all__ = [
    "JOB",
    "confirm_import",
    "delete_filter",
    "discard_import",
    "find_keywords",
    "import_issues",
    "receive_upload",
    "save_filter",
    "search_what_was_missed",
    "set_keywords",
]
