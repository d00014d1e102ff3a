"""Pages and REST of taking issues out of a study again."""

import pytest
from django.urls import reverse
from django.utils.html import strip_tags
from rest_framework.test import APIClient

from ingest.models import Import, Issue
from studies.models import Event
from tests.factories import make_issue, make_member, make_repository, make_round, make_version
from tests.ingest.files import load, receive, urls

pytestmark = pytest.mark.django_db


def words(answer) -> str:
    return " ".join(strip_tags(answer.content.decode()).split())


def page_of(name: str, study, pk: int) -> str:
    return reverse(name, args=[study.slug, pk])


class TestImports:
    def test_its_page_leads_to_what_would_go_and_takes_it_back(self, signed_in, study) -> None:
        run = load(study, urls(1, 2, repository="wrong/place"), "list.txt")
        address = page_of("take_back_import", study, run.pk)

        assert f'href="{address}"' in signed_in.get(run.get_absolute_url()).content.decode()
        shown = words(signed_in.get(address))
        assert "Take back the import of list.txt?" in shown
        assert "Issues 2 Texts 0 Repositories 1" in shown
        assert "Repositories without other issues: wrong/place" in shown
        assert "later import" not in shown
        answer = signed_in.post(address, follow=True)

        assert answer.redirect_chain == [(reverse("imports", args=[study.slug]), 302)]
        assert "The import of list.txt is taken back. 2 issues were removed." in words(answer)
        assert (Import.objects.count(), Issue.objects.count()) == (0, 0)
        audit = words(signed_in.get(reverse("audit", args=[study.slug])))
        assert "Took back the import of list.txt: 2 issues, 0 texts" in audit

    def test_says_what_refers_to_it_and_has_no_button_then(self, signed_in, study, lead) -> None:
        run = load(study, urls(1, 2), "list.txt")
        make_round(make_version(study), list(Issue.objects.all()), [lead], name="Main")
        address = page_of("take_back_import", study, run.pk)

        page = signed_in.get(address)

        assert "2 issues are in the round Main" in words(page)
        assert 'type="submit">' not in page.content.decode().split("Keep import")[0].rsplit("<form", 1)[1]
        refused = signed_in.post(address)
        assert refused.status_code == 409
        assert "2 issues are in the round Main" in words(refused)
        assert Issue.objects.count() == 2

    def test_a_waiting_file_is_discarded_instead(self, signed_in, study) -> None:
        run = receive(study, urls(1), "list.txt")
        address = page_of("take_back_import", study, run.pk)

        assert f'href="{address}"' not in signed_in.get(run.get_absolute_url()).content.decode()
        assert "Only an import of issues from a file that has ended" in words(signed_in.get(address))
        assert signed_in.post(address).status_code == 409

    def test_asks_as_often_for_three_issues_as_for_one(
        self, signed_in, study, django_assert_num_queries
    ) -> None:
        signed_in.get(reverse("imports", args=[study.slug]))  # notes that the lead was here
        for run in (load(study, urls(1), "a.txt"), load(study, urls(2, 3, 4), "b.txt")):
            with django_assert_num_queries(17):
                signed_in.get(page_of("take_back_import", study, run.pk))


class TestIssues:
    def test_its_page_leads_to_the_reason_and_removes_it(self, signed_in, study) -> None:
        issue = make_issue(make_repository(study, "acme/engine"), "7", title="<b>Bold</b>")
        address = page_of("remove_issue", study, issue.pk)

        assert f'href="{address}"' in signed_in.get(issue.get_absolute_url()).content.decode()
        shown = signed_in.get(address)
        assert "Remove acme/engine#7?" in words(shown)
        assert "&lt;b&gt;Bold" in shown.content.decode()
        assert signed_in.post(address, {"why": " "}).status_code == 422
        answer = signed_in.post(address, {"why": "Spam <b>."}, follow=True)

        assert "acme/engine#7 is removed." in words(answer)
        assert Issue.objects.count() == 0
        audit = signed_in.get(reverse("audit", args=[study.slug])).content.decode()
        assert "Removed the issue acme/engine#7: Spam &lt;b&gt;." in audit
        assert signed_in.get(address).status_code == 404

    def test_keeps_the_reason_where_a_round_has_the_issue(self, signed_in, study, lead) -> None:
        issue = make_issue(make_repository(study))
        make_round(make_version(study), [issue], [lead], name="Main")
        address = page_of("remove_issue", study, issue.pk)

        assert "1 issue is in the round Main" in words(signed_in.get(address))
        refused = signed_in.post(address, {"why": "My long reason"})

        assert refused.status_code == 409
        assert "1 issue is in the round Main" in words(refused)
        assert "My long reason" in refused.content.decode()

    def test_volunteers_see_no_way_to_it(self, client, study) -> None:
        issue = make_issue(make_repository(study))
        client.force_login(make_member(study).user)

        assert "remove/" not in client.get(issue.get_absolute_url()).content.decode()
        assert client.get(page_of("remove_issue", study, issue.pk)).status_code == 403


class TestRest:
    @pytest.fixture
    def api(self, lead) -> APIClient:
        api = APIClient()
        api.force_authenticate(lead.user)
        return api

    def test_lists_imports_and_takes_one_back(self, api, study) -> None:
        run = load(study, urls(1, 2), "list.txt")
        root = f"/api/v1/studies/{study.slug}/imports/"

        listed = api.get(root).json()["results"]
        assert [(one["id"], one["name"], one["state"], one["counts"]["new"]) for one in listed] == [
            (run.pk, "list.txt", "done", 2)
        ]
        assert api.get(f"{root}{run.pk}/take-back/").json() == {
            "issues": 2, "texts": 0, "repositories": ["owner/repo"], "renewed": 0, "later": 0,
            "references": [], "possible": True,
        }  # fmt: skip
        answer = api.post(f"{root}{run.pk}/take-back/")

        assert (answer.status_code, answer.json()) == (200, {"issues": 2, "texts": 0})
        assert Issue.objects.count() == 0
        assert api.post(f"{root}{run.pk}/take-back/").status_code == 404

    def test_refuses_with_what_refers_to_it(self, api, study, lead) -> None:
        run = load(study, urls(1), "list.txt")
        issue = Issue.objects.get()
        make_round(make_version(study), [issue], [lead], name="Main")
        root = f"/api/v1/studies/{study.slug}"

        seen = api.get(f"{root}/imports/{run.pk}/take-back/").json()
        assert (seen["references"], seen["possible"]) == (["1 issue is in the round Main"], False)
        taken = api.post(f"{root}/imports/{run.pk}/take-back/")
        removed = api.post(f"{root}/issues/{issue.pk}/remove/", {"why": "Spam."}, format="json")

        assert (taken.status_code, removed.status_code) == (409, 409)
        assert "1 issue is in the round Main" in taken.json()["detail"]
        assert "1 issue is in the round Main" in removed.json()["detail"]

    def test_removes_an_issue_with_a_reason(self, api, study) -> None:
        issue = make_issue(make_repository(study, "acme/engine"), "7")
        address = f"/api/v1/studies/{study.slug}/issues/{issue.pk}/remove/"

        assert api.post(address, {}, format="json").status_code == 400
        answer = api.post(address, {"why": "Spam."}, format="json")

        assert (answer.status_code, answer.json()) == (200, {"issues": 1, "texts": 1})
        assert Event.objects.get(verb="issues.removed").detail["why"] == "Spam."
