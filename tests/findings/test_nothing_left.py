"""An erasure, proven from outside: a dump of the database by pg_dump, the files of the server and what it hands out
afterwards hold nothing of the participant, in whatever form.
"""

import base64
import gzip
import io
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.urls import reverse

from core.embedded.postgres import program
from findings.models import Finding
from findings.queries.evidence import common_quotes, reference_of
from interviews.models import OpenCode, Question, Quote
from tests.findings.world import KAPPA, FindingWorld, finding_world
from tests.interviews.coding import span_of
from tests.interviews.readers.packing import document, paragraph
from tests.kept import kept
from tests.long import only_long
from tests.worlds.packages import package_for
from tests.worlds.pages import client

NAME, COMPANY = "Zuzana Canaryova", "Canarycorp"
NAMED = ("Canaryova", COMPANY, "canary.example")
"""What is encrypted from its first moment."""
SAID = ("canarysaid", "canaryagain", "canaryrole", "canarytask", "canarycity", "canarygift", "canarymemo",
        "canarywhy", "canarynote", "canarycode", "canarybook", "canaryremark")  # fmt: skip
HEADER = "Participant,Type,Experience Level,Framework Context,Prompt Category,Thematic Quote,Linked Taxonomy Node(s),Research Insight"


@kept
def world() -> FindingWorld:
    return finding_world()


def forms(word: str) -> Iterator[bytes]:
    """The word in each way that a file may write it."""
    for one in (word, word.lower(), word.upper()):
        yield from (one.encode(), one.encode("utf-16-le"), one.encode("utf-16-be"))
        for before in range(3):  # in base64 a word looks different by its place among three bytes
            whole = base64.b64encode(b"\0" * before + one.encode()).rstrip(b"=")
            yield whole[(0, 2, 3)[before] : -1]


def found(data: bytes, words: tuple[str, ...]) -> set[str]:
    """The words that are in the data, or in what is packed in it."""
    hits = {word for word in words if any(form in data for form in forms(word))}
    if data.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                hits |= found(archive.read(name), words) | found(name.encode(), words)
    if data.startswith(b"\x1f\x8b"):
        hits |= found(gzip.decompress(data), words)
    return hits


def test_words_are_found_however_they_are_written():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.gz", gzip.compress("x canarysaid".encode("utf-16-le")))
        archive.writestr("canarytask", b"")
    assert found(out.getvalue(), SAID) == {"canarysaid", "canarytask"}
    for before in range(4):
        assert found(base64.b64encode(b"x" * before + b"canarysaid" + b"yz"), SAID) == {"canarysaid"}
    assert found(b"canary", SAID) == set()


def dumped() -> bytes:
    """The whole database, as an administrator saves it."""
    connection.ensure_connection()
    place = connection.connection.info
    asked = {"host": place.host, "port": str(place.port), "username": place.user, "dbname": place.dbname}
    command = [str(program("pg_dump")), *(f"--{name}={value}" for name, value in asked.items())]
    return subprocess.run(command, check=True, capture_output=True).stdout


def files() -> Iterator[tuple[str, bytes]]:
    """All files of the data folder but the database's own, which the dump says, and all temporary ones of ours."""
    for folder in settings.DATA_DIR.iterdir():
        if folder.name != "postgres":
            for path in [folder, *folder.rglob("*")]:
                if path.is_file():
                    yield str(path), path.read_bytes()
    for path in Path(tempfile.gettempdir()).glob("*.upload*"):
        yield str(path), path.read_bytes()


def handed_out(world: FindingWorld) -> dict[str, bytes]:
    """What a lead reads and downloads of interviews and findings."""
    lead, slug = client(world.lead), world.study.slug
    pages = [
        reverse(name, args=[slug])
        for name in (
            "interviews", "participants", "codings", "codings_agreement", "coverage", "open_codes", "rankings",
            "rankings_csv", "interview_codebook", "codebook_csv", "qda_project", "findings", "finding_chain",
            "audit", "api_participants", "api_qda_project", "api_interview_codebook", "api_findings", "api_codings",
        )
    ]  # fmt: skip
    pages += [reverse("findings_file", args=[slug, form]) for form in ("csv", "md")]
    pages += [reverse(name, args=[world.session.pk]) for name in ("interview", "rank", "api_transcript")]
    pages += [reverse(name, args=[world.participant.pk]) for name in ("participant", "api_participant")]
    pages += [reverse(name, args=[world.coding.pk]) for name in ("code_interview", "reconcile", "api_items")]
    pages += [reverse("reconcile", args=[world.coding.pk]) + "?show=all"]
    pages += [Finding.objects.get().get_absolute_url()]
    given = {}
    for page in pages:
        answer = lead.get(page)
        assert answer.status_code in {200, 302}, page
        given[page] = b"".join(answer.streaming_content) if answer.streaming else answer.content
    given["package"] = b"".join(package_for(lead, world.round).streaming_content)
    return given


def whole_way(world: FindingWorld) -> None:
    """Import, pseudonymise, correct, code twice, settle, rank, find: all that can be known of a participant, each
    canary where people would type it.
    """
    lead = client(world.lead)
    api = {"content_type": "application/json"}
    who, session = world.participant.pk, world.session.pk
    lead.post(
        reverse("edit_participant", args=[who]),
        {"role": "canaryrole", "context": "canarytask", "experience": "4 years", "incentive": "canarygift",
         "attributes": "City: canarycity", "member_check": "sent"},
    )  # fmt: skip
    lead.put(reverse("api_identity", args=[who]), {"name": NAME, "contact": "z@canary.example"}, **api)
    book = {"name": "Book", "text": f"{HEADER}\nU1,User,a,b,c,canarybook,A.1,d\n", "is_published": True}
    imported = lead.post(reverse("api_imported_codebooks", args=[world.study.slug]), book, **api)
    assert imported.status_code == 201, imported.json()
    table = SimpleUploadedFile("t.csv", f"Participant,Role\nU9,{NAME} canaryrole\n".encode())
    lead.post(reverse("import_participants", args=[world.study.slug]), {"file": table})

    new = lead.post(
        reverse("api_interviews", args=[world.study.slug]),
        {"participant": who, "interviewer": world.lead.pseudonym, "held_on": "2025-06-01",
         "guide": world.session.guide.number}, **api,
    )  # fmt: skip
    world.session = world.participant.sessions.get(pk=new.json()["id"])
    session = world.session.pk
    padding = paragraph("Ann: " + "so " * 20) + paragraph("Zuzana: " + "yes " * 20)
    body = (
        paragraph(f"Ann: Welcome, {NAME}. What fails?")
        + paragraph(f"Zuzana: At {COMPANY} it was the canarysaid of the memory. Write to z@canary.example.")
        + padding * 3
    )
    refused = SimpleUploadedFile(
        "a.txt", f"Zuzana: {NAME} canarysaid\0".encode() * 90_000
    )  # on disk meanwhile
    assert lead.post(reverse("new_transcript", args=[session]), {"file": refused}).status_code == 422
    file = SimpleUploadedFile("canarysaid.docx", document(body))
    assert lead.post(reverse("new_transcript", args=[session]), {"file": file}).status_code == 302
    hidden = reverse("pseudonymise", args=[session])
    for original in (COMPANY, "z@canary.example"):
        assert (
            lead.post(hidden, {"add": "1", "secret_original": original, "stand_in": "[x]"}).status_code == 200
        )
    stored = lead.post(hidden, {"store": "1", "speaker_0": "interviewer", "speaker_1": "participant"})
    assert stored.status_code == 302
    text = lead.get(reverse("correct_transcript", args=[session])).context["form"].initial["secret_text"]
    corrected = {"secret_text": text.replace("memory", "canaryagain"), "note": "canarynote", "made_from": 1}
    assert lead.post(reverse("correct_transcript", args=[session]), corrected).status_code == 302

    coders = [world.lead, world.volunteer]
    opened = lead.post(
        reverse("api_new_coding", args=[session]),
        {"coders": [one.pseudonym for one in coders], "taxonomy": world.base.version.taxonomy_id,
         "version": world.base.version.number}, **api,
    )  # fmt: skip
    assert opened.status_code == 201, opened.json()
    world.coding = world.session.coding
    span = span_of(world.coding, "canarysaid")
    place = {"turn": span.turn, "start": span.start, "end": span.end}
    for coder, code in zip(coders, ("A.1", "B.1"), strict=True):
        content = {"codes": [code], "open_codes": ["canarycode"], "memo": "canarymemo", "strength": 2}
        quotes = reverse("api_quotes", args=[world.coding.pk])
        assert client(coder).put(quotes, place | content, **api).status_code == 200
        client(coder).post(reverse("api_coding_done", args=[world.coding.pk]), {"done": True}, **api)
    [item] = lead.get(reverse("api_items", args=[world.coding.pk])).json()
    settled = lead.post(
        reverse("api_items", args=[world.coding.pk]),
        {"keys": [one["key"] for one in item["quotes"]], "outcome": "merge",
         "rationale": "canarywhy"}, **api,
    )  # fmt: skip
    assert settled.status_code == 200, settled.json()
    assert lead.post(reverse("api_settle_coding", args=[world.coding.pk]), {}, **api).status_code == 200

    ranks = reverse("api_ranking", args=[session, Question.objects.get().pk])
    assert lead.put(ranks, {"places": {"A": 1}}, **api).status_code == 200
    made = lead.post(reverse("api_findings", args=[world.study.slug]), {"text": "Kappa is {1}: {2}."}, **api)
    evidence = reverse("api_attach_evidence", args=[made.json()["id"]])
    number = {"kind": "number", "round": world.round.pk, "level": "theme", "figure": KAPPA}
    assert lead.post(evidence, number, **api).status_code == 201
    references = [reference_of(one) for one in common_quotes(world.lead, world.study.pk)]
    [quote] = [one for one in references if one.endswith(f".{span.start}-{span.end}")]
    said = {"kind": "quote", "quote": quote, "note": "canaryremark"}
    answer = lead.post(evidence, said, **api)
    assert answer.status_code == 201, answer.json()
    lead.post(reverse("api_freeze_finding", args=[made.json()["id"]]), {}, **api)


@only_long
@pytest.mark.django_db(transaction=True)
def test_nothing_is_left_of_an_erased_participant(world, caplog):
    whole_way(world)
    before = {page: found(data, NAMED + SAID) for page, data in handed_out(world).items()}
    assert found(dumped(), NAMED) == set()
    assert found(dumped(), SAID) == set(SAID)
    assert {"canarysaid", "canaryremark"} <= before["package"], "what is not there cannot be missed"
    assert before[reverse("qda_project", args=[world.study.slug])] == set()  # no consent to share
    page = client(world.lead).get(reverse("erase_participant", args=[world.participant.pk]))
    assert "Files that somebody downloaded earlier" in page.text
    numbers = (Quote.objects.count(), OpenCode.objects.count())

    erased = client(world.lead).post(
        reverse("erase_participant", args=[world.participant.pk]), {"pseudonym": str(world.participant)}
    )

    assert erased.status_code == 302
    assert (Quote.objects.count(), OpenCode.objects.count()) == numbers
    assert found(dumped(), NAMED + SAID) == set()
    after = {page: hits for page, data in handed_out(world).items() if (hits := found(data, NAMED + SAID))}
    assert after == {}
    assert {name for name, data in files() if found(data, NAMED + SAID)} == set()
    assert found(caplog.text.encode(), NAMED + SAID) == set()
