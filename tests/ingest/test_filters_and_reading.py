"""Saved filters: their page and actions; and keywords where an issue is read."""

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from ingest import actions
from ingest.errors import FilterRefused
from ingest.keywords import KeywordMatch, Term
from ingest.models import SavedFilter
from ingest.queries.filters import IssueFilter, saved_filters
from ingest.queries.issues import filter_issues
from ingest.queries.keywords import KeywordsAsked, keywords_of
from ingest.queries.reading import Reading
from tests.factories import make_issue, make_issues, make_list, make_repository, make_study

pytestmark = pytest.mark.django_db


class TestReading:
    def test_zones_and_counts(self, repository):
        issue = make_issue(
            repository,
            title="Llama <hangs>",
            body="The `llama` is sharded\n\n```python\nllama = 1\n```",
            comments=[{"author": "a", "body": "sharding llama"}],
        )
        make_list(repository.study, "llama", "shard*", "none")
        reading = Reading(issue, keywords_of(repository.study_id))
        assert reading.texts.matches == [
            KeywordMatch("llama", ("title", "prose", "code"), 4),
            KeywordMatch("shard*", ("prose",), 2),
        ]
        assert reading.texts.title == '<mark class="kw">Llama</mark> &lt;hangs&gt;'
        assert reading.texts.body.count('<mark class="kw">') == 3
        plain = Reading(issue)
        assert (plain.texts.matches, plain.texts.title) == ([], "Llama &lt;hangs&gt;")
        assert "<mark" not in plain.texts.body + plain.texts.comments[0].html

    def test_of_the_lists_that_name_the_repository(self, study, repository):
        here, there = (
            make_issue(repository, title="A llama"),
            make_issue(make_repository(study), title="A llama"),
        )
        make_list(study, "llama", repositories=("o/engine",))
        make_list(study, "a", repositories=(there.repository.path,))
        everywhere = make_list(study, "none")
        marked = [Reading(issue, keywords_of(study.pk)) for issue in (here, there)]
        assert [reading.texts.title for reading in marked] == [
            'A <mark class="kw">llama</mark>',
            '<mark class="kw">A</mark> llama',
        ]
        assert [len(reading.marking) for reading in marked] == [2, 2]
        actions.retire_keyword_list(keyword_list=everywhere.keyword_list, by=None)
        assert len(Reading(here, keywords_of(study.pk)).marking) == 1

    def test_another_version_is_another_drawing(self, study, repository):
        issue = make_issue(repository, title="A llama")
        elsewhere = make_issue(make_repository(study), title="A llama")
        version = make_list(study, "llama", repositories=("o/engine",))

        def drawn() -> tuple[str, str]:
            lists = keywords_of(study.pk)
            return Reading(issue, lists).drawn_from, Reading(elsewhere, lists).drawn_from

        before = drawn()
        assert drawn() == before
        content = actions.ListContent([Term("llama", "model")], ("o/engine",))
        actions.store_keyword_list(keyword_list=version.keyword_list, content=content, made_from=1, by=None)
        after = drawn()
        assert (after[0] == before[0], after[1] == before[1]) == (False, True)

    def test_issue_page_shows_them(self, signed_in, study, lead, repository):
        issue = make_issue(repository, title="A llama", body="llama")
        make_list(study, "llama")
        page = signed_in.get(issue.get_absolute_url()).text
        assert page.count('<mark class="kw">llama</mark>') == 2
        assert "1 keyword matched" in page


class TestFilters:
    def test_a_filter_is_its_query_again(self):
        asked = KeywordsAsked(7, "tensor parallel", "code", 3, "any")
        whole = IssueFilter(
            repository=3, year=2024, kind="issue", text="with", words="hangs #12", keywords=asked
        )
        narrowed = {
            "repository": "3", "year": "2024", "kind": "issue", "text": "with", "q": "hangs #12",
            "list": "7", "keyword": "tensor parallel", "zone": "code", "hits": "3", "found": "any",
        }  # fmt: skip
        assert whole.query == narrowed
        assert IssueFilter.from_query(whole.query) == whole
        assert IssueFilter.from_query({"year": 2024, "repository": None}) == IssueFilter(year=2024)
        assert IssueFilter.from_query({"kind": "x", "text": "y", "year": "-1", "q": "\0"}) == IssueFilter()
        nothing = {"list": "x", "keyword": "\0", "zone": "text", "hits": "-2", "found": "some"}
        assert IssueFilter.from_query(nothing) == IssueFilter()

    def test_saved_filters_narrow_as_the_page_does(self, study, lead, repository):
        old, _new = make_issue(repository, year=2023), make_issue(repository, year=2024)
        saved = actions.save_filter(
            study=study, name=" Of  2023 ", query=IssueFilter(year=2023).query, by=lead.user
        )
        assert (saved.name, saved.query, saved.created_by) == ("Of 2023", {"year": "2023"}, lead.user)
        assert list(filter_issues(study, IssueFilter.from_query(saved.query))) == [old]
        assert list(saved_filters(study)) == [saved]
        assert list(saved_filters(make_study())) == []

    @pytest.mark.parametrize(
        ("name", "narrowed", "status"),
        [
            ("", IssueFilter(year=1), 422),
            ("x" * 121, IssueFilter(year=1), 422),
            ("all", IssueFilter(), 422),
            ("TAKEN", IssueFilter(year=1), 409),
        ],
    )
    def test_refused(self, study, lead, name, narrowed, status):
        actions.save_filter(study=study, name="taken", query=IssueFilter(year=1).query, by=lead.user)
        with pytest.raises(FilterRefused) as refused:
            actions.save_filter(study=study, name=name, query=narrowed.query, by=lead.user)
        assert refused.value.status == status
        assert SavedFilter.objects.count() == 1

    def test_only_leads_save_and_delete(self, study, lead, volunteer):
        with pytest.raises(PermissionDenied):
            actions.save_filter(study=study, name="a", query=IssueFilter(year=1).query, by=volunteer.user)
        saved = actions.save_filter(study=study, name="a", query=IssueFilter(year=1).query, by=lead.user)
        with pytest.raises(PermissionDenied):
            actions.delete_filter(saved=saved, by=volunteer.user)
        actions.delete_filter(saved=saved, by=lead.user)
        assert SavedFilter.objects.count() == 0

    def test_on_the_page(self, client, study, lead, volunteer, repository):
        make_issue(repository, year=2024)
        client.force_login(lead.user)
        issues = reverse("issues", args=[study.slug])
        answer = client.post(
            reverse("save_filter", args=[study.slug]), {"name": "New", "year": "2024", "q": "a b"}
        )
        assert answer.headers["Location"] == f"{issues}?year=2024&q=a+b"
        saved = SavedFilter.objects.get()
        delete = reverse("delete_filter", args=[study.slug, saved.pk])
        assert [part in client.get(issues).text for part in ("?year=2024&amp;q=a+b", delete)] == [True, True]
        client.force_login(volunteer.user)
        assert [part in client.get(issues).text for part in ("?year=2024&amp;q=a+b", delete)] == [True, False]
        client.force_login(lead.user)
        assert client.post(delete).headers["Location"] == issues
        assert client.post(delete).status_code == 404

    def test_page_asks_the_same_number_of_queries(self, signed_in, study, lead, repository):
        make_issues(repository, 2)
        counts = []
        for names in (["a"], ["b", "c"]):
            for name in names:
                actions.save_filter(study=study, name=name, query=IssueFilter(year=1).query, by=lead.user)
            signed_in.get(reverse("issues", args=[study.slug]))
            with CaptureQueriesContext(connection) as asked:
                signed_in.get(reverse("issues", args=[study.slug]))
            counts.append(len(asked))
        assert counts[0] == counts[1]
