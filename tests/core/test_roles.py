"""The application's role changes no line of the audit and no table; the owner of the tables does, through one door."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import quote

import pghistory
import pgtrigger
import psycopg2
import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import ProgrammingError, connection, transaction
from django.db.models import Model
from pghistory.models import Events

from core.embedded.postgres import APPLICATION
from core.embedded.postgres import ROLE as OWNER
from core.sql.append_only import append_only
from core.upkeep.doctor import Finding, findings
from core.upkeep.roles import role
from studies import actions
from studies.models import Event, Invitation, Role
from tests.core.pooler import pooler
from tests.database import as_owner, signed_in_as
from tests.factories import (
    add_label,
    make_issue,
    make_member,
    make_repository,
    make_round,
    make_study,
    make_user,
    make_version,
)

pytestmark = pytest.mark.django_db

TABLES = sorted(model._meta.db_table for model in append_only())
VERBS = {
    "UPDATE": 'UPDATE "{0}" SET "{1}" = "{1}"',
    "UPDATE of no row": 'UPDATE "{0}" SET "{1}" = "{1}" WHERE false',
    "DELETE": 'DELETE FROM "{0}"',
    "DELETE of no row": 'DELETE FROM "{0}" WHERE false',
    "TRUNCATE": 'TRUNCATE "{0}" CASCADE',
    "MERGE": 'MERGE INTO "{0}" t USING (SELECT 1) s ON false WHEN MATCHED THEN DELETE',
}
SAID = ("another", "a third")
OTHER = "crosscheck_other_app"
"""A role of a deployment, that its migration makes."""


def key(table: str) -> str:
    return next(model._meta.pk.column for model in append_only() if model._meta.db_table == table)


def run(statement: str, given: list[object] | None = None) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, given)


def value(statement: str, given: list[object] | None = None) -> object:
    with connection.cursor() as cursor:
        cursor.execute(statement, given)
        return cursor.fetchone()[0]


def is_history(model: type[Model]) -> bool:
    """A table of history by its look, however it came to be; a view over others (pghistory_events) is none."""
    named = model.__name__.endswith(("Event", "Audit", "History", "Log"))
    has = any(field.name == "pgh_created_at" for field in model._meta.fields)
    return (named or has) and model._meta.managed and not issubclass(model, Events)


def test_no_table_of_history_is_forgotten():
    kept = {model._meta.db_table for model in apps.get_models() if is_history(model)}
    assert kept | {"pghistory_context", "rounds_seal"} == set(TABLES)
    assert {"studies_event", "rounds_labelevent"} <= kept


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("table", TABLES)
def test_the_application_cannot_change_the_audit(table, verb):
    with pytest.raises(ProgrammingError, match=f"^permission denied for table {table}\n"):
        run(VERBS[verb].format(table, key(table)))


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != "MERGE"])
@pytest.mark.parametrize("table", TABLES)
def test_the_trigger_refuses_whoever_asks(table, verb):
    """Also where one role does all, and where the application's role was given too much."""
    refused = f"^{table} is append-only: {verb.split()[0]} is refused\n"
    statement = VERBS[verb].format(table, key(table))
    with as_owner():
        run("RESET crosscheck.door")
        with pytest.raises(ProgrammingError, match=refused):
            run(statement)
        with pgtrigger.ignore(), pytest.raises(ProgrammingError, match=refused):
            run(statement)
        run(f"GRANT ALL ON {table} TO {APPLICATION}")
        if "TRUNCATE" in verb:  # of the tables that refer to it too
            run(f"GRANT TRUNCATE ON ALL TABLES IN SCHEMA public TO {APPLICATION}")
    run("SET crosscheck.door = 'open'")
    with pgtrigger.ignore(), pytest.raises(ProgrammingError, match=refused):
        run(statement)
    run("RESET crosscheck.door")


@pytest.mark.parametrize("table", TABLES)
def test_the_owner_goes_through_the_door_on_purpose(table):
    with as_owner():
        run(VERBS["DELETE"].format(table, key(table)))


def test_lines_are_added_and_history_is_kept():
    member = make_member(make_study())
    before = Event.objects.count()
    actions.record(member.study, "studies.tried", member.user, n=1)
    assert Event.objects.count() == before + 1
    others = make_member(member.study)
    issue = make_issue(make_repository(member.study))
    label = add_label(make_round(make_version(member.study), [issue], [member, others]), issue, member, "C.1")
    for said in SAID:
        with pghistory.context(user=member.user_id, url=f"/{said}/"):
            type(label).objects.filter(pk=label.pk).update(summary=said)
            with pghistory.context(late=True):
                type(label).objects.filter(pk=label.pk).update(summary=f"{said}!")
    history = apps.get_model("rounds", "LabelEvent").objects.filter(pgh_obj_id=label.pk).order_by("pgh_id")
    assert [one.summary for one in history] == [label.summary, "another", "another!", "a third"]
    contexts = [one.pgh_context.metadata for one in history]
    assert contexts == [{"user": member.user_id, "url": f"/{said}/"} for said in SAID for _ in range(2)]


def test_the_application_owns_no_table_and_makes_none():
    assert value("SELECT current_user") == APPLICATION
    for statement in [
        "CREATE TABLE another ()", "ALTER TABLE rounds_label ADD COLUMN another int", "DROP TABLE rounds_label",
        "CREATE FUNCTION another() RETURNS int LANGUAGE sql AS 'SELECT 1'", "CREATE INDEX ON rounds_label (summary)",
        "ALTER TABLE studies_event DISABLE TRIGGER ALL", "ALTER TABLE studies_event OWNER TO crosscheck_app",
        "SET session_replication_role = replica", "CREATE SCHEMA another", "CREATE ROLE another",
        "UPDATE django_migrations SET name = name", "DELETE FROM django_migrations",
        "ALTER FUNCTION forget_invitation_note(bigint) RENAME TO another",
    ]:  # fmt: skip
        with pytest.raises(ProgrammingError, match=r"must be owner|permission denied"):
            run(statement)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')"
            " AND has_table_privilege(oid, 'TRUNCATE, TRIGGER, REFERENCES')"
        )
        assert cursor.fetchall() == []


def test_commands_before_the_first_migrate_say_what_to_run():
    """As on a database of a version before the two roles, where the new one has no right yet."""
    with as_owner():
        run(f"REVOKE ALL ON core_job, accounts_user FROM {APPLICATION}")
    said = "The database role may not use the tables yet. Run manage.py migrate."
    with transaction.atomic():
        found = list(findings(["jobs"]))
        transaction.set_rollback(True)
    assert found == [Finding("jobs", False, said)]
    with pytest.raises(CommandError, match=re.escape(said)), transaction.atomic():
        call_command("make_administrator", "ada@example.org")


@pytest.mark.django_db(transaction=True)
def test_the_application_cannot_become_the_owner():
    with signed_in_as(APPLICATION):
        for statement in [f"SET ROLE {OWNER}", "SET ROLE postgres", f"GRANT {OWNER} TO {APPLICATION}"]:
            with pytest.raises(ProgrammingError, match="permission denied"):
                run(statement)
        run("RESET ROLE")
        assert value("SELECT current_user") == APPLICATION


def test_a_large_load_may_still_say_how_large_it_was():
    """Plans would be those of empty tables: the owner's right, which the application has from PostgreSQL 17 on."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE rounds_assignment")
    assert [notice for notice in connection.connection.notices if "ANALYZE" in notice.upper()] == []


@pytest.fixture
def invited() -> tuple[Invitation, Invitation]:
    """An invitation that was accepted and one that waits, both with the same note."""
    owner = make_user("Owner")
    study = actions.create_study(name="Study", by=owner)
    made = [actions.invite(study=study, role=Role.VOLUNTEER, by=owner, note="Mei") for _ in range(2)]
    actions.join_with_new_account(
        token=made[0][1], name="Mei", email="mei@example.org", password="correct horse battery"
    )
    return Invitation.objects.get(pk=made[0][0].pk), Invitation.objects.get(pk=made[1][0].pk)


def notes() -> list[str]:
    return [
        event.detail.get("note", "—") for event in Event.objects.filter(verb="people.invited").order_by("id")
    ]


def test_the_door_forgets_a_note_of_an_accepted_invitation_and_nothing_else(invited):
    accepted, waiting = invited
    before = list(Event.objects.order_by("id").values("id", "study", "by", "verb", "at"))
    assert value("SELECT forget_invitation_note(%s)", [waiting.pk]) == 0
    assert notes() == ["Mei", "Mei"]
    assert value("SELECT forget_invitation_note(%s)", [accepted.pk]) == 2
    assert notes() == ["", ""]
    assert list(Event.objects.order_by("id").values("id", "study", "by", "verb", "at")) == before
    assert value("SELECT current_setting('crosscheck.door')") == ""


def test_tables_of_a_session_do_not_deceive_the_door(invited):
    accepted, _waiting = invited
    run("CREATE TEMPORARY TABLE studies_event (LIKE studies_event) ON COMMIT DROP")
    run("CREATE TEMPORARY TABLE studies_invitation (LIKE studies_invitation) ON COMMIT DROP")
    assert value("SELECT forget_invitation_note(%s)", [accepted.pk]) == 2
    assert value("SELECT count(*) FROM public.studies_event WHERE detail ->> 'note' = 'Mei'") == 0


def test_the_door_is_open_to_the_application_alone():
    door = "forget_invitation_note(bigint)"
    assert value("SELECT has_function_privilege(%s, 'EXECUTE')", [door])
    assert not value("SELECT has_function_privilege('public', %s, 'EXECUTE')", [door])
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT proname, proconfig FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef"
        )
        assert cursor.fetchall() == [
            ("forget_invitation_note", ["search_path=pg_catalog, public, pg_temp"]),
            ("remove_history", ["search_path=pg_catalog, public, pg_temp"]),
        ]


@pytest.mark.django_db(transaction=True)
def test_doctor_says_which_role_runs_and_whether_it_may_change_the_audit(client):
    with signed_in_as(APPLICATION):
        assert role() == (True, f"{APPLICATION} runs, and may not change the audit")
        assert "role ok\n" in client.get("/readyz").text
    with signed_in_as(OWNER):
        state, words = role()
        assert (state, words.split(". ")[0]) == (None, f"{OWNER} runs, and may change {', '.join(TABLES)}")
        assert "role warning\n" in client.get("/readyz").text


@pytest.mark.django_db(transaction=True)
def test_doctor_sees_a_single_right_too_many():
    with as_owner():
        run(f"GRANT UPDATE (detail) ON studies_event TO {APPLICATION}")
    try:
        with signed_in_as(APPLICATION):
            state, words = role()
        assert (state, "may change studies_event." in words) == (None, True)
    finally:
        with as_owner():
            run(f"REVOKE UPDATE (detail) ON studies_event FROM {APPLICATION}")


@pytest.mark.django_db(transaction=True)
def test_doctor_sees_a_pooler():
    """A pooler answers a session with a process number of its own."""
    with pooler(connection.get_connection_params()["host"]) as host, signed_in_as(APPLICATION):
        connection.settings_dict |= {"HOST": host}
        state, words = role()
    assert (state, "A pooler is in front of the database" in words) == (None, True)


@pytest.fixture
def copied(transactional_db) -> Iterator[dict[str, str]]:
    """The environment of a deployment with two roles, the owner a superuser as in Compose, on a copy of the tests'
    database that no role but its owner may use.
    """
    now = connection.get_connection_params()
    name = f"{now['dbname']}_roles"
    at = {"host": str(now["host"]), "dbname": "postgres"}
    connection.close()
    with closing(psycopg2.connect(**at, user="postgres")) as server:
        server.autocommit = True
        cursor = server.cursor()
        cursor.execute(f'CREATE DATABASE "{name}" TEMPLATE "{now["dbname"]}"')
        address = f"@/{name}?host={quote(at['host'], safe='')}"
        yield {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings.dev",
            "DATABASE_URL": f"postgres://{OTHER}:secret{address}",
            "DATABASE_OWNER_URL": f"postgres://postgres{address}",
            "SECRET_KEY": "of a test",
            "name": name,
        }
        cursor.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
        cursor.execute(f"DROP ROLE IF EXISTS {OTHER}")


def migrate(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    return subprocess.run(
        command, cwd=settings.BASE_DIR, env=environment, text=True, capture_output=True, check=False
    )


RIGHTS = """
    SELECT relname, relkind::text, relacl::text FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'S') ORDER BY 1
"""


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_migration_makes_the_role_of_an_upgraded_server_and_says_what_it_may(copied):
    host = str(connection.get_connection_params()["host"])
    with closing(psycopg2.connect(host=host, user="postgres", dbname=copied["name"])) as other:
        other.autocommit = True
        cursor = other.cursor()
        first = migrate(copied)
        assert (first.returncode, first.stderr) == (0, "")
        cursor.execute(
            "SELECT rolcanlogin, rolsuper, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname = %s",
            [OTHER],
        )
        assert cursor.fetchall() == [(True, False, False, False)]
        cursor.execute(RIGHTS)
        rights = cursor.fetchall()
        mine = {name: acl.split(f"{OTHER}=")[1].split("/")[0] for name, _kind, acl in rights}
        assert {mine[table] for table in TABLES} == {"ar"}
        assert (mine["django_migrations"], mine["rounds_label"], mine["rounds_said"]) == ("r", "arwdm", "r")
        assert mine["rounds_label_id_seq"] == "rU"

        # What was given by hand is taken back, and a table that came by hand is given.
        cursor.execute(
            f"GRANT UPDATE, DELETE ON studies_event TO {OTHER}; REVOKE INSERT ON rounds_label FROM {OTHER}"
        )
        assert migrate(copied).returncode == 0
        cursor.execute(RIGHTS)
        assert cursor.fetchall() == rights


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_an_owner_that_may_make_no_role_says_what_to_do_and_changes_nothing(copied):
    environment = {
        **copied,
        "DATABASE_OWNER_URL": copied["DATABASE_OWNER_URL"].replace("postgres@", f"{OWNER}@"),
    }
    answer = migrate(environment)
    assert answer.returncode == 1
    assert f"run CREATE ROLE {OTHER} LOGIN PASSWORD" in answer.stderr
    assert "secret" not in answer.stderr
    assert "Traceback" not in answer.stderr
