from itertools import count

from studies.models import Membership, Role, Study
from tests.factories.accounts import make_user

_numbers = count(1)


def make_study(name: str = "", **fields) -> Study:
    number = next(_numbers)
    fields.setdefault("slug", f"study-{number}")
    return Study.objects.create(name=name or f"Study {number}", **fields)


def make_member(study: Study, role: str = Role.VOLUNTEER, **fields) -> Membership:
    """A member with an account of their own; `user=None` makes one who cannot sign in."""
    fields.setdefault("pseudonym", f"R{study.memberships.count() + 1}")
    if "user" not in fields:
        fields["user"] = make_user(f"Member {fields['pseudonym']}")
    return Membership.objects.create(study=study, role=role, **fields)
