"""What becomes of an answer whose session cannot be stored."""

from collections.abc import Callable
from contextlib import closing
from typing import Any

import psycopg2
import pytest
from django.contrib.sessions.backends.base import UpdateError
from django.db import OperationalError, connection
from django.test import Client
from django.urls import reverse

from accounts.sessions import SessionStore
from tests.core.test_error_pages import psycopg2_parameters
from tests.worlds.world import small_world


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_dies_while_the_session_is_stored_is_a_database_that_is_away() -> None:
    """And no request that cannot be read: its text is kept, and its author is asked to send it again."""
    world = small_world(issues=1, members=1)
    round_ = world.round()
    client = Client(raise_request_exception=False)
    client.force_login(world.members[0].user)

    def cut(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if sql.startswith('UPDATE "django_session"'):
            with closing(psycopg2.connect(**psycopg2_parameters())) as other, other.cursor() as killer:
                killer.execute(
                    "SELECT pg_terminate_backend(%s, 5000)", [connection.connection.info.backend_pid]
                )
        return execute(sql, *rest)

    with connection.execute_wrapper(cut):
        answer = client.post(
            reverse("save_draft", args=[round_.pk]), {"issue": world.issues[0].pk, "summary": "typed here"}
        )
    connection.close()
    assert answer.status_code == 503
    assert "typed here" in answer.text


@pytest.mark.django_db
def test_a_session_that_was_deleted_meanwhile_stays_deleted() -> None:
    store = SessionStore()
    store["a"] = 1
    store.create()
    SessionStore(store.session_key).delete()
    store["a"] = 2
    with pytest.raises(UpdateError):
        store.save()
    assert not store.exists(store.session_key)


@pytest.mark.django_db
def test_a_broken_connection_is_said_as_such() -> None:
    store = SessionStore()
    store.create()

    def broken(*_given: Any) -> Any:
        raise OperationalError("server closed the connection unexpectedly")

    with connection.execute_wrapper(broken), pytest.raises(OperationalError):
        store.save()
