"""The clock can be set, and whatever is stored takes its moment."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.apps import apps
from django.db.models import DateTimeField
from django.utils import timezone

from annotate.actions.label_drafts import save_draft
from annotate.label_input import LabelInput
from annotate.models import Draft
from core import clock
from core.idempotency import first_use
from core.models import HandledForm
from overview.views.waits import _on
from rounds.models import Answer
from tests.factories import make_user
from tests.worlds.trained import answer, training
from tests.worlds.world import small_world

THEN = datetime(2025, 3, 4, 18, 30, tzinfo=UTC)


def test_clock_is_set_inside_the_block_only():
    before = timezone.now()
    with clock.at(THEN):
        with clock.at(THEN + timedelta(hours=1)):
            inner = clock.now()
        assert (inner, clock.now()) == (THEN + timedelta(hours=1), THEN)
    assert before <= clock.now() <= timezone.now()


def test_clock_can_be_told_by_a_reading():
    readings = iter([THEN, THEN + timedelta(seconds=1), THEN])
    with clock.told_by(lambda: next(readings)):
        first = clock.now()
        with clock.at(THEN - timedelta(days=1)):
            inner = clock.now()
        assert (first, inner, clock.now()) == (THEN, THEN - timedelta(days=1), THEN + timedelta(seconds=1))
    assert clock.now() > THEN + timedelta(days=1)


def test_clock_goes_on_after_an_error_in_the_block():
    before = timezone.now()
    with pytest.raises(ZeroDivisionError), clock.at(THEN):
        _ = 1 / 0
    assert before <= clock.now()


def test_no_field_takes_a_moment_past_the_clock():
    past = [
        str(field)
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if isinstance(field, DateTimeField) and (field.auto_now or field.auto_now_add)
    ]
    # Those of libraries: tokens for REST, and the history that the database writes.
    assert [
        name for name in past if not name.startswith(("knox.", "pghistory.")) and ".pgh_" not in name
    ] == []


@pytest.mark.django_db
def test_a_handled_form_takes_the_moment_of_the_clock():
    key = uuid4()
    with clock.at(THEN):
        assert first_use(key, make_user())
    assert HandledForm.objects.get(key=key).handled_at == THEN


@pytest.mark.django_db
def test_answers_and_drafts_take_the_moment_of_their_last_change():
    world = small_world()
    member, issue = world.members[0], world.issues[0]
    planned = training(world, "C.1", "C.1", "C.1", opened=False)
    round_ = world.round()
    with clock.at(THEN):
        save_draft(round_=round_, issue=issue, member=member, given=LabelInput(summary="first", revision=0))
    with clock.at(THEN + timedelta(hours=1)):
        answer(world, planned, issue, "C.2", why="Said again.")
        save_draft(round_=round_, issue=issue, member=member, given=LabelInput(summary="second", revision=1))

    assert Answer.objects.get(issue=issue).given_at == THEN + timedelta(hours=1)
    assert Draft.objects.get().saved_at == THEN + timedelta(hours=1)


def test_today_is_the_day_of_the_clock():
    with clock.at(THEN):
        assert _on(THEN) == "today, 18:30"
        assert _on(THEN + timedelta(days=1)) == "tomorrow, 18:30"
