"""Makes studies."""

import re
from itertools import count

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from accounts.models import User
from core.sql.constraints import violated
from studies.actions.audit import record
from studies.actions.seats import take_seat
from studies.models import Role, Study

# Words that take the place of a slug in addresses.
RESERVED = frozenset({"new"})
_SLUG = re.compile(r"[-A-Za-z0-9_]{1,80}")


def is_slug(text: str) -> bool:
    """Can a study have this slug: does it fit into an address, and is it no other page?"""
    return bool(_SLUG.fullmatch(text)) and text not in RESERVED


@transaction.atomic
def create_study(*, name: str, description: str = "", slug: str = "", by: User | None) -> Study:
    """Make a study with `by` as its owner. The slug is unique; without `slug` it comes from the name, in
    ASCII, and a name without ASCII letters gets `study`. A slug that another study has gets a number, as in
    `study-2`.
    """
    base = slug or slugify(name)[:70].strip("-") or "study"
    study = _with_free_slug(base, name.strip(), description.strip())
    if by is not None:
        take_seat(study, by, Role.OWNER)
    record(study, "studies.created", by, name=study.name)
    return study


def _with_free_slug(base: str, name: str, description: str) -> Study:
    for number in count(1):
        slug = base if number == 1 else f"{base}-{number}"
        if slug in RESERVED or Study.objects.filter(slug=slug).exists():
            continue
        try:
            with transaction.atomic():
                return Study.objects.create(slug=slug, name=name, description=description)
        except IntegrityError as error:
            if not violated(error).startswith("studies_study_slug"):
                raise
    raise AssertionError
