"""After the reveal: equal codes are settled by themselves, the rest by discussion, and who coded what stays."""

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from interviews import errors
from interviews.actions.codings import finish_coding, open_coding, reopen_coding
from interviews.actions.settling import settle_coding, settle_quotes, undo_settlement
from interviews.models import Coding, OpenCode, Quote, Settlement
from interviews.queries.coded import coded_interviews
from interviews.queries.quotes import Content
from interviews.queries.reconciling import Item, common_quotes, items_of
from studies.models import Role
from tests.factories import make_member
from tests.interviews.coding import quote, reveal, said
from tests.interviews.world import InterviewWorld, interview_world
from tests.kept import kept

pytestmark = pytest.mark.django_db


@kept
def world() -> InterviewWorld:
    return interview_world()


@pytest.fixture
def coding(world) -> Coding:
    return open_coding(
        session=world.session, version=world.version, coders=[world.coder, world.other], by=world.lead
    )


def items(coding: Coding) -> list[Item]:
    return items_of(coding, coding.session.transcripts.get())


def common(coding: Coding) -> list[tuple[str, tuple[str, ...]]]:
    lines = common_quotes(coding, coding.session.transcripts.get())
    return [(line.text, line.content.codes + line.content.open_codes) for line in lines]


def keys(item: Item) -> list[str]:
    return [one.key for one in item.quotes]


def test_quotes_that_overlap_with_equal_codes_are_settled_as_their_union(world, coding):
    quote(coding, world.coder, "We train models", "A.1", "night work", strength=2)
    quote(coding, world.other, "models at night", "A.1", "NIGHT work", strength=3, memo="mine")
    quote(coding, world.coder, "The memory", "C.9")
    quote(coding, world.other, "memory runs out", "A.1", "C.9")
    quote(coding, world.coder, "often", "A.1")
    coding = reveal(coding)
    assert common(coding) == [("We train models at night", ("A.1", "night work"))]
    row = Settlement.objects.get()
    assert (row.method, row.by, row.quote.memo, row.quote.strength) == ("equal", None, "", None)
    assert sorted(row.sources.values_list("coder__member__pseudonym", flat=True)) == ["R3", "R4"]
    assert [(item.is_open, [one.by for one in item.quotes]) for item in items(coding)] == [
        (False, ["R3", "R4"]),
        (True, ["R3", "R4"]),
        (True, ["R3"]),
    ]
    assert OpenCode.objects.count() == 2  # the common quote has that of a coder


@pytest.mark.parametrize("gone", [{"left_at": timezone.now()}, {"role": Role.VIEWER}])
def test_nobody_waits_for_a_coder_who_cannot_code_any_more(world, gone):
    third = make_member(world.study, pseudonym="R9")
    coders = [world.coder, world.other, third]
    coding = open_coding(session=world.session, version=world.version, coders=coders, by=world.lead)
    quote(coding, third, "We train models", "C.9")
    quote(coding, third, "memory runs out, often", "C.9")
    quote(coding, world.coder, "The memory", "A.1")
    quote(coding, world.other, "memory runs out", "A.1")
    type(third).objects.filter(pk=third.pk).update(**gone)
    for member in (world.coder, world.other):
        coding = finish_coding(coding=coding, member=member)
    assert coding.revealed_at is not None
    assert common(coding) == [("The memory runs out", ("A.1",))]
    assert [item.is_open for item in items(coding)] == [True, False]  # what the third has alone is discussed
    [found] = coded_interviews(Coding.objects.filter(pk=coding.pk))
    assert (found.coders, {one.by for one in found.quotes}) == (("R3", "R4"), {"R3", "R4"})


def test_equal_codes_are_no_agreement_where_a_coder_is_missing_or_says_more(world, coding):
    quote(coding, world.coder, "We train", "A.1")
    quote(coding, world.coder, "train models", "A.1")
    quote(coding, world.coder, "The memory", "A.1")
    quote(coding, world.other, "memory runs", "A.1")
    quote(coding, world.other, "runs out", "C.9")
    coding = reveal(coding)
    assert common(coding) == []
    assert [item.is_open for item in items(coding)] == [True, True]


def test_each_outcome_of_a_discussion(world, coding):
    quote(coding, world.coder, "The memory", "C.9", memo="R3 says")
    quote(coding, world.other, "memory runs out", "A.1", "C.9")
    coding = reveal(coding)
    [item] = items(coding)
    mine, theirs = keys(item)
    given = {"coding": coding, "keys": [mine, theirs], "by": world.other}
    before = said(coding, Quote.objects.exclude(coder=None))

    def settled(**how) -> list[tuple[str, tuple[str, ...]]]:
        settle_quotes(**given, **how)
        assert [one.is_open for one in items(coding)] == [False]
        with pytest.raises(errors.SettledMeanwhile):
            settle_quotes(**given, **how)
        found = common(coding)
        undo_settlement(coding=coding, keys=[theirs, mine], by=world.lead)
        assert [one.is_open for one in items(coding)] == [True]
        assert common(coding) == []
        return found

    one, other = ("The memory", ("C.9",)), ("memory runs out", ("A.1", "C.9"))
    assert settled(outcome="keep", keep=[mine]) == [one]
    assert settled(outcome="keep", keep=[theirs], rationale="wider") == [other]
    assert settled(outcome="keep", keep=[mine, theirs]) == [one, other]
    assert settled(outcome="merge") == [("The memory runs out", ("A.1", "C.9"))]
    changed = Content(("B.2",), ("swap",), strength=1)
    assert settled(outcome="merge", content=changed) == [("The memory runs out", ("B.2", "swap"))]
    assert settled(outcome="none") == []
    assert said(coding, Quote.objects.exclude(coder=None)) == before
    settle_quotes(**given, outcome="none", rationale=" too vague ")
    row = Settlement.objects.get()
    assert (row.quote, row.by, row.rationale, row.method) == (None, world.other, "too vague", "talk")
    assert row.sources.count() == 2


def test_both_quotes_of_one_place_become_one_with_all_codes(world, coding):
    quote(coding, world.coder, "often", "A.1")
    quote(coding, world.other, "often", "C.9", "now and then")
    coding = reveal(coding)
    [item] = items(coding)
    settle_quotes(coding=coding, keys=keys(item), keep=keys(item), outcome="keep", by=world.coder)
    assert common(coding) == [("often", ("A.1", "C.9", "now and then"))]


def test_what_is_refused_changes_nothing(world, coding):
    quote(coding, world.coder, "often", "A.1")
    blind = {"coding": coding, "keys": ["R3.3.21.26"], "by": world.coder}
    with pytest.raises(errors.CodingBlind):
        settle_quotes(**blind, outcome="none")
    with pytest.raises(errors.CodingBlind):
        settle_coding(coding=coding, by=world.lead)
    coding = reveal(coding)
    assert keys(items(coding)[0]) == ["R3.3.21.26"]
    given = blind | {"coding": coding}
    for field, how in (
        ("outcome", {"outcome": "keep"}),
        ("outcome", {"outcome": "keep", "keep": ["R4.3.21.26"]}),
        ("outcome", {"outcome": "toss"}),
        ("codes", {"outcome": "merge", "content": Content(("Z.1",))}),
        ("rationale", {"outcome": "none", "rationale": "x" * 2001}),
    ):
        with pytest.raises(errors.InterviewRefused) as caught:
            settle_quotes(**given, **how)
        assert caught.value.field == field
    with pytest.raises(errors.SettledMeanwhile):
        settle_quotes(**(given | {"keys": ["R3.3.21.25"]}), outcome="none")
    with pytest.raises(errors.TranscriptCorrected):
        settle_quotes(**given, outcome="none", transcript=2)
    stranger = dict(given, by=world.viewer)
    with pytest.raises(PermissionDenied):
        settle_quotes(**stranger, outcome="none")
    assert not Settlement.objects.exists()


def test_a_coding_is_settled_when_nothing_is_open_and_can_be_reopened_by_leads(world, coding):
    quote(coding, world.coder, "often", "A.1")
    coding = reveal(coding)
    with pytest.raises(errors.QuotesOpen):
        settle_coding(coding=coding, by=world.coder)
    given = {"coding": coding, "keys": keys(items(coding)[0]), "by": world.coder}
    settle_quotes(**given, outcome="keep", keep=given["keys"])
    settle_coding(coding=coding, by=world.coder)
    coding.refresh_from_db()
    assert coding.settled_by == world.coder
    with pytest.raises(errors.CodingSettled):
        undo_settlement(**given)
    with pytest.raises(PermissionDenied):
        reopen_coding(coding=coding, by=world.coder)
    reopen_coding(coding=coding, by=world.lead)
    undo_settlement(**given)
    coding.refresh_from_db()
    assert (coding.settled_at, [item.is_open for item in items(coding)]) == (None, [True])
