"""Every change of a study and its people.

`by` is the acting user, None for a command on the server. A change of people first locks the study's row,
then reads: of two simultaneous changes the second sees the result of the first.
"""

from studies.actions.audit import record
from studies.actions.copies import remove_copies
from studies.actions.erasing import erase_person
from studies.actions.guidelines import mark_guideline_read, publish_guideline
from studies.actions.invitations import accept_invitation, invite, join_with_new_account, revoke_invitation
from studies.actions.models import add_model, make_model_token
from studies.actions.people import add_member, change_role, end_membership, rejoin
from studies.actions.removal import remove_due_studies, remove_study
from studies.actions.settings import archive_study, ask_deletion, describe_study, keep_study, unarchive_study
from studies.actions.studies import create_study, is_slug

__all__ = [
    "accept_invitation",
    "add_member",
    "add_model",
    "archive_study",
    "ask_deletion",
    "change_role",
    "create_study",
    "describe_study",
    "end_membership",
    "erase_person",
    "invite",
    "is_slug",
    "join_with_new_account",
    "keep_study",
    "make_model_token",
    "mark_guideline_read",
    "publish_guideline",
    "record",
    "rejoin",
    "remove_copies",
    "remove_due_studies",
    "remove_study",
    "revoke_invitation",
    "unarchive_study",
]
