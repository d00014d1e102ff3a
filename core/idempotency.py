"""A double click stores once: the key of a form is kept in the transaction that handles the form."""

from collections.abc import Callable
from typing import TypeVar
from uuid import UUID

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import connection, transaction
from django.db.transaction import TransactionManagementError
from django.http import HttpRequest

from core import clock
from core.http import form_key
from core.models import HandledForm
from core.sql.retry import retried

R = TypeVar("R")


@retried
@transaction.atomic
def once(request: HttpRequest, act: Callable[[], R]) -> R | None:
    """The result of `act` at the first sending of a form, in one transaction; None for a second sending.

    Retried as a whole if it loses a race, because an action inside a view's transaction cannot retry itself.
    `act` may therefore run three times, so messages to the user belong after this call.
    """
    return act() if first_time(request) else None


def first_time(request: HttpRequest) -> bool:
    """Is this form (its `{% form_key %}`) handled for the first time? If so, remember its key.

    Call it inside the transaction that handles the form: a second sending waits for the first one to end,
    then gets False if that committed and True if it failed. True also for a form without a key and for a
    visitor without an account. Raises TransactionManagementError outside a transaction.
    """
    if not connection.in_atomic_block:
        message = "first_time() belongs into the transaction that handles the form."
        raise TransactionManagementError(message)
    key = form_key(request)
    if key is None or not request.user.is_authenticated:
        return True
    return first_use(key, request.user)


def first_use(key: UUID, user: AbstractBaseUser) -> bool:
    """Like `first_time`, for a key from elsewhere. Inside a transaction only."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {HandledForm._meta.db_table} (key, user_id, handled_at) VALUES (%s, %s, %s)"  # noqa: S608, SLF001 - a constant
            " ON CONFLICT (key) DO NOTHING",
            [str(key), user.pk, clock.now()],
        )
        return bool(cursor.rowcount)
