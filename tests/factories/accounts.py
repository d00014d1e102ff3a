from itertools import count

from accounts.models import User

_numbers = count(1)


def make_user(name: str = "", **fields) -> User:
    """An active user with the password `correct horse battery`."""
    number = next(_numbers)
    fields.setdefault("email", f"person{number}@example.org")
    fields.setdefault("password", "correct horse battery")
    return User.objects.create_user(name=name or f"Person {number}", **fields)
