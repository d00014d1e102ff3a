"""A deleted study leaves one line: no row of any table, and no file."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.apps import apps
from django.db import IntegrityError, ProgrammingError, connection, transaction

from core import clock
from core.models import Job
from rounds.models import SealedEvent
from studies import actions, reach
from studies.actions import removal
from studies.models import RemovedStudy, Study
from tests import factories
from tests.database import as_owner
from tests.trust.world import make_world

pytestmark = [pytest.mark.django_db]


def due(study: Study) -> Study:
    owner = study.memberships.filter(role="owner").first()
    with as_owner():
        Study.objects.filter(pk=study.pk).update(
            delete_at=clock.now() - timedelta(minutes=1), delete_asked_by=owner.user if owner else None
        )
    study.refresh_from_db()
    return study


def rows_of(study_id: int) -> dict[str, int]:
    """How many rows of the study each table holds, by the way of each row to its study."""
    found = {}
    with connection.cursor() as cursor:
        for model in reach.paths():
            tables, its_study = reach.joins(model, model._meta.db_table)
            cursor.execute(f"SELECT count(*) FROM {tables} WHERE {its_study} = %s", [study_id])
            found[model._meta.db_table] = cursor.fetchone()[0]
    return found


def everything() -> dict[str, int]:
    """How many rows each table holds."""
    found = {}
    with connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            if model._meta.managed and not model._meta.proxy:
                cursor.execute(f"SELECT count(*) FROM {model._meta.db_table}")
                found[model._meta.db_table] = cursor.fetchone()[0]
    return found


def files(folder: Path) -> list[str]:
    return sorted(str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file())


OF_THE_SERVER = {
    "accounts_addresschange", "accounts_user", "accounts_signinlink", "accounts_tokenterms", "account_emailaddress", "knox_authtoken",
    "django_session", "django_content_type", "auth_permission", "core_handledform",
}  # fmt: skip


def test_the_ways_to_a_study_are_found_for_every_table():
    known = {model._meta.db_table for model in reach.paths()}
    others = {
        model._meta.db_table for model in apps.get_models() if model._meta.managed and not model._meta.proxy
    } - known
    assert others == {
        "accounts_addresschange", "accounts_signinlink", "accounts_tokenterms", "accounts_user", "account_emailaddress",
        "account_emailconfirmation", "auth_group", "auth_permission", "core_handledform", "core_job",
        "django_content_type", "django_session", "knox_authtoken", "pghistory_context", "studies_removedstudy",
    }  # fmt: skip


@pytest.mark.slow
def test_no_row_and_no_file_of_a_deleted_study_stays(settings, tmp_path, monkeypatch):
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(removal, "BATCH", 2)
    empty = everything()
    world = make_world()
    other = factories.make_study("Other")
    actions.publish_guideline(study=other, text="Stays.", by=None)
    factories.make_member(other, "owner")
    kept = rows_of(other.pk)
    asked_of = {name: count for name, count in rows_of(world.study.pk).items() if count}
    assert len(asked_of) > 60, "the world fills the tables"
    study, number = due(world.study), world.study.pk
    kept_files = files(tmp_path)
    assert any(one.startswith("uploads/") for one in kept_files)

    sealed = SealedEvent.objects.filter(seal__study=number).count()
    line = actions.remove_study(study=study)

    assert {name: count for name, count in rows_of(number).items() if count} == {}
    left = everything()
    more = {name: (left[name], empty[name]) for name in left if left[name] != empty[name]}
    of_other = {name for name, count in kept.items() if count}
    assert set(more) <= OF_THE_SERVER | of_other | {"studies_removedstudy", "core_job"}, more
    assert rows_of(other.pk) == kept
    assert files(tmp_path) == []
    assert set(Job.objects.values_list("kind", flat=True)) == {"core.ping"}, "a job of no study"
    assert (line.name, line.asked_by, line.files) == (study.name, study.delete_asked_by, len(kept_files))
    of_history = ("studies_event", "rounds_labelevent", "rounds_seal")
    assert line.rows["history"] == sum(asked_of.get(name, 0) for name in of_history) + sealed
    assert line.rows["rounds_label"] == asked_of["rounds_label"]
    assert RemovedStudy.objects.count() == 1
    assert actions.remove_due_studies() == 0


def test_a_study_that_is_kept_is_not_removed():
    study = factories.make_study()
    assert actions.remove_study(study=study) is None
    assert Study.objects.filter(pk=study.pk).exists()


def test_the_door_of_history_opens_for_a_study_that_is_due_only():
    study = factories.make_study()
    actions.record(study, "studies.created", None, name="x")
    with pytest.raises(IntegrityError, match="not due"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT remove_history(%s, 9)", [study.pk])
    assert study.events.count() == 1
    due(study)
    with connection.cursor() as cursor:
        cursor.execute("SELECT remove_history(%s, 9)", [study.pk])
    assert study.events.count() == 0


def test_no_study_is_due_before_its_days_of_grace() -> None:
    """The application's role could open the door of the history otherwise: it may write the day."""
    study = factories.make_study()
    studies = Study.objects.filter(pk=study.pk)
    for day in (clock.now(), clock.now() + timedelta(days=28)):
        with pytest.raises(ProgrammingError, match="30 days after"), transaction.atomic():
            studies.update(delete_at=day)
        with pytest.raises(ProgrammingError, match="30 days after"), transaction.atomic():
            factories.make_study(delete_at=day)
    studies.update(delete_at=clock.now() + timedelta(days=30))
    studies.update(name="Another name")
    studies.update(delete_at=None)
