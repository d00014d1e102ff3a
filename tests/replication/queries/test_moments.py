"""The moment of a package moves with everything that is in it, and with nothing that is hidden."""

from collections.abc import Callable
from datetime import timedelta
from itertools import count

import pytest

from annotate.actions.model_labels import ModelRow, label_as_model
from core import clock
from findings.actions.evidence import attach_issue, remove_evidence
from findings.actions.findings import add_finding, change_finding, freeze_finding
from interviews.actions.rankings import record_ranking
from interviews.models import Question, Ranking
from replication.queries.moments import last_change
from reports.actions.weights import set_weights
from rounds.queries.blindness import withheld_issues
from studies.models import Membership, Role
from taxonomy.actions import cast, comment
from taxonomy.models import Level
from tests import factories
from tests.worlds.pages import label_all
from tests.worlds.world import small_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def world():
    return small_world(issues=3, members=2)


@pytest.fixture
def round_(world):
    round_ = world.round(name="Main round")
    label_all(world, round_, "C.1 C.1", "C.1 C.2")
    return round_


_hours = count(1)


def moves(round_, act: Callable[[], object], *readers: Membership | None) -> dict[str, bool]:
    """Which of these readers' moments the act moved, to its own moment."""
    before = {reader: last_change(round_, withheld_issues(round_, reader), reader) for reader in readers}
    moment = clock.now() + timedelta(hours=next(_hours))
    with clock.at(moment):
        act()
    after = {reader: last_change(round_, withheld_issues(round_, reader), reader) for reader in readers}
    assert all(after[reader] in {before[reader], moment} for reader in readers)
    return {str(reader and reader.role): after[reader] == moment for reader in readers}


def test_weights_and_labels_of_models_move_it(world, round_):
    model = factories.make_member(world.study, Role.MODEL)
    text = ",A.1,A.2,B.1,B.2,C.1,C.2,C.3,C.9,C.10\n" + "".join(
        f"{one}," + ",".join("1" if one == other else "0" for other in THEMES) + "\n" for one in THEMES
    )
    shown, hidden = world.issues[0], world.issues[2]

    def label(issue):
        label_as_model(round_=round_, member=model, rows=[ModelRow(issue.pk, "C.1")])

    assert moves(round_, lambda: set_weights(version=world.version, by=world.lead, text=text), None) == {
        "None": True
    }
    assert moves(round_, lambda: label(shown), world.lead, world.members[0]) == {
        "lead": True, "volunteer": True,
    }  # fmt: skip
    assert moves(round_, lambda: label(hidden), world.lead) == {"lead": False}


THEMES = ["A.1", "A.2", "B.1", "B.2", "C.1", "C.2", "C.3", "C.9", "C.10"]


def test_decided_proposals_and_what_is_said_about_them_move_it(world, round_):
    motion = None

    def begin():
        nonlocal motion
        motion = factories.propose(world.version.taxonomy, world.members[0], code="C.1")

    def vote(*members):
        for member in members:
            cast(motion=motion, member=member, choice="for", argument="")

    lead, *others = world.lead, *world.members
    assert moves(round_, begin, lead) == {"lead": False}
    assert moves(round_, lambda: vote(lead), lead) == {"lead": False}
    assert moves(round_, lambda: vote(*others), lead) == {"lead": True}
    motion.refresh_from_db()
    assert moves(round_, lambda: comment(motion=motion, by=lead, text="So it is."), lead) == {"lead": True}


def test_findings_move_it_for_who_may_read_them(world, round_):
    lead, volunteer = world.lead, world.members[0]
    made = {}

    def add():
        made["finding"] = add_finding(study=world.study, text="They crash.", by=lead)

    def attach():
        made["evidence"] = attach_issue(finding=made["finding"], issue=world.issues[0], by=lead)

    only_lead = {"lead": True, "volunteer": False}
    assert moves(round_, add, lead, volunteer) == only_lead
    assert moves(
        round_, lambda: change_finding(finding=made["finding"], text="They do.", by=lead), lead, volunteer
    ) == only_lead  # fmt: skip
    assert moves(round_, attach, lead, volunteer) == only_lead
    assert moves(
        round_, lambda: remove_evidence(finding=made["finding"], number=made["evidence"].number, by=lead), lead, volunteer
    ) == only_lead  # fmt: skip
    attach()
    assert moves(round_, lambda: freeze_finding(finding=made["finding"], by=lead), lead, volunteer) == {
        "lead": True, "volunteer": True,
    }  # fmt: skip


def test_rankings_of_interviews_move_it_for_who_may_read_them(world, round_):
    lead, volunteer = world.lead, world.members[0]
    guide = factories.make_guide(
        world.study,
        lead,
        {
            "text": "All of B?", "is_ranking": True, "taxonomy": world.version.taxonomy, "level": Level.THEME,
            "under": factories.category(world.version, "B"),
        },
    )  # fmt: skip
    factories.make_audience(world.study, "U")
    session = factories.make_session(factories.make_participant(world.study, lead, "U"), lead, guide=guide)
    places = {factories.category(world.version, code).pk: place for code, place in (("B.1", 1), ("B.2", 2))}

    def rank(places):
        record_ranking(session=session, question=Question.objects.get(), places=places, by=lead)

    assert moves(round_, lambda: rank(places), lead, volunteer) == {"lead": True, "volunteer": False}
    assert Ranking.objects.count() == 1
    assert moves(round_, lambda: rank({}), lead, volunteer) == {"lead": True, "volunteer": False}
