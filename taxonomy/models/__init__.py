"""Taxonomies with their categories and versions, and proposals with their votes."""

from taxonomy.models.proposals import Ballot, Motion, MotionComment, MotionMention, Proposal
from taxonomy.models.versions import (
    Category,
    CategoryState,
    Change,
    Gone,
    Level,
    Remap,
    Taxonomy,
    Unvoted,
    Version,
)

__all__ = [
    "Ballot",
    "Category",
    "CategoryState",
    "Change",
    "Gone",
    "Level",
    "Motion",
    "MotionComment",
    "MotionMention",
    "Proposal",
    "Remap",
    "Taxonomy",
    "Unvoted",
    "Version",
]
