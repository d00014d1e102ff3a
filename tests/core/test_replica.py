"""When a replica is passed over; tests.rig.test_past_one_machine has a real one."""

import time

import pytest
from django.db import OperationalError, connection, connections, transaction

from core.sql import replica
from core.upkeep.doctor import findings
from tests.factories import make_user

pytestmark = pytest.mark.django_db(transaction=True)

NOBODY = {
    "ENGINE": "django.db.backends.postgresql",
    "HOST": "127.0.0.1",
    "PORT": "1",
    "NAME": "x",
    "USER": "x",
}


@pytest.fixture
def itself(settings):
    """A replica by its setting, and in truth the primary."""
    settings.REPLICA = {"NAME": connection.settings_dict["NAME"]}


def answered_by():
    """The process of the database that answers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return cursor.fetchone()[0]


def doctor():
    [found] = findings(["replica"])
    return found.ok, found.said


def test_without_a_setting_the_primary_answers():
    assert replica.reading(answered_by) == answered_by()
    assert doctor() == (None, "files are made from the primary database")


def test_a_server_that_is_no_replica_is_passed_over_at_once(itself):
    began = time.monotonic()
    assert replica.reading(answered_by) == answered_by()
    assert time.monotonic() - began < replica.WAIT
    assert doctor() == (
        False,
        "CROSSCHECK_REPLICA_URL names a server that is no replica. The primary answers.",
    )


def test_one_that_does_not_answer_is_passed_over(settings):
    settings.REPLICA = NOBODY
    assert replica.reading(answered_by) == answered_by()
    assert doctor()[0] is False
    assert "Connection refused" in doctor()[1]


def test_inside_a_transaction_nobody_is_asked_who_does_not_see_it(settings):
    settings.REPLICA = NOBODY
    with transaction.atomic():
        make_user("Ada")
        assert replica.reading(answered_by) == answered_by()


def test_what_the_primary_refuses_is_not_asked_twice(itself):
    asked = []

    def act():
        asked.append(connections["default"])
        raise OperationalError

    with pytest.raises(OperationalError):
        replica.reading(act)
    assert asked == [connections["default"]]


def test_what_a_replica_breaks_off_is_asked_of_the_primary(itself, monkeypatch):
    # The server stands for a replica that has caught up: only then is its answer to be seen here.
    monkeypatch.setattr(replica, "_REPLICA", "SELECT true, %(at)s <> '' AND %(system)s > 0")
    asked = []

    def act():
        asked.append(answered_by())
        if len(asked) == 1:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        return asked[-1]

    assert replica.reading(act) == answered_by()
    assert len(set(asked)) == 2
