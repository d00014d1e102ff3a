"""Files of issues to import, made in memory."""

import io
import json
from typing import Any

from accounts.models import User
from ingest import actions
from ingest.models import Import
from studies.models import Study


def record(number: int, *, repository: str = "owner/repo", **fields: Any) -> dict[str, Any]:
    """One issue as GitHub's REST interface answers it, cut down."""
    return {
        "html_url": f"https://github.com/{repository}/issues/{number}",
        "number": number,
        "title": f"Title {number}",
        "body": f"Body {number}",
        "user": {"login": "ann"},
        "labels": [{"name": "bug"}],
        "state": "open",
        "comments": 0,
        "created_at": "2024-03-01T10:00:00Z",
        "updated_at": "2024-03-02T10:00:00Z",
        **fields,
    }


def jsonl(*records: dict[str, Any]) -> bytes:
    return "".join(json.dumps(each) + "\n" for each in records).encode()


def urls(*numbers: object, repository: str = "owner/repo") -> bytes:
    return "".join(f"https://github.com/{repository}/issues/{number}\n" for number in numbers).encode()


def receive(
    study: Study, data: bytes, name: str = "issues.jsonl", by: User | None = None, **more: Any
) -> Import:
    return actions.receive_upload(study=study, by=by, name=name, stream=io.BytesIO(data), **more)


def load(study: Study, data: bytes, name: str = "issues.jsonl") -> Import:
    """Receive and import a file, as a job would."""
    run = receive(study, data, name)
    actions.import_issues(run=run)
    run.refresh_from_db()
    return run


def counted(run: Import) -> dict[str, int]:
    """The counts of an import that are not zero."""
    return {name: count for name, count in run.counts.items() if count and name != "complete"}
