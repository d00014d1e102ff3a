"""Findings are frozen, edited and erased from at the same moment: real threads, a real PostgreSQL."""

from collections import Counter
from functools import partial

import pytest

from findings.actions.evidence import attach_quote, remove_evidence
from findings.actions.findings import add_finding, change_finding, freeze_finding, move_finding
from findings.errors import FindingFrozen
from findings.models import Evidence, Finding
from interviews.actions.erasing import erase_participant
from interviews.models import Quote
from studies.models import Event
from tests.factories.interviews import make_participant, make_session, make_transcript
from tests.findings.world import FindingWorld, finding_world
from tests.interviews.coding import quote, reveal
from tests.long import only_long
from tests.races import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

TIMES = 5


@pytest.fixture
def world() -> FindingWorld:
    return finding_world()


def finding(world: FindingWorld, text: str = "They say so.") -> Finding:
    made = add_finding(study=world.study, text=text, by=world.lead)
    attach_quote(finding=made, quote=world.quote, by=world.lead)
    return made


@only_long
def test_two_people_freeze_at_the_same_moment_and_one_did(world):
    for number in range(1, TIMES + 1):
        made = finding(world)
        ended = at_once(*(partial(freeze_finding, finding=made, by=one) for one in (world.owner, world.lead)))
        assert [type(one) for one in ended] == [Finding, Finding]
        made.refresh_from_db()
        assert {(one.frozen_at, one.frozen_by_id) for one in ended} == {(made.frozen_at, made.frozen_by_id)}
        assert Event.objects.filter(study=world.study, verb="findings.frozen").count() == number


@only_long
def test_what_is_changed_while_a_finding_is_frozen_is_in_it_or_refused(world):
    seen: Counter[str] = Counter()
    for _time in range(TIMES):
        made = finding(world)
        frozen, edited, removed = at_once(
            partial(freeze_finding, finding=made, by=world.owner),
            partial(change_finding, finding=made, text="They said so.", by=world.lead),
            partial(remove_evidence, finding=made, number=1, by=world.lead),
        )
        assert isinstance(frozen, Finding)
        made.refresh_from_db()
        refused = isinstance(edited, FindingFrozen)
        assert refused or isinstance(edited, Finding)
        assert made.text == ("They say so." if refused else "They said so.")
        kept = isinstance(removed, FindingFrozen)
        assert kept or removed is None
        assert (made.evidence.get().removed_at is None) is kept
        seen[f"{refused} {kept}"] += 1
    assert seen.total() == TIMES


@only_long
def test_findings_that_are_added_and_moved_at_the_same_moment_have_a_place_each(world):
    first = add_finding(study=world.study, text="0", by=world.lead)
    for number in range(TIMES):
        ended = at_once(
            partial(add_finding, study=world.study, text=f"a{number}", by=world.owner),
            partial(add_finding, study=world.study, text=f"b{number}", by=world.lead),
            partial(move_finding, finding=first, to=1 if number % 2 else 99, by=world.lead),
        )
        assert [type(one) for one in ended] == [Finding] * 3
    places = Finding.objects.filter(study=world.study).values_list("position", flat=True)
    assert sorted(places) == list(range(1, 2 * TIMES + 2))


def test_who_is_erased_while_a_quote_is_noted_leaves_no_trace_of_the_quote(world):
    for _time in range(TIMES):
        participant = make_participant(world.study, world.lead)
        world.consent.pk, world.consent.participant = None, participant
        world.consent.save()
        session = make_session(participant, world.lead)
        make_transcript(session, world.lead)
        coding = world.coding.__class__.objects.create(
            session=session, version=world.base.version, opened_by=world.lead
        )
        for coder in world.base.members[:2]:
            coding.coders.create(member=coder)
            quote(coding, coder, "models", "A.1")
        reveal(coding)
        common = Quote.objects.get(coding=coding, coder=None)
        made, fresh = (add_finding(study=world.study, text="x", by=world.lead) for _one in range(2))
        attach_quote(finding=made, quote=common, by=world.lead)
        at_once(
            partial(erase_participant, participant=participant, by=world.lead),
            partial(freeze_finding, finding=made, by=world.owner),
            partial(attach_quote, finding=fresh, quote=common, by=world.owner, note="what they said"),
        )
        assert {(str(one.noted), one.note) for one in Evidence.objects.filter(quote=common)} == {("{}", "")}
