"""The codebook in the published shape: rows of settled quotes, and files that come in, are named, and go out."""

from datetime import date

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from interviews.actions.consents import publish_consent_text, record_consent, withdraw_consent
from interviews.actions.erasing import erase_participant
from interviews.actions.identities import name_participant
from interviews.actions.settling import settle_coding
from interviews.models import CodebookEntry, ImportedCodebook
from interviews.queries.codebooks import settled_book
from interviews.queries.exports import LeftOut
from interviews.readers.codebook import COLUMNS
from studies.models import Event
from taxonomy.models import Category
from taxonomy.presets import load_preset
from tests.conftest import SHARED_DATA
from tests.factories import make_version
from tests.factories.interviews import make_participant, make_session, make_transcript
from tests.interviews.coding import quote, reveal
from tests.interviews.world import InterviewWorld, interview_world
from tests.kept import kept
from tests.worlds.pages import client

pytestmark = pytest.mark.django_db

HEADER = ",".join(COLUMNS)
ROWS = (
    'U1,User,Beginner,PyTorch,Setup,"It, never ran.","A.1, Z.9","A ""hint""."\n'
    'X7,User,Advanced,JAX,Speed,"Slow.","A.1","None."\n'
)
FILE = f"{HEADER}\n{ROWS}"


@kept
def world() -> InterviewWorld:
    return interview_world()


def permit(world, participant, *permissions):
    text = publish_consent_text(study=world.study, text=f"Yes, {participant}?", by=world.lead)
    return record_consent(
        participant=participant, text=text, given_on=date(2025, 5, 1), permits=permissions, by=world.lead
    )


def settled(world, session=None, words="memory runs out"):
    """A coding on whose only quote both coders agreed."""
    coding = world.open_coding(session)
    for member in (world.coder, world.lead):
        quote(coding, member, words, "A.1", "new, code")
    return settle_coding(coding=reveal(coding), by=world.lead)


def address(world, name, *more):
    return reverse(name, args=[world.study.slug, *more])


def sent(world, by=None, **fields):
    return client(by or world.lead).post(address(world, "import_codebook"), fields)


def read(world, text=FILE, name="CodeBook.csv", **more):
    data = text if isinstance(text, bytes) else text.encode()
    return sent(world, file=SimpleUploadedFile(name, data), **more)


def imported(world, text=FILE, **more):
    page = read(world, text)
    fields = {"name": "CodeBook.csv", "version": world.version.pk, **more}
    return sent(world, secret_file=page.context["packed"], **fields, **{"import": "1"})


def test_settled_quotes_are_rows_of_those_who_permit_quoting(world):
    settled(world)
    download = client(world.lead).get(address(world, "codebook_csv"))
    assert download.text == f"{HEADER}\n"
    page = client(world.lead).get(address(world, "interview_codebook"))
    assert page.context["book"].left_out == LeftOut(consent=1)
    assert "1 quote is left out: no consent permits quoting." in page.text
    consent = permit(world, world.participant, "quote")
    download = client(world.lead).get(address(world, "codebook_csv"))
    assert download["Content-Type"] == "text/csv; charset=utf-8"
    assert download.text == (
        f'{HEADER}\nU1,LLM users,4 years,PyTorch,,"memory runs out","A.1, new, code",""\n'
    )
    withdraw_consent(consent=consent, withdrawn_on=date(2025, 6, 1), by=world.lead)
    assert settled_book(world.study, world.lead).rows == []


def test_a_coding_that_is_not_settled_has_no_rows(world):
    permit(world, world.participant, "quote")
    coding = world.open_coding()
    quote(coding, world.coder, "memory", "A.1")
    assert settled_book(world.study, world.lead).rows == []
    quote(coding, world.lead, "memory", "A.1")
    reveal(coding)
    book = settled_book(world.study, world.lead)
    assert (book.rows, book.left_out) == ([], LeftOut())


def test_a_quote_with_a_name_that_was_listed_later_stays(world):
    permit(world, world.participant, "quote", "share")
    settled(world)
    other = make_participant(world.study, world.lead)
    name_participant(participant=other, name="Memory Runs", contact="", by=world.lead)
    page = client(world.lead).get(address(world, "interview_codebook"))
    assert page.context["book"].left_out == LeftOut(names=1)
    assert "1 quote is left out: the row contains a listed name." in page.text
    assert client(world.lead).get(address(world, "codebook_csv")).text == f"{HEADER}\n"


def test_more_interviews_cost_no_query_more(world, django_assert_num_queries):
    permit(world, world.participant, "quote")
    settled(world)
    settled_book(world.study, world.lead)
    with django_assert_num_queries(9):
        settled_book(world.study, world.lead)
    for _number in range(2):
        participant = make_participant(world.study, world.lead)
        session = make_session(participant, world.lead)
        make_transcript(session, world.lead)
        settled(world, session)
        permit(world, participant, "quote")
    with django_assert_num_queries(9):
        assert len(settled_book(world.study, world.lead).rows) == 3


def test_a_file_is_looked_at_with_its_flaws_and_nothing_is_stored(world):
    page = read(world)
    assert page.status_code == 200
    assert page.context["flaws"] == [
        "Line 2: the taxonomy has no category Z.9.",
        "The study has no participants of these names: X7.",
    ]
    assert all(flaw in page.text for flaw in page.context["flaws"])
    assert not ImportedCodebook.objects.exists()


def test_an_imported_file_comes_out_equal_and_creates_no_category(world):
    categories = Category.objects.count()
    permit(world, world.participant, "quote")
    assert imported(world, is_published="on").status_code == 302
    made = ImportedCodebook.objects.get()
    assert (made.name, made.version, made.is_published) == ("CodeBook.csv", world.version, True)
    assert made.entries.first().linked == "A.1, Z.9"
    page = client(world.lead).get(address(world, "imported_codebook", made.pk))
    assert page.context["flaws"] == ["Line 2: the taxonomy has no category Z.9."]
    assert client(world.lead).get(address(world, "imported_codebook_csv", made.pk)).text == FILE
    assert Category.objects.count() == categories
    assert Event.objects.get(verb="codebooks.imported").detail["count"] == 2


@pytest.mark.parametrize(
    ("permits", "published", "kept_rows", "left"),
    [
        (["quote"], True, [0, 1], LeftOut()),
        ([], True, [1], LeftOut(consent=1)),
        (["share", "archive"], True, [1], LeftOut(consent=1)),
        (["quote"], False, [0], LeftOut(consent=1)),
        (None, False, [], LeftOut(consent=2)),
    ],
)
def test_rows_go_out_as_consents_permit(world, permits, published, kept_rows, left):
    if permits is not None:
        permit(world, world.participant, *permits)
    imported(world, **({"is_published": "on"} if published else {}))
    made = ImportedCodebook.objects.get()
    page = client(world.lead).get(address(world, "imported_codebook", made.pk))
    assert page.context["book"].left_out == left
    lines = ROWS.splitlines(keepends=True)
    expected = HEADER + "\n" + "".join(lines[place] for place in kept_rows)
    assert client(world.lead).get(address(world, "imported_codebook_csv", made.pk)).text == expected


def test_a_listed_name_is_refused_by_its_line(world):
    name_participant(participant=world.participant, name="Slow", contact="", by=world.lead)
    refused = imported(world)
    assert (refused.status_code, "Line 3 contains a listed name." in refused.text) == (422, True)
    assert not ImportedCodebook.objects.exists()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (f"{FILE}U1,User\n", "Line 4: "),
        ("Participant,Type\nU1,User\n", "Line 1: the column “Experience Level” is missing."),
        (f"{HEADER}\n", "no rows"),
        (b"\xff\xfe\x00", "Nothing was stored."),
        (f'{HEADER}\nU1,"', "Line 2: "),
        ("x" * 1_100_000, "at most 1 MB"),
    ],
)
def test_a_file_that_is_no_codebook_is_refused_with_its_line(world, data, words):
    page = read(world, data)
    assert (page.status_code, words in page.text) == (422, True)


def test_a_file_that_this_server_did_not_write_is_not_taken(world):
    assert sent(world, secret_file="forged", name="x", **{"import": "1"}).status_code == 422
    assert not ImportedCodebook.objects.exists()


def test_a_codebook_is_removed_by_leads_of_its_study_only(world):
    imported(world)
    place = address(world, "remove_imported_codebook", ImportedCodebook.objects.get().pk)
    assert client(world.coder).post(place).status_code == 403
    assert client(world.stranger).post(place).status_code == 404
    assert client(world.lead).post(place).status_code == 302
    assert not CodebookEntry.objects.exists()


def test_an_erased_participant_leaves_imported_codebooks(world):
    imported(world)
    erase_participant(participant=world.participant, by=world.lead)
    first, second = CodebookEntry.objects.order_by("line")
    assert (first.participant, first.quote, first.insight, first.linked) == ("U1", "", "", "A.1, Z.9")
    assert (first.kind, first.experience, first.context, first.prompt) == ("", "", "", "")
    assert second.quote == "Slow."


def test_the_codebook_over_rest(world):
    permit(world, world.participant, "quote")
    lead = client(world.lead)
    books = reverse("api_imported_codebooks", args=[world.study.slug])
    sent_ = {"name": "Published", "text": FILE, "taxonomy": world.version.taxonomy_id}
    looked = lead.post(books, {**sent_, "preview": True}, content_type="application/json")
    assert (looked.status_code, looked.json()["id"], looked.json()["rows"]) == (200, None, 2)
    assert looked.json()["flaws"][0] == "Line 2: the taxonomy has no category Z.9."
    made = lead.post(books, sent_, content_type="application/json")
    assert made.status_code == 201
    place = reverse("api_interview_codebook", args=[world.study.slug])
    got = lead.get(f"{place}?imported={made.json()['id']}").json()
    assert got["left_out"] == {"consent": 1, "names": 0}
    assert got["rows"] == [
        {
            "participant": "U1",
            "type": "User",
            "experience": "Beginner",
            "context": "PyTorch",
            "prompt_category": "Setup",
            "quote": "It, never ran.",
            "linked": "A.1, Z.9",
            "insight": 'A "hint".',
        }
    ]
    assert lead.get(place).json() == {"rows": [], "left_out": {"consent": 0, "names": 0}}
    broken = lead.post(books, {**sent_, "text": "A,B\n1\n"}, content_type="application/json")
    assert (broken.status_code, broken.json()["code"]) == (422, "InterviewRefused")
    strange = lead.post(books, {**sent_, "taxonomy": 999_999}, content_type="application/json")
    assert strange.status_code == 400
    assert client(world.coder).get(place).status_code == 403


def test_the_published_codebook_comes_out_byte_by_byte(world):
    path = SHARED_DATA / "interviews" / "CodeBook.csv"
    if not path.is_file():
        pytest.skip("the data of the reference study is not part of the project")
    data = path.read_bytes()
    permit(world, world.participant, "quote")
    codes = [node.code for node in load_preset("llm-frameworks")]
    version = make_version(world.study, codes)
    page = read(world, data)
    assert len(page.context["read"].rows) == 19
    answer = sent(
        world,
        secret_file=page.context["packed"],
        name="CodeBook.csv",
        version=version.pk,
        is_published="on",
        **{"import": "1"},
    )
    assert answer.status_code == 302
    made = ImportedCodebook.objects.get()
    download = client(world.lead).get(address(world, "imported_codebook_csv", made.pk))
    assert download.content == data
    page = client(world.lead).get(address(world, "imported_codebook", made.pk))
    assert page.context["flaws"] == [
        "Line 6: the taxonomy has no category C.11.",
        "Line 12: the taxonomy has no category B.5.",
        "Line 17: the taxonomy has no category C.11.",
    ]
