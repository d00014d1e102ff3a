"""The figure of a taxonomy: its page, its files, and what it says to whom."""

import re
import struct
from io import BytesIO

import pytest
from django.urls import reverse
from pypdf import PdfReader

from drawing import vega_worker
from rounds.models import Round
from taxonomy.models import Taxonomy
from tests.kept import kept
from tests.worlds.pages import client, label_all, text_of
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=5)]

QUERIES = 16
EMPTY = '<svg xmlns="http://www.w3.org/2000/svg" role="img" width="504pt" height="%spt"></svg>'
ROWS = ("C.1 C.1 C.1", "C.1 C.2 C.1", "A.1 A.1 A.1", "B.1 B.1 C.1", "C.9 C.9 -")


@kept
def labelled(world):
    round_ = world.round(name="Main round")
    label_all(world, round_, *ROWS)
    world.settle(round_, world.issues[3], "B.1")
    return round_


def page(member, world, query=""):
    return client(member).get(f"{reverse('taxonomy_figure', args=[world.version.taxonomy_id])}?{query}")


def caption(response):
    return response.context["figure"].caption


WHOLE = "Taxonomy of Taxonomy 1, version 1: 3 types, 9 themes, 3 sub-themes"


def test_the_newest_main_round_gives_the_shares(world, labelled):
    response = page(world.lead, world)

    assert caption(response) == (
        f"{WHOLE}; shares of 3 decided issues of “Main round”. 1 complete issue has no decision."
        " The round is open, so its numbers can change."
    )
    said = text_of(response)
    assert "33.3 % of 3" in said
    assert caption(response) in said
    assert [(line.state.code, line.number) for line in response.context["figure"].lines if line.number] == [
        ("A", 1), ("A.1", 1), ("B", 1), ("B.1", 1), ("C", 1), ("C.1", 1),
    ]  # fmt: skip


def test_labels_can_be_counted_instead(world, labelled):
    response = page(world.lead, world, f"round={labelled.pk}&of=labels")

    assert "; shares of 12 labels of “Main round”. The round is open" in caption(response)
    assert "58.3 % of 12" in text_of(response)


def test_without_shares_it_says_none(world, labelled):
    response = page(world.lead, world, "round=none")
    assert caption(response) == f"{WHOLE}."
    assert "% of" not in text_of(response)


def test_a_pilot_is_shown_where_it_is_asked_for(world):
    pilot = world.round(name="Pilot", kind=Round.Kind.PILOT)
    label_all(world, pilot, ROWS[0])

    assert caption(page(world.lead, world)) == f"{WHOLE}."
    assert "1 decided issue of “Pilot”" in caption(page(world.lead, world, f"round={pilot.pk}"))


def test_who_has_issues_withheld_is_told_and_counts_without_them(world, labelled):
    world.waits_for(world.members[0], world.issues[0])

    response = page(world.members[0], world)

    assert "shares of 2 decided issues" in caption(response)
    assert "1 issue is hidden from the reader and counts in no number." in caption(response)
    assert "1 issue is hidden until you label it" in text_of(response)
    assert "shares of 3 decided issues" in caption(page(world.lead, world))


@pytest.mark.parametrize("query", ["round=0", "round=x", "of=votes", "version=2"])
def test_what_is_not_there_is_not_found(world, labelled, query):
    assert page(world.lead, world, query).status_code == 404


def test_a_round_of_another_study_is_not_found(world, labelled):
    other = small_world(issues=1)
    round_ = other.round()
    label_all(other, round_, "C.1 C.1 C.1")
    assert page(world.lead, world, f"round={round_.pk}").status_code == 404


def test_letters_without_a_font_are_told(world):
    Taxonomy.objects.filter(pk=world.version.taxonomy_id).update(name="Ursachen \U0001e900")
    assert "no font for 1 letter of these names (\U0001e900)" in text_of(page(world.lead, world))


# --- files


def file(member, world, form, query="round=none"):
    address = reverse("taxonomy_figure_file", args=[world.version.taxonomy_id, form])
    return client(member).get(f"{address}?{query}")


@pytest.mark.slow
def test_the_pdf_has_the_width_of_two_columns_and_all_texts(world, labelled):
    response = file(world.lead, world, "pdf", "")
    (sheet,) = PdfReader(BytesIO(response.content)).pages
    words = sheet.extract_text().split()

    assert response["Content-Disposition"] == 'attachment; filename="taxonomy-1-v1-figure.pdf"'
    assert response["Crosscheck-Withheld"] == "0"
    assert float(sheet.mediabox.width) == 504
    assert {"A.1.ii", "C.10", "33.3"} <= set(words)
    assert round(float(sheet.mediabox.height), 1) == round(
        float(re.search(r'height="([0-9.]+)pt"', page(world.lead, world).context["figure"].svg)[1]), 1
    )
    fonts = [font.get_object()["/BaseFont"] for font in sheet["/Resources"]["/Font"].values()]
    assert all("LiberationSans" in font for font in fonts)


def test_the_svg_is_that_of_the_page_and_the_same_again(world, labelled):
    shown = page(world.lead, world)
    response = file(world.lead, world, "svg", "")

    assert response.content.decode() == shown.context["figure"].svg
    assert shown.context["figure"].svg in shown.content.decode()
    assert 'width="504pt"' in response.content.decode()
    assert response["Content-Type"] == "image/svg+xml"
    assert file(world.lead, world, "svg", "").content == response.content


@pytest.mark.slow
def test_page_and_rest_send_the_same_file(world, labelled):
    rest = client(world.lead).get(
        reverse("api_taxonomy_figure", args=[world.version.taxonomy_id, 1, "png"]), {"of": "labels"}
    )
    assert rest.content == file(world.lead, world, "png", "of=labels").content
    assert rest["Content-Type"] == "image/png"


def test_rest_says_what_it_does_not_know(world, labelled):
    address = reverse("api_taxonomy_figure", args=[world.version.taxonomy_id, 1, "svg"])
    response = client(world.lead).get(address, {"of": "votes"})
    assert (response.status_code, response.json()) == (
        400,
        {"of": ["Use one of these values: decisions, labels."]},
    )
    assert client(world.lead).get(address, {"round": "0"}).status_code == 404
    unknown = reverse("api_taxonomy_figure", args=[world.version.taxonomy_id, 1, "exe"])
    assert client(world.lead).get(unknown).status_code == 404


@pytest.mark.slow
def test_a_png_has_300_dots_per_inch_and_fewer_where_it_would_be_too_large():
    made = {height: vega_worker.made_of(EMPTY % height, "png") for height in ("360", "36000")}
    sizes = {height: struct.unpack(">II", png[16:24]) for height, png in made.items()}

    assert sizes["360"] == (2100, 1500)
    wide, high = sizes["36000"]
    assert wide * high == pytest.approx(vega_worker.DOTS, rel=0.01)
    assert high / wide == pytest.approx(36000 / 504, rel=0.01)


def test_a_tree_of_more_than_a_thousand_categories_is_svg_only(world, monkeypatch):
    """Of more than fourteen here: the world has fifteen."""
    monkeypatch.setattr("reports.taxonomy_figure.MOST", 14)
    monkeypatch.setattr("reports.views.taxonomy_figure.MOST", 14)

    shown = page(world.lead, world, "round=none")
    refused = {form: file(world.lead, world, form) for form in ("pdf", "png")}
    rest = client(world.lead).get(reverse("api_taxonomy_figure", args=[world.version.taxonomy_id, 1, "pdf"]))

    assert [form for form, _address in shown.context["files"]] == ["svg"]
    assert "A tree of more than 14 categories does not fit on a page" in text_of(shown)
    assert file(world.lead, world, "svg").status_code == 200
    assert {answer.status_code for answer in (*refused.values(), rest)} == {422}
    assert "does not fit on a page. Download the SVG: it has all categories." in text_of(refused["pdf"])
    monkeypatch.undo()
    shown = page(world.lead, world)
    assert [form for form, _address in shown.context["files"]] == ["svg", "pdf", "png"]
    assert "does not fit" not in text_of(shown)


def test_a_page_takes_as_many_queries_for_three_rounds_as_for_one(world, labelled, django_assert_num_queries):
    reader, address = client(world.lead), reverse("taxonomy_figure", args=[world.version.taxonomy_id])
    reader.get(address)
    with django_assert_num_queries(QUERIES):
        reader.get(address)
    for _more in range(2):
        label_all(world, world.round(kind=Round.Kind.PILOT), ROWS[0])
    with django_assert_num_queries(QUERIES):
        reader.get(address)
