"""A database that this very code brought up to date is not looked at again; every other one is."""

import pytest
from django.core.management import call_command
from django.db import connection

from core.embedded.postgres import ROLE
from core.upkeep import stamp
from tests.database import as_owner, signed_in_as
from tests.factories import make_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def stamped():
    with as_owner():
        stamp.put(connection)
    yield connection.settings_dict["NAME"]
    with as_owner():
        stamp.take_away(connection)


def test_the_same_code_need_not_look_again(stamped):
    assert stamp.is_new(stamped) is True
    make_user("Ada")
    assert stamp.is_new(stamped) is False


def test_without_a_stamp_or_without_tables_it_looks(stamped):
    assert stamp.is_new("postgres") is None
    assert stamp.is_new("not there") is None
    with as_owner():
        stamp.take_away(connection)
    assert stamp.is_new(stamped) is None


def test_a_migration_takes_the_stamp_away(stamped):
    with signed_in_as(ROLE):
        call_command("migrate", verbosity=0, interactive=False)
    assert stamp.is_new(stamped) is None


def test_prepare_puts_it(stamped):
    with as_owner():
        stamp.take_away(connection)
    with signed_in_as(ROLE):
        call_command("prepare")
    assert stamp.is_new(stamped) is True


def test_other_code_looks_again(tmp_path, settings, stamped):
    settings.BASE_DIR = tmp_path
    room = tmp_path / "rounds" / "migrations"
    room.mkdir(parents=True)
    (tmp_path / "requirements.lock").write_text("django==5.2")
    (room / "0001_initial.py").write_text("made = 1")
    with as_owner():
        stamp.put(connection)
    assert stamp.is_new(stamped) is True

    (room / "0001_initial.py").write_text("made = 2")
    assert stamp.is_new(stamped) is None
    (room / "0001_initial.py").write_text("made = 1")
    assert stamp.is_new(stamped) is True
    (room / "0002_said.sql").write_text("SELECT 1")
    assert stamp.is_new(stamped) is None
    (room / "0002_said.sql").unlink()
    (tmp_path / "requirements.lock").write_text("django==6.0")
    assert stamp.is_new(stamped) is None
