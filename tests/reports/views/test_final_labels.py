"""Final labels that changed since a report, as a page and a file."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from consensus.actions.decisions import reopen
from studies.actions import record
from studies.models import Role
from tests import factories
from tests.worlds.pages import client as signed_in
from tests.worlds.pages import queries_of, text_of
from tests.worlds.parted import give_labels
from tests.worlds.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=4)]


def _told(world: World):
    """A round whose package was downloaded; then one label changed, one was opened again, one is new."""
    round_ = world.round()
    give_labels(world, round_, *["C.2 C.2 C.3"] * 3)
    for issue in world.issues[:2]:
        world.settle(round_, issue, "C.2")
    record(world.study, "exports.downloaded", world.lead.user, round=round_.name, file="engines.zip")
    world.settle(round_, world.issues[0], "C.3", seen=1)
    reopen(round_=round_, issue=world.issues[1], by=world.lead, why="=Read it again", seen_number=1)
    world.settle(round_, world.issues[2], "C.9")
    return round_


def _get(member, round_, name="final_labels", **query):
    return signed_in(member).get(reverse(name, args=[round_.pk]), query)


def test_it_begins_with_the_last_package(world):
    text = text_of(_get(world.lead, _told(world)))
    assert "3 issues have another final label." in text
    assert "All 3 Changed 1 Reopened 1 New 1" in text
    assert "C.2 lead C.3 lead Lead" in text
    assert "C.2 lead reopened reopened Lead" in text
    assert "=Read it again" in text
    assert "none C.9 lead Lead" in text


def test_a_moment_and_a_kind_can_be_asked_for(world):
    round_ = _told(world)
    long_ago = (timezone.now() - timedelta(days=30)).isoformat()
    assert "All 2 Changed 0 Reopened 0 New 2" in text_of(_get(world.lead, round_, since=long_ago))
    typed = text_of(_get(world.lead, round_, since="2024-01-31T09:30", kind="new"))
    assert "All 2 Changed 0 Reopened 0 New 2" in typed
    assert "no final label changed" in text_of(
        _get(world.lead, round_, since=(timezone.now() + timedelta(days=1)).isoformat())
    )


def test_what_is_no_moment_is_said_and_what_no_link_says_is_not_found(world):
    round_ = _told(world)
    response = _get(world.lead, round_, since="yesterday")
    assert response.status_code == 422
    assert "Choose a date and a time" in text_of(response)
    for query in ({"kind": "x"}, {"after": "x"}, {"after": "9" * 12}):
        assert _get(world.lead, round_, **query).status_code == 404
    assert _get(world.lead, round_, "final_labels_csv").status_code == 404
    assert _get(world.lead, round_, "final_labels_csv", since="x").status_code == 404


def test_the_downloads_are_for_who_may_read_the_audit(world):
    round_ = _told(world)
    viewer = factories.make_member(world.study, Role.VIEWER, pseudonym="V")
    for member in (viewer, world.members[0]):
        text = text_of(_get(member, round_))
        assert "package was downloaded" not in text
        assert "Choose the time of your report above." in text
    assert "All 2" in text_of(_get(viewer, round_, since="2024-01-31T09:30"))


def test_what_is_withheld_is_a_number(world):
    round_ = _told(world)
    world.round(members=[world.lead, *world.members])
    text = text_of(_get(world.lead, round_))
    assert "3 issues are hidden until you label them" in text
    assert "All 0 Changed 0 Reopened 0 New 0" in text


def test_the_file_has_a_row_per_change_and_runs_nothing(world):
    round_ = _told(world)
    since = world.study.events.get(verb="exports.downloaded").at.isoformat()
    response = _get(world.lead, round_, "final_labels_csv", since=since)
    assert "final-labels-changed.csv" in response["Content-Disposition"]
    head, *lines = response.content.decode().splitlines()
    assert head == "repository,issue,url,change,before,before_method,after,after_method,by,at,why"
    cells = [line.split(",") for line in lines]
    assert [cell[3:9] for cell in cells] == [
        ["changed", "C.2", "lead", "C.3", "lead", "Lead"],
        ["reopened", "C.2", "lead", "", "", "Lead"],
        ["new", "", "", "C.9", "lead", "Lead"],
    ]
    assert [cell[10] for cell in cells] == ["Said by the lead.", "'=Read it again", "Said by the lead."]


def test_the_page_costs_the_same_at_one_change_and_at_three(world):
    counts = []
    for rows in (1, 3):
        round_ = world.round()
        give_labels(world, round_, *["C.2 C.2 C.3"] * 3)
        for issue in world.issues[:rows]:
            world.settle(round_, issue, "C.2")
        address = f"{reverse('final_labels', args=[round_.pk])}?since=2024-01-31T09:30"
        counts.append(queries_of(signed_in(world.lead), address))
    assert counts[0] == counts[1] <= 20
