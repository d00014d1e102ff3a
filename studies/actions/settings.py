"""A study is described, archived, and marked for deletion. Each act first locks the study's row."""

from datetime import timedelta

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import transaction
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from accounts.models import User
from core import clock
from core.errors import StudyIsReadOnly
from studies.actions.audit import record
from studies.errors import DeletionIsAhead
from studies.models import Membership, Study
from studies.rules import LEADING

GRACE = timedelta(days=30)
"""Between the wish to delete a study and its deletion, so that a lead can undo it."""


@transaction.atomic
def describe_study(*, study: Study, name: str, description: str, by: User | None) -> Study:
    """Give the study this name and description; its address stays. The audit keeps both names. Raises
    StudyIsReadOnly.
    """
    current = _locked(study)
    if current.is_read_only:
        raise StudyIsReadOnly
    name, description = name.strip(), description.strip()
    if (name, description) != (current.name, current.description):
        former = {} if name == current.name else {"before": current.name}
        current.name, current.description = name, description
        current.save(update_fields=["name", "description"])
        record(current, "studies.described", by, name=name, **former)
    return current


@transaction.atomic
def archive_study(*, study: Study, by: User | None) -> Study:
    """Make the study read-only and move it out of the way. Raises DeletionIsAhead."""
    current = _locked(study)
    if current.delete_at is not None:
        raise DeletionIsAhead
    if current.archived_at is None:
        current.archived_at = clock.now()
        current.save(update_fields=["archived_at"])
        record(current, "studies.archived", by)
    return current


@transaction.atomic
def unarchive_study(*, study: Study, by: User | None) -> Study:
    """Make an archived study writable again. Raises DeletionIsAhead."""
    current = _locked(study)
    if current.delete_at is not None:
        raise DeletionIsAhead
    if current.archived_at is not None:
        current.archived_at = None
        current.save(update_fields=["archived_at"])
        record(current, "studies.unarchived", by)
    return current


@transaction.atomic
def ask_deletion(*, study: Study, by: User, address: str = "") -> Study:
    """Mark the study for deletion after GRACE; until then it is read-only, and a lead can keep it.
    Its owners and leads get a mail with `address`, that of its settings, if the server sends mail.
    """
    current = _locked(study)
    if current.delete_at is None:
        current.delete_at, current.delete_asked_by = clock.now() + GRACE, by
        current.save(update_fields=["delete_at", "delete_asked_by"])
        record(current, "studies.deletion_asked", by, day=timezone.localdate(current.delete_at).isoformat())
        transaction.on_commit(lambda: _tell_leads(current, address), robust=True)
    return current


@transaction.atomic
def keep_study(*, study: Study, by: User | None) -> Study:
    """Undo `ask_deletion`. A study that was archived before stays archived."""
    current = _locked(study)
    if current.delete_at is not None:
        current.delete_at = current.delete_asked_by = None
        current.save(update_fields=["delete_at", "delete_asked_by"])
        record(current, "studies.kept", by)
    return current


def settings_address(study: Study) -> str:
    return reverse("study_settings", args=[study.slug])


def _locked(study: Study) -> Study:
    return Study.objects.select_for_update(no_key=True).get(pk=study.pk)


def _tell_leads(study: Study, address: str) -> None:
    if not settings.SENDS_MAIL or study.delete_at is None:
        return
    seats = Membership.objects.filter(study=study, role__in=LEADING, left_at=None, user__is_active=True)
    mails = []
    for seat in seats.select_related("user"):
        if seat.user is None or not seat.user.email:
            continue
        with translation.override(seat.user.language or settings.LANGUAGE_CODE):
            told = {
                "study": study.name,
                "day": date_format(timezone.localtime(study.delete_at), "DATE_FORMAT"),
                "url": address,
            }
            subject = _("%(study)s will be deleted on %(day)s") % told
            body = _(
                "An owner asked for the deletion of the study “%(study)s”. All of its labels, issues"
                " and files will be deleted on %(day)s.\n\nUntil then you can download the replication"
                " package and the labels, or keep the study:\n\n%(url)s\n"
            )
            mails.append(EmailMessage(" ".join(subject.split()), body % told, to=[seat.user.email]))
    if mails:
        get_connection().send_messages(mails)
