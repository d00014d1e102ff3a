"""Freezing at the same moment as somebody else: real threads, real transactions, a real PostgreSQL."""

import hashlib
import json
from threading import Event as Signal
from time import sleep

import pytest
from django.db import transaction
from django.urls import reverse

from consensus.actions.decisions import reopen
from consensus.models import Decision
from reports.actions.frozen import freeze_report
from reports.errors import FreezeRefused
from reports.exports import labels_csv
from reports.models import FrozenReport
from reports.queries.final_labels import change_counts
from studies.models import Event, Role
from tests import factories
from tests.long import only_long
from tests.races import at_once
from tests.worlds.pages import client
from tests.worlds.parted import give_labels
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.world(issues=3)]


@pytest.fixture
def round_(world):
    made = world.round()
    give_labels(world, made, "C.1 C.1 C.2", "C.1 C.1 C.1", "C.2 C.2 C.1")
    return made


@only_long
def test_of_two_who_freeze_under_one_name_one_wins_and_the_other_is_told(world, round_):
    owner = factories.make_member(world.study, Role.OWNER, pseudonym="O")
    for attempt in range(5):
        found = at_once(
            *(
                lambda by=by, name=name: freeze_report(round_=round_, by=by, name=name)
                for by, name in ((world.lead, f"Draft {attempt}"), (owner, f"DRAFT {attempt}"))
            )
        )
        won = [one for one in found if isinstance(one, FrozenReport)]
        told = [one for one in found if isinstance(one, FreezeRefused)]
        assert (len(won), len(told)) == (1, 1), found
        assert (told[0].field, "already" in str(told[0])) == ("name", True)
    assert FrozenReport.objects.count() == Event.objects.filter(verb="reports.frozen").count() == 5


def test_a_form_sent_twice_at_once_freezes_once(world, round_):
    key = "6f0d5c0e-3f0a-4b9e-9a55-0a4cf2f3b7d1"
    address = reverse("frozen_reports", args=[round_.pk])
    browsers = [client(world.lead) for _ in range(2)]
    answers = at_once(
        *(
            lambda browser=browser: browser.post(address, {"name": "Submission", "form_key": key}).status_code
            for browser in browsers
        )
    )
    assert answers == [302, 302]
    assert FrozenReport.objects.get().name == "Submission"


@only_long
def test_levels_and_hash_are_of_one_moment_whatever_is_decided_meanwhile(world, round_):
    """Each report fits one of the two states that there were: decided or not, never a bit of both."""
    before = hashlib.sha256(b"".join(labels_csv(round_, layout="long"))).hexdigest()

    def decide():
        world.settle(round_, world.issues[0], "C.1")

    def freezing(name):
        return lambda: freeze_report(round_=round_, by=world.lead, name=name)

    found = at_once(freezing("a"), freezing("b"), freezing("c"), decide)
    after = hashlib.sha256(b"".join(labels_csv(round_, layout="long"))).hexdigest()
    assert before != after
    for frozen in found[:3]:
        levels = json.loads(frozen.document)["levels"].values()
        issues = [
            group["issues"]
            for level in levels
            for group in level["groups"]
            if group["group"] == {"type": "C"}
        ]
        # The type C has no sub-theme that was chosen.
        assert (frozen.inputs_hash, issues) in [(before, [1, 1, 0]), (after, [2, 2, 0])]
    assert freeze_report(round_=round_, by=world.lead, name="d").inputs_hash == after


def _decided_then(frozen):
    """How many issues a frozen report counts as decided."""
    themes = [
        one for one in json.loads(frozen.document)["levels"]["theme"]["distribution"] if "." in one["code"]
    ]
    return sum(one["issues"] for one in themes)


def _decided_now(round_):
    return Decision.objects.filter(round=round_, superseded_at=None).count()


@only_long
@pytest.mark.parametrize("door", ["action", "form"])
def test_a_report_waits_for_a_decision_that_is_under_way_and_counts_it(world, round_, door):
    """Its moment is after the decision was made: so the decision is in it, and none that changed since."""
    stored = Signal()

    def decide():
        with transaction.atomic():
            world.settle(round_, world.issues[0], "C.1")
            stored.set()
            sleep(0.5)

    def freeze():
        assert stored.wait(10)
        if door == "action":
            freeze_report(round_=round_, by=world.lead, name="Then")
        else:
            client(world.lead).post(
                reverse("frozen_reports", args=[round_.pk]),
                {"name": "Then", "form_key": "6f0d5c0e-3f0a-4b9e-9a55-0a4cf2f3b7d1"},
            )

    assert at_once(decide, freeze) == [None, None]
    frozen = FrozenReport.objects.get()
    assert _decided_then(frozen) == 2
    assert change_counts(round_, world.lead, frozen.frozen_at) == {"changed": 0, "reopened": 0, "new": 0}


@only_long
def test_what_a_report_holds_and_what_changed_since_make_what_is_now_whatever_goes_on():
    """Twenty reports while three people decide and open again: no decision is in both, and none in neither."""
    world = small_world(issues=60)
    made = world.round()
    give_labels(world, made, *["C.1 C.1 C.2"] * 60)

    begun, one_is_frozen = Signal(), Signal()

    def decide(issues):
        for number, issue in enumerate(issues):
            world.settle(made, issue, "C.1")
            begun.set()
            if number == len(issues) // 2:
                assert one_is_frozen.wait(60)

    def change_minds(issues):
        for issue in issues:
            decision = world.settle(made, issue, "C.1")
            reopen(round_=made, issue=issue, by=world.lead, why="Read again.", seen_number=decision.number)

    def freeze():
        assert begun.wait(60)
        for attempt in range(20):
            freeze_report(round_=made, by=world.lead, name=f"{attempt}")
            one_is_frozen.set()

    found = at_once(
        freeze,
        lambda: decide(world.issues[:25]),
        lambda: decide(world.issues[25:50]),
        lambda: change_minds(world.issues[50:]),
    )
    assert found == [None] * 4
    reports = list(FrozenReport.objects.order_by("pk"))
    assert _decided_now(made) == 50
    for frozen in reports:
        since = change_counts(made, world.lead, frozen.frozen_at)
        assert _decided_then(frozen) + since["new"] - since["reopened"] == 50
    # The race was one: some reports came in the middle.
    assert any(0 < _decided_then(frozen) < 50 for frozen in reports)
