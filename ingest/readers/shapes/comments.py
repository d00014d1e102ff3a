"""Comments that a forge lists apart from their issues, and the names by which both know the same issue."""

import re

from ingest.addresses import Address, BadAddress, parse
from ingest.readers.shapes.items import Raw

_COMMENT = re.compile(r"#(?:issuecomment|note|comment|discussion_r)[-_]?[0-9]+")


def fits(record: Raw) -> bool:
    """Is it a comment? It has a text, no title, and an issue that it is under."""
    return "body" in record and "title" not in record and bool(_names(record))


def is_said_by_a_person(record: Raw) -> bool:
    """GitLab lists what its system did among the comments."""
    return not record.get("system")


def issues_of(record: Raw) -> tuple[str, ...]:
    """The names of the issue that a comment is under; () if it is under something else."""
    return tuple(_names(record))


def _names(record: Raw) -> list[str]:
    names = []
    issue_url, page = record.get("issue_url"), record.get("html_url")
    if isinstance(issue_url, str):
        names.append(f"url:{issue_url.lower()}")
    for url in (issue_url, page if isinstance(page, str) and _COMMENT.search(page) else None):
        found = _address(url) if isinstance(url, str) else None
        names += [name_of(found)] if found else []
    target = record.get("target")
    issue = target.get("issue") if isinstance(target, dict) else None
    if isinstance(issue, dict):
        names += [f"gitee:{issue[key]}".upper() for key in ("id", "number") if issue.get(key)]
    elif isinstance(target, dict) and "pull_request" in target:
        names.append("gitee:pull request")
    if "noteable_iid" in record and "project_id" in record:
        mark = "!" if record.get("noteable_type") == "MergeRequest" else ""
        names.append(f"gitlab:{record['project_id']}:{mark}{record['noteable_iid']}")
    return names


def names_of(record: Raw, address: Address) -> tuple[str, ...]:
    """All names by which comments may know this issue."""
    names = [name_of(address)]
    url = record.get("url")
    if isinstance(url, str):
        names.append(f"url:{url.lower()}")
    if address.forge == "gitee" or "issue_state" in record:
        names += [f"gitee:{record[key]}".upper() for key in ("id", "number") if record.get(key)]
    if "project_id" in record and "iid" in record:
        mark = "!" if address.kind == "pull_request" else ""
        names.append(f"gitlab:{record['project_id']}:{mark}{record['iid']}")
    return tuple(names)


def name_of(address: Address) -> str:
    return "at:" + "/".join(address.identity)


def _address(url: str) -> Address | None:
    try:
        return parse(url)
    except BadAddress:
        return None
