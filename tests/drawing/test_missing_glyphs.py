"""Letters without a font are told of, and all others are not."""

from io import BytesIO

import pytest
from django.urls import reverse
from pypdf import PdfReader

from drawing import workers
from drawing.missing_glyphs import boxes, without_a_font
from drawing.vega import render_all
from reports.agreement_report import agreement_report
from reports.formats.files import names_of
from rounds.models import Round
from tests.long import only_long
from tests.worlds.pages import client, label_all, text_of
from tests.worlds.world import small_world

# For private use: no font gives it a shape. ℵ comes with the typesetter.
NOWHERE, ALEPH = "\U000ffffd", "ℵ"


def test_only_letters_that_come_with_nothing_are_asked_for(monkeypatch):
    monkeypatch.setattr(workers.sys, "executable", "/nosuch")

    assert without_a_font(["Grüße, Ελλάδα, Москва – “a” → b\n", "R1"]) == ""
    with pytest.raises(FileNotFoundError):
        without_a_font([f"x {ALEPH}{ALEPH}"])


def test_letters_that_no_font_has_are_found_once():
    assert without_a_font([f"a {NOWHERE}", f"{ALEPH}{NOWHERE}"]) == NOWHERE
    assert without_a_font([f"{ALEPH}"]) == ""


def test_the_warning_says_which_and_how_many():
    assert boxes("") == ""
    assert boxes("系").startswith("This server has no font for 1 letter of these names (系). ")
    assert "13 letters of these names (abcdefghijkl…)" in boxes("abcdefghijklm")


@pytest.mark.django_db
def test_the_page_warns_beside_the_pictures():
    world = small_world(issues=2, members=2)
    round_ = world.round()
    label_all(world, round_, "C.1 C.1", "C.1 C.2")
    page = reverse("agreement", args=[round_.pk])
    assert "This server has no font" not in text_of(client(world.lead).get(page))

    world.study.name = f"Study {ALEPH}{NOWHERE}"
    world.study.save()

    assert f"Study {ALEPH}{NOWHERE}" in names_of(agreement_report(Round.objects.get(pk=round_.pk)))
    warned = text_of(client(world.lead).get(page))
    assert f"This server has no font for 1 letter of these names ({NOWHERE})" in warned


@pytest.mark.slow
def test_chinese_letters_come_with_the_project():
    assert without_a_font(["内存不足，训练中断：系统配置错误。“裁定”《标注指南》（共三十二个）"]) == ""


@only_long
@pytest.mark.slow
def test_a_picture_in_chinese_brings_its_font():
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "title": "内存不足",
        "data": {"values": [{"x": 1}]},
        "mark": "bar",
        "encoding": {"x": {"field": "x", "type": "quantitative", "title": "issue"}},
    }

    (sheet,) = PdfReader(BytesIO(render_all([spec], "pdf")[0])).pages

    assert "内存不足" in sheet.extract_text()
    # A Chinese font of the machine, if it has one, takes the place of the one that comes with Crosscheck.
    assert any("Liberation" not in one for one in fonts_of(sheet))


def fonts_of(sheet) -> list[str]:
    """The names of the fonts of a page, and of the pictures on it."""
    inside = [sheet["/Resources"]]
    found = []
    while inside:
        resources = inside.pop().get_object()
        found += [str(font.get_object()["/BaseFont"]) for font in resources.get("/Font", {}).values()]
        pictures = [picture.get_object() for picture in resources.get("/XObject", {}).values()]
        inside += [picture["/Resources"] for picture in pictures if "/Resources" in picture]
    return found
