"""Where on their way volunteers stood alone."""

import csv
import io

import pytest
from django.urls import reverse

from agreement import Stretch
from reports.agreement_report import agreement_report
from reports.sections.dissents import VolunteerWay, dissents
from reports.sections.registry import TABLES
from rounds.models import Round
from rounds.queries.blindness import Reader, withheld_issues
from taxonomy.models import Level
from tests.long import only_long
from tests.worlds.pages import client, label_all, text_of
from tests.worlds.world import one_after_the_other, small_world

pytestmark = pytest.mark.django_db

NONE, SAME, ALONE = Stretch(0, 0), Stretch(5, 0), Stretch(5, 5)


def test_tenths_of_each_way_by_hand():
    """Ten issues of one mind, twenty on which R1 stands alone, twenty on which R2 does."""
    _world, round_ = one_after_the_other()

    found = dissents(agreement_report(round_))

    assert found == (
        VolunteerWay("R1", 50, (SAME, SAME, ALONE, ALONE, ALONE, ALONE, NONE, NONE, NONE, NONE)),
        VolunteerWay("R2", 50, (SAME, SAME, NONE, NONE, NONE, NONE, ALONE, ALONE, ALONE, ALONE)),
        VolunteerWay("R3", 50, (SAME, SAME, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE)),
        VolunteerWay("", 150, (Stretch(15, 0),) * 2 + (ALONE,) * 8),
    )
    assert [(way.issues, way.alone) for way in found] == [(30, 20), (30, 20), (10, 0), (70, 40)]
    rows = TABLES["dissents"](agreement_report(round_)).rows
    # Wilson: 1 / (1 + z² / 5) is 0.566, and 1 less it 0.434.
    low, high = (pytest.approx(0.0), pytest.approx(0.4345, abs=1e-4)), (pytest.approx(0.5655, abs=1e-4), 1.0)
    assert rows[:3] == (
        ("R1", 1, 5, 0, 0.0, *low), ("R1", 2, 5, 0, 0.0, *low), ("R1", 3, 5, 5, 1.0, *high),
    )  # fmt: skip
    assert rows[6] == ("R1", 7, 0, 0, None, None, None)
    assert rows[-1] == ("all", 10, 5, 5, 1.0, *high)
    # By type C.1 and C.2 are the same.
    assert sum(way.alone for way in dissents(agreement_report(round_, level=Level.TYPE))) == 0


def test_the_way_is_the_order_of_ones_own_submissions():
    """R1 takes the issue on which they stand alone last, the others take it first."""
    world = small_world(issues=2)
    round_ = world.round()
    first, second = world.issues
    for member, issue, code in (
        (0, second, "C.1"), (1, first, "C.1"), (2, first, "C.1"), (1, second, "C.1"), (2, second, "C.1"),
        (0, first, "C.2"),
    ):  # fmt: skip
        world.submit(round_, issue, world.members[member], code)

    one, two, _three, _all = dissents(agreement_report(round_))

    assert [(at, each.alone) for at, each in enumerate(one.stretches) if each.issues] == [(0, 0), (5, 1)]
    assert [(at, each.alone) for at, each in enumerate(two.stretches) if each.issues] == [(5, 0)]


def test_who_labels_some_issues_of_k_of_n_has_a_way_of_their_own():
    world = small_world(issues=2, members=4)
    round_ = world.k_of_n(3)
    for issue, members in zip(world.issues, ((0, 1, 2), (0, 1, 3)), strict=True):
        for member in members:
            world.submit(round_, issue, world.members[member], "C.2" if member == 3 else "C.1")
    found = dissents(agreement_report(round_))
    assert [(way.volunteer, way.labels, way.issues, way.alone) for way in found] == [
        ("R1", 2, 1, 0), ("R2", 2, 1, 0), ("R3", 1, 1, 0), ("R4", 1, 1, 1), ("", 6, 4, 1),
    ]  # fmt: skip


def test_what_is_incomplete_hidden_or_withheld_is_on_no_way():
    world = small_world(issues=3)
    round_ = world.round()
    label_all(world, round_, "C.1 C.1 C.1", "C.1 C.2 C.1", "C.2 C.2 -")
    first = world.members[0]
    assert [way.labels for way in dissents(agreement_report(round_))] == [2, 2, 2, 6]
    world.waits_for(first, world.issues[1])
    blind = withheld_issues(round_, first)
    report = agreement_report(round_, blind=blind, reader=Reader(first))
    assert [(way.labels, way.alone) for way in dissents(report)] == [(1, 0), (1, 0), (1, 0), (3, 0)]
    hidden = world.round(reveal="round_closed")
    label_all(world, hidden, "C.1 C.2 C.1")
    assert dissents(agreement_report(hidden)) == ()


@pytest.mark.parametrize("issues", [1, 3])
def test_two_queries_whatever_the_number_of_issues(issues, django_assert_num_queries):
    world = small_world(issues=issues)
    round_ = world.round()
    label_all(world, round_, *["C.1 C.2 C.1"] * issues)
    report = agreement_report(round_)
    with django_assert_num_queries(2):
        assert dissents(report)[1].alone == issues


def test_each_volunteer_has_a_test_for_a_trend_and_all_have_one():
    """By hand: R1 has tenths of 5 issues, the 20 alone in tenths 3 to 6 of 1 to 6. T = 90 - 20 * 105 / 30 = 20,
    and the variance 20 * 10 * (30 * 455 - 105²) / (900 * 29) is 20.11; of R2 T = 46.67, and the variance 81.42.
    """
    _world, round_ = one_after_the_other()
    one, two, three, everybody = TABLES["dissents-trend"](agreement_report(round_)).rows
    first, second = 20 / 20.1149**0.5, 46.6667 / 81.4176**0.5
    assert one[:3] == ("R1", 30, 20)
    assert one[3] == pytest.approx(first, abs=1e-4)
    assert two[3] == pytest.approx(second, abs=1e-4)
    # Holm: the smaller p counts twice.
    assert two[5] == pytest.approx(2 * two[4])
    assert one[5] == pytest.approx(max(one[4], two[5]))
    assert three[3:6] == (None, None, None)
    assert three[6] == "the share is the same in all parts, or only one part has issues"
    assert everybody[:3] == ("all", 70, 40)
    assert everybody[3] == pytest.approx(66.6667 / (20.1149 + 81.4176) ** 0.5, abs=1e-4)


def test_imported_labels_have_no_order_in_time(world_of_files):
    world, round_ = world_of_files
    report = agreement_report(round_)
    assert dissents(report) == ()
    for name in ("dissents", "dissents-trend", "over-time", "over-time-test"):
        assert TABLES[name](report).rows == ()
    assert [row[0] for row in TABLES["months"](report).rows] == ["all"]
    said = text_of(client(world.lead).get(reverse("agreement", args=[round_.pk]), {"dissents": "yes"}))
    assert said.count("The order of a file is not time, so nothing is shown over time.") == 2
    assert "First tenth" not in said
    assert "Show ten parts for each volunteer" not in said


@pytest.fixture
def world_of_files():
    """A round that opened and closed at one moment, as an imported one does."""
    world, round_ = one_after_the_other()
    moment = round_.opened_at
    Round.objects.filter(pk=round_.pk).update(closed_at=moment)
    return world, Round.objects.get(pk=round_.pk)


@only_long
def test_the_page_draws_it_for_who_asks():
    world, round_ = one_after_the_other()
    address = reverse("agreement", args=[round_.pk])
    signed_in = client(world.lead)
    plain = text_of(signed_in.get(address))
    assert "Show ten parts for each volunteer" in plain
    assert "First tenth" not in plain

    response = signed_in.get(address, {"dissents": "yes"})
    said, body = text_of(response), response.content.decode()

    assert "R1 50 66.7 % of 30 0.0 % 0.0 to 43.4 (of 5) – rises, p < 0.001" in said
    assert "All 150 57.1 % of 70 0.0 % 0.0 to 20.4 (of 15) 100.0 % 56.6 to 100.0 (of 5) rises, " in said
    # The first tenth of R1 is a line of one unit, the third as high as the drawing, the seventh is nothing.
    row = body[body.index('<th scope="row">R1</th>', body.index('id="dissents-h"')) :]
    assert '<rect x="0" y="27" width="14" height="1">' in row
    assert '<rect x="32" y="0" width="14" height="28">' in row
    assert '<rect x="96" y="28" width="14" height="0">' in row
    rows = csv.DictReader(io.StringIO(signed_in.get(address, {"format": "csv", "table": "dissents"}).text))
    assert next(rows) == {
        "volunteer": "R1",
        "tenth": "1",
        "issues": "5",
        "alone": "0",
        "share": "0.0",
        "low": "0.0",
        "high": "0.43448246478317476",
    }
