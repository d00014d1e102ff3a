"""What "How to report this" tells of disagreements and of the kind of variable."""

import pytest

from reports.agreement_report import agreement_report
from reports.sentences.paragraph import how_to_report
from rounds.models import Round
from rounds.queries.blindness import Reader, withheld_issues
from tests.kept import kept
from tests.worlds.pages import label_all
from tests.worlds.world import World, small_world

pytestmark = pytest.mark.django_db


@kept
def world() -> World:
    return small_world(issues=4, members=3)


@pytest.fixture
def labelled(world):
    round_ = world.round()
    label_all(world, round_, "A.1 A.1 A.1", "B.1 B.1 B.1", "A.1 B.1 C.1", "A.1 A.1 B.1")
    return round_


def said(round_, member=None, **more) -> str:
    return how_to_report(
        agreement_report(round_, blind=withheld_issues(round_, member), reader=Reader(member), **more)
    )


def test_the_variable_is_nominal_in_a_tree(labelled):
    assert "The variable is nominal, in a tree: its categories have 3 levels and no order." in said(labelled)


def test_disagreements_are_settled_by_a_lead_or_open(world, labelled):
    assert said(labelled).count("2 disagreements are not settled yet.") == 1
    world.settle(labelled, world.issues[2], "A.1")
    text = said(labelled)
    assert "1 disagreement was settled by a lead. 1 disagreement is not settled yet." in text


def test_nothing_is_told_of_disagreements_in_part_of_the_issues(world, labelled):
    first = world.members[0]
    world.waits_for(first, world.issues[2])
    assert "not settled" in said(labelled, world.members[1])
    assert "not settled" not in said(labelled, first)
    assert "not settled" not in said(labelled, without_coached=True)


def test_imported_decisions_were_not_observed(labelled):
    Round.objects.filter(pk=labelled.pk).update(closed_at=labelled.opened_at)
    text = said(Round.objects.select_related("study", "version").get(pk=labelled.pk))
    assert "The decisions were imported. How disagreements were settled was not observed." in text
    assert "not settled yet" not in text
