"""Every change of a taxonomy."""

from taxonomy.actions.answers import answer, join_names
from taxonomy.actions.drafts import Acted, act, publish, redo, undo
from taxonomy.actions.motions import cast, close_due, comment, open_motion, see_comments, set_rule, withdraw
from taxonomy.actions.taxonomies import create_taxonomy, delete_draft, start_taxonomy

__all__ = [
    "Acted",
    "act",
    "answer",
    "cast",
    "close_due",
    "comment",
    "create_taxonomy",
    "delete_draft",
    "join_names",
    "open_motion",
    "publish",
    "redo",
    "see_comments",
    "set_rule",
    "start_taxonomy",
    "undo",
    "withdraw",
]
