"""Which decisions are shaky: models of erring raters beside the decision, as a filter of the disagreements."""

import numpy as np
import pytest
from django.urls import reverse

from agreement import Patterns
from agreement.latent.dawid_skene import dawid_skene
from agreement.latent.mace import mace
from consensus.queries.disagreement_filters import Narrowing
from consensus.queries.disagreements import disagreements
from consensus.queries.probable import issues_apart, posteriors, probable_of
from consensus.views.bulk import filters_in_words
from rounds.models import RoundIssue
from rounds.queries.blindness import withheld_issues
from taxonomy.models import Level
from tests.kept import kept
from tests.worlds.pages import client, label_all, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=14)]

# R3 guesses. Decided in the end: the majority, but of the last two what R3 said alone.
ROWS = [
    "C.1 C.1 C.1", "C.1 C.1 C.2", "C.1 C.1 A.1", "C.2 C.2 C.1", "C.2 C.2 C.2", "C.2 C.2 A.1",
    "A.1 A.1 A.1", "A.1 A.1 C.1", "A.1 A.1 C.2", "A.1 A.1 C.1", "C.1 C.1 C.2", "C.1 C.1 A.1",
    "C.2 C.2 A.1",
]  # fmt: skip


@kept
def round_(world):
    made = world.round()
    label_all(world, made, *ROWS)
    for place, code in ((1, "C.1"), (2, "C.1"), (11, "A.1"), (12, "A.1")):
        world.settle(made, world.issues[place], code)
    return made


def at(world, *places):
    return [world.issues[place].pk for place in places]


def listed(round_, member=None, **filters):
    return [row.issue.pk for row in disagreements(round_, Narrowing(**filters), member).rows]


@pytest.mark.parametrize("model", ["dawid_skene", "mace"])
def test_the_filter_lists_decisions_that_another_category_outweighs(world, round_, model):
    assert sorted(listed(round_, posterior=model)) == at(world, 11, 12)
    assert listed(round_, posterior=model, type="C", split=(2, 1), state="open") == []
    found = disagreements(round_, Narrowing(posterior=model), None)
    assert (found.count, found.shown) == (2, 2)
    one = found.probable[world.issues[11].pk][model]
    assert one.state.code == "C.1"
    assert one.probability > 0.9
    assert one.of_decision < 0.1
    assert disagreements(round_, Narrowing(), None).probable == {}


def test_the_numbers_are_those_of_the_labels(world, round_):
    found = posteriors(round_, Level.THEME)
    codes = [state.code for state in found.states]
    assert found.names == ("R1", "R2", "R3")
    issues = sorted(tuple(codes.index(code) for code in row.split()) for row in ROWS)
    every = Patterns(issues, np.ones(len(issues), dtype=int), len(codes))
    assert found.models["dawid_skene"].skill == pytest.approx(dawid_skene(every).skill)
    assert found.models["mace"].skill == pytest.approx(mace(every).skill)
    assert found.models["mace"].skill[2] < found.models["mace"].skill[0]
    # At the level of types C.1 and C.2 are the same.
    assert [state.code for state in posteriors(round_, Level.TYPE).states] == ["A", "B", "C"]


def test_a_new_decision_counts_at_once(world, round_):
    world.settle(round_, world.issues[11], "C.1", seen=1)
    assert listed(round_, posterior="mace") == at(world, 12)
    world.settle(round_, world.issues[1], "C.2", seen=1)
    assert sorted(listed(round_, posterior="mace")) == at(world, 1, 12)


def test_withheld_issues_are_neither_listed_nor_in_the_numbers(world, round_):
    first = world.members[0]
    whole = posteriors(round_, Level.THEME)
    world.waits_for(first, world.issues[11])
    blind = withheld_issues(round_, first)

    assert listed(round_, first, posterior="mace") == at(world, 12)
    assert issues_apart(round_, "mace", blind) == f"{{{world.issues[12].pk}}}"
    assert list(probable_of(round_, at(world, 11, 12), blind)) == at(world, 12)
    found = posteriors(round_, Level.THEME, blind)
    assert found.patterns.counts.sum() == whole.patterns.counts.sum() - 1
    assert found.models["mace"].skill[0] != whole.models["mace"].skill[0]


def test_nothing_before_the_reveal_and_nothing_of_second_looks(world, round_):
    hidden = world.round(reveal="round_closed")
    label_all(world, hidden, *ROWS)
    assert posteriors(hidden, Level.THEME).keys == ()
    assert issues_apart(hidden, "mace") == "{}"
    again = RoundIssue.objects.filter(round=round_, issue=world.issues[11])
    again.update(first_revealed_at="2026-01-01T00:00Z")
    assert listed(round_, posterior="mace") == at(world, 12)
    assert probable_of(round_, at(world, 11)) == {}


def test_the_page_shows_it_beside_the_decision_and_says_what_it_is(world, round_):
    address = reverse("disagreements", args=[round_.pk])
    said = text_of(client(world.lead).get(f"{address}?posterior=dawid_skene"))
    assert "A decision that differs is a reason to look again, not an error." in said
    assert "C.1 100 %, decision 0 %" in said
    plain = text_of(client(world.lead).get(address))
    assert "a reason to look again" not in plain
    assert client(world.lead).get(f"{address}?posterior=oracle").status_code == 404
    assert filters_in_words(round_, Narrowing(posterior="mace")) == [
        ("More probable", "not the decision, by MACE")
    ]


def test_rest_has_the_filter_and_the_probabilities(world, round_):
    reader = client(world.lead)
    address = f"/api/v1/rounds/{round_.pk}/disagreements/"
    found = reader.get(f"{address}?posterior=mace").json()["results"]
    assert sorted(one["issue"] for one in found) == at(world, 11, 12)
    assert {one["probable"]["mace"]["category"] for one in found} == {"C.1", "C.2"}
    assert all(set(one["probable"]) == {"dawid_skene", "mace"} for one in found)
    assert "probable" not in reader.get(address).json()["results"][0]
    assert reader.get(f"{address}?posterior=oracle").status_code == 400


def test_an_address_keeps_the_filter():
    asked = Narrowing(posterior="mace")
    assert Narrowing.from_query(asked.query) == asked
