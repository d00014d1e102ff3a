"""Addresses are resolved to what they are."""

from dataclasses import replace

import pytest
from django.core.exceptions import PermissionDenied

from core import jobs
from core.models import Job
from harvests import actions
from harvests.errors import NothingListed, ResolvingRunning
from ingest.forges.github import GitHub
from ingest.models import Issue, Snapshot
from tests.harvests.harvesting import asked, finished, plan, token
from tests.ingest.files import load

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _public(server, monkeypatch):
    """github.com and gitee.com are the server."""
    from ingest.forges.gitee import Gitee

    monkeypatch.setattr(GitHub, "default_base", server.github_base)
    monkeypatch.setattr(Gitee, "default_base", server.gitee_base)


def _run(study, by=None):
    return jobs.run(actions.resolve_listed(study=study, by=by, rings=False).pk)


def _list(study, repository, *more):
    host = f"{repository.forge}.com"
    lines = [
        f"https://{host}/{repository.path}/issues/{number}"
        for number in repository.truth(pulls=repository.forge == "github" and None)
    ]
    return load(study, "\n".join([*lines, *more]).encode(), "list.txt")


@pytest.mark.parametrize("forge", ["github", "gitee"])
@pytest.mark.parametrize("with_token", [True, False])
def test_texts_and_kinds_come_in(server, study, forge, with_token):
    repository = server.add(forge, "team/tool", issues=60, comments=2)
    _list(study, repository)
    assert set(Issue.objects.values_list("is_pull_request", "current")) == {(None, None)}
    if with_token:
        token(server, study)
    job = _run(study)
    assert (job.state, job.error) == (Job.State.DONE, "")
    issues = repository.truth(pulls=None if forge == "github" else False)
    kinds = {"issue": 60} | ({"pull_request": 15} if forge == "github" else {})
    assert job.result == kinds
    assert {
        issue.number: (
            issue.current.title,
            issue.is_pull_request,
            issue.current.comment_count,
            issue.fate,
            issue.year,
        )
        for issue in Issue.objects.select_related("current")
    } == {
        number: (one.title, one.is_pull_request, len(repository.comments_of(number)), "", one.created_at.year)
        for number, one in issues.items()
    }
    assert server.violations == []
    with pytest.raises(NothingListed):
        actions.resolve_listed(study=study, by=None)
    if forge == "github" and with_token:
        assert server.asked == {"graphql": 2}


def test_transferred_and_gone_are_noted(server, study):
    repository = server.github("team/tool", issues=5, pulls_every=0)
    there = server.github("team/there", issues=7, pulls_every=0)
    _list(study, repository)
    repository.delete("1")
    repository.delete("2", "team/there#6")
    token(server, study)
    assert _run(study).result == {"issue": 3, "gone": 1, "transferred": 1}
    found = {issue.number: (issue.fate, issue.moved_to) for issue in Issue.objects.all()}
    assert found == {
        "1": ("gone", ""), "2": ("transferred", "https://github.com/team/there/issues/6"),
        "3": ("", ""), "4": ("", ""), "5": ("", ""),
    }  # fmt: skip
    moved = Issue.objects.get(number="2")
    assert (moved.repository.path, moved.current.title) == ("team/tool", there.issues["6"].title)
    assert Issue.objects.get(number="1").current is None


def test_a_text_that_is_there_stays(server, study):
    """An issue whose kind alone is unknown keeps its text."""
    repository = server.github("team/tool", issues=3, pulls_every=0)
    token(server, study)
    load(study, b"url,title\nhttps://github.com/team/tool/issues/1,My own title\n", "mine.csv")
    before = Issue.objects.get().current_id
    _run(study)
    issue = Issue.objects.get()
    assert (issue.is_pull_request, issue.current_id, issue.current.title) == (False, before, "My own title")
    assert issue.snapshots.latest("pk").title == repository.issues["1"].title


def test_what_could_not_be_asked_is_told_and_asked_later(server, study):
    repository = server.github("team/tool", issues=70, pulls_every=0)
    _list(study, repository)
    token(server, study)
    server.faults.add("502", when=lambda seen: b"number: 70)" in seen.body, times=None)
    job = _run(study)
    assert job.state == Job.State.FAILED
    assert "status 502" in job.error
    assert Issue.objects.exclude(current=None).count() == 50
    server.faults.rules.clear()
    assert _run(study).result == {"issue": 20}


def test_once_at_a_time_and_by_leads(server, study, volunteer, lead):
    _list(study, server.github("team/tool", issues=2))
    with pytest.raises(PermissionDenied):
        actions.resolve_listed(study=study, by=volunteer.user)
    actions.resolve_listed(study=study, by=lead.user)
    with pytest.raises(ResolvingRunning):
        actions.resolve_listed(study=study, by=lead.user)


def test_other_forges_are_left(server, study):
    load(study, b"https://gitlab.com/team/tool/-/issues/4\nhttps://git.corp/team/tool/issues/5\n", "list.txt")
    with pytest.raises(NothingListed):
        actions.resolve_listed(study=study, by=None)


def test_a_server_of_ones_own_is_known_from_its_harvest(server, study):
    """Addresses there came from a list, which does not say that it is GitHub Enterprise."""
    repository = server.github("team/tool", issues=3, comments=0, pulls_every=0)
    load(study, b"https://git.corp/team/tool/issues/2\n", "list.txt")
    assert Issue.objects.get().repository.forge == "other"
    with pytest.raises(NothingListed):
        actions.resolve_listed(study=study, by=None)
    here = replace(asked(server, repository), host="git.corp", path="team/another")
    server.github("team/another", issues=1)
    fields = {
        "opened_from": None,
        "opened_before": None,
        "zone": "UTC",
        "lists": [],
        "budget": None,
        "by": None,
    }
    actions.plan_harvest(
        study=study, repositories=[here], with_pull_requests=False, with_comments=False, **fields
    )
    assert _run(study).result == {"issue": 1}
    assert Issue.objects.get().current.title == repository.issues["2"].title


def test_a_harvest_afterwards_brings_the_comments(server, study):
    repository = server.github("team/tool", issues=3, comments=2, pulls_every=0)
    _list(study, repository)
    token(server, study)
    _run(study)
    job = finished(plan(server, study, repository))
    assert job.result["kept"] == 3
    assert Issue.objects.count() == 3
    assert Snapshot.objects.filter(comments__0__isnull=False).exists()
