"""Evidence: what it is now for whom, what changed since, what may not be shown."""

from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from findings.actions.evidence import (
    attach_issue,
    attach_number,
    attach_quote,
    attach_ranking,
    confirm_evidence,
    remove_evidence,
)
from findings.actions.findings import add_finding, freeze_finding, thaw_finding
from findings.errors import EvidenceHidden, EvidenceMissing, FindingFrozen, FindingRefused
from findings.models import Evidence
from findings.queries.evidence import common_quotes
from findings.queries.findings import finding_line, finding_lines
from interviews.actions.erasing import erase_participant
from interviews.actions.settling import undo_settlement
from interviews.actions.transcripts import correct_transcript
from interviews.models import Coding, Consent, Quote, Session
from interviews.queries.codebooks import settled_book
from interviews.queries.pseudonyms import Spoken
from interviews.queries.reconciling import items_of
from interviews.queries.sessions import newest_transcript
from reports.agreement_report import BY, agreement_report
from reports.formats.tables import number
from taxonomy.models import Level
from tests.factories.interviews import make_participant, make_session, make_transcript
from tests.findings.world import KAPPA, FindingWorld, finding_world, rank
from tests.interviews.coding import quote, reveal
from tests.kept import kept
from tests.long import only_long

pytestmark = pytest.mark.django_db


@kept
def world() -> FindingWorld:
    return finding_world()


def kappa(world, digits: int = 3) -> str:
    found = agreement_report(world.round, level=Level.THEME, by=BY).overall
    return number(found.coefficients["fleiss_kappa"].value, digits)


def states(world, finding, member=None) -> list[str]:
    return [one.state for one in finding_line(finding, member or world.lead).evidence]


def text(world, finding, member=None) -> str:
    return finding_line(finding, member or world.lead).text


def test_each_kind_says_what_it_is_with_its_source_and_codes(world):
    line = finding_line(world.finding(), world.lead)
    assert line.text == f"Kappa is {kappa(world)}; developers say “models”."
    shown = [
        (one.evidence.kind, one.live.source, one.live.content.partition(" [")[0], one.live.codes)
        for one in line.evidence
    ]
    issue = world.base.issues[2]
    assert shown == [
        ("number", f"{world.round.name}, theme: All issues: Fleiss’ kappa", kappa(world), ()),
        ("quote", "U1, 2025-05-06, turn 2", "models", ("A.1",)),
        (
            "issue",
            f"{issue.repository.path}#{issue.number}, {world.round.name}",
            issue.current.title if issue.current else issue.url,
            ("A.1",),
        ),
        (
            "ranking",
            "Guide v1: Question 0?",
            "mean rank where ranked 1.00; ranked by 1 of 1; 1 in the first 1",
            ("A",),
        ),
    ]
    assert [one.state for one in line.evidence] == ["same"] * 4
    assert not line.is_changed


@only_long
def test_a_number_is_live_until_the_finding_is_frozen_and_a_change_is_told_in_both(world):
    finding, frozen = world.finding(), world.finding()
    before = kappa(world)
    freeze_finding(finding=frozen, by=world.lead)
    session = make_session(make_participant(world.study, world.lead), world.lead)
    rank(world.base, session, world.question, "B", "A")
    for member, code in zip(world.base.members, ("A.1", "B.1", "B.1"), strict=True):
        world.base.submit(world.round, world.base.issues[3], member, code)
    after = kappa(world)
    assert before != after
    live, kept_ = finding_line(finding, world.lead), finding_line(frozen, world.lead)
    assert (live.text, kept_.text) == (
        f"Kappa is {after}; developers say “models”.",
        f"Kappa is {before}; developers say “models”.",
    )
    assert [one.state for one in live.evidence] == ["changed", "same", "same", "changed"]
    assert [one.state for one in kept_.evidence] == ["changed", "same", "same", "changed"]
    assert [one.was for one in live.evidence] == [before, "", "", "1.00"]
    assert (live.evidence[3].shown, kept_.evidence[3].shown) == ("1.50", "1.00")
    assert (live.changed, kept_.changed) == (2, 2)

    assert confirm_evidence(finding=finding, by=world.lead) == 2
    assert states(world, finding) == ["same"] * 4
    with pytest.raises(FindingFrozen):
        confirm_evidence(finding=frozen, by=world.lead)
    thaw_finding(finding=frozen, by=world.lead)
    assert text(world, frozen) == f"Kappa is {after}; developers say “models”."
    assert states(world, frozen) == ["changed", "same", "same", "changed"]


def test_a_decision_that_changes_changes_the_evidence(world):
    finding = world.finding("The issue is {3}.")
    assert text(world, finding) == "The issue is A.1."
    world.base.settle(world.round, world.base.issues[2], "C.9", seen=1)
    line = finding_line(finding, world.lead)
    assert line.text == "The issue is C.9."
    assert (line.evidence[2].state, line.evidence[2].was) == ("changed", "A.1")


def test_a_quote_without_a_decision_on_issues_needs_no_round(world):
    finding = add_finding(study=world.study, text="See {1}.", by=world.lead)
    issue = world.base.issues[1]
    attach_issue(finding=finding, issue=issue, by=world.lead)
    line = finding_line(finding, world.viewer)
    assert line.text == f"See {issue.repository.path}#{issue.number}."
    assert line.evidence[0].live.codes == ()


def test_consent_to_quoting_is_asked_at_each_reading(world):
    finding = world.finding()
    Consent.objects.filter(pk=world.consent.pk).update(withdrawn_on="2025-06-01")
    line = finding_line(finding, world.lead)
    assert line.text == f"Kappa is {kappa(world)}; developers say [not to be quoted]."
    assert (line.evidence[1].state, line.evidence[1].live.content, line.evidence[1].live.codes) == (
        "silent",
        "",
        (),
    )
    assert exported(world) == 0
    with pytest.raises(EvidenceMissing):
        freeze_finding(finding=finding, by=world.lead)
    other = add_finding(study=world.study, text="x", by=world.lead)
    with pytest.raises(FindingRefused, match="permits quoting"):
        attach_quote(finding=other, quote=world.quote, by=world.lead)
    text_ = world.consent.text
    Consent.objects.create(
        participant=world.participant,
        text=text_,
        given_on="2025-07-01",
        permits=["share"],
        recorded_by=world.lead,
    )
    assert (states(world, finding)[1], exported(world)) == ("silent", 0)
    Consent.objects.create(
        participant=world.participant,
        text=text_,
        given_on="2025-07-02",
        permits=["quote"],
        recorded_by=world.lead,
    )
    assert (states(world, finding)[1], exported(world)) == ("same", 1)


def exported(world: FindingWorld) -> int:
    """How many quotes the codebook of the interviews has: it asks the same consents as the findings."""
    return len(settled_book(world.study, world.lead).rows)


def test_only_settled_quotes_of_revealed_interviews_are_evidence(world):
    session = make_session(make_participant(world.study, world.lead), world.lead)
    make_transcript(session, world.lead)
    Consent.objects.create(
        participant=session.participant,
        text=world.consent.text,
        given_on="2025-07-02",
        permits=["quote"],
        recorded_by=world.lead,
    )
    blind = Coding.objects.create(session=session, version=world.base.version, opened_by=world.lead)
    for coder in world.base.members[:2]:
        blind.coders.create(member=coder)
    own = quote(blind, world.base.members[0], "night", "C.9")
    quote(blind, world.base.members[1], "night", "C.9")
    finding = add_finding(study=world.study, text="x", by=world.lead)
    with pytest.raises(FindingRefused, match="Only settled quotes"):
        attach_quote(finding=finding, quote=own, by=world.lead)
    reveal(blind)
    with pytest.raises(FindingRefused, match="Only settled quotes"):
        attach_quote(finding=finding, quote=own, by=world.lead)
    attach_quote(finding=finding, quote=Quote.objects.get(coding=blind, coder=None), by=world.lead)
    # A viewer reads an interview once its coding is settled.
    assert [states(world, finding, one) for one in (world.volunteer, world.viewer)] == [["same"], ["hidden"]]
    assert finding_line(finding, world.viewer).evidence[0].live.source == "a quote"


def test_a_quote_whose_settlement_is_undone_is_gone(world):
    finding = world.finding()
    Coding.objects.filter(pk=world.coding.pk).update(settled_at=None, settled_by=None)
    [item] = items_of(world.coding, newest_transcript(world.session))
    undo_settlement(coding=world.coding, keys=item.keys, by=world.lead)
    line = finding_line(finding, world.lead)
    assert line.evidence[1].state == "gone"
    assert line.text.endswith("developers say [no longer there].")


def test_a_quote_follows_the_corrected_transcript(world):
    finding = world.finding()
    turns = [
        Spoken(one.speaker, one.text.replace("We train", "We often train"), one.begins)
        for one in world.session.transcripts.get().turns.order_by("position")
    ]
    correct_transcript(session=world.session, turns=turns, note="heard again", by=world.lead)
    line = finding_line(finding, world.lead)
    assert (line.evidence[1].state, line.evidence[1].live.content) == ("same", "models")


def test_a_quote_whose_words_were_corrected_is_no_longer_there(world):
    finding = world.finding()
    turns = [
        Spoken(one.speaker, one.text.replace("models", "modems"), one.begins)
        for one in world.session.transcripts.get().turns.order_by("position")
    ]
    correct_transcript(session=world.session, turns=turns, note="heard again", by=world.lead)
    line = finding_line(finding, world.lead)
    assert (line.evidence[1].state, line.evidence[1].live.content, line.is_changed) == ("gone", "", True)
    assert line.text.endswith("developers say [no longer there].")
    assert common_quotes(world.lead, world.study.pk) == []


def test_a_participant_who_was_interviewed_twice_counts_once_with_the_later_answer(world):
    finding = world.finding()
    earlier = make_session(world.participant, world.lead, guide=world.question.part.guide)
    Session.objects.filter(pk=earlier.pk).update(held_on=world.session.held_on - timedelta(days=9))
    rank(world.base, earlier, world.question, "B", "A")
    told = finding_line(finding, world.lead).evidence[3]
    assert (told.state, told.live.content) == (
        "same",
        "mean rank where ranked 1.00; ranked by 1 of 1; 1 in the first 1",
    )


def test_an_erasure_leaves_no_word_in_findings(world):
    finding = world.finding("Kappa is {1}; developers say {2}.", note="canarynote")
    erase_participant(participant=world.participant, by=world.lead)
    line = finding_line(finding, world.lead)
    assert line.text == f"Kappa is {kappa(world)}; developers say [erased]."
    kept_ = Evidence.objects.get(finding=finding, number=2)
    assert (line.evidence[1].state, kept_.note, kept_.noted) == ("erased", "", {})
    assert "models" not in str(list(Evidence.objects.values()))


def test_evidence_is_hidden_from_who_still_labels_its_issues(world):
    finding = world.finding("Kappa is {1}, the issue is {3}.")
    other = world.finding("Only {1}.")
    volunteer = world.base.members[1]
    freeze_finding(finding=finding, by=world.lead)
    assert text(world, finding, volunteer) == f"Kappa is {kappa(world)}, the issue is A.1."
    world.base.waits_for(volunteer, world.base.issues[2])
    assert states(world, finding, volunteer) == ["hidden", "same", "hidden", "same"]
    assert text(world, finding, volunteer) == "Kappa is [hidden from you], the issue is [hidden from you]."
    # That it changed is hidden, too.
    world.base.settle(world.round, world.base.issues[2], "C.9", seen=1)
    assert states(world, finding, volunteer) == ["hidden", "same", "hidden", "same"]
    assert states(world, finding, world.viewer)[2] == "changed"
    world.base.waits_for(world.lead, world.base.issues[2])
    with pytest.raises(EvidenceHidden):
        freeze_finding(finding=other, by=world.lead)
    fresh = add_finding(study=world.study, text="x", by=world.lead)
    with pytest.raises(EvidenceHidden):
        attach_number(
            finding=fresh,
            round_=world.round,
            level="type",
            figure=["groups", "all", "fleiss_kappa"],
            by=world.lead,
        )
    assert not fresh.evidence.exists()


def test_a_ranking_is_hidden_from_who_cannot_read_all_of_its_interviews(world):
    finding = world.finding()
    assert states(world, finding, world.viewer) == ["same"] * 4
    session = make_session(make_participant(world.study, world.lead), world.lead)
    rank(world.base, session, world.question, "A", "B")
    assert states(world, finding, world.viewer)[3] == "hidden"
    assert states(world, finding)[3] == "changed"


def test_evidence_that_is_not_there_or_twice_is_refused(world):
    finding = world.finding()
    own = {"finding": finding, "by": world.lead}
    with pytest.raises(FindingRefused, match="already attached"):
        attach_quote(quote=world.quote, **own)
    with pytest.raises(FindingRefused, match="no such number"):
        attach_number(round_=world.round, level="theme", figure=["groups", "all", "magic"], **own)
    with pytest.raises(FindingRefused, match="Nobody ranked"):
        attach_ranking(question=world.question, category=world.category("C"), **own)
    other = finding_world()
    with pytest.raises(FindingRefused, match="no such issue"):
        attach_issue(issue=other.base.issues[0], **own)
    with pytest.raises(FindingRefused, match="no such number"):
        attach_number(round_=other.round, level="theme", figure=KAPPA, **own)
    with pytest.raises(FindingRefused, match="no such ranking"):
        attach_ranking(question=other.question, category=world.category("A"), **own)
    with pytest.raises(FindingRefused, match="settled quotes"):
        attach_quote(quote=other.quote, **own)
    with pytest.raises(PermissionDenied):
        attach_issue(finding=finding, issue=world.base.issues[1], by=world.volunteer)
    assert finding.evidence.count() == 4


def test_removed_evidence_keeps_its_number_and_comes_back(world):
    finding = world.finding()
    remove_evidence(finding=finding, number=2, by=world.lead)
    line = finding_line(finding, world.lead)
    assert [one.number for one in line.evidence] == [1, 3, 4]
    assert line.text == f"Kappa is {kappa(world)}; developers say {{2}}."
    with pytest.raises(EvidenceMissing):
        freeze_finding(finding=finding, by=world.lead)
    again = attach_quote(finding=finding, quote=world.quote, by=world.lead)
    assert again.number == 5
    remove_evidence(finding=finding, number=5, by=world.lead)
    remove_evidence(finding=finding, number=2, by=world.lead, back=True)
    freeze_finding(finding=finding, by=world.lead)
    with pytest.raises(FindingFrozen):
        remove_evidence(finding=finding, number=2, by=world.lead)


def test_the_shell_reads_all_that_may_be_quoted(world):
    world.finding()
    world.base.waits_for(world.lead, world.base.issues[2])
    [line] = finding_lines(world.study, None)
    assert [one.state for one in line.evidence] == ["same"] * 4
    Consent.objects.filter(pk=world.consent.pk).update(withdrawn_on=timezone.now().date())
    [line] = finding_lines(world.study, None)
    assert [one.state for one in line.evidence] == ["same", "silent", "same", "same"]
