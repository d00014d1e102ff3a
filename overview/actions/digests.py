"""The daily mail: it tells each member who wants it how much waits for them."""

import logging
from datetime import datetime

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from accounts.middleware import zone_of
from consensus.models import Digest, Mention
from overview.queries.digests import News, news_for, readers
from rounds.wording import coming
from studies.models import Membership
from taxonomy.models import MotionMention

log = logging.getLogger(__name__)


class MailFailed(Exception):
    """Some digests could not be sent; all others were. A later run sends the missing ones."""

    def __init__(self, *, sent: int, failed: int) -> None:
        self.sent = sent
        self.failed = failed
        super().__init__(f"{failed} digests were not sent, {sent} were")


@transaction.atomic
def set_digest(*, member: Membership, wants: bool) -> None:
    """Start or stop the daily mail of one study. A second call changes nothing."""
    Membership.objects.filter(pk=member.pk).update(gets_digest=wants)


def send_digests(*, now: datetime) -> int:
    """Send a digest to each member who wants it and has news; returns the number of mails. A server without
    mail sends none, and notes none as sent.

    A member gets at most one a day (UTC), even if several processes run this at once. Raises MailFailed at
    the end if some mails could not be sent: running it again on the same day sends these and no others.
    """
    if not settings.SENDS_MAIL:
        return 0
    sent, failed = 0, 0
    for member_id in list(readers(now).values_list("pk", flat=True)):
        try:
            sent += _send_digest(member_id, now)
        except Exception:  # a bad address must not keep the others from their mail
            log.exception("the digest of member %s was not sent", member_id)
            failed += 1
    if failed:
        raise MailFailed(sent=sent, failed=failed)
    return sent


@transaction.atomic
def _send_digest(member_id: int, now: datetime) -> bool:
    member = readers(now).select_related("study", "user").filter(pk=member_id).first()
    news = news_for(member, now) if member else None
    if member is None or news is None or not news.is_any:
        return False
    # The row comes first: another process that runs this now waits for it here, and sends nothing once it is
    # committed. If the mail fails, the row is rolled back.
    digest, is_new = Digest.objects.get_or_create(member=member, day=now.date(), defaults={"sent_at": now})
    if not is_new:
        return False
    Mention.objects.filter(pk__in=[line.id for line in news.mentions]).update(digest=digest)
    named = [line.id for line in news.motions.mentions]
    MotionMention.objects.filter(pk__in=named).update(told_at=now)
    language = (member.user and member.user.language) or settings.LANGUAGE_CODE
    with translation.override(language), zone_of(member.user.time_zone if member.user else ""):
        _mail(member, news).send()
    return True


def _mail(member: Membership, news: News) -> EmailMessage:
    user = member.user
    if user is None:
        raise ValueError("a digest goes to a member with an account")
    # A line feed in the name of a study would end the header.
    study = " ".join(member.study.name.split())
    context = {
        "member": member,
        "study": study,
        "news": news,
        "site": settings.SITE_URL.rstrip("/"),
        "more": [(one, coming(one.comes_at) if one.comes_at else "") for one in news.more],
        "stop": reverse("people", args=[member.study.slug]),
    }
    return EmailMessage(
        subject=_("%(study)s: waiting for you") % {"study": study},
        body=render_to_string("overview/digests/mail.txt", context).strip() + "\n",
        to=[user.email],
        # This header stops programs that answer mail automatically.
        headers={"Auto-Submitted": "auto-generated"},
    )
