"""Every change that brings issues in, and of a study's tokens, keyword lists and saved filters."""

from ingest.actions.fetching import run_harvest
from ingest.actions.filters import delete_filter, save_filter
from ingest.actions.finds import find_keywords, search_what_was_missed
from ingest.actions.hand_picked import keep_by_hand, take_back
from ingest.actions.harvests import (
    JOB as HARVEST_JOB,
)
from ingest.actions.harvests import (
    pause_harvest,
    plan_harvest,
    refresh_harvest,
    resume_harvests,
    start_harvest,
)
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
from ingest.actions.resolving import JOB as RESOLVING_JOB
from ingest.actions.resolving import resolve_listed, run_resolving
from ingest.actions.selections import JOB as SELECTION_JOB
from ingest.actions.selections import run_selection, select_issues
from ingest.actions.similar import begin_comparison, compare_what_was_missed, find_similar
from ingest.actions.tokens import add_token, remove_token
from ingest.actions.uploads import JOB, confirm_import, discard_import, read_again, receive_upload

__all__ = [
    "HARVEST_JOB",
    "JOB",
    "RESOLVING_JOB",
    "SELECTION_JOB",
    "ListContent",
    "add_token",
    "begin_comparison",
    "bring_back_keyword_list",
    "compare_what_was_missed",
    "confirm_import",
    "delete_filter",
    "discard_import",
    "find_keywords",
    "find_similar",
    "import_issues",
    "import_keyword_lists",
    "keep_by_hand",
    "make_keyword_list",
    "mark_group",
    "mark_pair",
    "pause_harvest",
    "plan_harvest",
    "read_again",
    "receive_upload",
    "refresh_harvest",
    "remove_token",
    "rename_keyword_list",
    "resolve_listed",
    "resume_harvests",
    "retire_keyword_list",
    "run_harvest",
    "run_resolving",
    "run_selection",
    "save_filter",
    "search_what_was_missed",
    "select_issues",
    "start_harvest",
    "store_keyword_list",
    "take_back",
    "take_back_group",
    "take_back_pair",
]
