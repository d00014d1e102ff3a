"""A client against the server, and the simplest walk: page after page by the links."""

from collections.abc import Iterator
from contextlib import contextmanager

from core.fetch.answers import Secret
from core.fetch.fetcher import Fetcher, Limits
from ingest.forges.client import ForgeClient
from ingest.forges.gitee import Gitee
from ingest.forges.github import GitHub
from ingest.forges.tokens import Token
from tests.forges import ForgeServer

PATIENT = Limits(connect=10, read=10, total=20)
QUICK = Limits(connect=2, read=0.1, total=0.2)
"""For a hang or a drip; a busy machine would break it now and then where nothing is wrong."""

TEXTS = {name: f"{name}_0123456789abcdefXYZ" for name in ("first", "second", "third")}
TOKENS = [Token(name, Secret(text)) for name, text in TEXTS.items()]


def forge_of(server: ForgeServer, name: str):
    return (
        GitHub(server.github_base, "github.com")
        if name == "github"
        else Gitee(server.gitee_base, "gitee.com")
    )


@contextmanager
def asking(
    server: ForgeServer, name: str = "github", tokens=TOKENS[:1], hosts=(), limits=PATIENT, **more
) -> Iterator[ForgeClient]:
    with Fetcher([server.host, *hosts], limits=limits) as fetcher:
        yield ForgeClient(
            forge_of(server, name), fetcher, tokens, clock=server.clock.now, sleep=server.clock.sleep, **more
        )


def walked(client: ForgeClient, kind: str, url: str) -> list[dict]:
    """The records of all pages. A record that comes twice counts once, the later one."""
    found = {}
    seen = set()
    while url:
        assert url not in seen, "a circle"
        seen.add(url)
        page = client.page(kind, url)
        found |= {record["id"]: record for record in page.records}
        url = page.next
    return list(found.values())


def everything(client: ForgeClient, path: str) -> dict[str, tuple]:
    """All issues, pull requests and comments of a repository, as numbers with what a draft of each has."""
    forge = client.forge
    records = walked(client, "issues", forge.issues_url(path))
    if forge.pulls_url(path):
        records += walked(client, "pulls", forge.pulls_url(path))
    numbers = {f"id:{forge.id(record)}": forge.number(record) for record in records}
    comments: dict[str, list] = {}
    for comment in walked(client, "comments", forge.comments_url(path)):
        number = forge.number_of_comment(comment)
        comments.setdefault(numbers.get(number, number), []).append(comment)
    found = {}
    for record in records:
        draft = forge.draft(record, comments.get(forge.number(record), []))
        found[forge.number(record)] = (
            draft.title, draft.body, draft.is_pull_request, draft.state, draft.created_at, draft.closed_at, draft.labels,
            [(comment.author, comment.body) for comment in draft.comments],
        )  # fmt: skip
    return found


def truth(repository) -> dict[str, tuple]:
    """The same of what the server has."""
    return {
        number: (
            issue.title, (issue.body or "").replace("\0", "\ufffd"), issue.is_pull_request, issue.state, issue.created_at,
            issue.closed_at, tuple(issue.labels), _comments(repository, issue),
        )
        for number, issue in repository.truth().items()
    }  # fmt: skip


def _comments(repository, issue) -> list[tuple[str, str]]:
    if repository.forge == "gitee" and issue.is_pull_request:
        return []  # Gitee lists those apart
    return [(comment.author, comment.body) for comment in repository.comments_of(issue.number)]
