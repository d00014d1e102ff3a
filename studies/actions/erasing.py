"""Erasing a person: the labels of a study stay, and who gave them is stored nowhere any more."""

from collections.abc import Callable

from django.db import connection, transaction

from accounts.actions import erase_account
from accounts.models import User
from core.sql.retry import retried
from studies.actions.copies import remove_copies
from studies.actions.people import end_membership
from studies.models import Invitation, Membership

Forgetter = Callable[[User], object]
_forgetters: list[Forgetter] = []


def also_forget(forgetter: Forgetter) -> None:
    """Register what a room stores of a person as such: `forgetter` deletes it in the same transaction."""
    _forgetters.append(forgetter)


@retried
@transaction.atomic
def erase_person(*, user: User) -> int:
    """Take a person out of all studies and erase who they are: name, address, password, language, sessions,
    tokens, links, the notes of invitations that they accepted, and what rooms register. Memberships, labels,
    votes and comments stay under the pseudonyms. Files that this server keeps of their studies are removed: a
    text in them can have the name. Cannot be undone; returns the number of studies that they were in.

    Raises LastOwner, and erases nothing, if a study would be left without an owner.
    """
    seats = Membership.objects.select_related("study").filter(user=user)
    for seat in seats.filter(left_at=None).order_by("study"):
        end_membership(member=seat, by=user)
    for invitation in Invitation.objects.filter(accepted_by__user=user).exclude(note=""):
        _forget_note(invitation)
    for forget in _forgetters:
        forget(user)
    erase_account(user=user)
    for study_id in seats.order_by("study").values_list("study", flat=True):
        remove_copies(study_id)
    return seats.count()


def _forget_note(invitation: Invitation) -> None:
    """The note often is a name or an address; the audit has it too, in lines that only this function of the
    database changes.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT forget_invitation_note(%s)", [invitation.pk])
    Invitation.objects.filter(pk=invitation.pk).update(note="")
