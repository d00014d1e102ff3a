"""How a round spreads over its taxonomy: counted by hand, blind, and as the agreement report counts."""

import pytest

from annotate.actions.rounds import close_round
from reports.agreement_report import LEVELS, agreement_report
from reports.queries.category_shares import DECISIONS, LABELS, category_shares, rounds_to_count
from reports.sections.composition import distribution
from rounds.models import Round
from studies.models import Role
from taxonomy.models import CategoryState, Gone, Level
from taxonomy.queries.codebooks import codebook
from tests import factories
from tests.kept import kept
from tests.worlds.pages import label_all

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=5)]

ROWS = ("C.1 C.1 C.1", "C.1 C.2 C.1", "A.1 A.1 A.1", "B.1 B.1 C.1", "C.9 C.9 -")


@kept
def labelled(world):
    """Four complete issues, three of them decided as C.1, A.1 and (by the lead) B.1; the fifth lacks a label."""
    round_ = world.round(name="Main round")
    label_all(world, round_, *ROWS)
    world.settle(round_, world.issues[3], "B.1")
    return round_


def by_code(shares, book):
    return {book.by_id[id_].code: number for id_, number in shares.counts.items() if number}


def test_decisions_by_hand(world, labelled):
    book = codebook(world.version)
    shares = category_shares(labelled, book, world.lead)

    assert shares.unit == DECISIONS
    assert by_code(shares, book) == {"A": 1, "A.1": 1, "B": 1, "B.1": 1, "C": 1, "C.1": 1}
    assert shares.bases == {Level.TYPE: 3, Level.THEME: 3, Level.SUB_THEME: 0}
    assert (shares.undecided, shares.elsewhere, shares.withheld) == (1, 0, 0)


def test_labels_by_hand(world, labelled):
    book = codebook(world.version)
    shares = category_shares(labelled, book, world.lead, LABELS)

    assert by_code(shares, book) == {"A": 3, "A.1": 3, "B": 2, "B.1": 2, "C": 7, "C.1": 6, "C.2": 1}
    assert shares.bases == {Level.TYPE: 12, Level.THEME: 12, Level.SUB_THEME: 0}
    assert (shares.undecided, shares.elsewhere) == (0, 0)


def test_decisions_are_those_of_the_agreement_report(world, labelled):
    book = codebook(world.version)
    shares = category_shares(labelled, book, world.lead)

    for one in distribution(agreement_report(labelled)):
        assert shares.counts[book.by_code[one["code"]].category_id] == one["issues"]
        assert shares.bases[LEVELS[one["level"]]] == one["base"]


def test_without_decisions_labels_are_counted(world):
    round_ = world.round()
    label_all(world, round_, "C.1 C.2 A.1")
    assert category_shares(round_, codebook(world.version), world.lead).unit == LABELS


def test_what_is_withheld_is_in_no_number(world, labelled):
    world.waits_for(world.members[0], world.issues[0])
    book = codebook(world.version)

    hers, leads = (category_shares(labelled, book, one) for one in (world.members[0], world.lead))

    assert (hers.withheld, leads.withheld) == (1, 0)
    assert by_code(hers, book) == {"A": 1, "A.1": 1, "B": 1, "B.1": 1}
    assert hers.bases[Level.TYPE] == 2
    assert leads.bases[Level.TYPE] == 3


def test_a_later_version_counts_by_identity(world, labelled):
    """In it C.1 is D.7, B.1 is gone while B stayed, and all of A is gone."""
    later = factories.make_version(world.study, ["D"], taxonomy=world.version.taxonomy, published=False)
    old = codebook(world.version).by_code
    (top,) = later.states.all()
    for place, (code, name, level, parent) in enumerate(
        [("B", "B", 1, None), ("C.1", "D.7", 2, top.category_id)], start=1
    ):
        CategoryState.objects.create(
            version=later, category_id=old[code].category_id, parent_id=parent,
            level=level, code=name, name=name, position=place,
        )  # fmt: skip
    book = codebook(later)

    shares = category_shares(labelled, book, world.lead)

    assert by_code(shares, book) == {"D": 1, "D.7": 1, "B": 1}
    assert shares.bases == {Level.TYPE: 2, Level.THEME: 1, Level.SUB_THEME: 0}
    assert shares.elsewhere == 1


def test_what_was_merged_counts_as_what_it_became(world, labelled):
    """C.1 is merged into X.1; A.1 is split, and A stays."""
    later = factories.make_version(
        world.study, ["X", "X.1"], taxonomy=world.version.taxonomy, published=False
    )
    old = codebook(world.version).by_code
    CategoryState.objects.create(
        version=later, category_id=old["A"].category_id, level=1, code="A", name="A", position=2
    )
    book = codebook(later)
    for code, became in (("C.1", book.by_code["X.1"].category_id), ("A.1", None)):
        Gone.objects.create(
            version=later, since=later, category_id=old[code].category_id, became_id=became, last=old[code]
        )

    shares = category_shares(labelled, book, world.lead)

    assert by_code(shares, book) == {"X": 1, "X.1": 1, "A": 1}
    assert shares.bases == {Level.TYPE: 2, Level.THEME: 1, Level.SUB_THEME: 0}
    assert shares.elsewhere == 1


# --- which rounds


def names(world, member):
    return [one.name for one in rounds_to_count(world.version.taxonomy, member)]


def test_main_rounds_come_first_and_then_the_newest(world, labelled):
    for name, kind in (("Pilot", Round.Kind.PILOT), ("Second", Round.Kind.MAIN), ("Empty", Round.Kind.MAIN)):
        made = world.round(name=name, kind=kind)
        if name != "Empty":
            label_all(world, made, "C.1 C.1 C.1")
    assert names(world, world.lead) == ["Second", "Main round", "Pilot"]


def test_a_round_is_there_once_its_complete_issues_are_revealed(world):
    round_ = world.round(name="Late", reveal=Round.Reveal.ROUND_CLOSED)
    label_all(world, round_, *ROWS)
    assert names(world, world.lead) == []

    close_round(round_=round_, by=world.lead)
    assert names(world, world.lead) == ["Late"]


def test_a_round_that_is_withheld_whole_is_not_there(world):
    round_ = world.round(name="Main round")
    label_all(world, round_, "C.1 C.1 C.1")
    world.waits_for(world.members[0], world.issues[0])

    assert names(world, world.members[0]) == []
    assert names(world, world.lead) == ["Main round"]


def test_models_and_strangers_see_no_round(world, labelled):
    assert names(world, factories.make_member(world.study, Role.VIEWER)) == ["Main round"]
    assert names(world, factories.make_member(world.study, Role.MODEL)) == []
    assert names(world, None) == []


def test_trainings_and_other_taxonomies_count_nowhere(world, labelled):
    Round.objects.filter(pk=labelled.pk).update(kind=Round.Kind.TRAINING)
    assert names(world, world.lead) == []
    Round.objects.filter(pk=labelled.pk).update(kind=Round.Kind.MAIN)
    other = factories.make_version(world.study)
    assert rounds_to_count(other.taxonomy, world.lead) == []
