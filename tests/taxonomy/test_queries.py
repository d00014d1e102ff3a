"""Reads of taxonomies: whose, which version, and its tree as data."""

import pytest
from django.utils import timezone

from taxonomy.actions import act, publish
from taxonomy.models import Taxonomy, Version
from taxonomy.queries import reading
from taxonomy.queries.codebooks import Codebook, codebook, hues_of
from taxonomy.queries.drafts import drafted
from taxonomy.queries.taxonomies import (
    published_version,
    published_versions,
    taxonomies_for,
    taxonomies_with_counts,
)
from tests.factories import category, make_member, make_study, make_user, make_version

pytestmark = pytest.mark.django_db


class TestTaxonomiesFor:
    def test_are_those_of_ones_own_studies(self, study) -> None:
        mine = make_version(study).taxonomy
        make_version(make_study())

        assert list(taxonomies_for(make_member(study).user)) == [mine]
        assert list(taxonomies_for(make_user())) == []
        assert list(taxonomies_for(make_member(study, left_at=timezone.now()).user)) == []


class TestVersions:
    def test_the_newest_published_one_counts(self) -> None:
        first = make_version(make_study())
        second = make_version(first.taxonomy.study, taxonomy=first.taxonomy)
        draft = make_version(first.taxonomy.study, taxonomy=first.taxonomy, published=False)

        assert published_version(first.taxonomy) == second
        assert list(published_versions(first.taxonomy)) == [second, first]
        assert draft.number == 3

    def test_a_draft_alone_is_none(self) -> None:
        draft = make_version(make_study(), published=False)

        assert published_version(draft.taxonomy) is None

    @pytest.mark.parametrize("how_many", [1, 3])
    def test_list_with_sizes_takes_two_queries(self, study, django_assert_num_queries, how_many) -> None:
        member = make_member(study)
        for _ in range(how_many):
            make_version(study)
        make_version(make_study())

        with django_assert_num_queries(2):
            listed = taxonomies_with_counts(member.user, study)

        assert [(row.version.number, row.types, row.themes, row.sub_themes) for row in listed] == [
            (1, 3, 9, 3)
        ] * how_many

    def test_list_names_one_that_is_a_draft_only(self, study) -> None:
        draft = make_version(study, published=False)

        (row,) = taxonomies_with_counts(make_member(study).user, study)

        assert (row.taxonomy, row.version, row.types) == (draft.taxonomy, None, 0)


class TestCodebook:
    @pytest.fixture
    def version(self) -> Version:
        return make_version(make_study())

    def test_takes_one_query(self, version, django_assert_num_queries) -> None:
        with django_assert_num_queries(1):
            book = codebook(version)
            assert [state.code for state in book.at_level(1)] == ["A", "B", "C"]
            assert book.by_code["C.1.i"] is book.by_id[book.by_code["C.1.i"].category_id]

    @pytest.mark.parametrize(
        ("code", "level", "above"),
        [("A.1.i", 1, "A"), ("A.1.i", 2, "A.1"), ("A.1.i", 3, "A.1.i"), ("A.1", 3, None), ("C", 1, "C")],
    )
    def test_ancestor(self, version, code, level, above) -> None:
        found = codebook(version).ancestor(category(version, code).pk, level)

        assert (found.code if found else None) == above

    def test_rolled_up_leaves_out_what_stops_above(self, version) -> None:
        book = codebook(version)
        codes = {state.category_id: state.code for state in book.states}

        found = {codes[low]: codes[high] for low, high in book.rolled_up(3).items()}
        assert found == {"A.1.i": "A.1.i", "A.1.ii": "A.1.ii", "C.1.i": "C.1.i"}
        assert len(book.rolled_up(1)) == 15

    def test_hue_is_the_place_of_the_type(self, version) -> None:
        book = codebook(version)

        assert [book.hue(book.by_code[code].category_id) for code in ("A.1.i", "B", "C.9")] == [0, 1, 2]


class TestReading:
    @pytest.fixture
    def book(self) -> Codebook:
        return codebook(make_version(make_study()))

    def shown(self, branches) -> list:
        return [(b.state.code, b.is_match, self.shown(b.below)) for b in branches]

    def test_branches_are_the_tree(self, book) -> None:
        types = reading.branches(book)

        assert [branch.state.code for branch in types] == ["A", "B", "C"]
        assert [branch.state.code for branch in types[0].below[0].below] == ["A.1.i", "A.1.ii"]

    def test_what_leads_to_the_chosen_category_is_open(self, book) -> None:
        types = reading.branches(book, chosen=book.by_code["A.1.i"])

        below = {branch.state.code: branch.is_open for branch in types[0].below}
        assert below == {"A.1": True, "A.2": False}
        assert all(branch.is_open for branch in types)

    @pytest.mark.parametrize(
        ("words", "found"),
        [
            ("c1", [("C", False, [("C.1", True, [("C.1.i", True, [])]), ("C.10", True, [])])]),
            ("NAME a.1.ii", [("A", False, [("A.1", False, [("A.1.ii", True, [])])])]),
            ("definition of b.2", [("B", False, [("B.2", True, [])])]),
            ("nowhere", []),
        ],
    )
    def test_words_leave_matches_and_what_is_above_them(self, book, words, found) -> None:
        assert self.shown(reading.branches(book, words=words)) == found

    @pytest.mark.parametrize(("words", "code"), [("c1", "C.1"), ("", "A"), ("nowhere", "A")])
    def test_first_match(self, book, words, code) -> None:
        assert reading.first_match(book, words).code == code

    @pytest.mark.parametrize(
        ("text", "parts"),
        [
            ("", []),
            ("only words", ["only words"]),
            ("a hang → C.3", ["a hang ", ("C.3",)]),
            ("a → C.3, b → A.1.i.", ["a ", ("C.3",), ", b ", ("A.1.i",), "."]),
            ("to → Z.9 nowhere", ["to → Z.9 nowhere"]),
            ("(see →C.1)", ["(see ", ("C.1",), ")"]),
        ],
    )
    def test_arrows_become_categories(self, book, text, parts) -> None:
        made = [(part.state.code,) if part.state else part.text for part in reading.parts(text, book)]

        assert made == parts

    def test_about_says_all(self, book) -> None:
        about = reading.about(book, book.by_code["A.1"])

        assert [state.code for state in about["ancestors"]] == ["A"]
        assert [state.code for state in about["below"]] == ["A.1.i", "A.1.ii"]
        assert about["definition"] == [reading.Part("Definition of A.1")]
        found = reading.level_counts(state.level for state in book.states)
        assert found == [("type", 3), ("theme", 9), ("sub_theme", 3)]
        assert Taxonomy.objects.count() == 1


def test_a_type_has_the_hue_of_its_place_or_its_own() -> None:
    taxonomy = make_version(make_study(), ["A", "B", "B.1", "C"]).taxonomy
    key = next(entry.key for entry in drafted(taxonomy).entries if entry.code == "B")
    act(taxonomy=taxonomy, kind="describe", key=key, values={"hue": 3}, by=None)

    book = codebook(publish(taxonomy=taxonomy, by=None))

    found = [(state.code, book.hue(state.category_id)) for state in book.states]
    assert found == [("A", 0), ("B", 3), ("B.1", 3), ("C", 2)]
    assert hues_of(book.at_level(1)) == {"A": 0, "B": 3, "C": 2}
