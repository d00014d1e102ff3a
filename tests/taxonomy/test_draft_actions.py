"""Drafts as they are stored: changed by several people, taken back, published with remaps."""

import uuid

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from studies.models import Event
from taxonomy import errors
from taxonomy.actions import create_taxonomy, publish, redo, start_taxonomy, undo
from taxonomy.actions.drafts import redoable
from taxonomy.models import Category, CategoryState, Change, Remap, Taxonomy, Version
from taxonomy.queries.codebooks import codebook
from taxonomy.queries.draft_reading import not_again
from taxonomy.queries.drafts import drafted, edition_of
from taxonomy.tree import read_csv
from taxonomy.tree.drafts import ADD, DESCRIBE, MERGE, MOVE, RETIRE, SPLIT
from tests.factories import edit, make_study, make_user
from tests.taxonomy.trees import lines

pytestmark = pytest.mark.django_db

CSV = """code,level,name,definition
B,type,Requirement,
C,type,Bug,
C.1,theme,Memory,Memory is lost.
C.1.i,sub-theme,Leaks,
C.1.ii,sub-theme,Waste,
C.2,theme,Speed,
C.2.i,sub-theme,Slow paths,
"""


@pytest.fixture
def taxonomy() -> Taxonomy:
    return create_taxonomy(study=make_study(), name="Cause", tree=read_csv(CSV), by=None).taxonomy


def test_a_change_is_in_the_draft_and_not_in_the_version(taxonomy, keys) -> None:
    lead = make_user()

    made = edit(taxonomy, ADD, None, {"parent": keys["C"], "name": "Docs"}, by=lead)

    assert lines(taxonomy)[-1] == "C.3 Docs"
    assert made.change is not None
    assert (made.change.number, made.change.made_by, made.change.values["code"]) == (1, lead, "C.3")
    assert (made.drafted.number, made.drafted.version.published_at) == (2, None)
    assert len(codebook(taxonomy.versions.get(number=1)).states) == 7
    assert set(Category.objects.filter(taxonomy=taxonomy)) == set(
        Category.objects.filter(states__version__number=1)
    )


def test_what_is_so_already_is_no_change(taxonomy, keys) -> None:
    same_texts = {"name": "Memory ", "definition": "Memory is lost.\r\n"}
    same_place = {"parent": keys["C"], "after": None}

    for kind, values in ((DESCRIBE, same_texts), (MOVE, same_place)):
        assert edit(taxonomy, kind, keys["C.1"], values).change is None
    assert not Change.objects.exists()
    assert not Version.objects.filter(published_at=None).exists()


def test_what_is_refused_stores_nothing(taxonomy, keys) -> None:
    values = {"parent": keys["C"], "name": "memory"}

    with pytest.raises(errors.ChangeRefused) as refused:
        edit(taxonomy, ADD, None, values)

    assert str(refused.value) == (
        "Not possible: C.1 has the same parent and the same name “Memory”. Nothing was changed."
    )
    assert refused.value.kept["name"] == "memory"
    assert not Change.objects.exists()


# Two editors


def test_two_editors_of_different_fields_both_keep_theirs(taxonomy, keys) -> None:
    seen = {"name": "Memory", "definition": "Memory is lost."}
    edit(taxonomy, DESCRIBE, keys["C.1"], seen | {"name": "RAM"}, seen=seen)

    edit(taxonomy, DESCRIBE, keys["C.1"], seen | {"definition": "Gone."}, seen=seen)

    entry = drafted(taxonomy).draft[keys["C.1"]]
    assert (entry.name, entry.definition) == ("RAM", "Gone.")


def test_a_clash_shows_both_sides(taxonomy, keys) -> None:
    first, second = make_user(name="Ada"), make_user()
    seen = {"name": "Memory", "definition": "Memory is lost."}
    edit(taxonomy, DESCRIBE, keys["C.1"], {"definition": "Lost."}, by=first, seen=seen)

    with pytest.raises(errors.ChangeClash) as clash:
        edit(taxonomy, DESCRIBE, keys["C.1"], {"definition": "Gone."}, by=second, seen=seen)

    assert (clash.value.theirs, clash.value.ours) == ({"definition": "Lost."}, {"definition": "Gone."})
    assert (
        str(clash.value) == "Ada changed C.1 while you typed. Nothing was overwritten, and your text is kept."
    )
    edit(taxonomy, DESCRIBE, keys["C.1"], {"definition": "Lost."}, by=second, seen=seen)
    seen["definition"] = "Lost."
    edit(taxonomy, DESCRIBE, keys["C.1"], {"definition": "Gone."}, by=second, seen=seen)
    assert drafted(taxonomy).draft[keys["C.1"]].definition == "Gone."


def test_what_was_moved_elsewhere_is_not_moved_from_where_it_was(taxonomy, keys) -> None:
    seen = {"parent": keys["C.1"]}
    edit(taxonomy, MOVE, keys["C.1.i"], {"parent": keys["C.2"]}, seen=seen)

    with pytest.raises(errors.ChangeClash):
        edit(taxonomy, MOVE, keys["C.1.i"], {"parent": keys["C"]}, seen=seen)

    assert lines(taxonomy)[-1] == "C.2.ii Leaks"


# Taking back


def test_each_takes_back_their_own_last_change(taxonomy, keys) -> None:
    ada, ben = make_user(), make_user()
    edit(taxonomy, DESCRIBE, keys["B"], {"name": "Wish"}, by=ada)
    edit(taxonomy, RETIRE, keys["C.2"], by=ben)

    undo(taxonomy=taxonomy, by=ada)

    assert lines(taxonomy) == ["B Requirement", "C Bug", "C.1 Memory", "C.1.i Leaks", "C.1.ii Waste"]
    with pytest.raises(errors.NothingToUndo):
        undo(taxonomy=taxonomy, by=ada)
    undo(taxonomy=taxonomy, by=ben)
    assert lines(taxonomy)[-1] == "C.2.i Slow paths"


def test_done_again_in_the_order_in_which_it_was_taken_back(taxonomy, keys) -> None:
    ada = make_user()
    for name in ("Wish", "Want", "Need"):
        edit(taxonomy, DESCRIBE, keys["B"], {"name": name}, by=ada)
    undo(taxonomy=taxonomy, by=ada)
    undo(taxonomy=taxonomy, by=ada)
    assert lines(taxonomy)[0] == "B Wish"

    redo(taxonomy=taxonomy, by=ada)
    assert lines(taxonomy)[0] == "B Want"
    edit(taxonomy, RETIRE, keys["C.2"], by=ada)

    with pytest.raises(errors.NothingToRedo):
        redo(taxonomy=taxonomy, by=ada)
    assert lines(taxonomy)[0] == "B Want"


def test_what_others_built_on_is_not_taken_back(taxonomy, keys) -> None:
    ada, ben = make_user(), make_user(name="Ben")
    added = edit(taxonomy, ADD, None, {"name": "Question"}, by=ada)
    assert added.change is not None
    edit(taxonomy, DESCRIBE, str(added.change.key), {"name": "Ask"}, by=ben)

    with pytest.raises(errors.UndoBlocked) as blocked:
        undo(taxonomy=taxonomy, by=ada)

    assert str(blocked.value) == (
        "Ben has made a change that needs yours (the category does not exist). Nothing was changed."
    )
    undo(taxonomy=taxonomy, by=ben)
    undo(taxonomy=taxonomy, by=ada)
    assert len(lines(taxonomy)) == 7
    with pytest.raises(errors.ChangeRefused):
        redo(taxonomy=taxonomy, by=ben)


def test_codes_stay_when_an_earlier_change_is_taken_back(taxonomy, keys) -> None:
    ada, ben = make_user(), make_user()
    edit(taxonomy, ADD, None, {"parent": keys["C"], "name": "Docs"}, by=ada)
    edit(taxonomy, ADD, None, {"parent": keys["C"], "name": "Tests"}, by=ben)

    undo(taxonomy=taxonomy, by=ada)

    assert lines(taxonomy)[-1] == "C.4 Tests"


def test_what_was_taken_back_last_is_done_again_first(taxonomy, keys) -> None:
    ada = make_user()
    for name, undone in (("One", False), ("Two", True), ("Three", True)):
        edit(taxonomy, ADD, None, {"name": name}, by=ada)
        if undone:
            undo(taxonomy=taxonomy, by=ada)

    redo(taxonomy=taxonomy, by=ada)

    types = [entry.name for entry in drafted(taxonomy).draft.below(None)]
    assert types == ["Requirement", "Bug", "One", "Three"]
    with pytest.raises(errors.NothingToRedo):
        redo(taxonomy=taxonomy, by=ada)


def test_what_cannot_be_done_again_is_passed_over(taxonomy, keys) -> None:
    ada, ben = make_user(), make_user()
    for name in ("One", "Two"):
        edit(taxonomy, ADD, None, {"name": name}, by=ada)
    undo(taxonomy=taxonomy, by=ada)
    undo(taxonomy=taxonomy, by=ada)
    edit(taxonomy, ADD, None, {"name": "Three"}, by=ben)
    assert lines(taxonomy)[-1] == "D Three"

    found = drafted(taxonomy)
    change, refused = redoable(found, ada)

    assert change is not None
    assert change.values["name"] == "Two"
    assert not_again(found, refused) == ["New type: One (the category “Three” already has the code D)"]
    assert redo(taxonomy=taxonomy, by=ada).change == change
    assert redoable(drafted(taxonomy), ada) == (None, [])


def test_codes_of_what_a_merge_took_along_stay(taxonomy, keys) -> None:
    ada, ben = make_user(), make_user()
    edit(taxonomy, ADD, None, {"parent": keys["C.2"], "name": "New"}, by=ada)
    edit(taxonomy, MERGE, keys["C.1"], {"into": keys["C.2"]}, by=ben)

    undo(taxonomy=taxonomy, by=ada)

    assert lines(taxonomy)[2:] == ["C.2 Speed", "C.2.i Slow paths", "C.2.iii Leaks", "C.2.iv Waste"]


def test_a_colour_is_taken_away_without_saying_what_was_seen(taxonomy, keys) -> None:
    edit(taxonomy, DESCRIBE, keys["B"], {"hue": 2})
    edit(taxonomy, DESCRIBE, keys["B"], {"hue": None})

    assert drafted(taxonomy).draft[keys["B"]].hue is None


def test_an_identity_is_in_one_taxonomy(taxonomy: Taxonomy) -> None:
    key = str(uuid.uuid4())
    other = start_taxonomy(study=taxonomy.study, name="Other", by=None)
    edit(other, ADD, key, {"name": "There"})

    with pytest.raises(errors.ChangeRefused):
        edit(taxonomy, ADD, key, {"name": "Here"})


# Publishing


def test_publishing_makes_a_version_with_remaps(taxonomy, keys) -> None:
    lead = make_user()
    part = {"key": str(uuid.uuid4()), "name": "Held"}
    for kind, key, values in (
        (DESCRIBE, keys["B"], {"name": "Wish"}),
        (SPLIT, keys["C.1.i"], {"parts": [part], "stays": True}),
        (MERGE, keys["C.1.ii"], {"into": keys["C.2.i"]}),
        (MOVE, keys["C.2"], {"parent": keys["C"], "after": None}),
    ):
        edit(taxonomy, kind, key, values, by=lead)
    looked = drafted(taxonomy).edition

    version = publish(taxonomy=taxonomy, by=lead, note="after the pilot", seen=looked)

    assert (version.number, version.note, version.published_by) == (2, "after the pilot", lead)
    book = codebook(version)
    assert [(state.code, state.name, state.level) for state in book.states] == [
        ("B", "Wish", 1), ("C", "Bug", 1), ("C.2", "Speed", 2), ("C.2.i", "Slow paths", 3),
        ("C.1", "Memory", 2), ("C.1.i", "Leaks", 3), ("C.1.iii", "Held", 3),
    ]  # fmt: skip
    codes = {
        category.pk: category.states.latest("version__number").code for category in Category.objects.all()
    }
    remaps = {(codes[r.source_id], r.kind, codes[r.target_id]) for r in Remap.objects.all()}
    assert remaps == {
        ("B", "renamed", "B"), ("C", "same", "C"), ("C.2", "same", "C.2"), ("C.2.i", "same", "C.2.i"),
        ("C.1", "same", "C.1"), ("C.1.i", "split", "C.1.i"), ("C.1.i", "split", "C.1.iii"),
        ("C.1.ii", "merged", "C.2.i"),
    }  # fmt: skip
    assert Event.objects.filter(verb="taxonomies.published", detail__version=2).count() == 1
    found = drafted(taxonomy)
    assert (found.number, found.version, found.changes) == (3, None, ())


def test_a_retired_category_is_remapped_to_nothing(taxonomy, keys) -> None:
    edit(taxonomy, RETIRE, keys["C.2.i"])

    publish(taxonomy=taxonomy, by=None)

    gone = Remap.objects.get(kind="retired")
    assert (str(gone.source.key), gone.target) == (keys["C.2.i"], None)


def test_a_draft_that_changes_nothing_is_not_published(taxonomy, keys) -> None:
    lead = make_user()
    with pytest.raises(errors.NothingToPublish):
        publish(taxonomy=taxonomy, by=lead)
    edit(taxonomy, RETIRE, keys["C.2.i"], by=lead)
    undo(taxonomy=taxonomy, by=lead)
    with pytest.raises(errors.NothingToPublish):
        publish(taxonomy=taxonomy, by=lead)


def test_a_taxonomy_can_begin_empty(study) -> None:
    taxonomy = start_taxonomy(study=study, name="Cause", by=None)
    made = edit(taxonomy, ADD, None, {"name": "Bug", "hue": 3})
    assert made.change is not None
    edit(taxonomy, ADD, None, {"name": "Memory", "parent": str(made.change.key)})

    version = publish(taxonomy=taxonomy, by=None)

    assert version.number == 1
    assert [(state.code, state.hue) for state in codebook(version).states] == [("A", 3), ("A.1", None)]
    assert not Remap.objects.exists()
    with pytest.raises(errors.NameTaken):
        start_taxonomy(study=study, name="Cause", by=None)


def test_what_a_draft_was_loaded_with_is_nobodys_change(study) -> None:
    lead = make_user()
    tree = read_csv("code,level,name\nA,type,Bug\nB,type,Question\n")
    taxonomy = start_taxonomy(study=study, name="Cause", by=lead, tree=tree)
    with pytest.raises(errors.NothingToUndo):
        undo(taxonomy=taxonomy, by=lead)
    edit(taxonomy, ADD, None, {"name": "Wish"}, by=lead)

    assert undo(taxonomy=taxonomy, by=lead).change is not None
    with pytest.raises(errors.NothingToUndo):
        undo(taxonomy=taxonomy, by=lead)

    assert [entry.name for entry in drafted(taxonomy).draft] == ["Bug", "Question"]
    assert [state.code for state in codebook(publish(taxonomy=taxonomy, by=lead)).states] == ["A", "B"]
    with pytest.raises(DatabaseError, match="Cannot update"), transaction.atomic():
        Change.objects.filter(number=1).update(loaded=False)


# What the database holds


def test_changes_stay_as_they_were_made(taxonomy, keys) -> None:
    change = edit(taxonomy, RETIRE, keys["C.2.i"]).change
    assert change is not None
    with pytest.raises(DatabaseError, match="Cannot update"), transaction.atomic():
        Change.objects.update(kind="merge")
    with pytest.raises(IntegrityError), transaction.atomic():
        Change.objects.create(version=change.version, number=1, kind=RETIRE, key=change.key)
    with pytest.raises(IntegrityError, match="known_kind"), transaction.atomic():
        Change.objects.create(version=change.version, number=2, kind="rename", key=change.key)
    publish(taxonomy=taxonomy, by=None)
    for forbidden in (
        lambda: Change.objects.create(version=change.version, number=2, kind=RETIRE, key=change.key),
        lambda: Change.objects.update(undone_at=change.made_at),
        lambda: Change.objects.all().delete(),
    ):
        with pytest.raises(DatabaseError, match="immutable"), transaction.atomic():
            forbidden()


def test_only_types_have_a_colour(taxonomy: Taxonomy) -> None:
    version = Version.objects.create(taxonomy=taxonomy, number=9)
    category = Category.objects.filter(taxonomy=taxonomy).first()
    state = CategoryState(
        version=version, category=category, level=2, parent=category, code="X", name="X", position=0
    )
    state.hue = 1
    with pytest.raises(IntegrityError, match="only_types_have_a_colour"), transaction.atomic():
        state.save()
    state.hue = None
    state.save()


def test_types_keep_the_colours_that_they_were_published_with(taxonomy, keys) -> None:
    before = codebook(taxonomy.versions.get())
    edit(taxonomy, ADD, None, {"name": "New", "code": "A", "after": None})
    edit(taxonomy, MOVE, keys["C"], {"parent": None, "after": None})

    after = codebook(publish(taxonomy=taxonomy, by=None))

    hues = [
        [(each.code, book.hue(each.category_id)) for each in book.at_level(1)] for book in (before, after)
    ]
    assert hues == [[("B", 0), ("C", 1)], [("C", 1), ("A", 2), ("B", 0)]]


def test_the_edition_is_the_same_asked_alone(taxonomy, keys, django_assert_num_queries) -> None:
    ada, editions = make_user(), set()

    def asked() -> None:
        with django_assert_num_queries(2):
            edition = edition_of(taxonomy)
        assert edition == drafted(taxonomy).edition
        editions.add(edition)

    asked()
    edit(taxonomy, RETIRE, keys["C.1"], by=ada)
    asked()
    edit(taxonomy, RETIRE, keys["B"], by=ada)
    asked()
    undo(taxonomy=taxonomy, by=ada)
    asked()
    publish(taxonomy=taxonomy, by=ada)
    asked()
    assert len(editions) == 4
