"""Where on their way volunteers stood alone."""

import csv
import io

import pytest
from django.urls import reverse

from agreement import Stretch
from reports.agreement_report import agreement_report
from reports.sections.dissents import VolunteerWay, dissents
from reports.sections.registry import TABLES
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
    assert rows[:3] == (("R1", 1, 5, 0, 0.0), ("R1", 2, 5, 0, 0.0), ("R1", 3, 5, 5, 1.0))
    assert rows[6] == ("R1", 7, 0, 0, None)
    assert rows[-1] == ("all", 10, 5, 5, 1.0)
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

    assert "R1 50 66.7 % of 30 0.0 % –" in said
    assert "All 150 57.1 % of 70 0.0 % 100.0 %" in said
    # The first tenth of R1 is a line of one unit, the third as high as the drawing, the seventh is nothing.
    row = body[body.index('<th scope="row">R1</th>', body.index('id="dissents-h"')) :]
    assert '<rect x="0" y="27" width="14" height="1">' in row
    assert '<rect x="32" y="0" width="14" height="28">' in row
    assert '<rect x="96" y="28" width="14" height="0">' in row
    rows = csv.DictReader(io.StringIO(signed_in.get(address, {"format": "csv", "table": "dissents"}).text))
    assert next(rows) == {"volunteer": "R1", "tenth": "1", "issues": "5", "alone": "0", "share": "0.0"}
