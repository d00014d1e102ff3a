"""Audiences: groups of participants with a prefix for pseudonyms."""

import re
from collections.abc import Sequence

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from interviews.actions.leading import one_line, require_lead
from interviews.errors import InterviewRefused
from interviews.models import Audience
from studies.models import Membership, Study

PREFIX = re.compile(r"[A-Z]{1,4}")


@transaction.atomic
def add_audience(*, study: Study, name: str, prefix: str, by: Membership) -> Audience:
    """Add a group of participants. Raises InterviewRefused and PermissionDenied."""
    require_lead(study.pk, by)
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    name, prefix = _checked(study, name, prefix)
    last = Audience.objects.filter(study=study).aggregate(last=Max("position"))["last"]
    return Audience.objects.create(
        study=study, name=name, prefix=prefix, position=0 if last is None else last + 1
    )


@transaction.atomic
def change_audience(*, audience: Audience, name: str, prefix: str, by: Membership) -> Audience:
    """Rename a group; a new prefix renames the pseudonyms, and is refused once the group has participants.
    Raises InterviewRefused and PermissionDenied.
    """
    require_lead(audience.study_id, by)
    held = Audience.objects.select_for_update().get(pk=audience.pk)
    name, prefix = _checked(held.study, name, prefix, but=held)
    if prefix != held.prefix and held.participants.exists():
        raise InterviewRefused(
            _("This audience has participants, so its prefix no longer changes. Nothing was changed."),
            field="prefix",
        )
    held.name, held.prefix = name, prefix
    held.save(update_fields=["name", "prefix"])
    return held


def _checked(study: Study, name: str, prefix: str, but: Audience | None = None) -> tuple[str, str]:
    name, prefix = one_line(name), prefix.strip().upper()
    if not name or len(name) > 80 or "\0" in name:
        raise InterviewRefused(_("Enter a name of 1 to 80 characters. Nothing was stored."), field="name")
    if not PREFIX.fullmatch(prefix):
        raise InterviewRefused(
            _("A prefix has 1 to 4 letters from A to Z. Nothing was stored."), field="prefix"
        )
    others = Audience.objects.filter(study=study).exclude(pk=but.pk if but else 0)
    if others.filter(name__iexact=name).exists():
        raise InterviewRefused(
            _("An audience with this name already exists. Nothing was stored."), field="name"
        )
    if others.filter(prefix=prefix).exists():
        raise InterviewRefused(
            _("An audience with this prefix already exists. Nothing was stored."), field="prefix"
        )
    return name, prefix


def prefix_for(name: str, taken: Sequence[str]) -> str:
    """A free prefix for an audience: a letter of its last word, such as D for framework developers."""
    letters = [letter for letter in (name.split() or [""])[-1].upper() if "A" <= letter <= "Z"]
    wanted = [*letters[:1], "".join(letters[:2]), "".join(letters[:3]), *letters[1:]]
    return next((one for one in [*wanted, *"PQXYZABCDEFGH"] if one and one not in taken), "")
