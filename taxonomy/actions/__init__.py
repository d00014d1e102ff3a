"""Every change of a taxonomy."""

from taxonomy.actions.drafts import Acted, act, publish, redo, start_taxonomy, undo
from taxonomy.actions.taxonomies import create_taxonomy

__all__ = ["Acted", "act", "create_taxonomy", "publish", "redo", "start_taxonomy", "undo"]
