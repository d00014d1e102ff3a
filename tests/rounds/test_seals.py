"""The chain of a round: unbroken whatever happens at once, and every changed row is found."""

from datetime import timedelta

import pgtrigger
import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.models import F

from annotate.actions.rounds import close_round
from core import clock
from core.upkeep.doctor import findings
from rounds.actions import seals
from rounds.actions.seals import seal_all, seal_new, seal_round
from rounds.models import Label, Round, Seal, SealedEvent
from rounds.queries.seals import faults_of, head_of
from studies.models import Study
from tests.database import as_owner
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=2, members=2)]


def told(round_) -> list[str]:
    return [str(fault) for fault in faults_of(round_)]


@pytest.fixture
def sealed(world):
    """A round with a change, a reveal, a decision and another that superseded it, sealed in two seals."""
    round_ = world.round()
    one, other = world.members
    first, second = world.issues
    world.submit(round_, first, one, "A.1")
    seal_round(round_=round_)
    world.change(round_, first, one, "A.2")
    world.submit(round_, first, other, "A.1")
    world.submit(round_, second, one, "A.1", summary='"Ünïcode"\n\\ and a tab\t')
    world.settle(round_, first, "A.1")
    world.settle(round_, first, "A.2", seen=1)
    close_round(round_=round_, by=world.lead)
    seal_round(round_=round_)
    round_.refresh_from_db()
    return round_


def test_a_chain_covers_each_event_once_and_is_whole(sealed):
    kinds = sorted(SealedEvent.objects.values_list("kind", flat=True))
    assert kinds == [
        "change", "closing", "decision", "decision", "label", "label", "label", "label", "opening", "reveal", "superseding",
    ]  # fmt: skip
    assert list(Seal.objects.values_list("number", "events")) == [(1, 2), (2, 8), (3, 1)]
    assert head_of(sealed).number == 3
    assert told(sealed) == []
    assert seal_round(round_=sealed) is None
    assert (seal_new(), seal_all()) == (0, 0)


def test_a_read_only_study_keeps_no_other_from_its_seals(world):
    round_ = world.round()
    world.submit(round_, world.issues[0], world.members[0], "A.1")
    other = small_world(issues=1, members=1)
    theirs = other.round()
    other.submit(theirs, other.issues[0], other.members[0], "A.1")
    Study.objects.filter(pk=world.study.pk).update(archived_at=clock.now())
    assert (seal_new(), seal_all()) == (1, 0)
    assert list(Seal.objects.values_list("round", flat=True)) == [theirs.pk]


def test_one_run_has_one_mark_for_all_rounds(world, monkeypatch):
    """The seals of one round move no mark for the next: its older labels are sealed in the same minute."""
    first, second = world.round(), world.round()
    for round_ in (first, second):
        world.submit(round_, world.issues[0], world.members[0], "A.1")
    assert seal_new() == 2
    world.submit(second, world.issues[1], world.members[0], "A.1")
    for member in world.members:
        world.submit(first, world.issues[1], member, "A.1")
    monkeypatch.setattr(seals, "MARGIN", 0)
    assert seal_new() == 2
    assert seal_all() == 0


def test_a_label_after_the_close_is_found(sealed):
    """By whoever writes to the tables without their triggers, with any moment that they like."""
    label = Label.objects.filter(round=sealed).latest("pk")
    with as_owner(), pgtrigger.ignore("rounds.Label:revealed_labels_stay"):
        Label.objects.filter(pk=label.pk).update(summary="made up", changed_at=clock.now())
    seal_round(round_=sealed)
    assert f"rounds_label {label.pk}: was added or changed after the close" in " ".join(told(sealed))


TABLES = {
    "rounds_label": "rounds.Label",
    "rounds_labelevent": "rounds.LabelEvent",
    "consensus_decision": "consensus.Decision",
    "rounds_seal": "rounds.Seal",
    "rounds_sealedevent": "rounds.SealedEvent",
}
COLUMNS = [
    (table, field.column)
    for table, model in TABLES.items()
    for field in apps.get_model(model)._meta.local_concrete_fields
    if (table, field.column) != ("rounds_sealedevent", "id")  # names nothing
] + [
    ("rounds_round", "opened_at"), ("rounds_round", "closed_at"), ("rounds_roundissue", "id"), ("rounds_roundissue", "issue_id"),
    ("rounds_roundissue", "position"), ("rounds_roundissue", "completed_at"),
]  # fmt: skip


def other(column: str, type_: str) -> str:
    return {
        "timestamp with time zone": f"coalesce({column}, now()) - interval '1 second'",
        "boolean": f"NOT {column}",
        "smallint": f"{column} + 100",
        "uuid": "gen_random_uuid()",
        "bytea": "sha256('other')",
        "text": f"{column} || 'x'",
        "character varying": f"left('x' || {column}, 64)"
        if column in {"digest", "previous"}
        else f"{column} || 'x'",
    }.get(type_, f"coalesce({column}, 0) + 1000000")


def unguarded(cursor, table: str) -> None:
    """Take away what guards a table, as its owner can: triggers, keys and checks. The test's transaction undoes it."""
    cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    cursor.execute(
        "SELECT conrelid::regclass::text, conname FROM pg_constraint"
        " WHERE %s::regclass IN (conrelid, confrelid) AND contype IN ('f', 'c') AND conparentid = 0",
        [table],
    )
    for of, name in cursor.fetchall():
        cursor.execute(f"ALTER TABLE {of} DROP CONSTRAINT {name}")
    cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")


@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_a_changed_column_of_a_row_is_found(sealed, table, column):
    with as_owner(), connection.cursor() as cursor:
        unguarded(cursor, table)
        cursor.execute(
            "SELECT data_type FROM information_schema.columns WHERE table_name = %s AND column_name = %s",
            [table, column],
        )
        (type_,) = cursor.fetchone()
        where = " WHERE completed_at IS NOT NULL" if table == "rounds_roundissue" else ""
        cursor.execute(
            f"UPDATE {table} SET {column} = {other(column, type_)}"
            f" WHERE ctid = (SELECT ctid FROM {table}{where} LIMIT 1)"
        )
        assert cursor.rowcount == 1
    sealed.refresh_from_db()
    assert told(sealed) != []


@pytest.mark.parametrize("table", [*TABLES, "rounds_roundissue"])
def test_a_deleted_row_is_found(sealed, table):
    with as_owner(), connection.cursor() as cursor:
        unguarded(cursor, table)
        where = " WHERE completed_at IS NOT NULL" if table == "rounds_roundissue" else ""
        cursor.execute(f"DELETE FROM {table} WHERE ctid = (SELECT ctid FROM {table}{where} LIMIT 1)")
    assert told(sealed) != []


def test_the_doctor_and_the_command_name_the_row(sealed, capsys):
    label = Label.objects.get(issue__round_labels__unsure=False, summary__startswith='"')
    call_command("verify_chain", sealed.study.slug)
    assert f"{sealed.name}: whole, 3 seals, head {head_of(sealed).digest}" in capsys.readouterr().out
    assert [found.ok for found in findings(["chains"])] == [True]
    with as_owner(), connection.cursor() as cursor:
        unguarded(cursor, "rounds_label")
        cursor.execute("UPDATE rounds_label SET unsure = true WHERE id = %s", [label.pk])
    (found,) = findings(["chains"])
    named = f"{sealed.name}: rounds_label {label.pk}: was changed or deleted since seal 2"
    assert (found.ok, found.said) == (False, f"{sealed.study.slug}, {named}")
    with pytest.raises(CommandError, match="1 things"):
        call_command("verify_chain", sealed.study.slug)
    assert named in capsys.readouterr().out
    # Sealed again as it is now, it is still not what was sealed.
    seal_all()
    late = f"{sealed.name}: rounds_label {label.pk}: was added or changed after the close"
    assert told(sealed) == [named, late]


def test_a_label_that_says_an_earlier_moment_than_its_seal_allows_is_found(world):
    round_ = world.round()
    first, second = world.issues
    world.submit(round_, first, world.members[0], "A.1")
    before = seal_round(round_=round_)
    world.submit(round_, second, world.members[0], "A.1")
    late = Label.objects.get(issue=second)
    for minutes, faults in (
        (9, []),
        (
            11,
            [
                f"{round_.name}: rounds_label {late.pk}: was made later than its moment: seal 2 is the first that has it"
            ],
        ),
    ):
        with transaction.atomic():
            with as_owner(), connection.cursor() as cursor:
                unguarded(cursor, "rounds_label")
                cursor.execute(
                    "UPDATE rounds_label SET submitted_at = %s WHERE id = %s",
                    [before.at - timedelta(minutes=minutes), late.pk],
                )
            seal_round(round_=round_)
            assert told(round_) == faults
            transaction.set_rollback(True)


def test_a_clock_that_jumps_back_leaves_the_seals_in_order(world, monkeypatch):
    round_ = world.round()
    first, second = world.issues
    world.submit(round_, first, world.members[0], "A.1")
    one = seal_round(round_=round_)
    behind = clock.now() - timedelta(minutes=5)
    monkeypatch.setattr(clock, "now", lambda: behind)
    world.submit(round_, second, world.members[0], "A.1")
    two = seal_round(round_=round_)
    assert two.at == one.at
    assert told(round_) == []


def test_what_committed_late_is_sealed_by_the_next_full_run(world, monkeypatch):
    monkeypatch.setattr(seals, "MARGIN", 0)
    round_ = world.round()
    first, second = world.issues
    world.submit(round_, first, world.members[0], "A.1")
    with connection.cursor() as cursor:
        # Its number was given before those of others, and its transaction commits after theirs.
        cursor.execute("SELECT nextval(pg_get_serial_sequence('rounds_label', 'id'))")
        (kept,) = cursor.fetchone()
        world.submit(round_, second, world.members[0], "A.1")
        seal_round(round_=round_)
        world.submit(round_, first, world.members[1], "A.1")
    late = Label.objects.latest("pk")
    with as_owner(), connection.cursor() as cursor:
        unguarded(cursor, "rounds_label")
        cursor.execute("UPDATE rounds_label SET id = %s WHERE id = %s", [kept, late.pk])
    seal_new()
    assert not SealedEvent.objects.filter(kind="label", key=kept).exists()
    assert seal_all() == 1
    assert SealedEvent.objects.filter(kind="label", key=kept).count() == 1
    assert (told(round_), seal_all()) == ([], 0)


def test_the_first_seal_of_an_old_round_says_that_it_does_not_know_the_order_before(world, monkeypatch):
    round_ = world.round()
    world.submit(round_, world.issues[0], world.members[0], "A.1")
    later = clock.now() + timedelta(days=3)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert seal_new() == 1
    assert (Seal.objects.get().why, told(round_)) == ("first", [])


def test_an_imported_round_is_sealed_as_such_and_is_whole(world):
    round_ = world.round()
    world.submit(round_, world.issues[0], world.members[0], "A.1")
    with as_owner():
        Round.objects.filter(pk=round_.pk).update(closed_at=F("opened_at"))
    round_.refresh_from_db()
    assert seal_round(round_=round_).why == "imported"
    assert told(round_) == []
    assert [found.ok for found in findings(["chains"])] == [True]
