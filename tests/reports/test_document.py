"""The texts of the report's document: titles, heads, notes and reasons, each as a person reads it."""

import pytest
from django.utils import translation
from django.utils.translation import trans_real

from consensus.actions.votes import close_vote
from reports.agreement_report import agreement_report
from reports.formats.document import document
from reports.sections.registry import SECTIONS
from reports.sections.rounds import NOTHING_AT_LEVEL
from reports.sentences.definitions import BALLOTS_KNOW
from rounds.models import Round
from rounds.queries.blindness import Reader
from tests.factories import make_version
from tests.worlds.meeting import meeting_world
from tests.worlds.pages import client, label_all, text_of
from tests.worlds.uneven import uneven
from tests.worlds.world import small_world

pytestmark = pytest.mark.django_db

BY = [["type"], ["repository"], ["month"], ["round"]]
SAME = "all labels are the same category"


def section(found, name):
    return next(one for one in found["sections"] if one["name"] == name)


@pytest.fixture
def voted():
    """Two issues; with the last ballots all labels are of one category."""
    world = meeting_world(issues=2, members=3, rows=("C.9 C.9 C.1", "C.9 C.1 C.1"))
    world.plan(quorum=2)
    world.arrive()
    for item in world.items:
        vote = world.vote(item, "C.9", "C.9", "C.9")
        vote.refresh_from_db()
        if vote.closed_at is None:
            close_vote(vote=vote, by=world.lead)
    return world


@pytest.fixture
def in_another_language(monkeypatch):
    """A language in which what the files say in two places reads otherwise."""
    catalog = trans_real.translation("de")._catalog
    monkeypatch.setattr(
        catalog, "_catalogs", [{SAME: "gleich", NOTHING_AT_LEVEL: "nichts"}, *catalog._catalogs]
    )
    with translation.override("de"):
        yield


def test_every_table_has_a_title_and_every_column_one_heading():
    report = agreement_report(uneven(), by=BY, reader=Reader(None))
    columns = {column for section in SECTIONS for column in section.columns_of(report)}

    assert [section.key for section in SECTIONS if not section.in_document] == ["pair-categories", "left-out"]
    assert all(str(column.heading) for column in columns)
    # The frozen reports find the heading of a number by its name.
    assert len({column.name for column in columns}) == len({(one.name, str(one.heading)) for one in columns})


def test_agreement_after_consensus_stands_with_its_caveat(voted):
    found = section(document(agreement_report(voted.round_, by=BY, reader=Reader(voted.lead))), "consensus")

    assert found["title"] == "Before and after consensus"
    assert found["note"] == str(BALLOTS_KNOW)
    assert [head["text"] for head in found["heads"]] == [
        "Coefficient", "Independent labels", "Note", "With the last ballots", "Note on the ballots",
    ]  # fmt: skip
    page = text_of(client(voted.lead).get(f"/rounds/{voted.round_.pk}/agreement/"))
    assert str(BALLOTS_KNOW) in page


def test_few_tables_have_a_note(voted):
    found = document(agreement_report(voted.round_, by=BY, reader=Reader(voted.lead)))

    assert {one["name"] for one in found["sections"] if one["note"]} == {
        "consensus",
        "dissents-trend",
        "differences",
        "intervals",
        "skill",
        "weighted",
    }


def test_reasons_are_in_the_language_of_the_reader(voted, in_another_language):
    found = document(agreement_report(voted.round_, by=BY, reader=Reader(voted.lead)))

    kappa = section(found, "consensus")["rows"][1]
    assert kappa[-1] == "gleich"


def test_kinds_of_rounds_are_words():
    world = small_world(issues=2)
    world.version = make_version(world.study, ["C", "C.1", "C.2"])
    pilot = world.round(name="Pilot", kind=Round.Kind.PILOT)
    main = world.round(name="Main round")
    for round_ in (pilot, main):
        label_all(world, round_, "C.1 C.1 C.2", "C.2 C.2 C.1")

    found = section(document(agreement_report(main, by=BY, reader=Reader(None))), "rounds")

    assert [head["text"] for head in found["heads"]][:3] == ["Round", "Kind", "Taxonomy version"]
    assert [row[1] for row in found["rows"]] == ["Pilot", "Main"]
