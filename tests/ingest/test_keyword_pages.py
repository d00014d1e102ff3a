"""Pages of keyword lists: what they show and store, with what each term found and what a version changed."""

import csv
import io
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from core import jobs
from ingest import actions
from ingest.actions.keyword_lists import ListContent
from ingest.keywords import Switches, Term
from ingest.models import KeywordList, KeywordListVersion
from ingest.queries.keyword_counts import (
    ChangedFinds,
    ListCounts,
    TermCounts,
    changed_finds,
    list_counts,
    term_counts,
    unsearched,
)
from ingest.queries.keyword_lists import terms_of
from ingest.queries.keywords import KeywordsAsked, search_of
from tests.factories import make_issue, make_issues, make_list, make_repository

pytestmark = pytest.mark.django_db


def text_of(response) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", response.text).split())


@pytest.fixture
def texts(study, repository):
    """Six issues, of which one has no text; a second repository with one."""
    for number, (title, body) in enumerate(
        [
            ("llama stalls", "A llama.\n\n```\nllama = 1\n```"),
            ("Out of memory", "llama and token"),
            ("A path", "/opt/llama/x"),
            ("token", "token"),
            ("Nothing", ""),
        ],
        start=1,
    ):
        make_issue(repository, str(number), title=title, body=body)
    make_issue(repository, "6", text=False)
    make_issue(make_repository(study, "o/other"), "7", title="llama")
    return repository


@pytest.fixture
def stored(study, texts):
    return make_list(study, "llama", "token", "none", name="Engine", repositories=("o/engine",), search=True)


class TestCounts:
    def test_of_lists_terms_and_versions(self, study, stored):
        everywhere = make_list(study, Term("llama", "model"), name="All", search=True)
        assert list_counts([stored.pk, everywhere.pk]) == {
            stored.pk: ListCounts(searched=5, unsearched=0, found=3, masked=1),
            everywhere.pk: ListCounts(searched=6, unsearched=0, found=3, masked=1),
        }
        llama, token, none = terms_of(stored)
        assert [(one.position, one) for one in term_counts(stored.pk)] == [
            (position, TermCounts(one.id, position, *expected))
            for position, (one, expected) in enumerate(
                zip(
                    term_counts(stored.pk),
                    [
                        (llama, 2, 1, 2, 1, 1, 1, 4),
                        (token, 2, 1, 2, 0, 0, 1, 3),
                        (none, 0, 0, 0, 0, 0, 0, 0),
                    ],
                    strict=True,
                ),
                start=1,
            )
        ]

    def test_what_waits_is_not_searched(self, study, stored, repository):
        make_issue(repository, "8", title="llama")
        assert list_counts([stored.pk])[stored.pk] == ListCounts(5, 1, 3, 1)

    def test_what_waits_for_the_lists_that_are_asked(self, study, stored, repository):
        make_list(study, Term("llama"), name="All", search=True)
        one_list, any_list = KeywordsAsked(keyword_list=stored.keyword_list_id), KeywordsAsked(found="any")
        assert (unsearched(study.pk, one_list), unsearched(study.pk, any_list)) == (0, 0)
        make_issue(repository, "8", title="llama")
        make_issue(study.repositories.get(path="o/other"), "9", title="llama")
        # This list is of one repository; the other list has both texts to search.
        assert (unsearched(study.pk, one_list), unsearched(study.pk, any_list)) == (1, 2)
        assert unsearched(study.pk, KeywordsAsked()) == 0

    def test_of_what_a_version_changed(self, study, stored, repository):
        later = actions.store_keyword_list(
            keyword_list=stored.keyword_list,
            content=ListContent([Term("token"), Term("memory"), Term("path")], ("o/engine",)),
            made_from=1,
            by=None,
        )
        assert changed_finds([stored.pk, later.pk]) == {stored.pk: ChangedFinds(), later.pk: ChangedFinds()}
        actions.find_keywords(study_id=study.pk)
        make_issue(repository, "8", title="llama")
        assert changed_finds([later.pk]) == {later.pk: ChangedFinds(gained=1, lost=1)}


class TestLists:
    def test_say_what_they_found(self, signed_in, study, stored):
        actions.retire_keyword_list(keyword_list=make_list(study, "gpt", name="Old").keyword_list, by=None)
        page = signed_in.get(reverse("keywords", args=[study.slug]))
        text = text_of(page)
        assert "Engine o/engine 1 3 3 of 5 issues 1 0" in text
        assert "Old retired all repositories 1 1 0 of 0 issues 0 1" in text
        assert f'href="/studies/{study.slug}/issues/?list={stored.keyword_list_id}"' in page.text

    def test_are_there_for_readers_without_buttons(self, client, study, volunteer, stored):
        client.force_login(volunteer.user)
        page = client.get(reverse("keywords", args=[study.slug])).text
        assert ("Engine" in page, "Create list" in page, "Import lists" in page) == (True, False, False)
        page = client.get(reverse("keyword_list", args=[study.slug, stored.keyword_list_id])).text
        assert ("llama" in page, "Edit list" in page, "Retire list" in page) == (True, False, False)

    def test_empty_says_what_will_be_here(self, client, signed_in, study, volunteer):
        page = reverse("keywords", args=[study.slug])
        assert "No keyword lists yet. Each list will be shown here" in text_of(signed_in.get(page))
        client.force_login(volunteer.user)
        assert "A lead of the study creates the first list" in text_of(client.get(page))

    def test_ask_the_same_number_of_queries(self, signed_in, study, stored):
        counts = []
        for _ in range(2):
            signed_in.get(reverse("keywords", args=[study.slug]))
            with CaptureQueriesContext(connection) as asked:
                signed_in.get(reverse("keywords", args=[study.slug]))
            counts.append(len(asked))
            make_list(study, "llama", search=True)
            make_list(study, "gpt", search=True)
        assert counts[0] == counts[1]


class TestOneList:
    def test_shows_its_terms_by_hits(self, signed_in, study, stored):
        address = reverse("keyword_list", args=[study.slug, stored.keyword_list_id])
        page = text_of(signed_in.get(address))
        assert "Version 1 with 3 terms found 3 of 5 issues. 1 more issue has terms only where" in page
        assert "1 term finds nothing" in page
        rows = [
            "llama finds over 30 % of issues 2 40 % 1 20 % 2 40 % 1 20 % 1 1 1",
            "token finds over 30 % of issues 2 40 % 1 20 % 2 40 % 0 0 1 2",
            "none finds nothing 0 0 0 0 0 0 3",
        ]
        assert [row in page for row in rows] == [True, True, True]
        assert page.index(rows[0]) < page.index(rows[1]) < page.index(rows[2])

    @pytest.mark.parametrize(
        ("sort", "order"),
        [
            ("term", ["llama", "none", "token"]),
            ("position", ["llama", "token", "none"]),
            ("code", ["llama", "token", "none"]),
            ("nonsense", ["llama", "token", "none"]),
        ],
    )
    def test_sorts_by_a_column(self, signed_in, study, stored, sort, order):
        address = reverse("keyword_list", args=[study.slug, stored.keyword_list_id])
        htmx = {"HX-Request": "true", "HX-Target": "terms"}
        part = signed_in.get(address, {"sort": sort}, headers=htmx).text
        assert re.findall(r"keyword=(\w+)", part) == order
        assert "<h1" not in part

    def test_shows_what_a_version_changed(self, signed_in, study, stored):
        page = reverse("keyword_list", args=[study.slug, stored.keyword_list_id])
        actions.store_keyword_list(
            keyword_list=stored.keyword_list,
            content=ListContent(
                [Term("llama"), Term("path")], (), Switches(plurals=True, zones=("title",)), "Fewer words"
            ),
            made_from=1,
            by=None,
        )
        actions.find_keywords(study_id=study.pk)
        text = text_of(signed_in.get(page))
        assert (
            "Fewer words added path removed token, none changed Also find plurals: on changed searched: Title"
            " repositories removed github.com/o/engine found issues 2 gained, 2 lost"
        ) in text
        former = text_of(signed_in.get(page, {"version": "1"}))
        assert "This is an earlier version." in former
        assert "Version 1 with 3 terms found 3 of 5 issues." in former
        assert signed_in.get(page, {"version": "9"}).status_code == 404

    def test_warns(self, signed_in, study):
        version = make_list(study, "llm", "LLM", "tensor", "tensor parallel")
        page = text_of(signed_in.get(reverse("keyword_list", args=[study.slug, version.keyword_list_id])))
        assert "LLM and llm differ only in case" in page
        assert "tensor already finds what tensor parallel finds" in page
        assert "llm is short and can find other things" in page

    def test_is_downloaded(self, signed_in, study, stored):
        place = [study.slug, stored.keyword_list_id, 1]
        text = signed_in.get(reverse("keyword_terms_text", args=place))
        assert text.text == "llama\ntoken\nnone\n"
        assert text.headers["Content-Disposition"] == 'attachment; filename="engine-1.txt"'
        sent = signed_in.get(reverse("keyword_terms_csv", args=place)).getvalue().decode()
        rows = list(csv.DictReader(io.StringIO(sent)))
        assert rows[0] == {
            "position": "1", "term": "llama", "kind": "word", "case_sensitive": "false", "issues": "2",
            "searched": "5", "hits": "4", "title": "1", "prose": "2", "code": "1", "masked_only": "1", "alone": "1",
        }  # fmt: skip
        assert signed_in.get(reverse("keyword_terms_csv", args=[*place[:2], 2])).status_code == 404

    def test_is_renamed_retired_and_brought_back(self, signed_in, study, stored):
        def post(act, **fields):
            address = reverse(act, args=[study.slug, stored.keyword_list_id])
            return signed_in.post(address, fields, follow=True)

        assert "The list is now named Motor." in text_of(post("rename_keyword_list", name="Motor"))
        assert post("rename_keyword_list", name="").status_code == 422
        assert "Motor is retired." in text_of(post("retire_keyword_list"))
        page = text_of(post("bring_back_keyword_list"))
        assert "Motor is restored." in page
        assert KeywordList.objects.get().retired_at is None

    def test_follows_the_search_and_shows_no_zeros_before(self, signed_in, study, lead, texts):
        made = actions.make_keyword_list(
            study=study, name="New", content=ListContent([Term("llama")]), by=lead.user
        )
        address = reverse("keyword_list", args=[study.slug, made.keyword_list_id])
        htmx = {"HX-Request": "true", "HX-Target": "job"}
        page = signed_in.get(address)
        assert "Version 1 with 1 term. 6 issues are not searched yet. The page shows" in text_of(page)
        assert "llama not searched yet 1" in text_of(page)
        assert f'hx-get="{address}" hx-trigger="every 1s" hx-target="#job"' in page.text
        assert "Plan screening" not in page.text
        with CaptureQueriesContext(connection) as asked:
            fragment = signed_in.get(address, headers=htmx)
        assert "HX-Refresh" not in fragment
        assert fragment.text.strip().startswith('<section class="job"')
        assert f'hx-get="{address}"' in fragment.text
        assert not any("ingest_termfind" in one["sql"] for one in asked)
        jobs.run(search_of(study).pk)
        assert signed_in.get(address, headers=htmx)["HX-Refresh"] == "true"
        page = text_of(signed_in.get(address))
        assert "Version 1 with 1 term found 3 of 6 issues." in page
        assert "Searching the texts" not in page

    def test_asks_the_same_number_of_queries(self, signed_in, study, stored):
        address = reverse("keyword_list", args=[study.slug, stored.keyword_list_id])
        counts = []
        for words in (["a1"], ["a1", "a2", "a3", "llama"]):
            content = ListContent([Term(word) for word in words])
            actions.store_keyword_list(
                keyword_list=stored.keyword_list, content=content, made_from=0, by=None
            )
            actions.find_keywords(study_id=study.pk)
            signed_in.get(address)
            with CaptureQueriesContext(connection) as asked:
                signed_in.get(address)
            counts.append(len(asked))
        assert counts[0] == counts[1]


ALL_SWITCHES = {
    "folds": "on", "joins": "on", "version_tails": "on", "unspaced": "on", "zone_title": "on", "zone_prose": "on", "zone_code": "on",
}  # fmt: skip


class TestForm:
    def test_makes_a_list(self, signed_in, study, repository):
        address = reverse("new_keyword_list", args=[study.slug])
        form = signed_in.get(address).text
        assert 'value="github.com/o/engine"' in form
        answer = signed_in.post(
            address,
            ALL_SWITCHES
            | {
                "name": "Engine", "terms": "llama\n# models\n=GPT", "mask_urls": "on",
                "repositories": "github.com/o/engine", "others": "o/later\nhttps://gitlab.com/a/b",
            },
        )  # fmt: skip
        version = KeywordListVersion.objects.get()
        assert answer.headers["Location"] == reverse(
            "keyword_list", args=[study.slug, version.keyword_list_id]
        )
        assert terms_of(version) == (Term("llama"), Term("GPT", "model", is_case_sensitive=True))
        assert Switches.from_json(version.switches) == Switches(masks=("urls",))
        assert version.repositories == ["github.com/o/engine", "github.com/o/later", "gitlab.com/a/b"]

    @pytest.mark.parametrize(
        ("fields", "told"),
        [
            ({"terms": "a*b\n<b>x"}, "Line 1 has a * that is not at the end: a*b"),
            ({"terms": "# nothing"}, "Type at least one term."),
            ({"terms": "a = ['x1']\nb = ['y1']"}, "This text has 2 lists. Import them instead."),
            ({"zone_title": "", "zone_prose": "", "zone_code": ""}, "Choose at least one place to search."),
            ({"others": "no repository at all"}, "Line 1 is not a repository"),
            ({"name": ""}, "This field is required."),
        ],
    )
    def test_refuses_and_keeps_what_was_typed(self, signed_in, study, fields, told):
        given = ALL_SWITCHES | {"name": "Engine", "terms": "llama\n<b>"} | fields
        answer = signed_in.post(reverse("new_keyword_list", args=[study.slug]), given)
        assert answer.status_code == 422
        assert told in text_of(answer)
        assert KeywordList.objects.count() == 0
        if "<b>" in given["terms"]:
            assert "&lt;b&gt;" in answer.text

    def test_a_taken_name_is_told_in_the_form(self, signed_in, study, stored):
        given = ALL_SWITCHES | {"name": "ENGINE", "terms": "mine"}
        answer = signed_in.post(reverse("new_keyword_list", args=[study.slug]), given)
        assert answer.status_code == 409
        assert "The study already has a keyword list named ENGINE" in text_of(answer)
        assert "mine</textarea>" in answer.text

    def test_stores_the_next_version_once(self, signed_in, study, stored):
        address = reverse("edit_keyword_list", args=[study.slug, stored.keyword_list_id])
        form = signed_in.get(address).text
        assert "llama\ntoken\nnone\n</textarea>" in form
        given = ALL_SWITCHES | {
            "terms": "llama\nother", "made_from": "1", "note": "why", "form_key": "7f0ea65e-8bd6-4ea5-8a38-b3ec70ff77f8",
        }  # fmt: skip
        for _ in range(2):
            assert signed_in.post(address, given).status_code == 302
        assert KeywordListVersion.objects.count() == 2
        stale = signed_in.post(address, given | {"form_key": "", "terms": "mine"})
        assert stale.status_code == 409
        assert "mine</textarea>" in stale.text
        assert "Version 2, saved by somebody else in the meantime" in text_of(stale)
        assert ">llama\nother\n</pre>" in stale.text
        same = signed_in.post(address, given | {"form_key": "", "made_from": "2"})
        assert (same.status_code, KeywordListVersion.objects.count()) == (409, 2)
        assert "the same as its current version" in text_of(same)


class TestImport:
    TEXT = "engine_keywords = ['llama', 'token' 'x', 'LLM']\n\nother = ['gpt',\n 'llm']"

    def test_shows_first_and_stores_what_is_confirmed(self, signed_in, study, repository):
        address = reverse("import_keyword_lists", args=[study.slug])
        preview = signed_in.post(address, {"text": self.TEXT})
        assert KeywordList.objects.count() == 0
        text = text_of(preview)
        assert "engine keywords 3 terms" in text
        assert "other 2 terms" in text
        assert "A comma may be missing in tokenx" in text
        assert re.search(r'name="list0-repositories" value="github.com/o/engine"[^>]* checked', preview.text)
        given = {
            "text": self.TEXT, "confirm": "1", "list0-take": "on", "list0-name": "Engine",
            "list0-repositories": "github.com/o/engine", "list1-name": "Other",
        }  # fmt: skip
        answer = signed_in.post(address, given, follow=True)
        assert "1 keyword list is imported." in text_of(answer)
        version = KeywordListVersion.objects.get()
        assert (version.keyword_list.name, version.repositories) == ("Engine", ["github.com/o/engine"])
        assert [term.text for term in terms_of(version)] == ["llama", "tokenx", "LLM"]

    @pytest.mark.parametrize(
        ("given", "status", "told"),
        [
            ({}, 422, "Paste a list, or choose a file."),
            ({"text": "a = ['x', 3]"}, 422, "Line 1 has a value that is not text"),
            ({"text": "# nothing"}, 422, "This text has no term."),
            ({"text": "llama", "confirm": "1"}, 422, "Choose at least one list."),
            ({"text": "llama", "confirm": "1", "list0-take": "on"}, 422, "This field is required."),
            ({"text": "llama", "confirm": "1", "list0-take": "on", "list0-name": "x" * 121}, 422, "120"),
        ],
    )
    def test_refuses(self, signed_in, study, given, status, told):
        answer = signed_in.post(reverse("import_keyword_lists", args=[study.slug]), given)
        assert answer.status_code == status
        assert told in text_of(answer)
        assert KeywordList.objects.count() == 0

    def test_a_taken_name_keeps_all_lists_in_the_form(self, signed_in, study, stored):
        given = {"text": "gpt", "confirm": "1", "list0-take": "on", "list0-name": "engine"}
        answer = signed_in.post(reverse("import_keyword_lists", args=[study.slug]), given)
        assert answer.status_code == 409
        assert "The study already has a keyword list named engine" in text_of(answer)
        assert "gpt</textarea>" in answer.text

    def test_of_a_file(self, signed_in, study):
        address = reverse("import_keyword_lists", args=[study.slug])
        upload = SimpleUploadedFile("My words.txt", "\ufeffllama\r\n模型\r\n".encode())
        preview = signed_in.post(address, {"upload": upload})
        assert 'value="My words"' in preview.text
        assert "My words 2 terms" in text_of(preview)
        bad = SimpleUploadedFile("gb.txt", "模型".encode("gb18030"))
        answer = signed_in.post(address, {"upload": bad})
        assert answer.status_code == 422
        assert "This file is not UTF-8 text." in text_of(answer)

    def test_of_the_published_file(self, signed_in, study, published):
        address = reverse("import_keyword_lists", args=[study.slug])
        text = (published / "filter_keywords.txt").read_text(encoding="utf-8")
        given = {"text": text, "confirm": "1"}
        for place, name in enumerate(("TensorFlow", "MindSpore", "PyTorch")):
            given |= {f"list{place}-take": "on", f"list{place}-name": name}
        signed_in.post(address, given)
        sizes = {
            version.keyword_list.name: len(terms_of(version)) for version in KeywordListVersion.objects.all()
        }
        assert sizes == {"TensorFlow": 74, "MindSpore": 84, "PyTorch": 72}


def test_issues_of_a_page_of_lists_are_many(signed_in, study, repository):
    make_issues(repository, 3, title="llama")
    make_list(study, "llama", search=True)
    assert "3 of 3 issues" in text_of(signed_in.get(reverse("keywords", args=[study.slug])))
