"""Taxonomies come in whole, published at once, and stay."""

import pytest
from django.db import DatabaseError, transaction

from studies.models import Event
from taxonomy.actions import create_taxonomy
from taxonomy.errors import NameTaken
from taxonomy.models import Category, CategoryState, Taxonomy, Version
from taxonomy.presets import load_preset
from taxonomy.queries.codebooks import codebook
from taxonomy.tree import read_csv
from tests.factories import make_study, make_user

pytestmark = pytest.mark.django_db

CSV = """code,level,name,definition,excludes
C.1,theme,Memory,Runs out.,slow → C.2
C,type,Bug,,
C.10,theme,Docs,,
C.2,theme,Speed,,
C.1.i,sub-theme,Leaks,,
"""


def test_publishes_the_first_version_in_the_order_of_the_file() -> None:
    study, person = make_study(), make_user()

    version = create_taxonomy(
        study=study, name="Root cause", tree=read_csv(CSV), by=person, note="from a file"
    )

    assert (version.number, version.published_by, version.note) == (1, person, "from a file")
    assert version.published_at is not None
    states = CategoryState.objects.filter(version=version).order_by("position")
    assert [(s.code, s.level, s.name) for s in states] == [
        ("C", 1, "Bug"),
        ("C.1", 2, "Memory"),
        ("C.1.i", 3, "Leaks"),
        ("C.10", 2, "Docs"),
        ("C.2", 2, "Speed"),
    ]
    assert states[1].definition == "Runs out."
    assert states[1].parent_id == states[0].category_id
    assert states[2].parent_id == states[1].category_id


def test_what_was_loaded_is_what_is_read() -> None:
    tree = load_preset("llm-frameworks")

    version = create_taxonomy(study=make_study(), name="Root cause", tree=tree, by=None)

    assert codebook(version).tree() == tree


def test_categories_of_two_taxonomies_are_not_the_same(study) -> None:
    first, second = (
        create_taxonomy(study=study, name=name, tree=read_csv(CSV), by=None) for name in ("One", "Two")
    )

    assert Category.objects.count() == 10
    assert set(first.states.values_list("category", flat=True)).isdisjoint(
        second.states.values_list("category", flat=True)
    )


def test_refuses_a_name_that_the_study_has_and_stores_nothing(study) -> None:
    create_taxonomy(study=study, name="Root cause", tree=read_csv(CSV), by=None)

    with pytest.raises(NameTaken):
        create_taxonomy(study=study, name="Root cause", tree=read_csv(CSV), by=None)

    assert Taxonomy.objects.count() == 1
    assert create_taxonomy(study=make_study(), name="Root cause", tree=read_csv(CSV), by=None)


def test_is_recorded_in_the_audit() -> None:
    study, person = make_study(), make_user()

    create_taxonomy(study=study, name="Root cause", tree=read_csv(CSV), by=person)

    event = Event.objects.get(study=study)
    assert (event.verb, event.by) == ("taxonomies.published", person)
    assert event.detail == {"name": "Root cause", "version": 1, "categories": 5}


@pytest.mark.parametrize(
    "change",
    [
        lambda version: Version.objects.filter(pk=version.pk).update(note="other"),
        lambda version: Version.objects.filter(pk=version.pk).delete(),
        lambda version: CategoryState.objects.filter(version=version).update(name="other"),
        lambda version: CategoryState.objects.filter(version=version, code="C.1.i").delete(),
        lambda version: CategoryState.objects.create(
            version=version,
            category=Category.objects.create(taxonomy=version.taxonomy),
            level=1,
            code="D",
            name="Late",
            position=99,
        ),
    ],
)
def test_the_database_keeps_a_published_version_as_it_is(change) -> None:
    version = create_taxonomy(study=make_study(), name="Root cause", tree=read_csv(CSV), by=None)

    with pytest.raises(DatabaseError), transaction.atomic():
        change(version)
