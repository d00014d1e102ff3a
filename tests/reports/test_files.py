"""The whole report as one file: the numbers of the page, nothing from elsewhere, and no text read as markup."""

import cProfile
import html
import json
import os
import re
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from uuid import uuid4

import pgtrigger
import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pypdf import PdfReader

from core import jobs
from core.models import Job
from core.version import version
from drawing import typst_pdf, vega
from drawing.errors import PdfFailed, PictureFailed
from reports.agreement_report import PAGE_BY, AgreementReport, agreement_report
from reports.errors import NothingToReport
from reports.formats import file_cache, files
from reports.formats.document import document
from reports.formats.tables import number
from reports.queries.report_files import runs
from reports.sections.registry import SECTIONS, TABLES
from rounds.models import Round
from rounds.queries.rounds import revealed
from studies.models import Membership, Role, Study
from taxonomy.models import CategoryState
from tests.factories import make_member
from tests.kept import kept
from tests.long import only_long
from tests.worlds.pages import client, label_all, queries_of, text_of
from tests.worlds.uneven import uneven_twice
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

BY = [["type"], ["repository"], ["month"]]
SHORT = "<script>alert(1)</script>#$x$&"
EVIL = '<script>alert(1)</script> #panic("x") $x$ &amp;'


def written(form: str, report: AgreementReport) -> bytes:
    return files.draft(report, form).written()


def ask(reader: Client, round_: Round, form: str, level: str = "theme") -> str:
    """The address of the page that follows the file, once its job has run."""
    asked = reader.post(reverse("make_agreement_file", args=[round_.pk]), {"form": form, "level": level})
    assert asked.status_code == 302
    jobs.run(int(asked["Location"].rstrip("/").rpartition("/")[2]))
    return asked["Location"]


def take(reader: Client, page: str) -> tuple[bytes, HttpResponse]:
    """The file whose page this is, and its answer."""
    answer = reader.get(f"{page}content/")
    assert answer.status_code == 200
    return answer.content, answer


def words(body: str) -> str:
    """What a reader sees, each run of white space as one blank."""
    body = body[body.find("<main>") + 1 :] if "<main>" in body else body
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())


def read(file: bytes) -> str:
    return " ".join(" ".join(page.extract_text() for page in PdfReader(BytesIO(file)).pages).split())


def cells(body: str, name: str) -> list[list[str]]:
    """The texts of one table of the HTML file, row by row."""
    part = body[body.index(f'id="table-{name}"') :]
    rows = re.findall(r"<tr>(.*?)</tr>", part[: part.index("</table>")], re.DOTALL)
    return [[words(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL)] for row in rows[1:]]


DRAWN: dict[tuple[str, str], bytes] = {}


@pytest.fixture(autouse=True)
def drawn_once(monkeypatch):
    """The engine draws each picture once for all tests here: most of them have the same ones. Where it has
    no time left it is asked each time. The files that are made of them are kept for one test alone.
    """
    monkeypatch.setattr(file_cache, "FOLDER", uuid4().hex)
    draw = vega._drawn

    def drawn(specs, form, told):
        asked = [(json.dumps(spec, sort_keys=True), form) for spec in specs]
        if vega.SECONDS < 1 or any(one not in DRAWN for one in asked):
            DRAWN.update(zip(asked, made := draw(specs, form, told), strict=True))
            return made
        for place in range(len(asked)):
            told(place + 1)
        return [DRAWN[one] for one in asked]

    monkeypatch.setattr(vega, "_drawn", drawn)


@kept
def round_():
    return uneven_twice()


@pytest.fixture
def reader(round_):
    """A lead who labels nothing."""
    return client(make_member(round_.study, Role.LEAD, pseudonym="Lead"))


@pytest.fixture
def report(round_):
    return agreement_report(round_, by=BY)


def test_html_says_what_the_page_says(round_, reader, report):
    page = reader.get(reverse("agreement", args=[round_.pk]))

    file, answer = take(reader, ask(reader, round_, "html"))

    body = file.decode()
    said, shown = words(body), text_of(page)
    kappa = report.overall.coefficients["fleiss_kappa"]
    span = f"95 % interval {number(kappa.low)} to {number(kappa.high)}"
    assert f"Fleiss’ kappa, theme level {number(kappa.value)} {span}" in said
    assert f"Fleiss’ kappa, theme level {number(kappa.value)} {span}" in shown
    paragraph = words(re.search(r'id="paragraph">(.*?)</p>', page.content.decode(), re.DOTALL)[1])
    assert paragraph in said
    for one in report.overall.coefficients.values():
        assert number(one.value) in shown
    for one in page.context["definitions"]:
        assert words(f"{one[0]} {one[1].text} {one[1].formula} {one[1].source}") in said
    for part in page.context["left_out"]:
        assert f"{part.count} {part.text}" in said
    for picture in page.context["pictures"]:
        assert f"{picture.title}. {picture.caption}" in said
    assert f"Taxonomy {round_.version.taxonomy.name}, version 1" in said
    assert f"Made with Crosscheck {version()}, as of " in said
    assert answer["Content-Type"] == "text/html; charset=utf-8"
    assert answer["Content-Disposition"] == ('attachment; filename="uneven-round-1-theme-agreement.html"')


@only_long
def test_html_holds_every_table_at_three_digits(report):
    body = written("html", report).decode()

    left_out_here = {section.key for section in SECTIONS if not section.in_document}
    without_rows = {"rounds", "consensus", "models", "second-looks", "independence"}
    for name, table in ((name, make(report)) for name, make in TABLES.items() if name not in left_out_here):
        # The study has one round and no model, and no sign; nobody has voted in it, or looked again.
        assert bool(table.rows) is (name not in without_rows), name
        assert bool(table.rows) is (f'id="table-{name}"' in body)
        if not table.rows:
            continue
        numbers = [
            [number(cell) if isinstance(cell, float) else f"{cell:,}" for cell in row
             if isinstance(cell, int | float)]
            for row in table.rows
        ]  # fmt: skip
        found = [
            [cell for cell in row if re.fullmatch(r"−?[\d,]+(\.\d{3})?", cell)] for row in cells(body, name)
        ]
        if name in {"splits", "report"}:
            found = [row[-len(one) :] for row, one in zip(found, numbers, strict=True)]
        if name != "over-time-test":
            assert found == numbers, name


@pytest.mark.django_db
def test_each_table_of_a_document_is_computed_once_and_once_for_its_picture(report):
    profile = cProfile.Profile()
    profile.runcall(document, report)
    profile.create_stats()
    calls = [
        found[0]
        for (file, _line, name), found in profile.stats.items()
        if name == "table" and file.endswith("reports/sections/section.py")
    ]
    tables = sum(section.in_document for section in SECTIONS)
    assert calls == [tables + sum(section.picture is not None for section in SECTIONS)]


@only_long
def test_html_needs_nothing_else(report):
    body = written("html", report).decode()

    assert "<script" not in body
    assert not re.search(r"\son\w+\s*=", body)
    assert not re.search(r"<(?:link|img|iframe|object|embed|base|form)\b", body)
    assert not re.search(r"""(?:src|href)=["'](?!#)|url\((?!#)|@import""", body)
    assert """content="default-src 'none'; style-src 'unsafe-inline'">""" in body
    assert body.count("<svg ") == 2 * len(document(report)["figures"]) > 6
    ids = Counter(re.findall(r'\bid="([^"]*)"', body))
    assert max(ids.values()) == 1
    assert set(re.findall(r"url\(#([^)]*)\)", body)) <= set(ids)


@only_long
def test_pdf_says_the_same(report):
    file = written("pdf", report)

    reader = PdfReader(BytesIO(file))
    said = read(file)
    found = document(report)
    assert reader.metadata.title == found["title"] == "Agreement: Round 1"
    for part in (
        found["paragraph"],
        found["headline"]["value"],
        found["headline"]["beside"],
        found["made_by"],
    ):
        assert " ".join(part.split()) in said
    for section in found["sections"]:
        assert section["title"] in said
    for figure in found["figures"]:
        assert " ".join(figure["caption"].split()) in said
    for one in found["definitions"]:
        assert one["source"] in said
    assert not [one for page in reader.pages for one in page.get("/Annots", [])]


@only_long
def test_no_name_is_read_as_markup(round_):
    Membership.objects.filter(pseudonym="R1").update(pseudonym=SHORT)
    with pgtrigger.ignore("taxonomy.CategoryState:published_states_stay"):
        CategoryState.objects.filter(version=round_.version, code="C.1").update(name=f"{EVIL} theme")
    Study.objects.filter(pk=round_.study_id).update(name=f"{EVIL} study")
    type(round_).objects.filter(pk=round_.pk).update(name=f"{EVIL} round")
    round_ = type(round_).objects.get(pk=round_.pk)
    report = agreement_report(round_, by=BY)

    body = written("html", report).decode()
    assert "<script" not in body
    assert f"{EVIL} study" in html.unescape(body)
    assert [row[0] for row in cells(body, "volunteers")].count(SHORT) == 1
    assert f"{EVIL} theme" in [row[1] for row in cells(body, "categories")]

    said = read(written("pdf", report))
    assert f"{EVIL} round" in said
    assert '#panic("x")' in said


@only_long
def test_undefined_numbers_say_why_and_nothing_is_drawn_of_them():
    world = small_world(issues=2, members=2)
    round_ = world.round()
    label_all(world, round_, "C.1 C.1", "C.1 C.1")
    report = agreement_report(round_, by=BY)

    said = words(written("html", report).decode())

    assert "undefined: all labels are the same category" in said
    assert ["Fleiss’ kappa", "all labels are the same category"] in [
        [cell for cell in row if cell] for row in cells(written("html", report).decode(), "coefficients")
    ]
    assert not re.search(r"\b(nan|none|null)\b", said.lower())
    assert "undefined: all labels are the same category" in read(written("pdf", report))


def test_a_round_without_labels_has_nothing_to_report():
    world = small_world(issues=1, members=2)
    round_ = world.round()

    with pytest.raises(NothingToReport):
        written("html", agreement_report(round_))
    reader = client(world.lead)
    page = ask(reader, round_, "pdf")
    assert "There is nothing to report yet" in text_of(reader.get(page))
    assert reader.get(f"{page}content/").status_code == 410
    address = reverse("make_agreement_file", args=[round_.pk])
    assert address not in reader.get(reverse("agreement", args=[round_.pk])).content.decode()


@only_long
def test_what_takes_too_long_is_given_up_with_a_word(report, monkeypatch):
    monkeypatch.setattr(typst_pdf, "SECONDS", 0.01)
    with pytest.raises(PdfFailed, match="download HTML or Markdown"):
        written("pdf", report)
    monkeypatch.setattr(vega, "SECONDS", 0.01)
    with pytest.raises(PictureFailed):
        written("html", report)


def test_what_is_withheld_is_in_neither_file_and_the_answer_says_how_much():
    world = small_world(issues=3, members=2)
    round_ = world.round()
    label_all(world, round_, "C.1 C.1", "C.1 C.2", "C.2 C.2")
    member = world.members[0]
    world.waits_for(member, world.issues[1])

    for form in ("html", "pdf"):
        file, answer = take(client(member), ask(client(member), round_, form))
        said = read(file) if form == "pdf" else words(file.decode())
        assert "Issues 2 Volunteers 2 Labels 4" in said
        assert "Do not publish these numbers: 1 of 3 issues is hidden from you." in said
        assert "1 issue that the author of this report still has to label in another round" in said
        assert answer["Crosscheck-Withheld"] == "1"


@only_long
def test_the_page_offers_both_files_at_its_level(round_, reader):
    address = reverse("make_agreement_file", args=[round_.pk])
    page = reader.get(reverse("agreement", args=[round_.pk]) + "?level=type").content.decode()

    form = page[page.index(f'action="{address}"') :]
    form = form[: form.index("</form>")]
    assert re.findall(r'name="(level|form)"\s+value="(\w+)"', form) == [
        ("level", "type"), ("form", "html"), ("form", "pdf"),
    ]  # fmt: skip
    file, _answer = take(reader, ask(reader, round_, "html", "type"))
    assert "Fleiss’ kappa, type level" in words(file.decode())
    for given in ({"form": "exe", "level": "type"}, {"form": "html", "level": "x"}, {}):
        assert reader.post(address, given).status_code == 404
    assert reader.get(address).status_code == 405


# --- the job


@only_long
def test_the_page_follows_the_job_and_then_has_the_file(round_, reader):
    address = reverse("make_agreement_file", args=[round_.pk])
    page = reader.post(address, {"form": "html", "level": "theme"})["Location"]
    waiting = reader.get(page)
    assert 'hx-trigger="every 1s"' in waiting.content.decode()
    assert "Download HTML" not in text_of(waiting)
    assert reader.get(f"{page}content/").status_code == 410
    # Asked again while it waits it is the same job; as another file, or at another level, it is not.
    assert reader.post(address, {"form": "html", "level": "theme"})["Location"] == page
    assert reader.post(address, {"form": "html", "level": "type"})["Location"] != page

    steps = []
    job = jobs.run(Job.objects.order_by("pk").first().pk, watch=lambda *step: steps.append(step))

    drawn = 2 * len(document(agreement_report(round_, by=PAGE_BY))["figures"])
    assert steps[:2] == [(0, None, "counting labels"), (0, drawn + 1, "drawing pictures")]
    assert [done for done, _total, _step in steps[2:]] == [*range(1, drawn + 1), drawn + 1]
    done = reader.get(page, headers={"HX-Request": "true", "HX-Target": "job"}).content.decode()
    assert "hx-trigger" not in done
    assert f'href="{page}content/"' in done
    assert job.result["issues"] == runs(revealed(round_).values_list("pk", flat=True))


@only_long
def test_a_file_that_says_the_same_is_not_drawn_again(round_, reader, monkeypatch):
    first, _answer = take(reader, ask(reader, round_, "html"))
    monkeypatch.setattr(vega, "SECONDS", 0)

    again, _answer = take(reader, ask(reader, round_, "html"))
    other = client(make_member(round_.study, Role.VIEWER, pseudonym="Viewer"))
    theirs, _answer = take(other, ask(other, round_, "html"))

    assert again == theirs == first
    Round.objects.filter(pk=round_.pk).update(name="Renamed")
    assert "could not be drawn" in text_of(reader.get(ask(reader, round_, "html")))


def test_a_file_is_for_who_asked_while_they_may_read_it(round_):
    lead = make_member(round_.study, Role.LEAD, pseudonym="Lead")
    page = ask(client(lead), round_, "html")
    another = client(make_member(round_.study, Role.OWNER, pseudonym="Owner"))
    for address in (page, f"{page}content/"):
        assert another.get(address).status_code == 404

    Membership.objects.filter(pk=lead.pk).update(role=Role.MODEL)
    for address in (page, f"{page}content/"):
        assert client(lead).get(address).status_code == 403
    Membership.objects.filter(pk=lead.pk).update(left_at=timezone.now())
    assert client(lead).get(f"{page}content/").status_code == 404


@only_long
def test_a_file_is_not_given_out_once_something_in_it_is_blind_for_its_reader():
    world = small_world(issues=3, members=2)
    round_ = world.round()
    label_all(world, round_, "C.1 C.1", "C.1 C.2", "C.2 C.2")
    member = world.members[0]
    reader = client(member)
    page = ask(reader, round_, "html")
    take(reader, page)

    elsewhere = world.waits_for(member, world.issues[1])

    answer = reader.get(f"{page}content/")
    assert answer.status_code == 409
    assert "hidden from you now" in answer.content.decode()
    assert "hidden from you now" in text_of(reader.get(page))
    assert "Download HTML" not in text_of(reader.get(page))
    # The other one, who labels nowhere else, still has theirs.
    take(client(world.lead), ask(client(world.lead), round_, "html"))
    anew = ask(reader, round_, "html")
    assert take(reader, anew)[1]["Crosscheck-Withheld"] == "1"
    # What is said of fewer issues may be read when more are there to be seen.
    world.submit(elsewhere, world.issues[1], member, "C.1")
    take(reader, page)
    take(reader, anew)


@only_long
def test_a_file_of_another_round_is_found_under_its_own_only(round_, reader):
    page = ask(reader, round_, "html")
    world = small_world(issues=1, members=2)
    assert (
        reader.get(page.replace(f"/rounds/{round_.pk}/", f"/rounds/{world.round().pk}/")).status_code == 404
    )


@only_long
def test_the_page_of_a_file_has_the_tabs_of_its_round(round_, reader):
    page = reader.get(ask(reader, round_, "html")).content.decode()
    bar = page.partition('<div class="within">')[2].partition("</nav>")[0]
    assert round_.name in bar
    assert bar.partition('aria-current="page">')[2].partition("</a>")[0].strip() == "Agreement"


@only_long
def test_the_page_of_a_file_costs_the_same_whatever_is_in_it():
    world = small_world(issues=3, members=2)
    round_ = world.round()
    world.waits_for(world.members[0], world.issues[2])
    reader = client(world.members[0])
    counts = []
    for rows in (["C.1 C.1"], ["-", "C.1 C.2", "C.2 C.2"]):
        label_all(world, round_, *rows)
        page = ask(reader, round_, "html")
        counts += [queries_of(reader, address) for address in (page, f"{page}content/")]
    # Six of the page's are of the bar of the round: the rounds, what is complete, the reader's seat and labels
    # of today, what is withheld from the reader, and open disagreements.
    assert counts[:2] == counts[2:] == [14, 7]


@only_long
def test_who_asks_soon_for_the_same_gets_the_same_file_with_its_moment(round_, reader):
    pages = [ask(reader, round_, "html") for _time in range(2)]
    first, second = Job.objects.order_by("pk")
    assert (first.result["file"], first.result["as_of"]) == (second.result["file"], second.result["as_of"])
    assert take(reader, pages[0])[0] == take(reader, pages[1])[0]
    past = time.time() - file_cache.GIVEN_AGAIN - 1
    os.utime(file_cache.located(first.result["file"]), (past, past))

    ask(reader, round_, "html")

    # In this test's transaction it is the same moment still, and so the same name.
    assert file_cache.located(first.result["file"]).stat().st_mtime > past + 1
    take(reader, pages[0])


@only_long
def test_workers_that_finish_at_once_do_not_mind_each_other(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    with ThreadPoolExecutor(4) as workers:
        list(workers.map(lambda number: file_cache.put(f"{number}.html", b"x"), range(400)))
    assert len(list(file_cache.located("").iterdir())) == 400


@only_long
def test_files_go_after_a_day(round_, reader, settings):
    page = ask(reader, round_, "html")
    take(reader, page)
    name = Job.objects.get().result["file"]
    past = time.time() - file_cache.KEPT - 1
    os.utime(file_cache.located(name), (past, past))

    file_cache.put("another", b"")

    assert not file_cache.located(name).exists()
    assert reader.get(f"{page}content/").status_code == 410
    assert "kept for one day" in text_of(reader.get(page))


@only_long
def test_cancelled_while_it_is_drawn_no_file_is_left(round_, reader):
    address = reverse("make_agreement_file", args=[round_.pk])
    page = reader.post(address, {"form": "html", "level": "theme"})["Location"]
    job = Job.objects.get()

    def cancel(done: int, total: int | None, _step: str) -> None:
        if done == total:
            jobs.cancel(job)

    jobs.run(job.pk, watch=cancel)

    assert reader.get(f"{page}content/").status_code == 410
    assert Job.objects.get().state == Job.State.CANCELLED


def test_runs_are_the_numbers_that_they_were_made_of():
    assert runs([]) == []
    assert runs([7, 3, 1, 2]) == [[1, 3], [7, 7]]
