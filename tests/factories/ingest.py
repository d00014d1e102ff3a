from itertools import count

from ingest.actions import ListContent, make_keyword_list
from ingest.actions.finds import find_keywords
from ingest.actions.searching import keep_words
from ingest.keywords import Switches, Term
from ingest.models import Issue, KeywordListVersion, Repository, Snapshot
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
    (made,) = _make(repository, [number or str(next(_numbers))], text=text, **fields)
    return made


def make_issues(repository: Repository, how_many: int, **fields) -> list[Issue]:
    """So many at once: in four statements."""
    return _make(repository, [str(next(_numbers)) for _ in range(how_many)], **fields)


def _make(
    repository: Repository, numbers: list[str], *, text: bool = True, url: str = "", **fields
) -> list[Issue]:
    address = f"https://{repository.host}/{repository.path}/issues"
    own = {name: fields.pop(name) for name in ("year", "is_pull_request") if name in fields}
    issues = Issue.objects.bulk_create(
        Issue(repository=repository, number=number, url=url or f"{address}/{number}", **own)
        for number in numbers
    )
    if text:
        snapshots = Snapshot.objects.bulk_create(
            Snapshot(issue=issue, **_text(issue.number) | fields) for issue in issues
        )
        keep_words((one.pk, one.title, one.body, one.comments) for one in snapshots)
        for issue, snapshot in zip(issues, snapshots, strict=True):
            issue.current = snapshot
        Issue.objects.bulk_update(issues, ["current"])
    return issues


def _text(number: str) -> dict[str, str]:
    return {
        "title": f"Title of {number}",
        "body": f"Body of **{number}**",
        "content_hash": f"hash of {number}",
    }


def make_list(
    study: Study,
    *terms: str | Term,
    name: str = "",
    repositories: tuple[str, ...] = (),
    search: bool = False,
    **switches,
) -> KeywordListVersion:
    """A keyword list with these terms; `search` does at once what its job would do."""
    version = make_keyword_list(
        study=study,
        name=name or f"List {study.keyword_lists.count() + 1}",
        content=ListContent(
            terms=[term if isinstance(term, Term) else Term(term) for term in terms],
            repositories=repositories,
            switches=Switches(**switches),
        ),
        by=None,
    )
    if search:
        find_keywords(study_id=study.pk)
    return version
