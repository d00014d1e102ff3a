"""A project of REFI-QDA: valid, its selections are the quotes, and nothing in it that may not leave the study."""

import io
import zipfile
from datetime import date

import pytest
from django.urls import reverse

from interviews.actions.consents import publish_consent_text, record_consent
from interviews.actions.identities import name_participant
from interviews.actions.settling import settle_coding
from interviews.queries.exports import LeftOut
from interviews.queries.projects import project_of
from tests.factories.interviews import make_participant, make_session, make_transcript
from tests.interviews.coding import quote, reveal
from tests.interviews.world import InterviewWorld, interview_world
from tests.kept import kept
from tests.refi import validated
from tests.worlds.pages import client

pytestmark = pytest.mark.django_db

P = "{urn:QDA-XML:project:1.0}"


@kept
def world() -> InterviewWorld:
    return interview_world()


def permit(world, participant, *permissions):
    text = publish_consent_text(study=world.study, text=f"Yes, {participant}?", by=world.lead)
    record_consent(
        participant=participant, text=text, given_on=date(2025, 5, 1), permits=permissions, by=world.lead
    )


def opened(world, name="qda_project"):
    """The valid XML of the project, and the texts of its sources."""
    answer = client(world.lead).get(reverse(name, args=[world.study.slug]))
    assert answer["Content-Type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        root = validated(archive.read("project.qde"), "project")
        texts = {one: archive.read(one).decode() for one in archive.namelist() if one != "project.qde"}
    return root, texts


def marked(root, texts):
    """Who, the selected words, and the names of the codes, of each selection."""
    users = {one.get("guid"): one.get("name") for one in root.iter(f"{P}User")}
    codes = {one.get("guid"): one.get("name") for one in root.iter(f"{P}Code")}
    found = []
    for source in root.iter(f"{P}TextSource"):
        text = texts["Sources/" + source.get("plainTextPath").removeprefix("internal://")]
        for one in source.iter(f"{P}PlainTextSelection"):
            words = text[int(one.get("startPosition")) : int(one.get("endPosition"))]
            chosen = [codes[ref.get("targetGUID")] for ref in one.iter(f"{P}CodeRef")]
            found.append((users[one.get("creatingUser")], words, chosen))
    return found


def test_a_revealed_interview_has_the_quotes_of_its_coders(world):
    permit(world, world.participant, "quote", "share")
    coding = world.open_coding()
    quote(coding, world.coder, "memory runs out", "A.1", "leak", memo="See \x07 <this>")
    quote(coding, world.lead, "at night", "A.1")
    root, texts = opened(world)
    assert (marked(root, texts), root.find(f"{P}CodeBook")) == ([], None)  # still blind
    reveal(coding)
    root, texts = opened(world, "api_qda_project")
    assert marked(root, texts) == [
        ("R2", "at night", ["A.1 Name of A.1"]),
        ("R3", "memory runs out", ["A.1 Name of A.1", "leak"]),
    ]
    assert [one.text for one in root.iter(f"{P}Description") if one.text and "<this>" in one.text] == [
        "See \ufffd <this>"
    ]
    (text,) = texts.values()
    assert text.splitlines()[1] == "[0:00:01] U1: We train models at night."
    case = root.find(f"{P}Cases/{P}Case")
    assert (case.get("name"), [one.text for one in case.iter(f"{P}TextValue")]) == (
        "U1",
        ["LLM users", "4 years", "PyTorch"],
    )


def test_places_count_characters_even_outside_the_basic_plane(world):
    permit(world, world.participant, "quote", "share")
    make_transcript(world.session, world.lead, ("😀?", "👩‍💻 y\u0301 \u202e\nsaid 算子 here 😀😀"))
    coding = world.open_coding()
    quote(coding, world.coder, "算子 here 😀", "A.1")
    reveal(coding)
    root, texts = opened(world)
    assert [words for _by, words, _codes in marked(root, texts)] == ["算子 here 😀"]
    assert "\r" not in "".join(texts.values())


def test_a_settled_interview_has_its_common_quotes(world):
    permit(world, world.participant, "quote", "share")
    coding = world.open_coding()
    for member in (world.coder, world.lead):
        quote(coding, member, "memory runs out", "A.1")
    settle_coding(coding=reveal(coding), by=world.lead)
    root, texts = opened(world)
    assert marked(root, texts) == [("Settled together", "memory runs out", ["A.1 Name of A.1"])]


@pytest.mark.parametrize("permits", [[], ["quote"], ["share"], ["archive"], None])
def test_an_interview_without_consent_is_left_out_and_counted(world, permits):
    if permits is not None:
        permit(world, world.participant, *permits)
    root, texts = opened(world)
    assert (texts, root.find(f"{P}Sources")) == ({}, None)
    assert "1 without consent" in root.find(f"{P}Description").text
    page = client(world.lead).get(reverse("interview_codebook", args=[world.study.slug]))
    assert "1 interview is left out: no consent permits quoting and sharing." in page.text


def test_an_interview_or_code_with_a_listed_name_is_left_out(world):
    permit(world, world.participant, "quote", "share")
    coding = world.open_coding()
    quote(coding, world.coder, "at night", "A.1", "Otto Ibis")
    reveal(coding)
    other = make_participant(world.study, world.lead)
    name_participant(participant=other, name="Otto Ibis", contact="", by=world.lead)
    root, texts = opened(world)
    assert marked(root, texts) == [("R3", "at night", ["A.1 Name of A.1"])]
    name_participant(participant=other, name="memory runs", contact="", by=world.lead)
    root, texts = opened(world)
    assert (texts, project_of(world.study, world.lead).left_out) == ({}, LeftOut(names=1))


def test_more_interviews_cost_no_query_more(world, django_assert_max_num_queries):
    def add():
        participant = make_participant(world.study, world.lead)
        session = make_session(participant, world.lead)
        make_transcript(session, world.lead)
        permit(world, participant, "quote", "share")
        coding = world.open_coding(session)
        quote(coding, world.coder, "at night", "A.1", "leak")
        reveal(coding)

    add()
    project_of(world.study, world.lead)
    with django_assert_max_num_queries(14) as first:
        assert len(project_of(world.study, world.lead).sources) == 1
    add()
    add()
    with django_assert_max_num_queries(14) as third:
        assert len(project_of(world.study, world.lead).sources) == 3
    assert len(first) == len(third)
