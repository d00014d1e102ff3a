"""Leads change the coders of a blind coding; nothing of it tells what anybody coded, and nothing is revealed."""

import pytest
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.urls import reverse

from interviews.actions.coders import add_coder, release_coder, reopen_for_coder
from interviews.actions.codings import finish_coding
from interviews.errors import CoderDone, CoderReleased, CodingRevealed, InterviewRefused
from interviews.models import Coding
from interviews.queries.coded import coded_interviews
from interviews.queries.codings import codings_waiting
from studies.models import Event
from tests.interviews.coding import quote, reveal, said
from tests.interviews.test_api import get, post
from tests.interviews.world import InterviewWorld, interview_world
from tests.kept import kept
from tests.trust.crawling import without_passing
from tests.worlds.pages import client

pytestmark = pytest.mark.django_db


@kept
def world() -> InterviewWorld:
    return interview_world()


def events() -> list[tuple[str, dict]]:
    found = Event.objects.filter(verb__startswith="codings.coder").order_by("pk")
    return [(one.verb, one.detail) for one in found]


def test_a_coder_who_is_taken_off_keeps_their_quotes_and_counts_in_no_number(world):
    coding = world.open_coding()  # of the coder, R3, and the lead, R2
    quote(coding, world.coder, "models", "A.1")
    who = {"coding": coding, "by": world.lead}
    with pytest.raises(InterviewRefused, match="needs two coders"):
        release_coder(member=world.coder, **who)
    add_coder(member=world.other, **who)
    add_coder(member=world.other, **who)  # the same twice changes nothing
    release_coder(member=world.coder, **who)
    release_coder(member=world.coder, **who)
    named = {"participant": "U1"}
    assert events() == [
        ("codings.coder_added", named | {"coder": "R4"}),
        ("codings.coder_released", named | {"coder": "R3"}),
    ]
    with pytest.raises(CoderReleased):
        quote(coding, world.coder, "night", "A.1")
    with pytest.raises(CoderReleased):
        finish_coding(coding=coding, member=world.coder)
    assert codings_waiting([world.coder]) == []
    page = client(world.coder).get(coding.get_absolute_url()).text
    assert ("A lead took you off this coding." in page, "Finish coding</button>" in page) == (True, False)
    quote(coding, world.other, "models", "A.1")
    quote(coding, world.lead, "models", "A.1")
    finish_coding(coding=coding, member=world.other)
    assert finish_coding(coding=coding, member=world.lead).revealed_at
    assert ("R3", "models", ("A.1",)) in said(coding)
    [interview] = coded_interviews(Coding.objects.all())
    assert (interview.coders, interview.unfinished) == (("R2", "R4"), ("R3",))
    assert {one.by for one in interview.quotes} == {"R2", "R4"}
    agreement = get(world.lead, f"codings/{coding.pk}/agreement/").json()
    assert agreement["unfinished"] == [["U1", "R3"]]
    shown = client(world.lead).get(reverse("coding_agreement", args=[coding.pk])).text
    assert "Quotes of R3 in U1 do not count: this coder did not finish." in shown
    for change in (add_coder, release_coder, reopen_for_coder):
        with pytest.raises(CodingRevealed):
            change(member=world.other, **who)


def test_a_change_reveals_nothing_and_the_last_coder_does(world):
    coding = world.open_coding()
    who = {"coding": coding, "by": world.lead}
    add_coder(member=world.other, **who)
    for member in (world.coder, world.lead):
        finish_coding(coding=coding, member=member)
    with pytest.raises(CoderDone):
        release_coder(member=world.coder, **who)
    release_coder(member=world.other, **who)
    coding.refresh_from_db()
    assert coding.revealed_at is None  # nobody waits for R4 any more, and still the lead revealed nothing
    reopen_for_coder(member=world.coder, **who)
    assert coding.coders.get(member=world.coder).done_at is None
    assert finish_coding(coding=coding, member=world.coder).revealed_at
    assert [verb for verb, _detail in events()][-2:] == ["codings.coder_released", "codings.coder_reopened"]


def test_who_was_taken_off_comes_back_with_their_quotes(world):
    coding = world.open_coding()
    who = {"coding": coding, "by": world.lead}
    quote(coding, world.coder, "models", "A.1")
    add_coder(member=world.other, **who)
    release_coder(member=world.coder, **who)
    add_coder(member=world.coder, **who)
    quote(coding, world.coder, "night", "C.9")
    reveal(coding)
    assert [(by, text) for by, text, _codes in said(coding) if by] == [("R3", "models"), ("R3", "night")]
    assert coded_interviews(Coding.objects.all())[0].coders == ("R3", "R2", "R4")


def test_only_leads_change_coders_and_only_to_people_who_can_code(world):
    coding = world.open_coding()
    for by in (world.coder, world.viewer, world.stranger):
        with pytest.raises(PermissionDenied):
            add_coder(coding=coding, member=world.other, by=by)
    for member in (world.viewer, world.model, world.stranger):
        with pytest.raises(InterviewRefused, match="can code"):
            add_coder(coding=coding, member=member, by=world.lead)
    with pytest.raises(InterviewRefused, match="no coder"):
        release_coder(coding=coding, member=world.other, by=world.lead)


@pytest.mark.parametrize("change", ["release", "reopen", "add"])
def test_what_a_lead_sees_of_a_change_does_not_depend_on_what_the_coder_did(world, change):
    coding = world.open_coding()
    add_coder(coding=coding, member=world.other, by=world.lead)
    seen = []
    for works in (False, True):
        with transaction.atomic():
            if works:
                quote(coding, world.coder, "models", "A.1", "open one", memo="memo")
            body = {"who": world.coder.pk, "change": change}
            page = client(world.lead).post(reverse("coders", args=[coding.pk]), body, follow=True)
            rest = post(world.lead, f"codings/{coding.pk}/coders/", {"who": "R3", "change": change})
            transaction.set_rollback(True)
        texts = [without_passing(text) for text in (page.text, rest.content.decode())]
        seen.append((page.status_code, rest.status_code, *texts))
    assert seen[0] == seen[1]
    assert seen[0][:2] == (200, 200)


def test_the_page_and_rest_change_coders_by_the_same_rules(world):
    coding = world.open_coding()
    address, path = reverse("coders", args=[coding.pk]), f"codings/{coding.pk}/coders/"
    lead = client(world.lead)
    assert "Change coders" in lead.get(reverse("codings", args=[world.study.slug])).text
    refused = lead.post(address, {"who": world.coder.pk, "change": "release"})
    assert (refused.status_code, "A coding needs two coders." in refused.text) == (422, True)
    refused = post(world.lead, path, {"who": "R3", "change": "release"})
    assert (refused.status_code, refused.json()["field"]) == (422, "who")
    assert lead.post(address, {"who": world.other.pk, "change": "add"}).status_code == 302
    coders = post(world.lead, path, {"who": "R3", "change": "release"}).json()["coders"]
    assert [(one["who"], one["done"], one["released"]) for one in coders] == [
        ("R3", False, True), ("R2", False, False), ("R4", False, False),
    ]  # fmt: skip
    assert post(world.lead, path, {"who": "V1", "change": "add"}).status_code == 400
    assert "taken off" in lead.get(address).text
    quote(coding, world.lead, "models", "A.1")
    for one in (world.lead, world.other):
        finish_coding(coding=coding, member=one)
    assert post(world.lead, path, {"who": "R3", "change": "add"}).json()["code"] == "CodingRevealed"
    assert lead.get(address).url == coding.get_absolute_url()
    # On the page of quotes, an empty side of this coder says why it is empty.
    assert lead.get(reverse("reconcile", args=[coding.pk])).text.count("taken off") == 1
