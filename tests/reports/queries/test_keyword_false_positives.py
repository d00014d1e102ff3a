"""Terms by the false positives that screenings found among their issues, and whom an issue is withheld from."""

import csv
import io
import re

import pytest
from django.test import Client
from django.urls import reverse
from statsmodels.stats.proportion import proportion_confint

from reports.queries.keyword_false_positives import FalsePositives, keyword_false_positives
from rounds.models import Round
from rounds.queries.blindness import Reader
from tests.factories import make_list
from tests.kept import kept
from tests.worlds.screened import screening, screening_world
from tests.worlds.world import World

pytestmark = pytest.mark.django_db
NOBODY = Reader(None)


@kept
def world() -> World:
    return screening_world()


@pytest.fixture
def version(world):
    """`Title` is in all seven issues; each number in the title of one: excluded, included, open."""
    first, included, disputed = (world.issues[place].number for place in (0, 3, 4))
    return make_list(world.study, "Title", first, included, disputed, "none", name="Words", search=True)


def numbers(version, reader=NOBODY) -> list[tuple[int, int]]:
    found = keyword_false_positives(version, reader)
    return [(one.decided, one.excluded) for one in (*found.terms, found.whole)]


def text_of(response) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", response.text).split())


def test_there_are_none_without_a_screening(world, version):
    world.round()
    assert keyword_false_positives(version, NOBODY) is None


def test_are_the_excluded_among_the_decided(world, version):
    screening(world)
    assert numbers(version) == [(4, 3), (1, 1), (1, 0), (0, 0), (0, 0), (4, 3)]


def test_a_rate_has_wilsons_interval():
    rate = FalsePositives(None, 4, 3).rate
    low, high = proportion_confint(3, 4, method="wilson")
    assert (rate.value, rate.low, rate.high) == (0.75, pytest.approx(low), pytest.approx(high))
    assert FalsePositives(None, 0, 0).rate is None


def test_nothing_counts_before_it_is_revealed(world, version):
    screening(world, reveal=Round.Reveal.ROUND_CLOSED)
    assert numbers(version) == [(0, 0)] * 6


def test_an_issue_of_two_screenings_counts_once(world, version):
    screening(world)
    screening(world, *["T T T"] * 7)
    assert numbers(version) == [(7, 3), (1, 1), (1, 0), (1, 0), (0, 0), (7, 3)]


def test_what_is_withheld_is_in_no_number_of_its_reader(world, version):
    screening(world)
    first, other = world.members[:2]
    world.waits_for(first, world.issues[0])
    assert numbers(version, Reader(first)) == [(3, 2), (0, 0), (1, 0), (0, 0), (0, 0), (3, 2)]
    assert keyword_false_positives(version, Reader(first)).withheld == 1
    assert numbers(version, Reader(other)) == numbers(version)
    assert keyword_false_positives(version, Reader(other)).withheld == 0


def test_the_page_of_a_list_shows_them_highest_first(world, version):
    client = Client()
    client.force_login(world.members[0].user)
    address = reverse("keyword_list", args=[world.study.slug, version.keyword_list_id])
    assert "False positives" not in text_of(client.get(address))
    screening(world, reveal=Round.Reveal.ROUND_CLOSED)
    assert "The rate of each term will be here when a screening decides" in text_of(client.get(address))
    screening(world)
    text = text_of(client.get(address))
    first, included = (world.issues[place].number for place in (0, 3))
    rows = [f"{first} 1 1 100.0 %", "Title 4 3 75.0 %", f"{included} 1 0 0.0 %", "Any term 4 3 75.0 %"]
    text = text.replace("\u00a0", " ")
    assert [row in text for row in rows] == [True] * 4
    assert sorted(text.index(row) for row in rows) == [text.index(row) for row in rows]


def test_as_a_file(world, version):
    client = Client()
    client.force_login(world.members[0].user)
    address = reverse("keyword_false_positives", args=[world.study.slug, version.keyword_list_id])
    assert client.get(address).status_code == 404
    screening(world)
    world.waits_for(world.members[0], world.issues[3])
    answer = client.get(address)
    assert answer.headers["Content-Disposition"] == 'attachment; filename="words-1-false-positives.csv"'
    assert answer.headers["Crosscheck-Withheld"] == "1"
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    low, high = proportion_confint(3, 3, method="wilson")
    assert {name: rows[0][name] for name in ("term", "kind", "screened", "false_positives", "rate")} == {
        "term": "Title", "kind": "word", "screened": "3", "false_positives": "3", "rate": "1.0",
    }  # fmt: skip
    assert (float(rows[0]["low"]), float(rows[0]["high"])) == (pytest.approx(low), pytest.approx(high))
    assert [row["rate"] for row in rows] == ["1.0", "1.0", "", "", "", "1.0"]
    assert client.get(address, {"version": "2"}).status_code == 404
