"""The one way in: what a user may see starts here."""

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from accounts.models import User
from studies.models import Event, Membership, Study


def studies_for(user: User | AnonymousUser) -> QuerySet[Study]:
    """The studies that this user is a member of now. Everything else in a study is reached through them."""
    if not user.is_authenticated:
        return Study.objects.none()
    return Study.objects.filter(memberships__user=user, memberships__left_at=None)


def membership_of(user: User | AnonymousUser, study: Study) -> Membership | None:
    """This user's seat in the study, None if there is none (any more)."""
    if not user.is_authenticated:
        return None
    return Membership.objects.filter(study=study, user=user, left_at=None).first()


def members(study: Study) -> QuerySet[Membership]:
    """Everyone who is or was in the study, in the order of their pseudonyms' joining."""
    return Membership.objects.filter(study=study).select_related("user").order_by("id")


def events(study: Study) -> QuerySet[Event]:
    """The audit of a study, newest first."""
    return Event.objects.filter(study=study).select_related("by").order_by("-id")
