"""Pictures: the numbers of the report, at the width asked for, as files that open."""

import json
import re
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import BytesIO
from threading import Thread

import pytest
from pypdf import PdfReader

from annotate import rendering
from annotate.errors import NothingToDraw, PictureFailed
from annotate.pictures import TITLES, WIDTHS, picture, pictures, specification
from annotate.rendering import render
from annotate.reports import agreement_report
from annotate.tables import TABLES
from annotate.tables import pairs as table_of_pairs
from tests.annotate.views.pages import label_all
from tests.annotate.world import small_world

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

    marks = drawn(spec, layer)
    assert [{key: mark[key] for key in row} for row, mark in zip(table, marks, strict=True)] == table
    assert table


def test_a_mark_says_its_name_value_interval_and_count(report):
    found = report.overall.coefficients["fleiss_kappa"]
    said = [row["said"] for row in drawn(specification(report, "coefficients", "page"), "dots")]
    assert said[1] == f"Fleiss’ kappa: {found.value:.3f} ({found.low:.3f} to {found.high:.3f})"

    first, *_others = drawn(specification(report, "categories", "page"), "dots")
    assert first["said"].endswith(f". Labels: {first['labels']}")
    cell = drawn(specification(report, "confusion", "page"), "cells")[0]
    assert cell["said"] == "C.1 and C.2: side by side on 2 issues"


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
    assert [row[:2] for row in table_of_pairs(report).rows] == [("R1", "R2"), ("R1", "R3"), ("R2", "R3")]


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
    monkeypatch.setattr("annotate.pictures.ROWS", 2)
    found = picture(report, "categories", "column")
    assert ([row["code"] for row in found.rows], found.left) == (
        ["C.1", "C.2"],
        len(TABLES["categories"](report).rows) - 2,
    )

    monkeypatch.setitem(WIDTHS, "column", WIDTHS["column"].__class__(241, 7, 11, 84, 0, 2, 2))
    found = picture(report, "pairs", "column")
    assert (len(found.rows), found.left) == (1, 1)
    assert len(table_of_pairs(report).rows) == 3


def test_no_expression_holds_what_people_have_named(report):
    spec = specification(report, "types", "page")
    expressions = set(re.findall(r'"labelExpr": "([^"]*)"', json.dumps(spec)))
    assert expressions == {r"split(datum.label, '\\t')[0]", r"split(datum.label, '\\t')[1]"}


# --- as files


@pytest.mark.slow
@pytest.mark.parametrize("name", TITLES)
def test_a_picture_for_a_column_is_8_5_cm_wide(report, name):
    (page,) = PdfReader(BytesIO(render(specification(report, name, "column"), "pdf"))).pages
    assert float(page.mediabox.width) / 72 * 2.54 == pytest.approx(8.5, abs=0.01)


@pytest.mark.slow
def test_each_file_is_what_it_is_called(report):
    spec = specification(report, "categories", "page")
    assert spec["width"] == 496
    svg, pdf, png = (render(spec, form) for form in ("svg", "pdf", "png"))

    assert svg.startswith(b"<svg ")
    assert b' width="496pt" ' in svg[:300]
    assert "C.1" in svg.decode()
    assert pdf.startswith(b"%PDF-")
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(png[16:20]) == pytest.approx(496 / 72 * 300, abs=1)
    assert render(spec, "svg") == svg


@pytest.mark.slow
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
    monkeypatch.setattr(rendering, "SECONDS", 0.05)
    with pytest.raises(PictureFailed, match="could not be drawn"):
        render(specification(report, "pairs", "column"), "svg")
