"""A draft is started from rows, saved, undone, discarded, and frozen for good."""

import hashlib
import json

import pytest
from django.core.exceptions import PermissionDenied
from django.db import InternalError, transaction

from protocols.actions.drafts import discard_draft, freeze_protocol, save_draft, start_draft, undo_draft
from protocols.errors import DraftChanged, DraftExists, NoDraft, NothingToUndo, PlanEmpty, PlanRefused
from protocols.models import Protocol
from protocols.queries.protocols import draft_of, labels_before, protocol_in_force
from tests import factories
from tests.kept import kept
from tests.worlds.pages import label_all
from tests.worlds.world import World, small_world

pytestmark = pytest.mark.django_db


@kept
def world() -> World:
    return small_world(issues=4, members=3)


def started(world, **plan) -> Protocol:
    start_draft(study=world.study, by=world.lead)
    if plan:
        save_draft(study=world.study, plan=plan, by=world.lead)
    return draft_of(world.study)


def frozen(world, **plan) -> Protocol:
    started(world, **plan)
    return freeze_protocol(study=world.study, by=world.lead)


def test_a_draft_takes_from_rows_what_they_say_and_nothing_else(world):
    world.round(name="One", depth=2, rule="majority", majority=2)
    made = started(world)
    named = f"{world.version.taxonomy.name} v{world.version.number}"
    assert made.plan == {
        "sources": str(world.repository),
        "screenings": 0,
        "pilots": 0,
        "trainings": 0,
        "main_rounds": 1,
        "taxonomy": named,
        "raters": 3,
        "per_issue": 3,
        "size": 4,
        "order": "shuffled",
        "reveal": "issue_complete",
        "rule": "majority",
        "majority": 2,
        "level": "theme",
    }
    assert made.taken == sorted(made.plan)
    assert made.version == world.version


def test_an_empty_study_gives_no_values(world):
    study = factories.make_study()
    lead = factories.make_member(study, "lead")
    assert start_draft(study=study, by=lead).plan == {}


def test_a_changed_field_is_no_longer_taken_from_rows(world):
    world.round()
    made = started(world, raters=5, per_issue=3)
    assert (made.plan["raters"], "raters" in made.taken, "per_issue" in made.taken) == (5, False, True)


def test_a_draft_is_undone_to_how_it_was(world):
    world.round()
    before = started(world)
    save_draft(study=world.study, plan={"raters": 5, "question": "Why?"}, by=world.lead)
    save_draft(study=world.study, plan={"raters": 6}, by=world.lead)
    assert undo_draft(study=world.study, by=world.lead).plan["raters"] == 5
    again = undo_draft(study=world.study, by=world.lead)
    assert (again.plan, again.taken) == (before.plan, before.taken)
    with pytest.raises(NothingToUndo):
        undo_draft(study=world.study, by=world.lead)


def test_a_save_over_the_change_of_somebody_else_is_refused(world):
    made = started(world)
    save_draft(study=world.study, plan={"question": "One"}, by=world.lead, revision=made.revision)
    with pytest.raises(DraftChanged):
        save_draft(study=world.study, plan={"question": "Two"}, by=world.lead, revision=made.revision)
    assert draft_of(world.study).plan["question"] == "One"


@pytest.mark.parametrize(
    ("plan", "field"),
    [
        ({"raters": "many"}, "raters"),
        ({"raters": -1}, "raters"),
        ({"raters": True}, "raters"),
        ({"threshold": 1.5}, "threshold"),
        ({"threshold": float("nan")}, "threshold"),
        ({"level": "deep"}, "level"),
        ({"taxonomy": "Nothing v9"}, "taxonomy"),
        ({"question": "a\0b"}, "question"),
        ({"question": "x" * 4_001}, "question"),
    ],
)
def test_a_value_that_the_field_does_not_take_is_refused(world, plan, field):
    started(world)
    with pytest.raises(PlanRefused) as refused:
        save_draft(study=world.study, plan=plan, by=world.lead)
    assert refused.value.field == field
    assert field not in draft_of(world.study).plan


def test_a_frozen_version_has_moment_author_and_hash(world):
    made = frozen(world, question="Why?", threshold="0.6")
    content = json.loads(made.document)
    assert content["plan"] == {"sources": str(world.repository), "question": "Why?", "threshold": 0.6}
    assert content["taken_from_rows"] == ["sources"]
    assert (content["frozen_by"], content["version"]) == (world.lead.pseudonym, 1)
    assert content["frozen_at"] == made.frozen_at.isoformat()
    assert made.digest == hashlib.sha256(made.document.encode()).hexdigest()
    # Canonical: read and written again, the same bytes.
    again = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    assert again == made.document
    assert protocol_in_force(world.study) == made


def test_the_database_keeps_a_frozen_version_as_it_is(world):
    made = frozen(world, question="Why?")
    for change in (lambda: Protocol.objects.update(reason="Other"), made.delete):
        with pytest.raises(InternalError, match="Cannot"), transaction.atomic():
            change()
    assert Protocol.objects.get().reason == ""


def test_an_empty_plan_is_not_frozen(world):
    study = factories.make_study()
    lead = factories.make_member(study, "lead")
    start_draft(study=study, by=lead)
    with pytest.raises(PlanEmpty):
        freeze_protocol(study=study, by=lead)


def test_a_later_version_begins_with_the_plan_in_force_and_needs_its_reason(world):
    frozen(world, question="Why?")
    second = started(world, question="How?")
    assert (second.number, second.plan["question"]) == (2, "How?")
    with pytest.raises(PlanRefused) as refused:
        freeze_protocol(study=world.study, by=world.lead)
    assert refused.value.field == "reason"
    save_draft(study=world.study, plan={}, reason="A better question.", by=world.lead)
    freeze_protocol(study=world.study, by=world.lead)
    assert [one.plan["question"] for one in Protocol.objects.all()] == ["Why?", "How?"]


def test_there_is_one_draft_and_it_can_be_discarded(world):
    with pytest.raises(NoDraft):
        save_draft(study=world.study, plan={}, by=world.lead)
    started(world)
    with pytest.raises(DraftExists):
        start_draft(study=world.study, by=world.lead)
    discard_draft(study=world.study, by=world.lead)
    assert draft_of(world.study) is None


def test_only_those_who_lead_plan(world):
    acts = (
        lambda by: start_draft(study=world.study, by=by),
        lambda by: save_draft(study=world.study, plan={}, by=by),
        lambda by: undo_draft(study=world.study, by=by),
        lambda by: freeze_protocol(study=world.study, by=by),
        lambda by: discard_draft(study=world.study, by=by),
    )
    other = factories.make_member(factories.make_study(), "lead")
    for act in acts:
        for by in (world.members[0], other):
            with pytest.raises(PermissionDenied):
                act(by)


def test_labels_of_main_rounds_are_counted_before_a_freeze(world):
    pilot = world.round(kind="pilot")
    label_all(world, pilot, "A.1 A.1 A.1")
    assert labels_before(world.study) is None
    round_ = world.round()
    label_all(world, round_, "A.1 B.1 -")
    first = round_.labels.order_by("submitted_at")[0].submitted_at
    found = labels_before(world.study)
    assert (found.labels, found.since) == (2, first)
