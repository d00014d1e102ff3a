"""What each version changed, and the life of a category, after a few versions made through the editor."""

import re

import pytest
from django.urls import reverse

from studies.models import Role
from taxonomy.actions import act, cast, publish
from taxonomy.models import Category
from taxonomy.queries.drafts import drafted
from taxonomy.queries.history import Makers, life, steps
from tests.factories import make_member, make_study, make_user, make_version, propose

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada():
    return make_user("Ada")


@pytest.fixture
def taxonomy(ada):
    """Version 2: C.2 merged into C.1, C.1.i renamed, C.3 split; 3: C.1 below B, a new text; 4: C.9 retired."""
    study = make_study()
    make_member(study, Role.LEAD, user=ada)
    taxonomy = make_version(study, ["B", "C", "C.1", "C.1.i", "C.2", "C.3", "C.9"]).taxonomy

    def change(kind, code, by=ada, **values):
        keys = {entry.code: entry.key for entry in drafted(taxonomy).draft}
        named = {name: keys[code] for name, code in values.items() if name in {"into", "parent"}}
        act(taxonomy=taxonomy, kind=kind, key=keys[code], values=values | named, by=by)

    change("merge", "C.2", into="C.1")
    change("describe", "C.1.i", name="Leaks")
    change("split", "C.3", by=None, parts=[{"name": "Part", "code": "C.4"}], stays=True)
    publish(taxonomy=taxonomy, by=ada, note="After the pilot")
    change("move", "C.1", parent="B")
    change("describe", "C.4", definition="Only these.")
    publish(taxonomy=taxonomy, by=None)
    change("retire", "C.9")
    publish(taxonomy=taxonomy, by=ada)
    return taxonomy


def named(taxonomy, code, number=1):
    return Category.objects.get(
        states__version__taxonomy=taxonomy, states__version__number=number, states__code=code
    )


def test_each_version_beside_the_one_before(taxonomy, ada) -> None:
    found = steps(taxonomy)

    assert [(step.version.number, step.sizes) for step in found] == [
        (4, {1: 2, 2: 3, 3: 1}),
        (3, {1: 2, 2: 4, 3: 1}),
        (2, {1: 2, 2: 4, 3: 1}),
        (1, {1: 2, 2: 4, 3: 1}),
    ]
    assert [
        [(each.kind, each.old.code, [state.code for state in each.new], each.texts) for each in step.changed]
        for step in found
    ] == [
        [("retired", "C.9", [], ())],
        [
            ("moved", "C.1", ["B.1"], ()),
            ("renamed", "C.1.i", ["B.1.i"], ()),
            ("same", "C.4", ["C.4"], ("definition",)),
        ],
        [
            ("renamed", "C.1.i", ["C.1.i"], ()),
            ("merged", "C.2", ["C.1"], ()),
            ("split", "C.3", ["C.3", "C.4"], ()),
        ],
        [],
    ]
    assert [[state.code for state, _made in step.added] for step in found] == [[], [], ["C.4"], []]
    assert found[2].makers == (("R1", 2), ("", 1))
    told = [(each.old.code, each.made.makers) for each in found[2].changed]
    assert told == [("C.1.i", ("R1",)), ("C.2", ("R1",)), ("C.3", ("",))]
    assert found[2].added[0][1] == Makers(("",))
    assert [each.made for each in found[1].changed] == [Makers(("R1",)), Makers(), Makers(("R1",))]


def test_what_was_voted_on_says_which_vote(client, taxonomy, ada) -> None:
    lead = taxonomy.study.memberships.get(user=ada)
    motion = propose(taxonomy, lead, "describe", "C.3", values={"name": "Narrow"})
    cast(motion=motion, member=lead, choice="for")
    change = {"kind": "describe", "key": str(named(taxonomy, "C.3").key), "values": {"examples": "One"}}
    act(taxonomy=taxonomy, by=ada, **change)
    publish(taxonomy=taxonomy, by=ada)

    step = steps(taxonomy)[0]

    assert (step.motions, step.makers) == ((motion,), (("R1", 1),))
    (changed,) = step.changed
    found = (changed.kind, changed.texts, changed.made)
    assert found == ("renamed", ("examples",), Makers(("R1",), (motion,)))
    client.force_login(ada)
    shown = re.sub(r"\s+", " ", client.get(reverse("taxonomy_history", args=[taxonomy.pk])).text)
    assert f'href="{motion.get_absolute_url()}"' in shown
    assert "1 for, 0 against, 0 abstained" in shown
    assert 'renamed </span> <span class="badge">text changed</span>' in shown


def test_each_version_has_its_picture(client, taxonomy, ada) -> None:
    client.force_login(ada)

    shown = client.get(reverse("taxonomy_history", args=[taxonomy.pk])).text

    for number in (1, 2, 3, 4):
        picture = reverse("taxonomy_figure_file", args=[taxonomy.pk, "svg"]) + f"?version={number}&round=none"
        assert f'src="{picture.replace("&", "&amp;")}"' in shown
        codes = re.findall(r">(B\.1|C\.9)<", client.get(picture).text)
        assert codes == {1: ["C.9"], 2: ["C.9"], 3: ["B.1", "C.9"], 4: ["B.1"]}[number]


def test_the_life_of_a_category(taxonomy) -> None:
    found = life(taxonomy, named(taxonomy, "C.1").pk)

    told = [(s.code, s.name, p and p.code, a, b) for s, p, a, b in found.states]
    assert told == [("C.1", "Name of C.1", "C", 1, 2), ("B.1", "Name of C.1", "B", 3, 4)]
    assert [(kind, state.code, n) for kind, state, n in found.took] == [("merged", "C.2", 2)]
    assert found.became == ()


@pytest.mark.parametrize(
    ("code", "number", "took", "became"),
    [
        ("C.2", 1, [], [("merged", "C.1", 2)]),
        ("C.3", 1, [], [("split", "C.3", 2), ("split", "C.4", 2)]),
        ("C.4", 2, [("split", "C.3", 2)], []),
        ("C.9", 1, [], [("retired", None, 4)]),
    ],
)
def test_how_categories_come_and_go(taxonomy, code, number, took, became) -> None:
    found = life(taxonomy, named(taxonomy, code, number).pk)

    assert [(kind, state.code, n) for kind, state, n in found.took] == took
    assert [(kind, state and state.code, n) for kind, state, n in found.became] == became


def test_the_page(client, taxonomy, django_assert_num_queries) -> None:
    client.force_login(make_member(taxonomy.study, Role.VOLUNTEER).user)
    page = reverse("taxonomy_history", args=[taxonomy.pk])

    shown = re.sub(r"\s+", " ", client.get(page).text)

    assert "After the pilot" in shown
    assert "R1: 2 changes, somebody: 1 change" in shown
    assert "Ada" not in shown
    assert "History of one category" not in shown
    one = re.sub(r"\s+", " ", client.get(f"{page}?category={named(taxonomy, 'C.2').key}").text)
    assert "merged into" in one
    for wrong in ("nothing", "00000000-0000-0000-0000-000000000000"):
        assert client.get(f"{page}?category={wrong}").status_code == 404
    with django_assert_num_queries(11):
        client.get(page)
