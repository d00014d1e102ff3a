"""The pages of coding: opening, coding without a script and over JSON, being done, settling."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from interviews.actions.codings import open_coding
from interviews.actions.erasing import erase_participant
from interviews.models import Coding, Quote, Settlement
from interviews.queries.quotes import (
    Content,
    QuoteLine,
    Span,
    lines_in,
    on_newest,
    quote_lines,
    quotes_shown,
)
from interviews.queries.sessions import newest_transcript
from interviews.views.coding_screen import Piece, pieces
from taxonomy.queries.codebooks import codebook
from tests.factories.interviews import make_participant, make_session, make_transcript
from tests.interviews.coding import quote, reveal, said, span_of
from tests.interviews.world import InterviewWorld, interview_world
from tests.kept import kept
from tests.long import only_long
from tests.worlds.pages import client, queries_of, text_of

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}


@kept
def world() -> InterviewWorld:
    return interview_world()


@pytest.fixture
def coding(world) -> Coding:
    return opened(world)


def opened(world, session=None) -> Coding:
    both = [world.coder, world.other]
    return open_coding(session=session or world.session, version=world.version, coders=both, by=world.lead)


def page(coding, member, name="code_interview", query=""):
    return client(member).get(reverse(name, args=[coding.pk]) + query)


def post(coding, member, name="code_quote", headers=None, **fields):
    return client(member).post(reverse(name, args=[coding.pk]), fields, headers=headers)


def test_a_lead_opens_a_coding_and_its_coders_find_it(world):
    address = reverse("new_coding", args=[world.session.pk])
    form = client(world.lead).get(address).context["form"]
    assert set(form.fields["coders"].queryset) == {world.owner, world.lead, world.coder, world.other}
    fields = {"coders": [world.coder.pk], "version": world.version.pk}
    refused = client(world.lead).post(address, fields)
    assert (refused.status_code, list(refused.context["form"].errors)) == (422, ["coders"])
    done = client(world.lead).post(address, fields | {"coders": [world.coder.pk, world.other.pk]})
    assert done.url == reverse("codings", args=[world.study.slug])
    made = Coding.objects.get()
    assert [one.member for one in made.coders.order_by("pk")] == [world.coder, world.other]
    listed = client(world.coder).get(done.url)
    assert f'href="{made.get_absolute_url()}"' in listed.text
    assert "Code interview" in text_of(listed)
    assert "Code interview" not in text_of(client(world.lead).get(done.url))
    assert client(world.lead).get(address).url == made.get_absolute_url()


def test_the_list_costs_the_same_for_one_and_for_three(world):
    opened(world)
    address = reverse("codings", args=[world.study.slug])
    one = {member.pseudonym: queries_of(client(member), address) for member in (world.lead, world.coder)}
    for _ in range(2):
        session = make_session(make_participant(world.study, world.lead), world.lead)
        make_transcript(session, world.lead)
        opened(world, session)
    many = {member.pseudonym: queries_of(client(member), address) for member in (world.lead, world.coder)}
    assert many == one


def test_the_coding_page_and_the_reconcile_page_cost_the_same_for_one_and_for_three(world, coding):
    quote(coding, world.coder, "models", "A.1", "night")
    address = coding.get_absolute_url()
    one = queries_of(client(world.coder), address)
    quote(coding, world.coder, "night", "A.1", "C.9", "fatigue")
    quote(coding, world.coder, "memory", "A.1")
    assert queries_of(client(world.coder), address) == one
    reveal(coding)
    address = reverse("reconcile", args=[coding.pk])
    three = queries_of(client(world.lead), address)
    Quote.objects.filter(turn__position=1).update(dropped_at="2025-01-01T00:00Z")
    assert queries_of(client(world.lead), address) == three


@only_long
def test_a_turn_is_coded_without_a_script_by_its_words(world, coding):
    shown = page(coding, world.coder, query="?plain=1&turn=1").text
    assert "Words of this turn, copied exactly" in shown
    assert "Words of this turn, copied exactly" not in page(coding, world.coder, query="?turn=0").text
    fields = {
        "turn": 1,
        "transcript": 1,
        "codes": ["C.9", "A.1"],
        "open_codes": "night work\r\n",
        "memo": "x",
    }
    for text, error in (
        ("and then", "does not contain these words"),
        ("", "does not contain these words"),
        ("e", "occur more than once"),
    ):
        refused = post(coding, world.coder, text=text, **fields)
        assert refused.status_code == 422
        assert error in text_of(refused, "<aside", "</aside>")
        assert 'value="C.9" checked' in refused.text
    stored = post(coding, world.coder, text=" train models ", **fields)
    assert stored.url == f"{coding.get_absolute_url()}?plain=1&turn=1#t1"
    assert said(coding) == [("R3", "train models", ("A.1", "C.9", "night work"))]
    shown = page(coding, world.coder, query="?plain=1&turn=1&start=3&end=15")
    assert shown.context["asked"]["quote"].span == Span(1, 3, 15)
    assert 'value="A.1" checked' in shown.text
    assert 'value="B.1" checked' not in shown.text
    place = {"turn": 1, "start": 3, "end": 15, "transcript": 1}
    post(coding, world.coder, codes=["B.1"], was=shown.context["asked"]["was"], **place)
    assert said(coding) == [("R3", "train models", ("B.1",))]
    stale = post(coding, world.coder, codes=["C.1"], was=shown.context["asked"]["was"], **place)
    assert "changed in another tab" in text_of(stale, "<aside", "</aside>")
    post(coding, world.coder, drop=1, **place)
    assert said(coding) == []
    assert "1 dropped quote" in text_of(page(coding, world.coder))


@only_long
def test_a_script_saves_once_and_is_told_what_another_tab_stored(world, coding):
    span = span_of(coding, "models")
    place = {"turn": span.turn, "start": span.start, "end": span.end, "transcript": 1}
    key = "0" * 31 + "1"
    given = {"codes": ["A.1"], "memo": "m", "strength": 2, "was": "null", "form_key": key, **place}
    answer = post(coding, world.coder, headers=JSON, **given).json()
    assert answer == {
        "stored": {
            "turn": 1, "start": 9, "end": 15, "codes": ["A.1"], "open_codes": [], "memo": "m", "strength": 2,
            "dropped": False,
        }
    }  # fmt: skip
    post(coding, world.coder, headers=JSON, drop=1, **place)
    again = post(coding, world.coder, headers=JSON, **given).json()  # its key is used: nothing comes back
    assert again["stored"]["dropped"] is True
    assert post(coding, world.coder, headers=JSON, **(given | {"form_key": ""})).status_code == 200
    clash = post(coding, world.coder, headers=JSON, **(given | {"form_key": "", "codes": ["C.9"]}))
    assert (clash.status_code, clash.json()["code"]) == (409, "QuoteChanged")
    assert clash.json()["stored"] == {"codes": ["A.1"], "open_codes": [], "memo": "m", "strength": 2}
    was = json.dumps({"codes": ["A.1"], "open_codes": [], "memo": "m", "strength": 2})
    assert post(coding, world.coder, headers=JSON, **(given | {"form_key": "", "codes": ["C.9"], "was": was}))
    assert said(coding) == [("R3", "models", ("C.9",))]
    for wrong in ({"was": "{"}, {"was": "[1]"}, {"turn": 0}, {"codes": ["Z"]}, {"earlier": "1.x.2"}):
        refused = post(coding, world.coder, headers=JSON, **(given | {"form_key": ""} | wrong))
        assert (refused.status_code, bool(refused.json()["detail"])) == (422, True), wrong
    refused = post(coding, world.lead, headers=JSON, **given | {"form_key": ""})
    assert (refused.status_code, refused.json()["code"]) == (403, "NotYourCoding")


def test_home_shows_a_coder_what_to_code_and_then_what_to_settle(world, coding):
    def waits(member) -> list[tuple[int, str, str]]:
        found = client(member).get(reverse("home")).context["waits"]
        return [(one.figure, one.text, one.url) for one in found]

    one = coding.get_absolute_url()
    assert waits(world.coder) == [(1, "interview to code", one)]
    assert waits(world.lead) == []
    second = make_session(make_participant(world.study, world.lead), world.lead)
    make_transcript(second, world.lead)
    opened(world, second)
    listed = reverse("codings", args=[world.study.slug])
    assert waits(world.coder) == [(2, "interviews to code", listed)]
    reveal(coding)
    assert sorted(waits(world.coder)) == [
        (1, "interview to code", waits(world.coder)[0][2]),
        (1, "interview to settle", one),
    ]
    Coding.objects.filter(pk=coding.pk).update(settled_at=timezone.now(), settled_by=world.lead)
    erase_participant(participant=second.participant, by=world.lead)
    assert waits(world.coder) == []


def test_who_is_no_coder_sees_who_is_done_and_the_last_one_reveals(world, coding):
    quote(coding, world.coder, "models", "A.1", memo="secretmemo")
    assert "models at night" not in text_of(page(coding, world.lead))
    assert post(coding, world.coder, "end_coding").url == reverse("codings", args=[world.study.slug])
    assert text_of(page(coding, world.lead)).count("not done") == 1
    own = page(coding, world.coder)
    assert "Continue coding" in own.text
    assert 'id="save"' not in own.text
    assert page(coding, world.coder, "reconcile").status_code == 403
    assert post(coding, world.coder, "end_coding", again=1).url == coding.get_absolute_url()
    post(coding, world.coder, "end_coding")
    assert post(coding, world.other, "end_coding").url == reverse("reconcile", args=[coding.pk])
    for member in (world.lead, world.coder, world.other):
        assert page(coding, member).url == reverse("reconcile", args=[coding.pk])
        assert "secretmemo" in page(coding, member, "reconcile").text
    assert page(coding, world.viewer).status_code == 403


def test_items_are_settled_undone_and_the_coding_with_them(world, coding):
    quote(coding, world.coder, "The memory", "C.9")
    quote(coding, world.other, "memory runs out", "A.1", "swap")
    quote(coding, world.coder, "often", "A.1")
    coding = reveal(coding)
    shown = page(coding, world.coder, "reconcile")
    assert [row["keys"] for row in shown.context["rows"]] == [["R3.3.0.10", "R4.3.4.19"], ["R3.3.21.26"]]
    assert ("Settle coding" in shown.text, "All places are settled." in shown.text) == (False, False)
    item = {"item": ["R3.3.0.10", "R4.3.4.19"], "transcript": 1}
    bad = post(coding, world.other, "settle_item", outcome="merge", codes="A.1, Z.1", **item)
    assert (bad.status_code, "no category Z.1" in text_of(bad)) == (422, True)
    assert post(coding, world.other, "settle_item", outcome="keep", **item).status_code == 422
    assert post(coding, world.other, "settle_item", outcome="", **item).status_code == 422
    merged = {"outcome": "merge", "codes": "A.1, C.9", "open_codes": "swap\r\n", "rationale": "both"}
    post(coding, world.other, "settle_item", **merged, **item)
    assert said(coding, Quote.objects.filter(coder=None)) == [
        ("", "The memory runs out", ("A.1", "C.9", "swap"))
    ]
    assert post(coding, world.other, "settle_item", **merged, **item).status_code == 409
    post(coding, world.lead, "undo_item", item=item["item"])
    assert not Settlement.objects.exists()
    post(coding, world.other, "settle_item", outcome="keep", keep="R4.3.4.19", **item)
    post(coding, world.other, "settle_item", outcome="none", item="R3.3.21.26")
    shown = page(coding, world.coder, "reconcile")
    assert ("Settle coding" in shown.text, "All places are settled." in shown.text) == (True, True)
    post(coding, world.coder, "settle_coding")
    viewed = page(coding, world.viewer, "reconcile")
    assert (viewed.status_code, "Reopen coding" in viewed.text, "Undo" in viewed.text) == (200, False, False)
    assert post(coding, world.viewer, "settle_coding").status_code == 409
    assert post(coding, world.coder, "reopen_coding").status_code == 403
    post(coding, world.lead, "reopen_coding")
    coding.refresh_from_db()
    assert coding.settled_at is None


def test_a_turn_is_cut_in_one_pass_where_quotes_begin_and_end():
    def line(start, end, *codes):
        return QuoteLine(Span(1, start, end), Content(codes), "R3", "", 1)

    assert pieces("", []) == []
    assert pieces("a < b & c", []) == [Piece("a < b & c")]
    assert pieces("abcdef", [line(1, 4, "A.1"), line(2, 6, "C.9", "A.1")]) == [
        Piece("a"), Piece("b", "A.1"), Piece("cd", "A.1, C.9"), Piece("ef", "C.9, A.1")
    ]  # fmt: skip


def test_marks_are_on_the_page_without_scripts_and_their_text_is_escaped(world):
    """With scripts, the page has the words of each turn, and readers without them are sent to the marks."""
    session = make_session(make_participant(world.study, world.lead), world.lead)
    make_transcript(session, world.lead, said=("So?", "We <b>train & fail</b>, often."))
    coding = opened(world, session)
    quote(coding, world.coder, "<b>train", "A.1", '"night"')
    quote(coding, world.coder, "train & fail", "C.9")
    scripted = page(coding, world.coder, query="?turn=1").text
    assert '<meta http-equiv="refresh" content="0; url=?turn=1&amp;plain=1">' in scripted
    assert '<p dir="auto">We &lt;b&gt;train &amp; fail&lt;/b&gt;, often.</p>' in scripted
    assert "<mark" not in scripted
    shown = page(coding, world.coder, query="?plain=1").text
    assert 'http-equiv="refresh"' not in shown
    assert (
        '<p dir="auto">We <mark title="A.1, &quot;night&quot;">&lt;b&gt;</mark>'
        '<mark title="A.1, &quot;night&quot;, C.9">train</mark><mark title="C.9"> &amp; fail</mark>'
        "&lt;/b&gt;, often.</p>"
    ) in shown
    assert '<p dir="auto">So?</p>' in shown


def test_two_thousand_quotes_cost_no_row_more_of_their_turn(world, coding):
    """Each quote is read with its place only: the turns are read once, whatever their length."""
    for words in ("train", "models", "night"):
        quote(coding, world.coder, words, "A.1", "own", memo=words, strength=2)
    transcript = newest_transcript(world.session)
    book, shown = codebook(coding.version_id), quotes_shown(coding, world.coder)
    turns = list(transcript.turns.all())
    with CaptureQueriesContext(connection) as asked:
        lines = lines_in(transcript, turns, shown, book)
    assert lines == quote_lines(on_newest(coding, shown, transcript), book)
    assert len(lines) == 3
    assert len(asked) == 2
    assert not [query["sql"] for query in asked if '"interviews_turn"."text"' in query["sql"]]
