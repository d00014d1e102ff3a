"""The page that says how many issues a planned round needs."""

import re

import pytest

from agreement import issues_before
from tests.worlds.pages import client, text_of

pytestmark = pytest.mark.django_db

ASKED = "kappa=0.7&shares=90%2C+6+3%EF%BC%8C1&volunteers=3&within=0.05"


def get(world, query=""):
    return client(world.lead).get(f"/studies/{world.study.slug}/forecast/?{query}")


def test_the_page_says_the_needed_issues_for_this_kappa_and_two_others(world):
    said = text_of(get(world, ASKED))
    rows = re.findall(r"(0\.\d\d) ([\d,]+)", said[said.index("Fleiss’ kappa Issues") :])
    assert rows == [
        (f"{kappa:.2f}", f"{issues_before(0.05, kappa, [90, 6, 3, 1], 3):,}") for kappa in (0.6, 0.7, 0.8)
    ]


def test_a_kappa_near_its_ends_has_no_others_beyond_them(world):
    said = text_of(get(world, ASKED.replace("0.7", "0.05")))
    assert re.findall(r"(0\.\d\d) [\d,]+", said[said.index("Fleiss’ kappa Issues") :]) == ["0.05", "0.15"]


def test_a_category_can_have_nearly_all_labels(world):
    assert get(world, ASKED.replace("90%2C+6+3%EF%BC%8C1", "99%2C1")).status_code == 200


def test_before_anything_is_asked_the_form_has_an_example(world):
    page = get(world)
    assert page.status_code == 200
    assert 'value="50, 30, 15, 5"' in page.content.decode()
    assert "Fleiss’ kappa Issues" not in text_of(page)


@pytest.mark.parametrize(
    ("part", "wrong", "words"),
    [
        ("shares=90%2C+6+3%EF%BC%8C1", "shares=a%2Cb", "Write numbers with commas between them"),
        ("shares=90%2C+6+3%EF%BC%8C1", "shares=90", "Write 2 to 200 numbers above 0."),
        ("shares=90%2C+6+3%EF%BC%8C1", "shares=90%2C0", "Write 2 to 200 numbers above 0."),
        ("shares=90%2C+6+3%EF%BC%8C1", "shares=nan%2C1", "Write 2 to 200 numbers above 0."),
        (
            "shares=90%2C+6+3%EF%BC%8C1",
            "shares=99.5%2C0.5",
            "No category can have more than 99 % of the labels.",
        ),
        ("shares=90%2C+6+3%EF%BC%8C1", "shares=99999999%2C1", "No category can have more than 99 %"),
        ("volunteers=3", "volunteers=1", "greater than or equal to 2"),
        ("kappa=0.7", "kappa=1", "less than or equal to 0.99"),
        ("within=0.05", "within=", "required"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_its_place(world, part, wrong, words):
    page = get(world, ASKED.replace(part, wrong))
    assert page.status_code == 422
    assert words in text_of(page)
    assert "Fleiss’ kappa Issues" not in text_of(page)
