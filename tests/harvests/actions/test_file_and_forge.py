"""A file load and a live harvest of the same repository give equal rows."""

import json

import pytest

from core.models import Job
from ingest.models import Issue
from tests.factories import make_study
from tests.harvests.harvesting import finished, plan, token
from tests.ingest.files import load
from tests.ingest.forges.walking import asking, walked

pytestmark = pytest.mark.django_db


def _records(server, repository):
    """What the forge answers, each issue with its comments, as `gh` and scripts store it."""
    with asking(server, repository.forge) as client:
        forge = client.forge
        issues = walked(client, "issues", forge.issues_url(repository.path))
        comments = {}
        for comment in walked(client, "comments", forge.comments_url(repository.path)):
            comments.setdefault(forge.number_of_comment(comment), []).append(comment)
    return [issue | {"comments": comments.get(forge.number(issue), [])} for issue in issues]


def _rows(study):
    issues = Issue.objects.filter(repository__study=study).select_related("repository", "current")
    return sorted(
        (
            issue.repository.forge, issue.repository.host, issue.repository.path, issue.repository.folder,
            issue.number, issue.url, issue.is_pull_request, issue.year, issue.current.content_hash,
            issue.current.updated_at,
        )
        for issue in issues
    )  # fmt: skip


@pytest.mark.parametrize("forge", ["github", "gitee"])
@pytest.mark.parametrize("has_null_key", [True, False])
@pytest.mark.slow
def test_equal_rows(server, study, forge, has_null_key):
    server.github_side.has_null_key = has_null_key
    repository = server.add(forge, "team/tool", issues=130)
    from_file = make_study()
    run = load(from_file, json.dumps(_records(server, repository)).encode(), "issues.json")
    assert run.counts["refused"] == 0
    token(server, study)
    harvest = plan(server, study, repository, with_pull_requests=forge == "github")
    assert finished(harvest).state == Job.State.DONE
    rows = _rows(study)
    assert len(rows) == len(repository.truth(pulls=None if forge == "github" else False))
    assert rows == _rows(from_file)
    # Each over the other adds nothing.
    again = load(study, json.dumps(_records(server, repository)).encode() + b"\n", "again.json")
    assert (again.counts["known"], again.counts["changed"]) == (len(rows), 0)
    later = finished(plan(server, from_file, repository, with_pull_requests=forge == "github"))
    assert (later.result["known"], later.result.get("changed")) == (len(rows), None)
