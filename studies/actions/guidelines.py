"""Versions of the guideline, and the members who have read them."""

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from core.sql.retry import retried
from studies.actions.audit import record
from studies.actions.seats import lock
from studies.errors import GuidelineTooLong, GuidelineUnchanged, StaleGuidelineText
from studies.models import Guideline, GuidelineReading, Membership, Study
from studies.rules import may_edit_guideline

LONGEST_GUIDELINE = 60_000  # characters
MOST_LINES = 3_000  # because texts are compared line by line


@retried
@transaction.atomic
def publish_guideline(
    *,
    study: Study,
    text: str,
    text_zh: str | None = None,
    note: str = "",
    made_from: int | None = None,
    by: User | None,
) -> Guideline:
    """Publish a text as the next version and mark it as read by `by`. `text_zh` is the same text in Chinese;
    without one the translation of the version before stays.

    `made_from` is the number of the version that the text was edited from; None publishes over any version.
    Raises StaleGuidelineText if another version was published since, GuidelineUnchanged, GuidelineTooLong,
    and PermissionDenied if `by` is neither owner nor lead.
    """
    lock(study)
    member = Membership.objects.filter(study=study, user=by).first() if by else None
    if by is not None and not may_edit_guideline(member):
        raise PermissionDenied
    text = _plain(text)
    _check_length(text)
    standing = Guideline.objects.filter(study=study).order_by("-number").first()
    number = standing.number if standing else 0
    kept = {"text": text, "note": note} | ({"text_zh": text_zh} if text_zh else {})
    text_zh = (standing.text_zh if standing else "") if text_zh is None else _plain(text_zh)
    _check_length(text_zh)
    if made_from is not None and made_from != number and standing is not None:
        raise StaleGuidelineText(standing, kept=kept)
    if not text.strip() or (standing and (standing.text, standing.text_zh) == (text, text_zh)):
        raise GuidelineUnchanged
    guideline = Guideline.objects.create(
        study=study,
        number=number + 1,
        text=text,
        text_zh=text_zh,
        note=note.strip(),
        published_by=member,
    )
    if member:
        mark_guideline_read(member=member, guideline=guideline)
    record(study, "guideline.published", by, version=guideline.number, note=guideline.note)
    return guideline


def mark_guideline_read(*, member: Membership, guideline: Guideline) -> None:
    """Record that a member has read this version, or its changes. A second call changes nothing."""
    if guideline.study_id != member.study_id:
        raise PermissionDenied
    GuidelineReading.objects.bulk_create(
        [GuidelineReading(guideline=guideline, member=member)], ignore_conflicts=True
    )


def _plain(text: str) -> str:
    """The text with LF line ends, without empty lines around it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")


def _check_length(text: str) -> None:
    if len(text) > LONGEST_GUIDELINE or text.count("\n") >= MOST_LINES:
        raise GuidelineTooLong(
            _(
                "The text is longer than %(characters)d characters or %(lines)d lines. Nothing"
                " was published, and your text is still in the form. Shorten the text, then"
                " publish again."
            )
            % {"characters": LONGEST_GUIDELINE, "lines": MOST_LINES}
        )
