"""Records to drafts: the key of each field in a file, and how its value is read. The keys are those of the
REST answers of GitHub, Gitee and GitLab, of `gh issue list --json`, and usual names of columns.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from ingest.addresses import Address, BadAddress, keepable, parse
from ingest.readers.drafts import CommentDraft, Draft, Limits
from ingest.readers.refusals import Refusal, Refused, UnreadableFile, excerpt, kind_of, refused_address
from ingest.readers.text import clean

_CANDIDATES: dict[str, tuple[str, ...]] = {
    "url": ("htmlurl", "weburl", "issueurl", "url", "link", "permalink"),
    "number": ("number", "iid"),
    "title": ("title", "issuetitle"),
    "body": ("body", "description", "issuebody"),
    "author": ("user", "author", "userlogin", "authorlogin", "authorusername", "username"),
    "author_association": ("authorassociation",),
    "labels": ("labels", "issuelabels"),
    "state": ("state", "status"),
    "state_reason": ("statereason", "issuestate"),
    "created_at": ("createdat", "created"),
    "closed_at": ("closedat", "finishedat"),
    "updated_at": ("updatedat", "updated"),
    "comments": ("comments", "commentcount", "commentscount", "usernotescount"),
    "is_pull_request": ("pullrequest", "ispullrequest"),
}
FIELDS = tuple(_CANDIDATES)
"""The fields for which a mapping can name a source."""

REPOSITORY_AND_NUMBER = "repository_url + number"
"""The source of the address if a forge gives repository and number, but no page."""

_LENGTHS = {"author": 200, "author_association": 32, "state": 32, "state_reason": 64}
_FALSE = {"", "0", "0.0", "false", "no", "none", "null", "nan"}
_CONTROL = re.compile("[\0-\x1f\x7f-\x9f\ud800-\udfff]")
_MAX_COUNT = 2**31 - 1


def has_url(keys: Iterable[str]) -> bool:
    """Does one of the columns, by its name, contain addresses of issues?"""
    return any(_plain(key) in _CANDIDATES["url"] for key in keys)


def mapping_of_columns(columns: Sequence[str], line: int) -> dict[str, str]:
    """The column of a CSV file for each field. Raises UnreadableFile if two columns fit one name."""
    mapping = _mapping(columns, line)
    # In a table "number" is just as often the number of the row.
    mapping.pop("number", None)
    return mapping


def mapping_of_objects(records: Sequence[Mapping[str, object]], line: int) -> dict[str, str]:
    """The key of JSON objects for each field; without "url" if no key contains an address."""
    keys = list(dict.fromkeys(key for record in records for key in record))
    mapping = _mapping(keys, line)
    if "url" not in mapping and {"repository_url", "number"} <= set(keys):
        mapping = {"url": REPOSITORY_AND_NUMBER, **mapping}
    if "number" in mapping:
        # A forge omits this key from issues, so the first records may lack it.
        mapping.setdefault("is_pull_request", "pull_request")
    author = mapping.get("author")
    if author:
        people = [person for record in records if isinstance(person := record.get(author), Mapping)]
        inner = next(
            (key for key in ("login", "username", "name") for person in people if key in person), None
        )
        if inner:
            mapping["author"] = f"{author}.{inner}"
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
    if "state" not in mapping and _plain(mapping.get("state_reason", "")) == "issuestate":
        mapping["state"] = mapping.pop("state_reason")
    return mapping


def _plain(key: str) -> str:
    """One name for createdAt, created_at and "Created at"."""
    return re.sub(r"[\s._-]+", "", key).casefold()


def values_of(record: Mapping[str, object], mapping: Mapping[str, str]) -> dict[str, object]:
    """The fields of a JSON object; a field without its key is left out."""
    values: dict[str, object] = {}
    for field, source in mapping.items():
        if source == REPOSITORY_AND_NUMBER:
            values[field] = _page_of(record)
        elif source in record:
            values[field] = record[source]
        elif "." in source:
            outer, _, inner = source.partition(".")
            value = record.get(outer)
            values[field] = value.get(inner) if isinstance(value, Mapping) else value
    return values


def _page_of(record: Mapping[str, object]) -> str | None:
    repository, number = record.get("repository_url"), record.get("number")
    if not repository or number is None:
        return None
    return f"{repository}/issues/{number}"


def draft(
    values: Mapping[str, object],
    mapping: Mapping[str, str],
    line: int,
    *,
    limits: Limits,
    tabular: bool = False,
) -> Draft:
    """One issue from its fields. `tabular`: they are cells of a table, all of them text. Raises Refused."""
    record = _Record(values, mapping, limits)
    url, address = record.address()
    comments, count = record.comments()
    return Draft(
        line=line,
        address=address,
        url=url,
        title=record.text("title"),
        body=record.text("body"),
        author=record.text("author"),
        author_association=record.code("author_association"),
        labels=record.labels(),
        state=_STATES.get(state := record.code("state").lower(), state),
        state_reason=record.code("state_reason").lower(),
        created_at=record.time("created_at"),
        closed_at=record.time("closed_at"),
        updated_at=record.time("updated_at"),
        is_pull_request=record.is_pull_request(address, url, tabular=tabular),
        comments=comments,
        comment_count=count,
        repaired=record.repaired,
    )


_STATES = {"opened": "open"}


class _Record:
    """The values of one record, read field by field; `repaired` is the number of replaced characters."""

    __slots__ = ("_limits", "_mapping", "_values", "repaired")

    def __init__(self, values: Mapping[str, object], mapping: Mapping[str, str], limits: Limits) -> None:
        self._values = values
        self._mapping = mapping
        self._limits = limits
        self.repaired = 0

    def address(self) -> tuple[str, Address]:
        """The spelling of the address to store, and its meaning."""
        url = self._values.get("url")
        key = self._mapping.get("url", "url")
        if url is None or url == "":
            raise Refused("no_url", key=key)
        if not isinstance(url, str):
            raise Refused("not_text", key=key, kind=kind_of(url))
        try:
            address = parse(url)
        except BadAddress as error:
            raise refused_address(error, url) from None
        number = self._values.get("number")
        if number is not None and str(number).upper() != address.number.removeprefix("!"):
            raise Refused(
                "number_differs",
                key=self._mapping["number"],
                number=excerpt(str(number)),
                address=address.number,
            )
        return keepable(url), address

    def text(self, field: str) -> str:
        key = self._mapping.get(field, field)
        return self._cleaned(self._values.get(field), key, _LENGTHS.get(field))

    def _cleaned(self, value: object, key: str, limit: int | None = None) -> str:
        if value is None:
            return ""
        if not isinstance(value, str):
            raise Refused("not_text", key=key, kind=kind_of(value))
        limit = min(limit or self._limits.max_cell, self._limits.max_cell)
        if len(value) > limit:
            raise Refused("cell_too_long", key=key, length=len(value), limit=limit)
        text, repaired = clean(value)
        self.repaired += repaired
        return text

    def code(self, field: str) -> str:
        """A word for programs: characters that a text would have repaired refuse the record here."""
        value = self._values.get(field)
        if value is None or value == "":
            return ""
        key = self._mapping[field]
        if isinstance(value, str) and _CONTROL.search(value):
            raise Refused("bad_code", key=key)
        return self._cleaned(value, key, _LENGTHS[field]).strip()

    def time(self, field: str) -> datetime | None:
        value = self._values.get(field)
        if value is None or value == "":
            return None
        return _time(value, self._mapping[field])

    def labels(self) -> tuple[str, ...]:
        """Names of labels: from a list of texts or of objects with a name, or from a text with ; or |."""
        value = self._values.get("labels")
        if value is None or value == "":
            return ()
        key = self._mapping["labels"]
        if isinstance(value, str):
            value = _listed(value, key)
        if not isinstance(value, list):
            raise Refused("bad_labels", key=key)
        names = []
        for label in value:
            name = label.get("name", label.get("title")) if isinstance(label, Mapping) else label
            if not isinstance(name, str):
                raise Refused("bad_labels", key=key)
            names.append(self._cleaned(name, key).strip())
        return tuple(name for name in names if name)

    def comments(self) -> tuple[tuple[CommentDraft, ...], int | None]:
        """The comments, if the record has them, and the number of comments that the forge gives."""
        value = self._values.get("comments")
        if value is None or value == "":
            return (), None
        key = self._mapping["comments"]
        if isinstance(value, list):
            comments = tuple(self._comment(comment, key) for comment in value)
            return comments, len(comments)
        number = value
        if isinstance(number, str) and re.fullmatch(r"[0-9]{1,10}(?:\.0)?", number.strip()):
            number = float(number)
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= _MAX_COUNT:
            raise Refused("bad_comments", key=key)
        if number != int(number):
            raise Refused("bad_comments", key=key)
        return (), int(number)

    def _comment(self, comment: object, key: str) -> CommentDraft:
        if not isinstance(comment, Mapping):
            raise Refused("bad_comments", key=key)
        person = comment.get("user", comment.get("author"))
        if isinstance(person, Mapping):
            person = person.get("login", person.get("username"))
        at = comment.get("created_at", comment.get("createdAt"))
        association = comment.get("author_association", comment.get("authorAssociation"))
        if isinstance(association, str) and _CONTROL.search(association):
            raise Refused("bad_code", key=f"{key}.author_association")
        return CommentDraft(
            author=self._cleaned(person, f"{key}.author", _LENGTHS["author"]),
            author_association=self._cleaned(
                association, f"{key}.author_association", _LENGTHS["author_association"]
            ),
            body=self._cleaned(comment.get("body"), f"{key}.body"),
            created_at=None if at is None or at == "" else _time(at, f"{key}.created_at"),
        )

    def is_pull_request(self, address: Address, url: str, *, tabular: bool) -> bool | None:
        """Whether it is a pull request: by the truth of the key, not its presence, or by the forge's page."""
        value = self._values.get("is_pull_request")
        said = value.strip().casefold() not in _FALSE if isinstance(value, str) else bool(value)
        if said or address.kind == "pull_request":
            return True
        if "is_pull_request" in self._values:
            return False
        # The page in a forge's answer tells issues from pull requests; a REST address, or a person, does not.
        own = not tabular and self._values.get("number") is not None and "/repos/" not in url
        return False if own else None


def _listed(text: str, key: str) -> list[object]:
    """The labels in one cell. A list that another program wrote is read if it is JSON, else refused."""
    if text.lstrip().startswith("["):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise Refused("bad_labels", key=key) from None
        if not isinstance(value, list):
            raise Refused("bad_labels", key=key)
        return value
    return list(re.split("[;|]", text))


def _time(value: object, key: str) -> datetime:
    """A moment in UTC, from ISO 8601 or from seconds or milliseconds since 1970."""
    moment = None
    if isinstance(value, str):
        text = value.strip()
        try:
            moment = datetime.fromisoformat(re.sub(r" ?UTC$", "+00:00", text))
        except ValueError:
            moment = None
        if moment and moment.tzinfo is None:
            raise Refused("no_zone", key=key, value=excerpt(text))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        # pandas writes milliseconds; as seconds they would be thousands of years away, so both are clear.
        if 0 < value < 10**10:
            moment = datetime.fromtimestamp(value, UTC)
        elif 10**11 < value < 10**13:
            moment = datetime.fromtimestamp(value / 1000, UTC)
    if moment is None or not 1970 < moment.year < 2200:
        raise Refused("bad_time", key=key, value=excerpt(str(value)))
    return moment.astimezone(UTC)
