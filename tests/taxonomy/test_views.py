"""Pages of taxonomies: who may, the tree and what it says, a new one or a clear refusal."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from taxonomy.models import Taxonomy, Version
from taxonomy.presets import load_preset
from taxonomy.queries.codebooks import codebook
from taxonomy.queries.drafts import drafted
from taxonomy.tree import read_csv
from tests.factories import make_member, make_version

pytestmark = pytest.mark.django_db


class TestList:
    def test_empty_says_what_to_do(self, signed_in, study) -> None:
        page = signed_in.get(reverse("taxonomies", args=[study.slug])).text

        assert "No taxonomy yet. Start from a preset" in page
        assert reverse("new_taxonomy", args=[study.slug]) in page

    def test_volunteers_are_told_who_loads_one(self, client, study) -> None:
        client.force_login(make_member(study).user)

        page = client.get(reverse("taxonomies", args=[study.slug])).text

        assert "A lead of the study creates the taxonomy." in page
        assert reverse("new_taxonomy", args=[study.slug]) not in page

    @pytest.mark.parametrize("how_many", [1, 3])
    def test_takes_a_fixed_number_of_queries(
        self, signed_in, study, django_assert_num_queries, how_many
    ) -> None:
        for _ in range(how_many):
            make_version(study)
        signed_in.get(reverse("taxonomies", args=[study.slug]))

        # Session, user, study, membership, taxonomies and their newest versions, the tabs' round.
        with django_assert_num_queries(7):
            page = signed_in.get(reverse("taxonomies", args=[study.slug])).text
        assert page.count("9 themes") == how_many


class TestNewTaxonomy:
    CSV = "code,level,name\nA,type,Question\nA.1,theme,Usage\n"

    def post(self, client, study, **fields):
        return client.post(reverse("new_taxonomy", args=[study.slug]), fields)

    def test_from_a_preset(self, signed_in, study) -> None:
        response = self.post(signed_in, study, source="llm-frameworks", name="")

        taxonomy = Taxonomy.objects.get()
        assert response["Location"] == taxonomy.get_absolute_url()
        assert taxonomy.name == "Root cause"
        assert codebook(taxonomy.versions.get()).tree() == load_preset("llm-frameworks")

    def test_from_a_file(self, signed_in, study) -> None:
        file = SimpleUploadedFile("symptoms.csv", self.CSV.encode())

        self.post(signed_in, study, source="file", file=file)

        taxonomy = Taxonomy.objects.get()
        assert taxonomy.name == "symptoms"
        assert codebook(taxonomy.versions.get()).tree() == read_csv(self.CSV)

    def test_every_line_of_a_bad_file_is_named_and_nothing_stored(self, signed_in, study) -> None:
        data = "code,level,name\nA,type,Question\nA,type,Again\nB.1,theme,<b>Orphan</b>\nA.1,thing,x\n"

        response = self.post(
            signed_in, study, source="file", file=SimpleUploadedFile("a.csv", data.encode()), name="My name"
        )

        page = response.text
        assert response.status_code == 422
        for line in (3, 4, 5):
            assert f"Line {line}: " in page
        body = response.text
        assert re.search(
            r"<p[^>]*>The taxonomy has mistakes\. Nothing was stored\. Correct these lines:</p>", body
        )
        assert len(re.findall(r"<li>Line \d+: ", body)) == 3
        assert "<li>The taxonomy has mistakes" not in body
        assert "<b>Orphan" not in page
        assert 'value="My name"' in page
        assert not Taxonomy.objects.exists()

    @pytest.mark.parametrize(
        ("data", "words"),
        [
            (b"", "the file is empty"),
            (b"<!doctype html><p>x", "a web page or XML"),
            ("code,level,name\nA,type,Frägen\n".encode("latin-1"), "is not UTF-8"),
            ("code,level,name\nA,type,x\n".encode("utf-16"), "UTF-16"),
            (b"code,level\nA,type\n", "column “name” is missing"),
            (b"code,level,name,name\nA,type,x,y\n", "two columns have the header"),
            (b"code,level,name\n" + b"x" * 5_000_001, "larger than"),
        ],
    )
    def test_a_file_that_cannot_be_read_is_refused(self, signed_in, study, data, words) -> None:
        response = self.post(signed_in, study, source="file", file=SimpleUploadedFile("a.csv", data))

        assert response.status_code == 422
        assert words in response.text
        assert not Taxonomy.objects.exists()

    @pytest.mark.parametrize(
        ("fields", "words"),
        [
            ({"source": "file"}, "Choose a CSV or QDC file."),
            ({}, "Choose a starting point."),
            ({"source": "../x"}, "Select a valid choice"),
            ({"source": "text", "text": CSV}, "Enter a name for the taxonomy."),
        ],
    )
    def test_an_incomplete_form_is_refused(self, signed_in, study, fields, words) -> None:
        response = self.post(signed_in, study, **fields)

        assert response.status_code == 422
        assert words in response.text
        assert not Taxonomy.objects.exists()

    def test_a_name_that_is_taken_is_refused(self, signed_in, study) -> None:
        self.post(signed_in, study, source="relevance", name="Same")

        response = self.post(signed_in, study, source="llm-frameworks", name="Same")

        assert response.status_code == 409
        assert "The study already has a taxonomy with this name" in response.text
        assert Version.objects.count() == 1

    def test_a_double_click_stores_once(self, signed_in, study) -> None:
        key = "6f6b3a1e-5a8e-4f0f-9f43-0a6a6d8c9a11"

        for _ in range(2):
            response = self.post(signed_in, study, source="relevance", form_key=key)

        assert Taxonomy.objects.count() == 1
        assert response.status_code == 302


class TestTaxonomy:
    @pytest.fixture
    def version(self, study) -> Version:
        return make_version(study)

    def get(self, client, version, query="", **headers):
        return client.get(version.taxonomy.get_absolute_url() + query, headers=headers)

    def test_shows_tree_and_category(self, signed_in, version) -> None:
        page = self.get(signed_in, version, "?category=C.1").text

        assert f"<h1>{version.taxonomy.name}, version 1</h1>" in page
        assert "3 types" in page
        assert "9 themes" in page
        assert page.count('data-code="') == 15
        assert "Definition of C.1" in page
        assert "Definition of A.1" not in page
        assert page.count('aria-current="true"') == 2  # in the tree and in the list of versions

    def test_an_unknown_category_shows_the_first(self, signed_in, version) -> None:
        assert "Definition of A" in self.get(signed_in, version, "?category=<script>").text

    def test_fragments(self, signed_in, version) -> None:
        chosen = self.get(
            signed_in, version, "?category=C.1", **{"HX-Request": "true", "HX-Target": "category"}
        ).text
        tree = self.get(signed_in, version, "?q=c9", **{"HX-Request": "true", "HX-Target": "tree"}).text

        assert chosen.strip().startswith('<section class="card detail"')
        assert "Definition of C.1" in chosen
        assert tree.strip().startswith('<div id="tree"')
        assert tree.count('data-code="') == 2

    def test_a_filter_without_matches_says_so(self, signed_in, version) -> None:
        assert "No category matches." in self.get(signed_in, version, "?q=nowhere").text

    def test_arrows_are_links(self, signed_in, study) -> None:
        text = "code,level,name,excludes\nA,type,One,slow → B\nB,type,Two,\n"
        signed_in.post(
            reverse("new_taxonomy", args=[study.slug]),
            {"source": "file", "file": SimpleUploadedFile("a.csv", text.encode())},
        )
        taxonomy = Taxonomy.objects.get()

        page = signed_in.get(taxonomy.get_absolute_url()).text

        assert f'href="{taxonomy.get_absolute_url()}?version=1&amp;category=B"' in page

    def test_older_versions_and_no_drafts(self, signed_in, study, version) -> None:
        make_version(study, ["A", "B"], taxonomy=version.taxonomy)
        make_version(study, ["A"], taxonomy=version.taxonomy, published=False)

        newest = self.get(signed_in, version).text
        older = self.get(signed_in, version, "?version=1").text

        assert "version 2</h1>" in newest
        assert newest.count('data-code="') == 2
        assert older.count('data-code="') == 15
        for query in ("?version=3", "?version=9", "?version=x", "?version=" + "9" * 30):
            assert self.get(signed_in, version, query).status_code == 404

    def test_a_draft_alone_is_not_there(self, signed_in, study) -> None:
        draft = make_version(study, published=False)

        assert self.get(signed_in, draft).status_code == 404

    def test_its_csv_loads_again(self, signed_in, version) -> None:
        response = signed_in.get(reverse("taxonomy_csv", args=[version.taxonomy.pk]) + "?version=1")

        assert response["Content-Disposition"] == 'attachment; filename="taxonomy-1-v1.csv"'
        assert response["X-Content-Type-Options"] == "nosniff"
        assert read_csv(response.content) == codebook(version).tree()

    @pytest.mark.parametrize("codes", [["A"], ["A", "A.1", "A.2"]])
    def test_takes_a_fixed_number_of_queries(
        self, signed_in, study, django_assert_num_queries, codes
    ) -> None:
        version = make_version(study, codes)
        self.get(signed_in, version)

        # Session, user, taxonomy, membership, version, codebook, versions, rounds, the tabs' round and
        # its open meetings, what meetings noted for the taxonomy.
        with django_assert_num_queries(13):
            self.get(signed_in, version)


class TestTypedTaxonomy:
    TEXT = "code,level,name\nA,type,Question\nA.1,theme,How to\n"

    @pytest.fixture
    def page(self, study) -> str:
        return reverse("new_taxonomy", args=[study.slug])

    def test_a_text_is_published(self, signed_in, study, page) -> None:
        answer = signed_in.post(page, {"source": "text", "text": self.TEXT, "name": "Typed"})

        made = Taxonomy.objects.get(study=study)
        assert (answer.status_code, answer["Location"]) == (302, made.get_absolute_url())
        assert list(codebook(made.versions.get()).by_code) == ["A", "A.1"]

    def test_every_line_of_a_bad_text_is_named(self, signed_in, page) -> None:
        text = self.TEXT + "A.1,theme,Again\nB.1,theme,Orphan\n"
        answer = signed_in.post(page, {"source": "text", "text": text, "name": "Typed"})

        assert answer.status_code == 422
        assert "Line 4: line 3 already has this code" in answer.text
        assert "Line 5: the parent “B” is missing" in answer.text
        assert "Again" in answer.text
        assert not Taxonomy.objects.exists()

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            (TEXT, "The text has no mistakes:"),
            (TEXT + "B.1,theme,Orphan\n", "Line 4: the parent “B” is missing"),
            ("", "the file is empty"),
        ],
    )
    def test_it_is_checked_while_it_is_typed(self, signed_in, page, text, said) -> None:
        headers = {"HX-Request": "true", "HX-Target": "checked"}
        form = {"source": "text", "text": text, "name": "Typed", "check": "1"}
        answer = signed_in.post(page, form, headers=headers)

        assert answer.status_code == 200
        assert answer.text.lstrip().startswith('<div id="checked"')
        assert said in answer.text
        assert not Taxonomy.objects.exists()

    def test_a_preset_can_be_looked_at_before_it_is_published(self, signed_in, page) -> None:
        answer = signed_in.post(page, {"source": "relevance", "draft": "1"})

        made = Taxonomy.objects.get()
        assert answer["Location"] == reverse("draft", args=[made.pk])
        version = made.versions.get()
        assert (version.published_at, version.states.count(), made.origin) == (None, 0, None)
        assert signed_in.get(answer["Location"]).status_code == 200
        tree = load_preset("relevance")
        assert [(one.code, one.name, one.definition) for one in drafted(made).draft] == [
            (one.code, one.name, one.definition) for one in tree
        ]

    def test_the_categories_of_a_preset_are_on_the_page(self, signed_in, page) -> None:
        shown = signed_in.get(page).text
        assert "Show the 90 categories of this preset" in shown
        assert '<li class="l3"><span class="code plain">C.1.i</span> ' in shown

    def test_what_was_loaded_is_neither_new_nor_changed(self, signed_in, study, page) -> None:
        fields = {"source": "llm-frameworks", "name": "Cause", "draft": "1"}
        editor = signed_in.get(signed_in.post(page, fields).url).text
        assert "<b>0 changes</b>" in editor
        assert "Nobody has changed the draft since it was loaded." in editor
        assert '<span class="badge ok">new</span>' not in editor
        assert "Open rounds continue with the new version" not in editor

    def test_a_text_from_elsewhere_is_put_into_the_form(self, signed_in, page) -> None:
        answer = signed_in.post(
            page, {"prefill": "1", "text": self.TEXT + "<b>,type,x\n", "name": "From a pilot"}
        )

        assert answer.status_code == 200
        assert "&lt;b&gt;,type,x" in answer.text
        assert 'value="From a pilot"' in answer.text
        assert re.search(r'value="text"\s+checked', answer.text)
        assert not Taxonomy.objects.exists()
