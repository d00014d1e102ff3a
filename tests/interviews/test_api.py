"""Interviews over REST, from the guide to an erasure; nothing is to be had that the pages hide."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from interviews.forms.transcripts import MOST_BYTES
from interviews.models import Guide, Participant, RawTranscript, Transcript
from interviews.queries.pseudonyms import raw_turns
from studies.models import Event
from tests import factories
from tests.api.conftest import client_of
from tests.factories.interviews import make_participant, make_session, make_transcript
from tests.interviews.readers.packing import document, paragraph
from tests.interviews.world import InterviewWorld, interview_world
from tests.kept import kept
from tests.worlds.pages import cost

pytestmark = pytest.mark.django_db
API = "/api/v1"
GUIDE = "## Part I\n### For LLM users:\n- Please rank the top 2 bugs.\n- Why?\n"


@kept
def world() -> InterviewWorld:
    return interview_world(stored=False)


def post(member, path, body=None):
    return client_of(member).post(f"{API}/{path}", body or {}, format="json")


def put(member, path, body):
    return client_of(member).put(f"{API}/{path}", body, format="json")


def get(member, path):
    return client_of(member).get(f"{API}/{path}")


def test_an_interview_goes_its_whole_way(world):
    lead, study, session = world.lead, f"studies/{world.study.slug}", f"interviews/{world.session.pk}"
    ranking = {
        "part": 0,
        "question": 0,
        "taxonomy": world.version.taxonomy_id,
        "level": 2,
        "under": "C",
        "top": 2,
    }
    guide = post(lead, f"{study}/interview-guides/", {"text": GUIDE, "rankings": [ranking]})
    assert guide.status_code == 201, guide.json()
    [part] = guide.json()["parts"]
    question = part["questions"][0]
    assert (question["audience"], question["is_ranking"], question["top"]) == ("U", True, 2)
    changed = put(
        lead, f"{session}/", {"interviewer": "R1", "held_on": "2025-05-09", "minutes": 31, "guide": 1}
    )
    assert changed.json() | {"id": 0} == {
        "id": 0, "participant": "U1", "interviewer": "R1", "guide": 1, "held_on": "2025-05-09", "minutes": 31,
        "transcript": 0, "coding": "none",
    }  # fmt: skip

    assert (
        post(lead, f"{session}/transcript/", {"text": "A: Do you use Canarycorp?\nB: Yes, Otto."}).status_code
        == 204
    )
    pairs = [{"original": "Canarycorp", "stand_in": "[company]"}]
    preview = post(lead, f"{session}/pseudonymise/", {"replacements": pairs}).json()
    assert preview["speakers"] == ["A", "B"]
    assert [(one["turn"], one["original"]) for one in preview["places"]] == [(1, "Canarycorp")]
    assert Event.objects.filter(verb="transcripts.looked_at").count() == 1
    pairs = [{"original": "Otto", "stand_in": "[name]"}]
    speakers = {"A": "interviewer", "B": "participant"}
    stored = post(lead, f"{session}/pseudonymise/", {"replacements": pairs, "speakers": speakers})
    assert stored.status_code == 201
    assert [(turn["speaker"], turn["text"]) for turn in stored.json()["turns"]] == [
        ("R1", "Do you use [company]?"),
        ("U1", "Yes, [name]."),
    ]
    assert not RawTranscript.objects.exists()
    body = {"text": "R1: Do you use [company]?\nU1: Yes, I do.", "note": "Misheard", "made_from": 1}
    assert post(lead, f"{session}/corrections/", body).json()["number"] == 2
    assert get(lead, f"{session}/transcript/").json()["turns"][1]["text"] == "Yes, I do."
    assert get(lead, f"{session}/transcript/?version=1").json()["turns"][1]["text"] == "Yes, [name]."
    assert get(lead, f"{session}/transcript/?version=7").status_code == 404

    places = {"C.1": 1, "C.9": 1}
    ranked = put(lead, f"{session}/rankings/{question['id']}/", {"places": places})
    assert ranked.json()[0]["order"] == [["C.1", "C.9"]]
    [all_of_them] = get(lead, f"{study}/rankings/").json()
    assert all_of_them["answers"] == [{"participant": "U1", "order": [["C.1", "C.9"]]}]
    rows = [(one["code"], one["mean_given"], one["ranked_by"]) for one in all_of_them["categories"]]
    assert (rows[:2], {row[1:] for row in rows[2:]}) == ([("C.1", 1.5, 1), ("C.9", 1.5, 1)], {(None, 0)})
    wrong = put(lead, f"{session}/rankings/{question['id']}/", {"places": {"B.1": 1}})
    assert wrong.status_code == 400


def test_participants_consents_and_identities(world):
    lead, study = world.lead, f"studies/{world.study.slug}"
    made = post(
        lead,
        f"{study}/participants/",
        {"audience": "D", "role": "Maintainer", "attributes": {"Team": "core"}},
    )
    assert (made.status_code, made.json()["participant"], made.json()["attributes"]) == (
        201,
        "D1",
        {"Team": "core"},
    )
    one = f"participants/{made.json()['id']}"
    changed = put(lead, f"{one}/", {"role": "Lead", "member_check": "sent"}).json()
    assert (changed["role"], changed["member_check"], changed["attributes"]) == ("Lead", "sent", {})
    assert put(lead, f"{one}/identity/", {"name": "Otto Canary"}).status_code == 204
    assert "Canary" not in get(lead, f"{one}/").text
    assert Event.objects.filter(verb="participants.looked_at").count() == 0
    assert post(lead, f"{one}/identity/").json() == {"name": "Otto Canary", "contact": ""}
    assert Event.objects.filter(verb="participants.looked_at").count() == 1
    assert post(lead, f"{study}/consent-texts/", {"text": "Yes?"}).json()["number"] == 1
    consent = post(
        lead, f"{one}/consents/", {"text": 1, "given_on": "2025-05-01", "permits": ["quote"]}
    ).json()
    assert (consent["text"], consent["permits"], consent["withdrawn_on"]) == (1, ["quote"], None)
    address = f"{one}/consents/{consent['id']}/withdraw/"
    assert post(lead, address, {"withdrawn_on": "2025-05-02"}).json()["withdrawn_on"] == "2025-05-02"
    assert post(lead, address, {"withdrawn_on": "2025-05-02"}).status_code == 422
    assert post(lead, f"{one}/erase/", {"participant": "D2"}).status_code == 400
    assert post(lead, f"{one}/erase/", {"participant": "D1"}).json()["role"] == ""
    assert post(lead, f"{one}/identity/").json() == {"name": "", "contact": ""}
    told = post(lead, f"{study}/interviewers/", {"member": "R2", "role": "PhD student"}).json()
    assert told == [{"member": "R2", "role": "PhD student", "experience": "", "bias": ""}]


def test_a_volunteer_reads_what_they_code_and_nobody_s_identity(world):
    make_transcript(world.session, world.lead)
    session, one = f"interviews/{world.session.pk}", f"participants/{world.participant.pk}"
    assert get(world.coder, f"{session}/transcript/").status_code == 403
    world.open_coding()
    assert get(world.coder, f"{session}/transcript/").status_code == 200
    assert get(world.other, f"{session}/transcript/").status_code == 403
    assert [
        row["participant"] for row in get(world.coder, f"studies/{world.study.slug}/interviews/").json()
    ] == ["U1"]
    assert get(world.other, f"studies/{world.study.slug}/interviews/").json() == []
    for path in (f"{one}/", f"{one}/consents/", f"studies/{world.study.slug}/participants/"):
        assert get(world.coder, path).status_code == 403
        assert get(world.stranger, path).status_code == 404
    assert post(world.coder, f"{one}/identity/").status_code == 403
    assert post(world.stranger, f"{session}/pseudonymise/").status_code == 404


@pytest.mark.parametrize("path", ["interviews", "participants", "interview-guides", "audiences"])
def test_lists_cost_the_same_at_one_row_and_at_three(world, path):
    address, counts = f"studies/{world.study.slug}/{path}/", []
    factories.make_guide(world.study, world.lead, {})
    for wanted in (1, 3):
        while Guide.objects.count() < wanted:
            factories.make_guide(world.study, world.lead, {})
            make_transcript(make_session(make_participant(world.study, world.lead), world.lead), world.lead)
            factories.make_audience(world.study, "WXYZ"[Guide.objects.count()])
        get(world.lead, address)
        counts.append(cost(lambda: get(world.lead, address)))
    assert counts[0] == counts[1]
    assert Transcript.objects.count() == 2


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ('{"speakers": {"A\\ud800": "participant"}}', "half a character"),
        ('{"speakers": {"A": "\\udfffx"}}', "half a character"),
        ('{"replacements": [{"original": "\\ud83d", "stand_in": "x"}]}', "half a character"),
        ('{"speakers": ' + "[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
    ],
)
def test_json_that_no_answer_could_repeat_is_refused(world, body, detail):
    answer = client_of(world.lead).post(
        f"{API}/interviews/{world.session.pk}/pseudonymise/", body, content_type="application/json"
    )
    assert (answer.status_code, detail in answer.json()["detail"]) == (400, True)


def test_a_transcript_of_each_format_is_uploaded_and_corrected_as_on_the_page(world):
    """The readers, refusals and limits are those of the page."""
    path = f"interviews/{world.session.pk}"
    client = client_of(world.lead)

    def send(name, data, to="transcript", member=None, **fields):
        body = {"file": SimpleUploadedFile(name, data), **fields}
        address = f"{API}/{path}/{to}/"
        return (client_of(member) if member else client).post(address, body, format="multipart")

    cue = b"00:00:01{0}000 --> 00:00:02{0}000\n{1}\n"
    files = {
        "one.SRT": b"1\n" + cue.replace(b"{0}", b",").replace(b"{1}", b"Ann: Yes."),
        "one.vtt": b"WEBVTT\n\n" + cue.replace(b"{0}", b".").replace(b"{1}", b"<v Ann>Yes."),
        "one.docx": document(paragraph("Ann: Yes.")),
        "one.txt": b"Ann: Yes.",
    }
    for name, data in files.items():
        assert send(name, data).status_code == 204, name
        raw = RawTranscript.objects.get()
        assert [(turn.speaker, turn.text) for turn in raw_turns(raw)] == [("Ann", "Yes.")], name
        assert raw.file_format == name.lower().rpartition(".")[2]
    broken = send("two.srt", b"1\n00:00:01,000 --> 00:00:x2,000\nAnn: No.\n")
    assert (broken.status_code, broken.json()["field"], "ine 2" in broken.json()["detail"]) == (
        422,
        "file",
        True,
    )
    bomb = send("two.docx", b"PK\x03\x04")
    assert (bomb.status_code, bomb.json()["field"]) == (422, "file")
    assert send("two.exe", b"MZ").json() == {"file": ["Send a file that ends with .txt, .srt, .vtt, .docx."]}
    large = send("two.txt", b"A" * (MOST_BYTES + 1))
    assert (large.status_code, large.json()) == (400, {"file": ["A transcript has at most 20 MB."]})
    assert send("two.txt", b"A: No.", member=world.coder).status_code == 403
    assert [(turn.speaker, turn.text) for turn in raw_turns(RawTranscript.objects.get())] == [("Ann", "Yes.")]

    post(world.lead, f"{path}/pseudonymise/", {"replacements": [], "speakers": {"Ann": "participant"}})
    fields = {"note": "Misheard", "made_from": 1}
    half = send("three.vtt", files["one.vtt"], "corrections", original="Otto", **fields)
    assert half.json() == {"stand_in": ["Send original and stand_in, or neither."]}
    said = files["one.vtt"].replace(b"Ann", b"U1").replace(b"Yes", b"Otto")
    made = send("three.vtt", said, "corrections", original="Otto", stand_in="[name]", **fields)
    assert (made.status_code, made.json()["number"], made.json()["turns"][0]["text"]) == (201, 2, "[name].")


def test_a_table_of_participants_is_looked_at_and_imported_as_on_the_page(world):
    path = f"studies/{world.study.slug}/participants/import/"
    table = "Role,Age\nLLM user-Student,20\nDL developer-Maintainer,30\nOther,40\n"
    seen = post(world.lead, path, {"text": table, "audience_column": 1, "preview": True})
    assert (seen.status_code, seen.json()) == (200, {
        "header": ["Role", "Age"], "columns": ["role", "attribute"], "audience_column": 1,
        "groups": [
            {"value": "LLM user-Student", "rows": 1, "audience": "U"},
            {"value": "DL developer-Maintainer", "rows": 1, "audience": "D"},
            {"value": "Other", "rows": 1, "audience": ""},
        ],
        "counts": {"U": 1, "D": 1},
        "problems": [{"line": 4, "cause": "no audience is chosen for “Other”"}], "notes": [], "made": [],
    })  # fmt: skip
    body = {"text": table, "audience_column": 1}
    assert post(world.lead, path, body).json() == {"problems": ["line 4: no audience is chosen for “Other”"]}
    assert Participant.objects.count() == 1
    made = post(world.lead, path, body | {"audiences": {"other": "D"}, "columns": ["role", "ignore"]})
    assert (made.status_code, made.json()["counts"]) == (201, {"U": 1, "D": 2})
    assert [(one["participant"], one["role"], one["attributes"]) for one in made.json()["made"]] == [
        ("U2", "LLM user-Student", {}), ("D1", "DL developer-Maintainer", {}), ("D2", "Other", {}),
    ]  # fmt: skip
    wrong = [
        {}, {"text": "A\n1\n", "xlsx": "UEs="}, {"xlsx": "%"}, {"text": table, "columns": ["role"]},
        {"text": table, "columns": ["role", "role"]}, {"text": table, "audience": "X"},
        {"text": table, "audience_column": 3},
    ]  # fmt: skip
    assert [list(post(world.lead, path, one).json()) for one in wrong] == [
        ["text"], ["text"], ["xlsx"], ["columns"], ["columns"], ["audiences"], ["audience_column"],
    ]  # fmt: skip
    refused = post(world.lead, path, {"xlsx": "UEsDBA=="})
    assert (refused.status_code, refused.json()["field"]) == (422, "xlsx")
    refused = post(world.lead, path, {"text": table, "sheet": 2})
    assert (refused.status_code, refused.json()["field"]) == (422, "text")
    assert post(world.coder, path, body).status_code == 403
