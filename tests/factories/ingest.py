from itertools import count

from ingest.models import Issue, Repository, Snapshot
from studies.models import Study

_numbers = count(101)


def make_repository(study: Study, path: str = "", **fields) -> Repository:
    path = path or f"owner/repository-{study.repositories.count() + 1}"
    fields.setdefault("folder", path.rpartition("/")[2])
    fields.setdefault("forge", "github")
    fields.setdefault("host", "github.com")
    return Repository.objects.create(study=study, path=path, **fields)


def make_issue(repository: Repository, number: str = "", *, text: bool = True, **fields) -> Issue:
    """An issue with a snapshot (`title`, `body`, …); `text=False` leaves only its address."""
    number = number or str(next(_numbers))
    url = fields.pop("url", f"https://{repository.host}/{repository.path}/issues/{number}")
    own = {name: fields.pop(name) for name in ("year", "is_pull_request") if name in fields}
    issue = Issue.objects.create(repository=repository, number=number, url=url, **own)
    if text:
        fields.setdefault("title", f"Title of {number}")
        fields.setdefault("body", f"Body of **{number}**")
        issue.current = Snapshot.objects.create(issue=issue, content_hash=f"hash of {number}", **fields)
        issue.save(update_fields=["current"])
    return issue


def make_issues(repository: Repository, how_many: int, **fields) -> list[Issue]:
    return [make_issue(repository, **fields) for _ in range(how_many)]
