"""Which column or key of a file has which field, by its name. The names are those of the REST answers of
GitHub, Gitee, GitLab and Jira, of GraphQL and `gh issue list --json`, and usual names of columns.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ingest.readers.drafts import Sniffed
from ingest.readers.refusals import Refusal, UnreadableFile, excerpt

_CANDIDATES: dict[str, tuple[str, ...]] = {
    "url": ("htmlurl", "weburl", "issueurl", "selfkey", "url", "link", "permalink"),
    "repository": (
        "repositoryurl", "repourl", "repositorynamewithowner", "namewithowner", "repositoryfullname",
        "fullname", "repository", "repositoryname", "reponame", "repo",
    ),
    "number": ("number", "iid", "issuekey", "issuenumber"),
    "title": ("title", "issuetitle", "summary"),
    "body": ("body", "description", "issuebody"),
    "author": (
        "user", "author", "userlogin", "authorlogin", "authorusername", "username", "reporter", "creator",
    ),
    "author_association": ("authorassociation",),
    "labels": ("labels", "issuelabels"),
    "state": ("state", "status"),
    "state_reason": ("statereason", "issuestate"),
    "created_at": ("createdat", "created"),
    "closed_at": ("closedat", "finishedat", "resolutiondate"),
    "updated_at": ("updatedat", "updated"),
    "comments": ("comments", "commentcount", "commentscount", "usernotescount"),
    "is_pull_request": ("pullrequest", "ispullrequest"),
}  # fmt: skip
FIELDS = tuple(_CANDIDATES)
"""The fields for which a mapping can name a source."""

NAMES_OF_PERSONS = ("login", "username", "name", "displayName")
_NAMES_OF_REPOSITORIES = ("html_url", "url", "nameWithOwner", "full_name", "path_with_namespace")


def has_url(keys: Iterable[str]) -> bool:
    """Does one of the columns, by its name, contain addresses of issues?"""
    return any(_plain(key) in _CANDIDATES["url"] for key in keys)


def mapping_of_columns(columns: Sequence[str], line: int) -> dict[str, str]:
    """The column of a CSV file for each field. Raises UnreadableFile if two columns fit one name."""
    mapping = _mapping(columns, line)
    # Beside an address "number" is just as often the number of the row.
    if "url" in mapping:
        mapping.pop("number", None)
    return mapping


def mapping_of_objects(records: Sequence[Mapping[str, object]], line: int) -> dict[str, str]:
    """The key of JSON objects for each field; without "url" if no key contains an address."""
    keys = list(dict.fromkeys(key for record in records for key in record))
    mapping = _mapping(keys, line)
    if "number" in mapping:
        # A forge omits this key from issues, so the first records may lack it.
        mapping.setdefault("is_pull_request", "pull_request")
    for field, names in (("author", NAMES_OF_PERSONS), ("repository", _NAMES_OF_REPOSITORIES)):
        outer = mapping.get(field)
        values = [value for record in records if outer and isinstance(value := record.get(outer), Mapping)]
        inner = next((name for name in names for value in values if name in value), None)
        if outer and inner:
            mapping[field] = f"{outer}.{inner}"
    return mapping


def _mapping(keys: Sequence[str], line: int) -> dict[str, str]:
    by_name: dict[str, str] = {}
    mapping = {}
    for key in keys:
        name = _plain(key)
        field = next((field for field, names in _CANDIDATES.items() if name in names), None)
        if field and name in by_name:
            params = {"first": excerpt(by_name[name]), "second": excerpt(key), "field": field}
            raise UnreadableFile(Refusal(line, "ambiguous_header", params, fatal=True))
        by_name[name] = key
    for field, names in _CANDIDATES.items():
        source = next((by_name[name] for name in names if name in by_name), None)
        if source is not None:
            mapping[field] = source
    if "url" in mapping:
        mapping.pop("repository", None)
    if "state" not in mapping and _plain(mapping.get("state_reason", "")) == "issuestate":
        mapping["state"] = mapping.pop("state_reason")
    return mapping


def _plain(key: str) -> str:
    """One name for createdAt, created_at and "Created at"."""
    return re.sub(r"[\s._+-]+", "", key).casefold()


def values_of(record: Mapping[str, object], mapping: Mapping[str, str]) -> dict[str, object]:
    """The fields of a JSON object; a field without its key is left out."""
    values: dict[str, object] = {}
    for field, source in mapping.items():
        if source in record:
            values[field] = record[source]
        elif "." in source:
            outer, _, inner = source.partition(".")
            value = record.get(outer)
            values[field] = value.get(inner) if isinstance(value, Mapping) else value
    return values


def remapped(
    sniffed: Sniffed, name: str, mapping: Mapping[str, str], *, base: str, zone: str, only: Sequence[str]
) -> Sniffed:
    """The same upload, its file `name` read by another mapping, and so are files with the same columns."""
    chosen = next((part for part in sniffed.files if part.name == name), sniffed)
    parts = [
        replace(part, mapping=dict(mapping), base=base, zone=zone) if _is_alike(part, chosen) else part
        for part in sniffed.files
    ]
    if sniffed.parts:
        return replace(sniffed, parts=tuple(parts), only=tuple(only))
    return replace(parts[0], only=tuple(only))


def _is_alike(part: Sniffed, other: Sniffed) -> bool:
    return part is other or (part.format, part.shape, part.columns) == (
        other.format,
        other.shape,
        other.columns,
    )


def is_complete(sniffed: Sniffed) -> bool:
    """Is it known of every file where the addresses of its issues come from?"""
    return all(
        part.shape == "comments"
        or "url" in part.mapping
        or ("number" in part.mapping and ("repository" in part.mapping or part.base))
        for part in sniffed.files
    )


def checked(sniffed: Sniffed) -> None:
    """Raises ValueError for a mapping with an unknown field or column, UnreadableFile if it does not say
    where the addresses of the issues come from.
    """
    for part in sniffed.files:
        unknown = set(part.mapping) - set(FIELDS)
        if unknown:
            raise ValueError(f"no such field: {sorted(unknown)}")
        if part.format == "csv" and not set(part.mapping.values()) <= set(part.columns):
            raise ValueError("the mapping names a column that the file does not have")
        if not is_complete(part):
            code = "no_url_column" if part.format == "csv" else "no_url_key"
            params = {"columns": excerpt(", ".join(part.columns), 300)}
            raise UnreadableFile(Refusal(1, code, params, fatal=True, file=part.name))
