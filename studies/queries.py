"""Reads of studies. All access of a user starts here."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import get_language

from accounts.models import User
from accounts.secrets import hash_of
from core import clock
from studies.differences import Paragraph, difference, paragraphs
from studies.models import Event, Guideline, GuidelineReading, Invitation, Membership, Study


def studies_for(user: User | AnonymousUser) -> QuerySet[Study]:
    """The studies that this user is a member of now; all other access within a study starts here."""
    if not user.is_authenticated:
        return Study.objects.none()
    return Study.objects.filter(memberships__user=user, memberships__left_at=None)


def membership_of(user: User | AnonymousUser, study: Study) -> Membership | None:
    """This user's current seat in the study, None if there is none."""
    if not user.is_authenticated:
        return None
    return Membership.objects.filter(study=study, user=user, left_at=None).first()


def memberships_of(user: User) -> QuerySet[Membership]:
    """The seats that this user has now, in the order of the studies' names."""
    seats = Membership.objects.filter(user=user, left_at=None)
    return seats.select_related("study").order_by("study__name", "pk")


def active(seats: Iterable[Membership]) -> list[Membership]:
    """The seats in studies that take writes: something can wait for their members."""
    return [seat for seat in seats if not seat.study.is_read_only]


def members(study: Study) -> QuerySet[Membership]:
    """All present and former members of the study, in the order in which they joined."""
    return Membership.objects.filter(study=study).select_related("user").order_by("id")


def invitations(study: Study) -> QuerySet[Invitation]:
    """All invitations of the study, newest first."""
    people = Invitation.objects.filter(study=study).select_related("created_by__user", "accepted_by__user")
    return people.order_by("-id")


def open_invitations(study: Study) -> QuerySet[Invitation]:
    """The invitations of the study that somebody can accept now, newest first."""
    return invitations(study).filter(accepted_at=None, revoked_at=None, expires_at__gt=clock.now())


def closed_invitations(study: Study) -> QuerySet[Invitation]:
    """The invitations of the study that were accepted or revoked or have expired, newest first."""
    return invitations(study).exclude(pk__in=open_invitations(study).values("pk"))


def invitation(token: str) -> Invitation | None:
    """The invitation with this token, open or not; None if there is no such invitation."""
    found = Invitation.objects.select_related("study", "created_by__user", "accepted_by")
    return found.filter(token_hash=hash_of(token)).first()


def is_open(found: Invitation) -> bool:
    """Can this invitation be accepted?"""
    return found.accepted_at is None and found.revoked_at is None and found.expires_at > clock.now()


def events(study: Study) -> QuerySet[Event]:
    """The audit of a study, newest first."""
    return Event.objects.filter(study=study).select_related("by").order_by("-id")


# --- the guideline


def guidelines(study: Study) -> QuerySet[Guideline]:
    """The versions of the study's guideline, newest first, with their publishers."""
    return Guideline.objects.filter(study=study).select_related("published_by__user").order_by("-number")


def current_guideline(study: Study) -> Guideline | None:
    """The version by which volunteers label now; None while the study has none."""
    return guidelines(study).first()


def guideline_changes(
    old: Guideline, new: Guideline, *, around: int | None = 2, language: str | None = None
) -> list[Paragraph]:
    """The differences between two versions for templates/studies/_changes.html; empty for equal texts.
    `around` is the number of unchanged lines shown beside each change, None for the whole text. They are
    those of the texts in `language`, without one in the reader's; the study's own texts are compared unless
    both versions are translated.
    """
    language = language or get_language()
    if not (old.text_zh and new.text_zh):
        return paragraphs(difference(old.text, new.text), around=around)
    return paragraphs(difference(old.text_in(language), new.text_in(language)), around=around)


@dataclass(frozen=True)
class GuidelineNews:
    """A version that a member has not read. `since` is the last version that they have read, None for their
    first; `changes` are the differences from `since`, None without one.
    """

    guideline: Guideline
    since: Guideline | None
    changes: list[Paragraph] | None


def guideline_news(member: Membership) -> GuidelineNews | None:
    """The guideline's current version if this member has not read it, else None. One query if nothing is new,
    else three.
    """
    mine = GuidelineReading.objects.filter(member=member)
    versions = Guideline.objects.filter(study=member.study_id).order_by("-number")
    newest = versions.annotate(is_read=Exists(mine.filter(guideline=OuterRef("pk")))).only("pk").first()
    if newest is None or newest.is_read:
        return None
    guideline = versions.select_related("published_by").get(pk=newest.pk)
    since = versions.filter(number__lt=guideline.number, readings__member=member).first()
    return GuidelineNews(guideline, since, guideline_changes(since, guideline) if since else None)
