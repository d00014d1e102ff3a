"""Freezing an agreement report: what it keeps, who may, what is refused."""

import hashlib
import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from annotate.actions.rounds import close_round
from consensus.actions.decisions import reopen
from core.version import version
from reports.actions.frozen import freeze_report
from reports.agreement_report import agreement_report
from reports.errors import FreezeRefused, ReportHeldBack
from reports.exports import labels_csv
from reports.formats.json_report import report_as_dict
from reports.frozen.document import NumberChange, difference, inputs_hash, is_altered
from reports.models import FrozenReport
from rounds import errors
from studies.models import Event, Role
from taxonomy.models import Level
from tests import factories
from tests.kept import kept
from tests.worlds.parted import give_labels

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=4)]


@kept
def round_(world):
    """Two unanimous issues, C.1 and C.2, and a disagreement; one is not complete."""
    made = world.round()
    give_labels(world, made, "C.1 C.1 C.1", "C.2 C.2 C.2", "C.1 C.1 C.2", "C.1 - -")
    return made


def test_it_keeps_the_numbers_of_every_level_that_has_categories(world, round_):
    frozen = freeze_report(round_=round_, by=world.lead, name="  Submission   to a journal ")

    kept = json.loads(frozen.document)
    assert (frozen.name, frozen.issues, frozen.frozen_by) == ("Submission to a journal", 3, world.lead)
    assert {name: kept[name] for name in kept if name not in ("levels", "inputs", "frozen_at")} == {
        "name": "Submission to a journal", "study": world.study.slug, "round": round_.name, "kind": "main",
        "frozen_by": "Lead", "taxonomy": world.version.taxonomy.name, "version": 1, "crosscheck": version(),
        "issues": 3,
    }  # fmt: skip
    assert kept["frozen_at"] == frozen.frozen_at.isoformat()
    assert version() == frozen.code_version == "0.1.0"
    for name, level in (("type", Level.TYPE), ("theme", Level.THEME), ("sub-theme", Level.SUB_THEME)):
        now = report_as_dict(agreement_report(round_, level=level, by=[["type"], ["repository"], ["month"]]))
        then = kept["levels"][name]
        assert {**then, "as_of": ""} == {**json.loads(json.dumps(now)), "as_of": ""}
        assert then["as_of"] == kept["frozen_at"]
    # 3 issues of 3: 1, 1 and 1/3 agree; shares 5/9 and 4/9: (7/9 - 41/81) / (40/81) = 22/40.
    found = kept["levels"]["theme"]["groups"][0]["coefficients"]
    assert found["fleiss_kappa"]["value"] == pytest.approx(22 / 40)
    event = Event.objects.get(verb="reports.frozen")
    # No hash: the audit is read by leads who still have to label some of it.
    assert (event.by, event.detail) == (
        world.lead.user,
        {"round": round_.name, "report": "Submission to a journal"},
    )


def test_the_hash_is_that_of_labels_long_csv_and_moves_with_labels_and_decisions(world, round_):
    def file() -> str:
        return hashlib.sha256(b"".join(labels_csv(round_, layout="long"))).hexdigest()

    hashes = [freeze_report(round_=round_, by=world.lead, name="first").inputs_hash]
    assert hashes == [file()] == [inputs_hash(round_)]
    assert freeze_report(round_=round_, by=world.lead, name="again").inputs_hash == hashes[0]

    decision = world.settle(round_, world.issues[2], "C.1")
    hashes.append(inputs_hash(round_))
    world.settle(round_, world.issues[2], "C.2", seen=decision.number)
    hashes.append(inputs_hash(round_))
    # A label that is not revealed is nobody's to see, in a hash neither.
    world.submit(round_, world.issues[3], world.members[1], "C.1")
    assert inputs_hash(round_) == hashes[-1]
    world.submit(round_, world.issues[3], world.members[2], "C.9")
    hashes.append(inputs_hash(round_))
    assert len(set(hashes)) == 4
    assert hashes[-1] == file()


def test_nothing_changed_and_then_what_did(world, round_):
    frozen = freeze_report(round_=round_, by=world.lead, name="then")
    found = difference(frozen)
    assert (found.count, found.issues_added) == (0, 0)
    # What goes on around it is no difference: a label of an issue that is not complete.
    world.submit(round_, world.issues[3], world.members[1], "C.1")
    assert difference(frozen).count == 0

    world.settle(round_, world.issues[2], "C.2")
    found = difference(frozen)
    assert found.issues_added == 0
    by_key = {(one.part, one.of, one.name): (one.then, one.now, one.change) for one in found.levels["theme"]}
    assert by_key["groups", "type C", "issues"] == (2, 3, 1)
    assert by_key["left-out", "type C", "undecided_issues"] == (1, None, None)
    kappa = by_key["groups", "type C", "fleiss_kappa"]
    assert kappa == pytest.approx((1.0, 22 / 40, 22 / 40 - 1))
    assert by_key["volunteers", "R1", "decision_issues"] == (2, 3, 1)
    assert not [key for key in by_key if key[:2] == ("groups", "all")]
    assert set(found.levels) == {"type", "theme", "sub-theme"}

    world.submit(round_, world.issues[3], world.members[2], "C.1")
    found = difference(frozen)
    by_key = {(one.part, one.of, one.name): (one.then, one.now) for one in found.levels["theme"]}
    assert found.issues_added == 1
    assert by_key["groups", "all", "issues"] == (3, 4)
    assert by_key["splits", "3", "issues"] == (2, 3)
    assert by_key["categories", "C.1", "labels"] == (5, 8)


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ("groups", True), ("intervals", True), ("benchmark", True), ("weighted", False), ("left-out", False),
        ("intra-rater", False),
    ],
)  # fmt: skip
def test_numbers_of_labels_and_decisions_alone_can_be_altered(world, round_, part, told):
    frozen = freeze_report(round_=round_, by=world.lead, name="then")
    one = NumberChange(part, "all", "value", 1.0, 2.0)
    assert is_altered(frozen, [one], frozen.issues) is told
    assert not is_altered(frozen, [one], frozen.issues + 1)
    world.settle(round_, world.issues[2], "C.2")
    assert not is_altered(frozen, [one], frozen.issues)


def test_a_decision_taken_back_is_no_difference_any_more(world, round_):
    frozen = freeze_report(round_=round_, by=world.lead, name="then")
    decision = world.settle(round_, world.issues[2], "C.2")
    assert difference(frozen).count > 0
    reopen(
        round_=round_, issue=world.issues[2], by=world.lead, why="Read again.", seen_number=decision.number
    )
    assert difference(frozen).count == 0
    assert inputs_hash(round_) == frozen.inputs_hash


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "Enter a name for the report."),
        (" \t", "Enter a name for the report."),
        ("x" * 121, "longer than 120"),
        ("taken", "already"),
        ("TAKEN", "already"),
    ],
)
@pytest.mark.slow(cases=2)
def test_names_that_are_none(world, round_, name, said):
    freeze_report(round_=round_, by=world.lead, name="Taken")
    with pytest.raises(FreezeRefused, match=said) as refusal:
        freeze_report(round_=round_, by=world.lead, name=name)
    assert refusal.value.field == "name"
    assert FrozenReport.objects.count() == 1
    assert Event.objects.filter(verb="reports.frozen").count() == 1
    freeze_report(round_=round_, by=world.lead, name="x" * 120)
    other = world.round()
    give_labels(world, other, "C.1 C.1 C.1")
    assert freeze_report(round_=other, by=world.lead, name="Taken").round == other


def test_a_round_that_was_closed_since_it_was_read_is_frozen_as_closed(world, round_):
    """The label of the incomplete issue is revealed by then: the file of the package has it, and so the hash."""
    close_round(round_=world.study.rounds.get(), by=world.lead)
    frozen = freeze_report(round_=round_, by=world.lead, name="Closed")
    lines = b"".join(labels_csv(world.study.rounds.get(), layout="long"))
    assert (lines.count(b"\n"), frozen.inputs_hash) == (11, hashlib.sha256(lines).hexdigest())
    assert frozen.issues == 3


def test_a_round_without_a_complete_issue_has_nothing_to_freeze(world):
    made = world.round()
    give_labels(world, made, "C.1 C.1 -")
    with pytest.raises(FreezeRefused, match="there is no report to freeze"):
        freeze_report(round_=made, by=world.lead, name="Too soon")
    assert not FrozenReport.objects.exists()


@pytest.mark.parametrize(
    ("role", "may"), [(Role.OWNER, True), (Role.LEAD, True), (Role.VOLUNTEER, False), (Role.VIEWER, False)]
)
def test_owner_and_leads_freeze(world, round_, role, may):
    member = factories.make_member(world.study, role, pseudonym="X")
    elsewhere = factories.make_member(factories.make_study(), Role.OWNER)
    if may:
        assert freeze_report(round_=round_, by=member, name="Mine").frozen_by == member
    else:
        with pytest.raises(errors.NotAllowed):
            freeze_report(round_=round_, by=member, name="Mine")
    with pytest.raises(errors.NotAllowed):
        freeze_report(round_=round_, by=elsewhere, name="Theirs")


def test_who_still_has_to_label_some_of_it_elsewhere_cannot_freeze_and_hears_how_many(world, round_):
    world.waits_for(world.lead, world.issues[0], world.issues[2])
    with pytest.raises(ReportHeldBack, match="2 issues of this round are hidden"):
        freeze_report(round_=round_, by=world.lead, name="Mine")
    assert not FrozenReport.objects.exists()
    owner = factories.make_member(world.study, Role.OWNER, pseudonym="O")
    assert freeze_report(round_=round_, by=owner, name="Mine").issues == 3


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE reports_frozenreport SET name = 'Better'",
        "UPDATE reports_frozenreport SET document = '{}'",
        "UPDATE reports_frozenreport SET frozen_at = now()",
        "DELETE FROM reports_frozenreport",
    ],
)
def test_a_frozen_report_stays(world, round_, statement):
    freeze_report(round_=round_, by=world.lead, name="Then")
    before = list(FrozenReport.objects.values())
    with pytest.raises(DatabaseError, match="Cannot"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert list(FrozenReport.objects.values()) == before


def test_the_command_freezes_for_nobody_and_says_the_hash(world, round_):
    world.waits_for(world.lead, world.issues[0])
    out = io.StringIO()
    command = ["freeze_report", "--study", world.study.slug, "--round", round_.name, "--name", "By hand"]
    call_command(*command, stdout=out)
    frozen = FrozenReport.objects.get()
    assert out.getvalue() == f"By hand: 3 issues, labels_long.csv {frozen.inputs_hash}\n"
    assert frozen.frozen_by is None
    assert json.loads(frozen.document)["frozen_by"] is None
    assert Event.objects.get(verb="reports.frozen").by is None
    with pytest.raises(CommandError, match="already"):
        call_command(*command)
