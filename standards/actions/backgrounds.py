"""What raters tell about themselves: stored, shared as they choose, deleted when they like."""

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from core import clock
from standards.actions.answers import plain
from standards.errors import AnswerRefused
from standards.models import RaterBackground
from standards.rules import may_tell_background
from studies.actions import remove_copies
from studies.models import Membership

LONGEST = 2_000
TEXTS = ("experience", "training", "reflection")


@transaction.atomic
def tell_background(
    *,
    member: Membership,
    years: int | None = None,
    experience: str = "",
    training: str = "",
    reflection: str = "",
    sharing: str = RaterBackground.Sharing.NOBODY,
) -> RaterBackground:
    """Store what a member tells about themselves, in place of what they told before. Raises AnswerRefused and
    PermissionDenied.
    """
    if not may_tell_background(member):
        raise PermissionDenied
    if sharing not in RaterBackground.Sharing.values:
        raise AnswerRefused(_("Choose who can read this. Nothing was stored."), field="sharing")
    texts = dict(zip(TEXTS, (experience, training, reflection), strict=True))
    values = {name: plain(text, name, LONGEST) for name, text in texts.items()}
    found, _made = RaterBackground.objects.update_or_create(
        member=member, defaults={**values, "years": years, "sharing": sharing, "changed_at": clock.now()}
    )
    # A package that is kept here may have what is shared no longer.
    remove_copies(member.study_id)
    return found


@transaction.atomic
def delete_background(*, member: Membership) -> bool:
    """Delete what a member told about themselves; False without it."""
    gone, _tables = RaterBackground.objects.filter(member=member).delete()
    remove_copies(member.study_id)
    return bool(gone)


def forget_backgrounds(user: User) -> None:
    """Delete what this person told in all studies."""
    RaterBackground.objects.filter(member__user=user).delete()
