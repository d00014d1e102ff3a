"""Findings: written, ordered, frozen, deleted and brought back; and the files of them."""

import csv
import io

import pytest
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, transaction
from django.db.utils import IntegrityError

from findings.actions.findings import (
    add_finding,
    change_finding,
    delete_finding,
    freeze_finding,
    move_finding,
    restore_finding,
    thaw_finding,
)
from findings.errors import FindingChanged, FindingFrozen, FindingRefused
from findings.files import COLUMNS, findings_csv, findings_markdown
from findings.models import Evidence, Finding
from findings.queries.findings import finding_lines
from interviews.actions.identities import name_participant
from studies.models import Event
from tests.findings.world import FindingWorld, finding_world
from tests.kept import kept

pytestmark = pytest.mark.django_db


@kept
def world() -> FindingWorld:
    return finding_world()


def order(world, member=None) -> list[tuple[int, str]]:
    return [(one.number, one.text) for one in finding_lines(world.study, member or world.lead)]


def add(world, *texts: str) -> list[Finding]:
    return [add_finding(study=world.study, text=text, by=world.lead) for text in texts]


def test_findings_are_numbered_by_their_order(world):
    one, two, three = add(world, "one", "two", "three")
    assert order(world) == [(1, "one"), (2, "two"), (3, "three")]
    move_finding(finding=three, to=1, by=world.lead)
    assert order(world) == [(1, "three"), (2, "one"), (3, "two")]
    move_finding(finding=three, to=99, by=world.lead)
    assert order(world) == [(1, "one"), (2, "two"), (3, "three")]
    delete_finding(finding=one, by=world.lead)
    assert order(world) == [(1, "two"), (2, "three")]
    with pytest.raises(FindingRefused, match="is deleted"):
        move_finding(finding=one, to=1, by=world.lead)
    with pytest.raises(FindingRefused, match="is deleted"):
        change_finding(finding=one, text="x", by=world.lead)
    restore_finding(finding=one, by=world.lead)
    restore_finding(finding=one, by=world.lead)
    assert order(world) == [(1, "two"), (2, "three"), (3, "one")]
    verbs = Event.objects.filter(verb__startswith="findings.").order_by("pk")
    assert list(verbs.values_list("verb", flat=True)) == [
        *["findings.added"] * 3, "findings.moved", "findings.moved", "findings.deleted", "findings.restored",
    ]  # fmt: skip
    assert two.text not in str(list(verbs.values_list("detail", flat=True)))


def test_a_text_that_somebody_else_changed_is_not_overwritten(world):
    [finding] = add(world, "one")
    change_finding(finding=finding, text=" first\r\nagain ", by=world.lead, revision=1)
    with pytest.raises(FindingChanged):
        change_finding(finding=finding, text="second", by=world.owner, revision=1)
    change_finding(finding=finding, text="first\nagain", by=world.owner, revision=1)  # nothing to overwrite
    assert order(world) == [(1, "first\nagain")]
    change_finding(finding=finding, text="third", by=world.owner, revision=2)
    assert order(world) == [(1, "third")]


@pytest.mark.parametrize("text", ["", "  \n", "a\0b", "\ud800", "x" * 4_001])
def test_a_text_that_cannot_be_stored_is_refused(world, text):
    with pytest.raises(FindingRefused):
        add_finding(study=world.study, text=text, by=world.lead)
    assert order(world) == []


def test_a_listed_name_is_refused_and_makes_no_file(world):
    [finding] = add(world, "Ann Canaryova says so")
    name_participant(participant=world.participant, name="Ann Canaryova", contact="", by=world.lead)
    with pytest.raises(FindingRefused, match="Use the pseudonym") as refused:
        change_finding(finding=finding, text="As ann canaryova says", by=world.lead)
    assert "anary" not in str(refused.value.message)
    lines = finding_lines(world.study, world.lead)
    with pytest.raises(FindingRefused, match="no file was made"):
        findings_csv(lines, world.study.pk)
    with pytest.raises(FindingRefused, match="no file was made"):
        findings_markdown(lines, world.study.pk)
    change_finding(finding=finding, text="U1 says so", by=world.lead)
    assert "U1 says so" in findings_markdown(finding_lines(world.study, world.lead), world.study.pk)


def test_a_frozen_finding_stays(world):
    finding = world.finding("Kappa is {1}.")
    freeze_finding(finding=finding, by=world.lead)
    freeze_finding(finding=finding, by=world.owner)  # twice changes nothing
    finding.refresh_from_db()
    assert finding.frozen_by == world.lead
    with pytest.raises(FindingFrozen):
        change_finding(finding=finding, text="x", by=world.lead)
    with pytest.raises(FindingFrozen):
        delete_finding(finding=finding, by=world.lead)
    with pytest.raises(DatabaseError), transaction.atomic():
        Finding.objects.filter(pk=finding.pk).update(text="x")
    with pytest.raises(IntegrityError), transaction.atomic():
        Finding.objects.filter(pk=finding.pk).update(frozen_by=None)
    with pytest.raises(IntegrityError), transaction.atomic():
        Evidence.objects.filter(finding=finding, kind="number").update(level="")
    thaw_finding(finding=finding, by=world.lead)
    change_finding(finding=finding, text="x", by=world.lead)


def test_only_owners_and_leads_write_and_others_read_what_is_frozen(world):
    draft, frozen = add(world, "draft", "frozen")
    freeze_finding(finding=frozen, by=world.lead)
    for member in (world.volunteer, world.viewer, world.model, world.stranger):
        for act in (
            lambda by: add_finding(study=world.study, text="x", by=by),
            lambda by: change_finding(finding=draft, text="x", by=by),
            lambda by: move_finding(finding=draft, to=1, by=by),
            lambda by: delete_finding(finding=draft, by=by),
            lambda by: restore_finding(finding=draft, by=by),
            lambda by: freeze_finding(finding=draft, by=by),
            lambda by: thaw_finding(finding=frozen, by=by),
        ):
            with pytest.raises(PermissionDenied):
                act(member)
    assert order(world, world.owner) == [(1, "draft"), (2, "frozen")]
    assert order(world, world.volunteer) == order(world, world.viewer) == [(2, "frozen")]


def test_the_files_hold_the_chain_as_the_reader_may_see_it(world):
    world.finding("Kappa is {1}; developers say {2}.", note="=why")
    add(world, "bare")
    lines = finding_lines(world.study, world.lead)
    rows = list(csv.reader(io.StringIO(b"".join(findings_csv(lines, world.study.pk)).decode())))
    assert tuple(rows[0]) == COLUMNS
    kappa = lines[0].evidence[0].shown
    told = f"Kappa is {kappa}; developers say “models”."
    assert [row[:2] + row[3:5] + row[7:10] + row[11:] for row in rows[1:]] == [
        ["1", told, "1", "number", lines[0].evidence[0].live.content, "", kappa, "same", "'=why"],
        ["1", told, "2", "quote", "models", "A.1", "", "same", "'=why"],
        ["1", told, "3", "issue", lines[0].evidence[2].live.content, "A.1", "A.1", "same", "'=why"],
        ["1", told, "4", "ranking", "mean rank where ranked 1.00; ranked by 1 of 1; 1 in the first 1", "A", "1.00", "same",
         "'=why"],
        ["2", "bare", "", "", "", "", "", "", ""],
    ]  # fmt: skip
    text = findings_markdown(lines, world.study.pk)
    assert text.startswith(
        f"# Findings\n\n## Finding 1\n\n{told}\n\n1. number of a report: {world.round.name}, theme"
    )
    assert "2. settled quote: U1, 2025-05-06, turn 2 · “models” · A.1 · =why\n" in text
    assert text.endswith("## Finding 2\n\nbare")


def test_the_cost_of_the_list_does_not_grow_with_findings(world, django_assert_max_num_queries):
    world.finding()
    finding_lines(world.study, world.lead)
    with django_assert_max_num_queries(100) as one:
        finding_lines(world.study, world.lead)
    for _ in range(2):
        world.finding()
    with django_assert_max_num_queries(len(one)):
        finding_lines(world.study, world.lead)
