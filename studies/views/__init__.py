"""Pages of a study's people and of its guideline."""

from studies.views.guidelines import edit_guideline, guideline, read_guideline
from studies.views.people import (
    accept_invitation,
    add_model,
    audit_page,
    change_role,
    end_membership,
    invite,
    make_model_token,
    new_study,
    people,
    rejoin,
    revoke_invitation,
)

__all__ = [
    "accept_invitation",
    "add_model",
    "audit_page",
    "change_role",
    "edit_guideline",
    "end_membership",
    "guideline",
    "invite",
    "make_model_token",
    "new_study",
    "people",
    "read_guideline",
    "rejoin",
    "revoke_invitation",
]
