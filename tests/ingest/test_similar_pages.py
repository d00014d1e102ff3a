"""Similar reports on pages, in the file and over REST: what each role sees, and what leads say of them."""

import csv
import io

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from core import jobs
from core.models import Job
from ingest import actions
from ingest.models import SimilarMark, SimilarPair
from ingest.queries.similar import FIND
from studies.models import Event, Role
from tests.factories import make_issue, make_member, make_repository, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def other(study):
    return make_repository(study, "o/other")


@pytest.fixture
def issues(repository, other):
    """Six issues, the fourth and the fifth in another repository."""
    places = (repository, repository, repository, other, other, repository)
    return [
        make_issue(at, str(number), title=f"=Report {number}") for number, at in enumerate(places, start=1)
    ]


@pytest.fixture
def pairs(study, issues):
    """1, 2, 3 and 4 hang together from 0.6 on; 5 and 6 are equal."""
    return [
        SimilarPair.objects.create(
            study=study,
            first=issues[one - 1],
            second=issues[other - 1],
            likeness=likeness,
            is_across=issues[one - 1].repository != issues[other - 1].repository,
        )
        for one, other, likeness in ((1, 2, 0.9), (2, 3, 0.6), (3, 4, 0.75), (5, 6, 1.0))
    ]


def groups(client, study, **asked):
    """The groups of a page as lists of the numbers of their issues, and the page."""
    answer = client.get(reverse("similar", args=[study.slug]), asked)
    assert answer.status_code == 200
    return [[one["issue"].number for one in group["issues"]] for group in answer.context["groups"]], answer


def mark(client, study, one, other, **said):
    return client.post(
        reverse("mark_similar", args=[study.slug]), {"issue": one.pk, "other": other.pk, **said}
    )


def mark_whole(client, study, group, **said):
    address = reverse("mark_similar_group", args=[study.slug, group.issues[0]])
    return client.post(address, {"made_from": group.fingerprint, **said})


def standing(study):
    marks = SimilarMark.objects.filter(study=study, ended_at=None).order_by("first", "second")
    return list(marks.values_list("first__number", "second__number", "kind", "note"))


class TestGroups:
    def test_by_likeness_the_largest_first(self, signed_in, study, pairs):
        assert groups(signed_in, study)[0] == [["1", "2"], ["3", "4"], ["5", "6"]]
        assert groups(signed_in, study, level="60")[0] == [["1", "2", "3", "4"], ["5", "6"]]
        assert groups(signed_in, study, level="80")[0] == [["1", "2"], ["5", "6"]]
        assert groups(signed_in, study, level="100")[0] == [["5", "6"]]
        assert groups(signed_in, study, level="55")[0] == groups(signed_in, study)[0]
        assert groups(signed_in, study, across="1")[0] == [["3", "4"], ["5", "6"]]
        assert groups(signed_in, study, across="1", level="80")[0] == [["5", "6"]]

    def test_of_another_study_are_not_here(self, signed_in, pairs):
        strange = make_study()
        assert signed_in.get(reverse("similar", args=[strange.slug])).status_code == 404

    def test_by_marks(self, signed_in, study, issues, pairs):
        mark(signed_in, study, issues[0], issues[1], kind="distinct")
        mark(signed_in, study, issues[4], issues[5], kind="duplicate")
        assert groups(signed_in, study)[0] == [["3", "4"], ["5", "6"]]
        assert groups(signed_in, study, marked="open")[0] == [["3", "4"]]
        assert groups(signed_in, study, marked="duplicate")[0] == [["5", "6"]]
        assert groups(signed_in, study, marked="distinct")[0] == [["1", "2"]]
        assert groups(signed_in, study, marked="related")[0] == []
        assert groups(signed_in, study, marked="else")[0] == [["3", "4"], ["5", "6"]]

    def test_page_by_page(self, signed_in, study, issues, pairs, monkeypatch):
        monkeypatch.setattr("ingest.queries.groups.GROUPS_ON_A_PAGE", 2)
        first, answer = groups(signed_in, study)
        assert first == [["1", "2"], ["3", "4"]]
        assert (answer.context["before_url"], answer.context["after_url"]) == ("", f"?after=2-{issues[2].pk}")
        second, answer = groups(signed_in, study, after=f"2-{issues[2].pk}")
        assert (second, answer.context["before_url"]) == ([["5", "6"]], f"?before=2-{issues[4].pk}")
        assert groups(signed_in, study, before=f"2-{issues[4].pk}")[0] == first
        assert groups(signed_in, study, after="x-1")[0] == first

    def test_a_large_one_has_a_page_of_its_own(self, signed_in, study, issues, pairs, monkeypatch):
        monkeypatch.setattr("ingest.views.similar.SHOWN", 3)
        shown, answer = groups(signed_in, study, level="60")
        assert shown == [["1", "2", "3"], ["5", "6"]]
        address = reverse("similar_group", args=[study.slug, issues[0].pk]) + "?level=60"
        assert f'href="{address}"' in answer.text
        whole = signed_in.get(address).context["group"]
        assert [(one["issue"].number, one["likeness"]) for one in whole["issues"]] == [
            ("1", 0.9),
            ("2", 0.9),
            ("3", 0.75),
            ("4", 0.75),
        ]
        alone = reverse("similar_group", args=[study.slug, issues[0].pk]) + "?level=100"
        assert signed_in.get(alone).status_code == 404

    def test_asks_the_same_number_of_queries(self, signed_in, study, repository):
        address = reverse("similar", args=[study.slug])
        counts = []
        for how_many in (1, 2):
            for _pair in range(how_many):
                ends = [make_issue(repository) for _end in range(3)]
                for one, two in ((0, 1), (1, 2)):
                    pair = {"study": study, "first": ends[one], "second": ends[two]}
                    SimilarPair.objects.create(**pair, likeness=0.9, is_across=False)
                    SimilarMark.objects.create(**pair, kind="related")
            signed_in.get(address)
            for page in (address, ends[0].get_absolute_url()):
                with CaptureQueriesContext(connection) as asked:
                    assert signed_in.get(page).status_code == 200
                counts.append(len(asked))
        assert counts[:2] == counts[2:]


class TestMarks:
    def test_of_a_pair(self, signed_in, lead, study, issues, pairs):
        assert (
            mark(signed_in, study, issues[1], issues[0], kind="duplicate", note=" a \0b ").status_code == 302
        )
        assert standing(study) == [("1", "2", "duplicate", "a b")]
        mark(signed_in, study, issues[0], issues[1], kind="related")
        assert standing(study) == [("1", "2", "related", "")]
        former = SimilarMark.objects.get(kind="duplicate")
        assert (former.marked_by, former.ended_by) == (lead.user, lead.user)
        mark(signed_in, study, issues[0], issues[1], take_back="1")
        assert standing(study) == []
        mark(signed_in, study, issues[0], issues[1], take_back="1")
        events = Event.objects.filter(verb__startswith="similar").order_by("pk")
        assert list(events.values_list("verb", "detail")) == [
            ("similar.marked", {"kind": "duplicate", "pairs": 1}),
            ("similar.marked", {"kind": "related", "pairs": 1}),
            ("similar.unmarked", {"pairs": 1}),
        ]
        assert study.repositories.get(path="o/engine").issues.count() == 4

    @pytest.mark.parametrize(
        ("kind", "note", "status"),
        [("duplicate", "n" * 500, 302), ("duplicate", "n" * 501, 422), ("same", "", 422), ("", "", 422)],
    )
    def test_are_refused(self, signed_in, study, issues, pairs, kind, note, status):
        assert mark(signed_in, study, issues[0], issues[1], kind=kind, note=note).status_code == status
        assert SimilarMark.objects.count() == (status == 302)

    def test_of_no_pair_are_refused(self, signed_in, study, issues, pairs):
        strange = make_study()
        there = make_repository(strange, "o/far")
        far = [make_issue(there, number) for number in ("1", "2")]
        SimilarPair.objects.create(study=strange, first=far[0], second=far[1], likeness=1, is_across=False)
        for one, other in ((issues[0], issues[2]), (issues[0], issues[0]), far):
            assert mark(signed_in, study, one, other, kind="duplicate").status_code == 409
        assert SimilarMark.objects.count() == 0

    def test_of_a_group_are_of_each_of_its_pairs(self, signed_in, study, issues, pairs):
        group = groups(signed_in, study, level="60")[1].context["groups"][0]["whole"]
        answer = mark_whole(signed_in, study, group, level="60", kind="duplicate", note="one fault")
        assert answer.headers["Location"] == reverse("similar", args=[study.slug]) + "?level=60"
        said = ("duplicate", "one fault")
        assert standing(study) == [("1", "2", *said), ("2", "3", *said), ("3", "4", *said)]
        assert Event.objects.get(verb="similar.marked").detail == {"kind": "duplicate", "pairs": 3}
        page = groups(signed_in, study, level="60")[1]
        assert page.text.count("one fault") == 1
        group = page.context["groups"][0]["whole"]
        mark_whole(signed_in, study, group, level="60", take_back="1")
        assert standing(study) == []

    def test_of_a_group_that_changed_are_refused(self, signed_in, study, issues, pairs):
        group = groups(signed_in, study, level="60")[1].context["groups"][0]["whole"]
        pairs[1].delete()
        answer = mark_whole(signed_in, study, group, level="60", kind="duplicate", note="my note")
        assert (answer.status_code, "my note" in answer.text) == (409, True)
        assert mark_whole(signed_in, study, group, level="60", take_back="1").status_code == 409
        assert standing(study) == []

    def test_outlive_the_pair(self, signed_in, study, issues, pairs):
        mark(signed_in, study, issues[4], issues[5], kind="duplicate")
        pairs[3].delete()
        assert groups(signed_in, study, marked="duplicate")[0] == []
        page = signed_in.get(issues[4].get_absolute_url()).text
        assert [part in page for part in ("no longer similar", "=Report 6")] == [True, True]
        mark(signed_in, study, issues[4], issues[5], take_back="1")
        assert standing(study) == []

    @pytest.mark.parametrize("role", [Role.VOLUNTEER, Role.VIEWER])
    def test_only_leads_make_them(self, client, study, issues, pairs, role):
        client.force_login(make_member(study, role).user)
        assert mark(client, study, issues[0], issues[1], kind="duplicate").status_code == 403
        assert client.get(reverse("similar", args=[study.slug])).status_code == 403
        assert SimilarMark.objects.count() == 0


class TestPageOfAnIssue:
    @pytest.fixture(autouse=True)
    def _marks(self, study, lead, issues, pairs):
        actions.mark_pair(
            study=study, issues=[issues[1].pk, issues[0].pk], kind="distinct", note="mine", by=lead.user
        )
        actions.mark_pair(
            study=study, issues=[issues[1].pk, issues[2].pk], kind="related", note="ours", by=lead.user
        )

    def similar(self, client, issue):
        answer = client.get(issue.get_absolute_url())
        found = [
            (one.issue.number, one.likeness, one.mark and one.mark.kind) for one in answer.context["similar"]
        ]
        return found, answer.text

    def test_for_a_lead(self, signed_in, issues):
        found, page = self.similar(signed_in, issues[1])
        assert found == [("3", 0.6, "related"), ("1", 0.9, "distinct")]
        assert [part in page for part in ("mine", "ours", "Mark as duplicate")] == [True, True, True]

    @pytest.mark.parametrize("role", [Role.VOLUNTEER, Role.VIEWER])
    def test_for_all_others_the_same_without_notes(self, client, study, issues, role):
        client.force_login(make_member(study, role).user)
        found, page = self.similar(client, issues[1])
        assert found == [("3", 0.6, "related")]
        assert [part in page for part in ("mine", "ours", "Mark as duplicate")] == [False, False, False]
        panel = page.partition('id="similar"')[2]
        assert [
            part in panel for part in ("60", "=Report 3", "o/engine", "#3", "related", issues[2].url)
        ] == [True] * 6

    def test_of_an_issue_without_similar_reports_has_no_panel(self, signed_in, repository):
        alone = make_issue(repository, "77")
        found, page = self.similar(signed_in, alone)
        assert (found, 'id="similar"' in page) == ([], False)


class TestSearches:
    def test_the_page_says_what_is_to_do(self, signed_in, study, repository):
        address = reverse("similar", args=[study.slug])
        assert "when the study has issues with text" in signed_in.get(address).text
        make_issue(repository, "1")
        assert "1 report is not compared yet" in signed_in.get(address).text
        begin = reverse("find_similar", args=[study.slug])
        assert signed_in.post(begin).headers["Location"] == address
        job = Job.objects.get(kind=FIND)
        page = signed_in.get(address).text
        assert "Comparing reports" in page
        assert f'action="{reverse("cancel_job", args=[job.pk])}"' in page
        assert "not compared yet" not in page
        signed_in.post(reverse("cancel_job", args=[job.pk]))
        assert "1 report is not compared yet" in signed_in.get(address).text
        signed_in.post(begin)
        assert jobs.run(Job.objects.latest("pk").pk).result == {"pairs": 0}
        assert "No two of them are similar" in signed_in.get(address).text
        polled = signed_in.get(address, headers={"HX-Request": "true", "HX-Target": "job"}).text
        assert [part in polled for part in ("Comparing reports", "done", "<h1")] == [True, True, False]
        signed_in.post(begin)
        assert Job.objects.filter(kind=FIND).count() == 2

    def test_anothers_search_cannot_be_cancelled(self, signed_in, study, repository):
        make_issue(repository, "1")
        job = actions.begin_comparison(study=study, by=make_member(study, Role.LEAD).user)
        page = signed_in.get(reverse("similar", args=[study.slug])).text
        assert ("Comparing reports" in page, reverse("cancel_job", args=[job.pk]) in page) == (True, False)


class TestFile:
    def test_holds_all_pairs_and_marks(self, signed_in, study, lead, issues, pairs):
        mark(signed_in, study, issues[0], issues[1], kind="distinct", note="+1")
        mark(signed_in, study, issues[4], issues[5], kind="duplicate")
        pairs[3].delete()
        answer = signed_in.get(reverse("similar_csv", args=[study.slug]))
        assert (
            answer.headers["Content-Disposition"]
            == f'attachment; filename="{study.slug}-similar-reports.csv"'
        )
        rows = list(csv.DictReader(io.StringIO(b"".join(answer).decode())))
        told = [
            tuple(
                row[name]
                for name in ("first_number", "second_number", "likeness", "mark", "note", "marked_by")
            )
            for row in rows
        ]
        assert told == [
            ("1", "2", "0.9", "distinct", "'+1", lead.pseudonym),
            ("3", "4", "0.75", "", "", ""),
            ("2", "3", "0.6", "", "", ""),
            ("5", "6", "", "duplicate", "", lead.pseudonym),
        ]
        assert rows[0]["first_title"] == "'=Report 1"
        assert (rows[1]["first_repository"], rows[1]["second_repository"]) == ("o/engine", "o/other")


class TestRest:
    def test_pairs(self, client, study, lead, issues, pairs):
        mark_of = {"kind": "related", "note": "see #3", "by": lead.user}
        actions.mark_pair(study=study, issues=[issues[2].pk, issues[3].pk], **mark_of)
        client.force_login(lead.user)
        address = reverse("api_similar", args=[study.slug])

        def told(**asked):
            results = client.get(address, asked).json()["results"]
            return [
                (one["first"]["number"], one["second"]["number"], one["mark"], one["note"]) for one in results
            ]

        marked = ("3", "4", "related", "see #3")
        assert told() == [("1", "2", "", ""), ("2", "3", "", ""), marked, ("5", "6", "", "")]
        assert told(level="70") == [("1", "2", "", ""), marked, ("5", "6", "", "")]
        assert told(across="1") == [marked, ("5", "6", "", "")]
        assert client.get(address).json()["results"][0] == {
            "id": pairs[0].pk,
            "first": {
                "id": issues[0].pk,
                "repository": "o/engine",
                "number": "1",
                "url": issues[0].url,
                "is_pull_request": None,
                "year": None,
                "title": "=Report 1",
            },
            "second": {
                "id": issues[1].pk,
                "repository": "o/engine",
                "number": "2",
                "url": issues[1].url,
                "is_pull_request": None,
                "year": None,
                "title": "=Report 2",
            },
            "likeness": 0.9,
            "is_across": False,
            "mark": "",
            "note": "",
        }

    @pytest.mark.parametrize("how_many", [1, 3])
    def test_asks_the_same_number_of_queries(self, client, study, lead, issues, pairs, how_many):
        client.force_login(lead.user)
        address = reverse("api_similar", args=[study.slug])
        with CaptureQueriesContext(connection) as asked:
            assert len(client.get(address, {"page_size": how_many}).json()["results"]) == how_many
        assert len([one for one in asked if "ingest_" in one["sql"]]) == 2
