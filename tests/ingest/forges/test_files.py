"""A file of a forge's answers and a live harvest of the same repository give equal rows."""

import json
from datetime import timedelta

import pytest

from ingest.readers.content import content_of
from tests.forges import ForgeServer
from tests.ingest.forges.walking import asking, walked
from tests.ingest.readers.reading import drafts
from tests.ingest.readers.test_packed import zipped


@pytest.mark.parametrize("forge", ["github", "gitee"])
@pytest.mark.parametrize("by_id", [False, True])
def test_a_zip_of_issues_and_comments_equals_the_harvest(forge, by_id):
    with ForgeServer() as server:
        server.gitee_side.names_issue_by_id = by_id
        repository = server.add(forge, "team/tool", issues=60, comments=3)
        at = server.clock.now() - timedelta(days=30)
        repository.add(at=at, body="NUL \0, ANSI \x1b[31m, CRLF \r\n 算子")
        with asking(server, forge) as client:
            dialect = client.forge
            issues = walked(client, "issues", dialect.issues_url("team/tool"))
            pulls = walked(client, "pulls", url) if (url := dialect.pulls_url("team/tool")) else []
            comments = walked(client, "comments", dialect.comments_url("team/tool"))

    numbers = {f"id:{dialect.id(record)}": dialect.number(record) for record in [*issues, *pulls]}
    harvested = {}
    for record in [*issues, *pulls]:
        number = dialect.number(record)
        own = [c for c in comments if numbers.get(of := dialect.number_of_comment(c), of) == number]
        draft = dialect.draft(record, own)
        harvested[draft.address] = (content_of(draft), draft.is_pull_request)
    # Two pages in one array, as `gh api --paginate --slurp` saves them.
    saved = {"comments.json": [comments[:50], comments[50:]], "issues.json": [issues[:30], issues[30:]]}
    if pulls:
        saved["pulls.json"] = pulls
    found = drafts(zipped({name: json.dumps(value).encode() for name, value in saved.items()}))

    assert len(found) == len(harvested) > 60
    assert {draft.address: (content_of(draft), draft.is_pull_request) for draft in found} == harvested
    assert sum(len(draft.comments) for draft in found) >= 90


@pytest.mark.parametrize("forge", ["github", "gitee"])
def test_a_file_of_issues_alone_equals_the_harvest_without_comments(forge):
    with ForgeServer() as server:
        server.add(forge, "team/tool", issues=30)
        with asking(server, forge) as client:
            issues = walked(client, "issues", client.forge.issues_url("team/tool"))
            harvested = [client.forge.draft(record) for record in issues]

    found = drafts("".join(json.dumps(record) + "\n" for record in issues))

    assert [content_of(draft) for draft in found] == [content_of(draft) for draft in harvested]
    assert [draft.is_pull_request for draft in found] == [draft.is_pull_request for draft in harvested]
