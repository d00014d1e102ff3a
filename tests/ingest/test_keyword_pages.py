"""Keywords and saved filters: their pages and actions, and keywords where an issue is read."""

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from ingest import actions
from ingest.actions.keywords import KeywordReport
from ingest.errors import FilterRefused, KeywordsRefused, StaleKeywords
from ingest.keywords import KeywordMatch
from ingest.models import SavedFilter
from ingest.queries.filters import IssueFilter, saved_filters
from ingest.queries.issues import filter_issues
from ingest.queries.keywords import fingerprint, keywords_of
from ingest.queries.reading import Reading
from studies.models import Event
from tests.factories import make_issue, make_issues, make_study

pytestmark = pytest.mark.django_db


def put(study, by, text, *, replace=True, made_from=""):
    return actions.set_keywords(study=study, text=text, replace=replace, made_from=made_from, by=by.user)


class TestKeywords:
    def test_adding_and_replacing_report_what_happened(self, study, lead):
        report = put(study, lead, "llama\nsharding\nLLAMA")
        assert report == KeywordReport(["llama", "sharding"], [], [], ["LLAMA"])
        report = put(study, lead, "Llama\ntoken*", replace=False)
        assert report == KeywordReport(["token*"], [], ["llama"], [])
        report = put(study, lead, "token*\n模型")
        assert report == KeywordReport(["模型"], ["llama", "sharding"], ["token*"], [])
        assert keywords_of(study.pk) == ("token*", "模型")
        found = list(Event.objects.order_by("pk").values_list("detail", flat=True))
        assert found == [{"added": 2, "removed": 0}, {"added": 1, "removed": 0}, {"added": 1, "removed": 2}]

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("ok\na*b", "Line 2 has a * that is not its end: a*b"),
            ("*", "Line 1 has no letter and no digit: *"),
            ("x" * 101, f"Line 1 is longer than 100 characters: {'x' * 100}"),
            ("\n".join(f"w{n}" for n in range(501)), "That would be 501 keywords; a study has at most 500"),
        ],
    )
    def test_refused_lists_store_nothing(self, study, lead, text, problem):
        with pytest.raises(KeywordsRefused) as refused:
            put(study, lead, text)
        assert refused.value.problems == [problem]
        assert keywords_of(study.pk) == ()

    def test_as_many_as_a_study_takes(self, study, lead):
        put(study, lead, "\n".join(f"w{n}" for n in range(500)))
        with pytest.raises(KeywordsRefused):
            put(study, lead, "one more", replace=False)
        assert len(keywords_of(study.pk)) == 500

    def test_a_stale_replacement_is_refused(self, study, lead):
        made_from = fingerprint(())
        put(study, lead, "llama", made_from=made_from)
        with pytest.raises(StaleKeywords):
            put(study, lead, "other", made_from=made_from)
        assert keywords_of(study.pk) == ("llama",)

    def test_only_leads_set_them(self, study, volunteer):
        with pytest.raises(PermissionDenied):
            put(study, volunteer, "llama")

    def test_page(self, signed_in, study):
        url = reverse("keywords", args=[study.slug])
        assert "No keyword yet" in signed_in.get(url).text
        assert signed_in.post(url, {"words": "llama\nsharding"}).status_code == 200
        assert signed_in.post(url, {"words": "token*", "add": "1"}).status_code == 200
        assert keywords_of(study.pk) == ("llama", "sharding", "token*")
        refused = signed_in.post(url, {"words": "<b>x\na*b"})
        assert refused.status_code == 422
        assert "&lt;b&gt;x\na*b</textarea>" in refused.text
        stale = signed_in.post(url, {"words": "mine", "made_from": "0"})
        assert stale.status_code == 409
        assert "mine</textarea>" in stale.text
        assert "llama, sharding, token*" in stale.text


class TestReading:
    def test_zones_and_counts(self, repository):
        issue = make_issue(
            repository,
            title="Llama <hangs>",
            body="The `llama` is sharded\n\n```python\nllama = 1\n```",
            comments=[{"author": "a", "body": "sharding llama"}],
        )
        reading = Reading(issue, ("llama", "shard*", "none"))
        assert reading.texts.matches == [
            KeywordMatch("llama", ("title", "prose", "code"), 4),
            KeywordMatch("shard*", ("prose",), 2),
        ]
        assert reading.texts.title == '<mark class="kw">Llama</mark> &lt;hangs&gt;'
        assert reading.texts.body.count('<mark class="kw">') == 3
        plain = Reading(issue)
        assert (plain.texts.matches, plain.texts.title) == ([], "Llama &lt;hangs&gt;")
        assert "<mark" not in plain.texts.body + plain.texts.comments[0].html

    def test_issue_page_shows_them(self, signed_in, study, lead, repository):
        issue = make_issue(repository, title="A llama", body="llama")
        put(study, lead, "llama")
        page = signed_in.get(issue.get_absolute_url()).text
        assert page.count('<mark class="kw">llama</mark>') == 2
        assert "1 keyword matched" in page


class TestFilters:
    def test_a_filter_is_its_query_again(self):
        whole = IssueFilter(repository=3, year=2024, kind="issue", text="with", words="hangs #12")
        narrowed = {"repository": "3", "year": "2024", "kind": "issue", "text": "with", "q": "hangs #12"}
        assert whole.query == narrowed
        assert IssueFilter.from_query(whole.query) == whole
        assert IssueFilter.from_query({"year": 2024, "repository": None}) == IssueFilter(year=2024)
        assert IssueFilter.from_query({"kind": "x", "text": "y", "year": "-1", "q": "\0"}) == IssueFilter()

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
