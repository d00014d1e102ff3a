"""What every test may ask for, and the servers of the run.

A run has a data folder of its own (named in config/settings/test.py) with one PostgreSQL and one Redis, started by the
first test that needs them, shared by the workers of xdist with a database each (tests/database.py), and ended with the
run. The next run clears away what a killed one left. `var/` is never touched.
"""

import gc
import logging
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pgtrigger
import psutil
import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client, TransactionTestCase
from django.utils import timezone
from hypothesis import HealthCheck
from hypothesis import settings as properties
from pytest_django.plugin import DjangoDbBlocker

from accounts.models import User
from config.logs import formatter
from core import embedded
from studies.models import Membership, Role, Study
from tests.database import as_owner, use_empty
from tests.factories import make_member, make_study
from tests.kept import _copies, _worlds, arrange, kept, neighbours  # noqa: F401 - two are fixtures
from tests.long import leave_cases_out, sampled
from tests.races import end_threads
from tests.worlds.world import World, small_world

# How long an example takes says how busy the machine is, and nothing of the code.
properties.register_profile(
    "crosscheck", max_examples=sampled(300, 30), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
properties.load_profile("crosscheck")

PREFIX = "crosscheck-test-"
KEPT = {"django_migrations", "django_content_type", "auth_permission"}
"""Tables that the migrations fill, and no test changes."""
DATABASE = {"db", "transactional_db", "live_server", "django_db_setup"}
"""Fixtures that need the database of the run."""
CANARY = re.compile(r"canary[a-z]{8,}|c4n4ry|@example\.")
SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def pytest_configure(config: pytest.Config) -> None:
    if _names_the_folder():
        for left in Path(tempfile.gettempdir()).glob(f"{PREFIX}[0-9]*"):
            pid = int(left.name.removeprefix(PREFIX))
            # Another run may tidy at the same time.
            with suppress(FileNotFoundError):
                if left.stat().st_uid == os.geteuid() and (pid == os.getpid() or not psutil.pid_exists(pid)):
                    _remove(left)
        settings.DATA_DIR.mkdir(mode=0o700)


def pytest_unconfigure(config: pytest.Config) -> None:
    if _names_the_folder():
        _remove(settings.DATA_DIR)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    arrange(metafunc, globals())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    neighbours(items)
    leave_cases_out(items)
    _begin_without_a_database(items)


def _begin_without_a_database(items: list[pytest.Item]) -> None:
    """Put the files that need no database in the middle, where the second of two workers begins: the first one makes
    the database meanwhile.
    """
    need = {item.path for item in items if item.get_closest_marker("django_db") or DATABASE & _fixtures(item)}
    others = [item for item in items if item.path not in need]
    if len(others) < len(items) // 2:
        items[:] = [item for item in items if item.path in need]
        half = (len(items) + len(others)) // 2
        items[half:half] = others


def _fixtures(item: pytest.Item) -> set[str]:
    return set(item.fixturenames) if isinstance(item, pytest.Function) else set()


def pytest_collection_finish() -> None:
    """What the imports left is here to stay: no collection need look at it again, and there may be fewer of them."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def _names_the_folder() -> bool:
    """True in the process that began the run; not in a worker of xdist, nor in a pytest that a test started."""
    return settings.DATA_DIR.name == f"{PREFIX}{os.getpid()}"


def _remove(folder: Path) -> None:
    embedded.stop_all(folder)
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def django_db_setup(
    request: pytest.FixtureRequest,
    django_test_environment: None,
    django_db_modify_db_settings: None,
    django_db_blocker: DjangoDbBlocker,
) -> None:
    """In the place of the fixture of pytest-django, which migrates a database for each worker of each run."""
    with django_db_blocker.unblock():
        name = connection.settings_dict["TEST"]["NAME"] or "test_crosscheck"
        use_empty(name, request.config.cache.mkdir("database"))


@pytest.fixture(scope="session", autouse=True)
def _quick_to_empty() -> Iterator[None]:
    """After a test with transactions of its own only the tables with rows are emptied.

    Django truncates every table and fills its own again: a third of a second, after each of these tests.
    """

    def empty(test: TransactionTestCase) -> None:
        filled = _tables_with_rows()
        if not filled:
            return
        if any(many for _name, many in filled):
            names = ", ".join(f'"{name}"' for name, _many in filled)
            statement = f"TRUNCATE {names} CASCADE"
        else:
            # In one statement: foreign keys are checked at its end.
            deleted = ", ".join(f'"of {name}" AS (DELETE FROM "{name}")' for name, _many in filled)
            statement = f"WITH {deleted} SELECT"
        # History keeps itself from being deleted.
        with as_owner(), pgtrigger.ignore(), connection.cursor() as cursor:
            cursor.execute(statement)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", empty)
        yield


@pytest.fixture(scope="session", autouse=True)
def _quick_to_sign_in() -> Iterator[None]:
    """`force_login` stores a session, and nothing else: Django signs in by seven statements, thousands of times."""

    def sign_in(client: Client, user: User, backend: str | None = None) -> None:
        key = secrets.token_hex(16)
        signed_in = {
            SESSION_KEY: str(user.pk),
            BACKEND_SESSION_KEY: backend or settings.AUTHENTICATION_BACKENDS[0],
            HASH_SESSION_KEY: user.get_session_auth_hash(),
        }
        expires = timezone.now() + timedelta(days=1)
        data = SessionStore().encode(signed_in)
        Session(session_key=key, session_data=data, expire_date=expires).save(force_insert=True)
        client.cookies[settings.SESSION_COOKIE_NAME] = key

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "force_login", sign_in)
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_log_has_a_text() -> Iterator[None]:
    """All that the tests made servers log, in memory and in files, holds no canary of theirs (tests.trust.world)."""
    lines = StringIO()
    handler = logging.StreamHandler(lines)
    handler.setFormatter(formatter("json"))
    logging.getLogger().addHandler(handler)
    yield
    logging.getLogger().removeHandler(handler)
    written = [path.read_text(errors="replace") for path in settings.DATA_DIR.rglob("*.log")]
    found = {
        line[:300]
        for text in [lines.getvalue(), *written]
        for line in text.splitlines()
        if CANARY.search(line)
    }
    assert found == set()


@pytest.fixture(scope="module", autouse=True)
def _no_threads_left() -> Iterator[None]:
    yield
    end_threads()


def _tables_with_rows() -> list[tuple[str, bool]]:
    """Their names, and whether there are over a thousand rows."""
    of_one = (
        'SELECT \'{0}\', EXISTS (SELECT FROM "{0}" OFFSET 1000) WHERE EXISTS (SELECT FROM "{0}")'
    ).format
    names = set(connection.introspection.table_names()) - KEPT
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(map(of_one, names)))
        return cursor.fetchall()


@kept(marked="world")
def world(**of: int) -> World:
    """A small world; the mark `world` says how many issues and members it has."""
    return small_world(**of)


@pytest.fixture
def study() -> Study:
    return make_study()


@pytest.fixture
def lead(study: Study) -> Membership:
    return make_member(study, Role.LEAD)


@pytest.fixture
def volunteer(study: Study) -> Membership:
    return make_member(study)


@pytest.fixture
def signed_in(client: Client, lead: Membership) -> Client:
    """The client, signed in as the lead of the study."""
    client.force_login(lead.user)
    return client


@pytest.fixture(scope="session")
def published() -> Path:
    """The published labels of the reference study: `<Repo>/<Repo>.csv` and their lists of URLs."""
    return _shared("published")


@pytest.fixture(scope="session")
def issue_samples() -> Path:
    """Issue reports as forges answer them."""
    return _shared("issues")


def _shared(name: str) -> Path:
    folder = SHARED_DATA / name
    if not folder.is_dir():
        pytest.skip(f"{folder} is not here: the data of the reference study is not part of the project")
    return folder
