"""Harvests against the server: planned, run to their end, and compared with what is true there."""

import json
from collections.abc import Callable
from typing import Any

from core import clock, jobs
from core.models import Job
from harvests import actions
from harvests.actions.pages import owner_of
from harvests.models import Harvest, HarvestedComment, HarvestedIssue, HarvestedRepository
from harvests.queries.forge_clients import RepositoryAsked
from tests.forges import ForgeServer, Repository


def asked(server: ForgeServer, repository: Repository) -> RepositoryAsked:
    is_github = repository.forge == "github"
    base = server.github_base if is_github else server.gitee_base
    return RepositoryAsked(
        repository.forge, "github.com" if is_github else "gitee.com", repository.path, base
    )


def plan(server: ForgeServer, study, *repositories: Repository, **how: Any) -> Harvest:
    fields = {
        "opened_from": None,
        "opened_before": None,
        "zone": "UTC",
        "with_pull_requests": False,
        "with_comments": True,
        "lists": [],
        "budget": None,
        "by": None,
    }
    wanted = [asked(server, repository) for repository in repositories]
    return actions.plan_harvest(study=study, repositories=wanted, **fields | how)


def token(server: ForgeServer, study, text: str = "token_0123456789abcdef", name: str = "mine"):
    return actions.add_token(study=study, host=server.host, text=text, name=name, by=None)


def run(harvest: Harvest, watch: Callable[[int, int | None, str], None] | None = None) -> Job:
    """One run of the job."""
    job = actions.start_harvest(harvest=harvest, by=None, rings=False)
    ended = jobs.run(job.pk, watch=watch)
    assert ended is not None
    return ended


def finished(harvest: Harvest) -> Job:
    """Runs until the harvest waits no longer; the time to wait goes by at once."""
    for _ in range(100):
        job = run(harvest)
        harvest.refresh_from_db()
        if harvest.resume_at is None:
            return job
        clock.sleep(max((harvest.resume_at - clock.now()).total_seconds(), 0))
    raise AssertionError("it waits for ever")


def stored(harvest: Harvest) -> dict[str, dict[str, tuple]]:
    """All that stands in the window and on the forge, by path and number: texts and comments."""
    return {repository.path: _stored(repository) for repository in harvest.repositories.order_by("position")}


def _stored(repository: HarvestedRepository) -> dict[str, tuple]:
    comments: dict[str, list[tuple]] = {}
    rows = HarvestedComment.objects.filter(repository=owner_of(repository)).order_by("opened_at", "pk")
    for row in rows:
        record = json.loads(row.record)
        comments.setdefault(row.number, []).append((record["user"]["login"], record["body"]))
    issues = HarvestedIssue.objects.filter(repository=owner_of(repository), vanished_at=None)
    found = {}
    for row in issues.exclude(record=""):
        record = json.loads(row.record)
        found[row.number] = (
            record["title"], record["body"], row.is_pull_request, record["state"], row.opened_at,
            tuple(label["name"] for label in record["labels"]), comments.get(row.number, []),
        )  # fmt: skip
    return found


def truth(repository: Repository, start=None, end=None, *, pulls: bool = True, with_pulls: bool = False):
    """The same of the server: `pulls`: its lists hold pull requests, `with_pulls`: with their comments."""
    listed = repository.truth(start, end, pulls=None if pulls else False)
    return {
        number: (
            issue.title, issue.body, issue.is_pull_request, issue.state, issue.created_at, tuple(issue.labels),
            [
                (comment.author, comment.body)
                for comment in repository.comments_of(number)
                if with_pulls or not issue.is_pull_request
            ],
        )
        for number, issue in listed.items()
    }  # fmt: skip
