"""The whole report as one file: the numbers of the page, nothing from elsewhere, and no text read as markup."""

import html
import re
from collections import Counter
from io import BytesIO

import pgtrigger
import pytest
from django.urls import reverse
from pypdf import PdfReader

from annotate import rendering, report_files, typesetter
from annotate.errors import NothingToReport, PdfFailed, PictureFailed
from annotate.report_document import document
from annotate.reports import agreement_report
from annotate.tables import TABLES, number
from core.version import version
from studies.models import Membership, Role, Study
from taxonomy.models import CategoryState
from tests.annotate.uneven import AGAIN, again, uneven
from tests.annotate.views.pages import client, label_all, text_of
from tests.annotate.world import small_world
from tests.factories import make_member

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

BY = [["type"], ["repository"], ["month"]]
SHORT = "<script>alert(1)</script>#$x$&"
EVIL = '<script>alert(1)</script> #panic("x") $x$ &amp;'


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


@pytest.fixture
def round_():
    made = uneven()
    for place, column, code in AGAIN:
        again(made, place, column, code)
    return made


@pytest.fixture
def report(round_):
    return agreement_report(round_, by=BY)


def test_html_says_what_the_page_says(round_, report):
    signed_in = client(make_member(round_.study, Role.LEAD, pseudonym="Lead"))
    page = signed_in.get(reverse("agreement", args=[round_.pk]))

    answer = signed_in.get(reverse("agreement_file", args=[round_.pk, "html"]))

    body = answer.content.decode()
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


def test_html_holds_every_table_at_three_digits(report):
    body = report_files.html(report).decode()

    for name, table in ((name, make(report)) for name, make in TABLES.items() if name != "left-out"):
        # The study has one round and no model, and nobody has voted in it.
        assert bool(table.rows) is (name not in {"rounds", "consensus", "models"}), name
        assert bool(table.rows) is (f'id="table-{name}"' in body)
        if not table.rows:
            continue
        numbers = [
            [number(cell) if isinstance(cell, float) else f"{cell:,}" for cell in row
             if isinstance(cell, int | float)]
            for row in table.rows
        ]  # fmt: skip
        found = [
            [cell for cell in row if re.fullmatch(r"-?[\d,]+(\.\d{3})?", cell)] for row in cells(body, name)
        ]
        if name in {"splits", "report"}:
            found = [row[-len(one) :] for row, one in zip(found, numbers, strict=True)]
        if name != "over-time-test":
            assert found == numbers, name


def test_html_needs_nothing_else(report):
    body = report_files.html(report).decode()

    assert "<script" not in body
    assert not re.search(r"\son\w+\s*=", body)
    assert not re.search(r"<(?:link|img|iframe|object|embed|base|form)\b", body)
    assert not re.search(r"""(?:src|href)=["'](?!#)|url\((?!#)|@import""", body)
    assert """content="default-src 'none'; style-src 'unsafe-inline'">""" in body
    assert body.count("<svg ") == 2 * len(document(report)["figures"]) > 6
    ids = Counter(re.findall(r'\bid="([^"]*)"', body))
    assert max(ids.values()) == 1
    assert set(re.findall(r"url\(#([^)]*)\)", body)) <= set(ids)


def test_pdf_says_the_same(report):
    file = report_files.pdf(report)

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


def test_no_name_is_read_as_markup(round_):
    Membership.objects.filter(pseudonym="R1").update(pseudonym=SHORT)
    with pgtrigger.ignore("taxonomy.CategoryState:published_states_stay"):
        CategoryState.objects.filter(version=round_.version, code="C.1").update(name=f"{EVIL} theme")
    Study.objects.filter(pk=round_.study_id).update(name=f"{EVIL} study")
    type(round_).objects.filter(pk=round_.pk).update(name=f"{EVIL} round")
    round_ = type(round_).objects.get(pk=round_.pk)
    report = agreement_report(round_, by=BY)

    body = report_files.html(report).decode()
    assert "<script" not in body
    assert f"{EVIL} study" in html.unescape(body)
    assert [row[0] for row in cells(body, "volunteers")].count(SHORT) == 1
    assert f"{EVIL} theme" in [row[1] for row in cells(body, "categories")]

    said = read(report_files.pdf(report))
    assert f"{EVIL} round" in said
    assert '#panic("x")' in said


def test_undefined_numbers_say_why_and_nothing_is_drawn_of_them():
    world = small_world(issues=2, members=2)
    round_ = world.round()
    label_all(world, round_, "C.1 C.1", "C.1 C.1")
    report = agreement_report(round_, by=BY)

    said = words(report_files.html(report).decode())

    assert "undefined: all labels are the same category" in said
    assert ["Fleiss’ kappa", "all labels are the same category"] in [
        [cell for cell in row if cell] for row in cells(report_files.html(report).decode(), "coefficients")
    ]
    assert not re.search(r"\b(nan|none|null)\b", said.lower())
    assert "undefined: all labels are the same category" in read(report_files.pdf(report))


def test_a_round_without_labels_has_nothing_to_report():
    world = small_world(issues=1, members=2)
    round_ = world.round()

    with pytest.raises(NothingToReport):
        report_files.html(agreement_report(round_))
    address = reverse("agreement_file", args=[round_.pk, "pdf"])
    answer = client(world.lead).get(address)
    assert answer.status_code == 409
    assert "There is nothing to report yet" in answer.content.decode()
    assert address not in client(world.lead).get(reverse("agreement", args=[round_.pk])).content.decode()


def test_what_takes_too_long_is_given_up_with_a_word(report, monkeypatch):
    monkeypatch.setattr(typesetter, "SECONDS", 0.01)
    with pytest.raises(PdfFailed, match="take it as HTML"):
        report_files.pdf(report)
    monkeypatch.setattr(rendering, "SECONDS", 0.01)
    with pytest.raises(PictureFailed):
        report_files.html(report)


def test_what_is_held_back_is_in_neither_file_and_the_answer_says_how_much():
    world = small_world(issues=3, members=2)
    round_ = world.round()
    label_all(world, round_, "C.1 C.1", "C.1 C.2", "C.2 C.2")
    member = world.members[0]
    world.waits_for(member, world.issues[1])

    for form in ("html", "pdf"):
        answer = client(member).get(reverse("agreement_file", args=[round_.pk, form]))
        said = read(answer.content) if form == "pdf" else words(answer.content.decode())
        assert "Issues 2 Volunteers 2 Labels 4" in said
        assert "These are not the study’s numbers: 1 of 3 issues is held back from you." in said
        assert "1 issue that who made this report still has to label in another round" in said
        assert answer["Crosscheck-Withheld"] == "1"


def test_the_page_offers_both_files_at_its_level(round_):
    signed_in = client(make_member(round_.study, Role.LEAD, pseudonym="Lead"))
    page = signed_in.get(reverse("agreement", args=[round_.pk]) + "?level=type").content.decode()

    for form in ("html", "pdf"):
        assert f'href="{reverse("agreement_file", args=[round_.pk, form])}?level=type"' in page
    answer = signed_in.get(reverse("agreement_file", args=[round_.pk, "html"]) + "?level=type")
    assert "Fleiss’ kappa, type level" in words(answer.content.decode())
    for address in ("report.exe", "report.html?level=x"):
        assert signed_in.get(f"/rounds/{round_.pk}/agreement/{address}").status_code == 404
