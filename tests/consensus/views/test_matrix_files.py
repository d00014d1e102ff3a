"""The matrix of disagreements as a file: the numbers of the page, for who may read them."""

import csv
from xml.etree import ElementTree as ET

import pytest
from django.urls import reverse

from rounds.models import Round
from tests.kept import kept
from tests.worlds.parted import five_issues, get, give_labels, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=5, members=4)]
SVG = "{http://www.w3.org/2000/svg}"


@kept
def labelled(world) -> Round:
    return five_issues(world)


def _file(world, round_, form, query=""):
    url = reverse("disagreements_matrix", args=[round_.pk, form])
    return signed_in(world.lead).get(f"{url}?{query}")


def _rows(response) -> list[list[str]]:
    return list(csv.reader(b"".join(response.streaming_content).decode().splitlines()))


def test_csv_has_the_numbers_of_the_matrix(world, labelled):
    response = _file(world, labelled, "csv")
    assert _rows(response) == [
        ["", "B.1", "C.2", "C.9"],
        ["B.1 Name of B.1", "0", "1", "0"],
        ["C.2 Name of C.2", "1", "0", "2"],
        ["C.9 Name of C.9", "0", "2", "0"],
    ]
    name = f"{world.study.slug}-{labelled.name.lower().replace(' ', '-')}-disagreements-theme.csv"
    assert response["Content-Disposition"] == f'attachment; filename="{name}"'
    assert response["Crosscheck-Withheld"] == "0"


def test_the_files_are_of_the_level_and_the_cell_that_the_page_shows(world, labelled):
    assert _rows(_file(world, labelled, "csv", "level=type")) == [
        ["", "B", "C"],
        ["B Name of B", "0", "1"],
        ["C Name of C", "1", "2"],
    ]
    assert _rows(_file(world, labelled, "csv", "level=theme&inside=C+B")) == [
        ["", "B.1"],
        ["C.2 Name of C.2", "1"],
    ]
    assert _rows(_file(world, labelled, "csv", "level=type&split=2:2")) == [
        ["", "B", "C"],
        ["B Name of B", "0", "1"],
        ["C Name of C", "1", "0"],
    ]
    assert _file(world, labelled, "csv", "inside=C+X").status_code == 404
    assert _file(world, labelled, "pdf").status_code == 404


def test_svg_draws_each_number_once_in_each_half(world, labelled):
    response = _file(world, labelled, "svg", "level=theme")
    assert response["Content-Type"] == "image/svg+xml"
    drawn = ET.fromstring(response.content)  # noqa: S314 - the file is our own
    titles = [one.text for one in drawn.iter(f"{SVG}title")]
    assert titles == [
        f"Disagreements by pair of themes · {labelled.name}",
        "B.1, C.2: 1",
        "C.2, B.1: 1",
        "C.2, C.9: 2",
        "C.9, C.2: 2",
    ]
    texts = [one.text for one in drawn.iter(f"{SVG}text")]
    assert texts == [
        *("B.1", "C.2", "C.9"),
        *("B.1 Name of B.1", "C.2 Name of C.2", "C.9 Name of C.9"),
        *("1", "1", "2", "2"),
    ]


def test_the_page_links_both_files_of_what_it_shows(world, labelled):
    page = get(world.lead, labelled, "level=type")
    for form in ("svg", "csv"):
        url = reverse("disagreements_matrix", args=[labelled.pk, form])
        assert f'href="{url}?level=type"' in page.content.decode()


def test_without_a_disagreement_there_is_no_file_to_offer(world):
    round_ = world.round()
    give_labels(world, round_, "C.2 C.2 C.2 C.2")
    assert (
        reverse("disagreements_matrix", args=[round_.pk, "csv"])
        not in get(world.lead, round_).content.decode()
    )
    assert _rows(_file(world, round_, "csv")) == [[""]]
