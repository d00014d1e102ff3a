"""Every change that brings issues in from files, and of a study's keyword lists and saved filters."""

from ingest.actions.filters import delete_filter, save_filter
from ingest.actions.finds import find_keywords, search_what_was_missed
from ingest.actions.keyword_lists import (
    ListContent,
    bring_back_keyword_list,
    import_keyword_lists,
    make_keyword_list,
    rename_keyword_list,
    retire_keyword_list,
    store_keyword_list,
)
from ingest.actions.loading import import_issues
from ingest.actions.marks import mark_group, mark_pair, take_back_group, take_back_pair
from ingest.actions.removal import remove_issue, take_back_import
from ingest.actions.searching import keep_missing_words
from ingest.actions.similar import begin_comparison, compare_what_was_missed, find_similar
from ingest.actions.uploads import (
    JOB,
    confirm_import,
    confirm_imports,
    discard_import,
    read_again,
    receive_upload,
)

__all__ = [
    "JOB",
    "ListContent",
    "begin_comparison",
    "bring_back_keyword_list",
    "compare_what_was_missed",
    "confirm_import",
    "confirm_imports",
    "delete_filter",
    "discard_import",
    "find_keywords",
    "find_similar",
    "import_issues",
    "import_keyword_lists",
    "keep_missing_words",
    "make_keyword_list",
    "mark_group",
    "mark_pair",
    "read_again",
    "receive_upload",
    "remove_issue",
    "rename_keyword_list",
    "retire_keyword_list",
    "save_filter",
    "search_what_was_missed",
    "store_keyword_list",
    "take_back_group",
    "take_back_import",
    "take_back_pair",
]
