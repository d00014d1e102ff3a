"""Pictures: the numbers of the report, at the width asked for, as files that open."""

import html
import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import BytesIO
from threading import Thread

import altair as alt
import pytest
from pypdf import PdfReader

from annotate.actions.model_labels import ModelRow, label_as_model
from consensus.actions.votes import close_vote
from drawing import vega
from drawing.errors import PictureFailed
from drawing.vega import render, render_all
from ingest.models import Issue
from reports.agreement_report import PAGE_BY as BY
from reports.agreement_report import agreement_report
from reports.errors import NothingToDraw
from reports.formats.tables import number
from reports.pictures.catalogue import PICTURES, picture, pictures, specification, specifications
from reports.pictures.widths import WIDTHS
from reports.sections.composition import composition
from reports.sections.consensus import before_and_after
from reports.sections.over_time import periods
from reports.sections.registry import TABLES
from reports.sentences.definitions import BALLOTS_KNOW
from reports.sentences.over_time import change_sentences
from rounds.models import Round, RoundIssue
from rounds.queries.blindness import Reader
from studies.models import Role
from tests.factories import make_member
from tests.long import only_long
from tests.worlds.meeting import meeting_world
from tests.worlds.pages import label_all
from tests.worlds.world import small_world

pytestmark = pytest.mark.django_db

ROWS = (
    "C.1 C.1 C.1",
    "C.1 C.2 C.1",
    "A.1 A.1 A.1",
    "C.2 A.1 C.1",
    "B.1 B.1 C.1",
    "C.1 C.1 C.1",
    "C.2 C.2 C.2",
)


def labelled(*rows: str, members: int = 3):
    world = small_world(issues=len(rows), members=members)
    round_ = world.round(name="Main round")
    label_all(world, round_, *rows)
    return agreement_report(round_, by=[["type"], ["repository"]])


@pytest.fixture
def report():
    return labelled(*ROWS)


def drawn(spec: dict, name: str) -> list[dict]:
    """The rows of the layer of this name."""
    layer = next(layer for layer in spec["layer"] if layer.get("name") == name)
    data = layer.get("data") or spec["data"]
    return spec["datasets"][data["name"]]


def rows_of(report, name: str) -> list[dict]:
    table = TABLES[name](report)
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


# --- what is drawn


@pytest.mark.parametrize(
    ("name", "layer", "value"),
    [
        ("coefficients", "dots", "value"),
        ("categories", "dots", "kappa"),
        ("types", "dots", "fleiss_kappa"),
        ("repositories", "dots", "fleiss_kappa"),
        ("pairs", "cells", "cohen_kappa"),
        ("confusion", "cells", "issues"),
    ],
)
def test_a_picture_draws_each_defined_value_of_its_table(report, name, layer, value):
    spec = specification(report, name, "column")
    table = [row for row in rows_of(report, name) if row[value] is not None]
    if name == "types":
        # All issues at another level are in the table, and not in the picture.
        assert table.pop()["type"] == "types alone"

    marks = drawn(spec, layer)
    assert [{key: mark[key] for key in row} for row, mark in zip(table, marks, strict=True)] == table
    assert table


def test_a_mark_says_its_name_value_interval_and_count(report):
    found = report.overall.coefficients["fleiss_kappa"]
    said = [row["said"] for row in drawn(specification(report, "coefficients", "page"), "dots")]
    interval = f" ({number(found.low)} to {number(found.high)})" if found.low is not None else ""
    assert said[1] == f"Fleiss’ kappa: {found.value:.3f}{interval}"

    first, *_others = drawn(specification(report, "categories", "page"), "dots")
    assert first["said"].endswith(f". Labels: {first['labels']}")
    cell = drawn(specification(report, "confusion", "page"), "cells")[0]
    assert cell["said"] == "C.1 and C.2: together on 2 issues"


def test_cells_have_their_number_and_the_ink_that_is_read_on_them(report):
    spec = specification(report, "pairs", "column")
    cells = drawn(spec, "cells")
    assert [cell["text"] for cell in cells] == [
        f"{cell['cohen_kappa']:.2f}".replace("0.", ".") for cell in cells
    ]
    coolest, hottest = (pick(cells, key=lambda cell: cell["cohen_kappa"]) for pick in (min, max))
    assert (coolest["heat"], hottest["heat"]) == (1, 7)
    greys, inks = (layer["encoding"]["color"]["scale"]["range"] for layer in spec["layer"])
    contrasts = [contrast(grey, ink) for grey, ink in zip(greys, inks, strict=True)]
    assert min(contrasts) > 4.5


def contrast(first: str, second: str) -> float:
    def light(grey: str) -> float:
        part = int(grey[1:3], 16) / 255
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    low, high = sorted((light(first), light(second)))
    return (high + 0.05) / (low + 0.05)


def test_categories_stand_in_the_order_of_the_tree_and_volunteers_by_how_they_agree(report):
    spec = specification(report, "categories", "column")
    shown = spec["layer"][1]["encoding"]["y"]["scale"]["domain"]
    assert [name.partition(" ")[0] for name in shown] == ["A.1", "B.1", "C.1", "C.2"]
    assert [name.partition("\t")[2] for name in shown] == ["4*", "2*", "10*", "5*"]

    cells = specification(report, "pairs", "column")["layer"][0]["encoding"]
    # The kappas are 0.61 of R1 and R2, 0.55 of R1 and R3, 0.40 of R2 and R3.
    assert cells["x"]["scale"]["domain"] == ["R2", "R1"]
    assert cells["y"]["scale"]["domain"] == ["R1", "R3"]
    rows = drawn(specification(report, "pairs", "column"), "cells")
    assert [(row["across"], row["down"], row["text"]) for row in rows] == [
        ("R2", "R1", ".61"), ("R1", "R3", ".55"), ("R2", "R3", ".40"),
    ]  # fmt: skip
    assert [row[:2] for row in TABLES["pairs"](report).rows] == [("R1", "R2"), ("R1", "R3"), ("R2", "R3")]


def test_types_differ_in_shape_not_in_colour(report):
    dots = next(
        layer
        for layer in specification(report, "categories", "column")["layer"]
        if "name" in layer and layer["name"] == "dots"
    )
    assert len(set(dots["encoding"]["shape"]["scale"]["range"][:4])) == 4
    assert set(dots["encoding"]["color"]["scale"]["range"]) == {"#000000"}


def test_what_is_undefined_has_no_mark_and_its_reason_in_the_table():
    report = labelled("C.1 C.1", "C.1 C.1", members=2)
    drawn_names = {
        row["coefficient"] for row in drawn(specification(report, "coefficients", "column"), "dots")
    }
    assert "percent_agreement" in drawn_names
    assert "fleiss_kappa" not in drawn_names

    found = picture(report, "coefficients", "column")
    assert "all labels are the same category" in [text for text, _is_number in found.cells[1]]
    assert "pairs" not in {one.name for one in pictures(report)}
    with pytest.raises(NothingToDraw):
        specification(report, "pairs", "column")


def test_where_there_is_no_room_for_all_the_most_are_drawn(report, monkeypatch):
    monkeypatch.setattr("reports.pictures.widths.ROWS", 2)
    found = picture(report, "categories", "column")
    assert ([row["code"] for row in found.rows], found.left) == (
        ["C.1", "C.2"],
        len(TABLES["categories"](report).rows) - 2,
    )

    monkeypatch.setitem(WIDTHS, "column", replace(WIDTHS["column"], raters=2, categories=2))
    found = picture(report, "pairs", "column")
    assert (len(found.rows), found.left) == (1, 1)
    assert len(TABLES["pairs"](report).rows) == 3


@pytest.mark.slow
@only_long
def test_a_file_says_itself_what_it_has_no_room_for(report, monkeypatch):
    whole = specification(report, "confusion", "page")
    assert "do not fit here" not in json.dumps(whole)

    # C.1 is on 7 pairs, A.1 and C.2 on 3 each, B.1 on 2: of the four two have no room in a column.
    monkeypatch.setitem(WIDTHS, "column", replace(WIDTHS["column"], categories=2))
    narrow = specification(report, "confusion", "column")
    said = "2 rows with few issues or labels do not fit here."
    assert narrow["title"]["text"] == said
    assert narrow["description"].endswith(said)
    svg, pdf, inline = (render(narrow, form) for form in ("svg", "pdf", "inline"))
    assert said in re.search(r"<title>(.*?)</title>", svg.decode())[1]
    assert said in PdfReader(BytesIO(pdf)).pages[0].extract_text()
    assert said in inline.decode()

    # The page says it beside the picture.
    monkeypatch.setitem(WIDTHS, "phone", replace(WIDTHS["phone"], categories=2))
    assert "title" not in specification(report, "confusion", "phone")


def test_no_expression_holds_what_people_have_named(report):
    spec = specification(report, "types", "page")
    expressions = set(re.findall(r'"labelExpr": "([^"]*)"', json.dumps(spec)))
    assert expressions == {r"split(datum.label, '\\t')[0]", r"split(datum.label, '\\t')[1]"}


# --- rounds, consensus, models, years, decisions, months


FOUR = ("C.1 C.1 C.1", "C.1 C.2 C.1", "A.1 A.1 A.1", "C.2 A.1 C.1")


@pytest.fixture
def everything():
    """A report that has something for every picture: see the values below."""
    world = meeting_world(4, members=3, rows=FOUR, name="Main round")
    round_ = world.round_
    label_all(
        world, world.round(name="Pilot", kind=Round.Kind.PILOT), *FOUR[:2], "A.1 A.1 A.1", "C.2 C.2 C.1"
    )
    for issue, (year, month) in zip(world.issues, ((2023, 5), (2023, 5), (2024, 6), (None, 6)), strict=True):
        Issue.objects.filter(pk=issue.pk).update(year=year)
        moment = datetime(2026, month, 15, tzinfo=UTC)
        RoundIssue.objects.filter(round=round_, issue=issue).update(completed_at=moment)
    world.plan(quorum=1)
    world.arrive()
    close_vote(vote=world.vote(world.items[0], "C.1", "C.1", "C.1"), by=world.lead)
    model = make_member(world.study, Role.MODEL, pseudonym="M1")
    codes = ("C.1", "C.2", "A.1", "A.1")
    rows = [ModelRow(issue.pk, code, "") for issue, code in zip(world.issues, codes, strict=True)]
    label_as_model(round_=round_, member=model, rows=rows)
    return agreement_report(round_, by=BY, reader=Reader(world.lead))


@only_long
def test_rounds_stand_side_by_side_where_there_are_two(everything, report):
    spec = specification(everything, "rounds", "column")
    dots = drawn(spec, "dots")
    assert [dot["row"] for dot in dots] == ["Main round\t4", "Pilot\t4"]
    assert [dot["fleiss_kappa"] for dot in dots] == [
        one.agreement.coefficients["fleiss_kappa"].value for one in everything.rounds
    ]
    with pytest.raises(NothingToDraw):
        specification(report, "rounds", "column")


def test_consensus_stands_beside_the_independent_labels_and_says_what_it_is(everything):
    spec = specification(everything, "consensus", "page")
    both = before_and_after(everything)
    # Of the three pairs of labels of each issue 3, 1, 3 and 0 are equal; the ballots make the second one's 3.
    agreement = drawn(spec, "dots")[0]
    assert (agreement["before"], agreement["after"]) == (
        pytest.approx(7 / 12), pytest.approx(9 / 12),
    )  # fmt: skip
    assert drawn(spec, "besides") is drawn(spec, "dots")
    assert agreement["row"] == "Percent agreement\t0.583 → 0.750"
    assert agreement["said"].endswith("; with the last ballots 0.750")
    assert (both.replaced, both.changed) == (3, 1)
    assert str(BALLOTS_KNOW) in spec["description"]


def test_models_stand_beside_what_volunteers_do_among_themselves(everything):
    # M1 says what 3, 1, 3 and 1 of the three labels say; of the volunteers' pairs 7 of 12 are equal.
    (model,) = drawn(specification(everything, "models", "column"), "dots")
    assert (model["row"], model["agreement"]) == ("M1\t4", pytest.approx(8 / 12))
    assert model["volunteers_agreement"] == pytest.approx(7 / 12)
    assert "between volunteers 0.583" in model["said"]


def test_issues_stand_by_repository_and_year(everything):
    cells = drawn(specification(everything, "years", "column"), "cells")
    path = composition(everything)[0]["repository"]
    assert [(cell["down"], cell["across"], cell["text"]) for cell in cells] == [
        (path, "2023", "2"), (path, "2024", "1"), (path, "–", "1"),
    ]  # fmt: skip
    assert cells[0]["said"] == f"{path}, 2023: 2 issues"


def test_what_was_decided_stands_in_the_order_of_the_tree(everything):
    # Unanimous are issue 1 (C.1) and 3 (A.1); nobody decided the others.
    spec = specification(everything, "distribution", "column")
    bars = drawn(spec, "bars")
    assert [(bar["code"], bar["level"], bar["issues"], bar["share"]) for bar in bars] == [
        ("A", "type", 1, 0.5), ("A.1", "theme", 1, 0.5), ("C", "type", 1, 0.5), ("C.1", "theme", 1, 0.5),
    ]  # fmt: skip
    assert bars[0]["row"].endswith("\t1 (50.0 %)")
    assert len(set(spec["layer"][0]["encoding"]["color"]["scale"]["range"])) == 2


def test_months_have_the_shares_of_their_labels_and_the_test_below(everything, report):
    # May: C.1 five times of six, C.2 once. June: A.1 four times of six, C.2 and C.1 once.
    spec = specification(everything, "over-time", "column")
    cells = {(cell["across"], cell["down"]): cell["text"] for cell in drawn(spec, "cells")}
    assert cells == {
        ("2026-05", "A.1"): "0", ("2026-05", "C.1"): "83", ("2026-05", "C.2"): "17",
        ("2026-06", "A.1"): "67", ("2026-06", "C.1"): "17", ("2026-06", "C.2"): "17",
    }  # fmt: skip
    assert change_sentences(periods(everything).change)[0] in spec["description"]
    with pytest.raises(NothingToDraw):
        specification(report, "over-time", "column")


@only_long
def test_what_pictures_are_made_of_says_when_they_are_made_anew(everything):
    before = json.loads(specifications(everything, "screen"))
    # Of the two types each has one decided issue, and so no kappa.
    assert list(before) == [name for name in PICTURES if name != "types"]
    assert specifications(everything, "screen") is specifications(everything, "screen")
    unread = replace(everything, reader=None, rounds=())
    assert set(before) - set(json.loads(specifications(unread, "screen"))) == {"rounds", "consensus"}


# --- as files


@pytest.mark.slow
@pytest.mark.parametrize(("width", "cm"), [("column", 8.5), ("page", 17.5)])
@only_long
def test_pictures_are_as_wide_as_a_column_or_a_page_and_valid(everything, report, width, cm):
    specs = [specification(report if name == "types" else everything, name, width) for name in PICTURES]

    for spec, file in zip(specs, render_all(specs, "pdf"), strict=True):
        alt.Chart.from_dict(spec, validate=True)
        (page,) = PdfReader(BytesIO(file)).pages
        assert float(page.mediabox.width) / 72 * 2.54 == pytest.approx(cm, abs=0.01), spec["name"]


@only_long
@pytest.mark.slow
def test_each_file_is_what_it_is_called(report):
    spec = specification(report, "categories", "page")
    assert spec["width"] == 496
    svg, pdf, png = (render(spec, form) for form in ("svg", "pdf", "png"))

    assert svg.startswith(b"<svg ")
    assert b' width="496pt" ' in svg[:300]
    # Letters are drawn as lines: nothing in the file asks for a font.
    assert not re.search(rb"<text|<style|font|<image", svg)
    assert f"<title>{html.escape(spec['description'])}</title>" in svg.decode()
    assert "C.1" in PdfReader(BytesIO(pdf)).pages[0].extract_text()
    assert pdf.startswith(b"%PDF-")
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(png[16:20]) == pytest.approx(496 / 72 * 300, abs=1)
    assert render(spec, "svg") == svg


@pytest.mark.slow
@only_long
def test_a_specification_fetches_nothing():
    asked = []

    class Rows(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'[{"a": 1}]')

    with HTTPServer(("127.0.0.1", 0), Rows) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/rows.json"
        spec = {
            "data": {"url": url},
            "mark": "point",
            "encoding": {"x": {"field": "a", "type": "quantitative"}},
        }
        with pytest.raises(PictureFailed):
            render(spec, "svg")
        server.shutdown()
    assert asked == []


@pytest.mark.slow
def test_a_picture_that_takes_too_long_is_given_up(report, monkeypatch):
    monkeypatch.setattr(vega, "SECONDS", 0.05)
    with pytest.raises(PictureFailed, match="could not be drawn"):
        render(specification(report, "pairs", "column"), "svg")
