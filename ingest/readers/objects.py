"""Records to drafts: how the value of each field is read."""

import re
from collections.abc import Mapping
from datetime import datetime

from ingest.addresses import Address, BadAddress, keepable, parse
from ingest.readers.drafts import CommentDraft, Draft, Limits
from ingest.readers.fields import NAMES_OF_PERSONS
from ingest.readers.literals import literal
from ingest.readers.refusals import Refused, excerpt, kind_of, refused_address
from ingest.readers.text import clean
from ingest.readers.times import moment

_LENGTHS = {"author": 200, "author_association": 32, "state": 32, "state_reason": 64}
_FALSE = {"", "0", "0.0", "false", "no", "none", "null", "nan"}
_CONTROL = re.compile("[\0-\x1f\x7f-\x9f\ud800-\udfff]")
_MAX_COUNT = 2**31 - 1
_JIRA_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]*-[1-9][0-9]*")


def draft(
    values: Mapping[str, object],
    mapping: Mapping[str, str],
    line: int,
    *,
    limits: Limits,
    tabular: bool = False,
    base: str = "",
    zone: str = "",
) -> Draft:
    """One issue from its fields. `tabular`: they are cells of a table, all of them text. `base` and `zone`
    as of Sniffed. Raises Refused.
    """
    record = _Record(values, mapping, limits, zone)
    url, address = record.address(base)
    comments, count = record.comments()
    return Draft(
        line=line,
        address=address,
        url=url,
        title=record.text("title"),
        body=record.text("body"),
        author=record.author(),
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
        has_some_comments=bool(comments) and (count or 0) > len(comments),
    )


def comment_draft(comment: Mapping[str, object], key: str, limits: Limits) -> tuple[CommentDraft, int]:
    """One comment of a forge, and the number of characters that were replaced. Raises Refused."""
    record = _Record({}, {}, limits, "")
    return record.comment(comment, key), record.repaired


_STATES = {"opened": "open"}


class _Record:
    """The values of one record, read field by field; `repaired` is the number of replaced characters."""

    __slots__ = ("_limits", "_mapping", "_values", "_zone", "repaired")

    def __init__(
        self, values: Mapping[str, object], mapping: Mapping[str, str], limits: Limits, zone: str
    ) -> None:
        self._values = values
        self._mapping = mapping
        self._limits = limits
        self._zone = zone
        self.repaired = 0

    def address(self, base: str) -> tuple[str, Address]:
        """The spelling of the address to store, and its meaning."""
        if "url" not in self._mapping:
            return self._built(base)
        url = self._values.get("url")
        key = self._mapping["url"]
        if url is None or url == "":
            raise Refused("no_url", key=key)
        if not isinstance(url, str):
            raise Refused("not_text", key=key, kind=kind_of(url))
        try:
            address = parse(url)
        except BadAddress as error:
            raise refused_address(error, url) from None
        number = self._values.get("number")
        if number is not None and _number_in(number, address) != address.number.removeprefix("!"):
            raise Refused(
                "number_differs",
                key=self._mapping["number"],
                number=excerpt(str(number)),
                address=address.number,
            )
        return keepable(url), address

    def _built(self, base: str) -> tuple[str, Address]:
        """The address of an issue whose repository and number are known."""
        number = self._values.get("number")
        if number is None or number == "":
            raise Refused("no_url", key=self._mapping["number"])
        text = _bare(number)
        repository = self._values.get("repository") or ""
        if not isinstance(repository, str):
            raise Refused("not_text", key=self._mapping["repository"], kind=kind_of(repository))
        url = _spelled(repository.strip().strip("/"), text, base, is_pull=self._is_said_pull())
        if not url:
            raise Refused("no_host", key=self._mapping["repository"], value=excerpt(repository))
        try:
            return url, parse(url)
        except BadAddress as error:
            raise refused_address(error, url) from None

    def author(self) -> str:
        value = self._values.get("author")
        if isinstance(value, str) and value.startswith("{"):
            value = _read_cell(value, self._mapping["author"])
        key = self._mapping.get("author", "author")
        return self._cleaned(_name_of(value), key, _LENGTHS["author"])

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
        return moment(value, self._mapping[field], self._zone)

    def labels(self) -> tuple[str, ...]:
        """Names of labels: from a list of texts or of objects with a name, or from a text with ; or |."""
        value = self._values.get("labels")
        if value is None or value == "":
            return ()
        key = self._mapping["labels"]
        if isinstance(value, str):
            value = _listed(value, key)
        if isinstance(value, Mapping) and ("nodes" in value or "edges" in value):
            value = _nodes(value)[0]
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
        if isinstance(value, str) and value.startswith("["):
            value = _read_cell(value, key)
        if isinstance(value, list):
            comments = tuple(self.comment(comment, key) for comment in value)
            return comments, len(comments)
        if isinstance(value, Mapping):
            listed, value = _nodes(value)
            if listed:
                comments = tuple(self.comment(comment, key) for comment in listed)
                total = value if isinstance(value, int) else 0
                return comments, max(len(comments), total)
        number = value
        if isinstance(number, str) and re.fullmatch(r"[0-9]{1,10}(?:\.0)?", number.strip()):
            number = float(number)
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= _MAX_COUNT:
            raise Refused("bad_comments", key=key)
        if number != int(number):
            raise Refused("bad_comments", key=key)
        return (), int(number)

    def comment(self, comment: object, key: str) -> CommentDraft:
        if not isinstance(comment, Mapping):
            raise Refused("bad_comments", key=key)
        person = _name_of(comment.get("user", comment.get("author")))
        at = next((comment[name] for name in ("created_at", "createdAt", "created") if name in comment), None)
        association = comment.get("author_association", comment.get("authorAssociation"))
        if isinstance(association, str) and _CONTROL.search(association):
            raise Refused("bad_code", key=f"{key}.author_association")
        return CommentDraft(
            author=self._cleaned(person, f"{key}.author", _LENGTHS["author"]),
            author_association=self._cleaned(
                association, f"{key}.author_association", _LENGTHS["author_association"]
            ),
            body=self._cleaned(comment.get("body"), f"{key}.body"),
            created_at=None if at is None or at == "" else moment(at, f"{key}.created_at", self._zone),
        )

    def is_pull_request(self, address: Address, url: str, *, tabular: bool) -> bool | None:
        """Whether it is a pull request: by the truth of the key, not its presence, or by the forge's page."""
        if self._is_said_pull() or address.kind == "pull_request":
            return True
        if "is_pull_request" in self._values or address.forge == "jira":
            return False
        # The page in a forge's answer tells issues from pull requests; a REST address, or a person, does not.
        is_page = "url" in self._mapping and self._values.get("number") is not None and "/repos/" not in url
        return False if is_page and not tabular else None

    def _is_said_pull(self) -> bool:
        value = self._values.get("is_pull_request")
        return value.strip().casefold() not in _FALSE if isinstance(value, str) else bool(value)


def _bare(number: object) -> str:
    """The number of an issue, of which tables make 7.0 and people #7."""
    return re.sub(r"^#|\.0$", "", str(number).strip())


def _number_in(number: object, address: Address) -> str:
    """The number as the address has it: in Jira without the key of the project."""
    text = _bare(number).upper()
    project = address.path.rpartition("/")[2] if address.forge == "jira" else ""
    return text.removeprefix(f"{project}-") if project else text


def _spelled(repository: str, number: str, base: str, *, is_pull: bool) -> str:
    """The address of an issue, of which a record has the number; "" if nothing names the host."""
    if _JIRA_KEY.fullmatch(number) and base:
        return f"https://{base}/browse/{number}"
    word = "pulls" if is_pull else "issues"
    if "://" in repository:
        return f"{repository.removesuffix('.git')}/{word}/{number}"
    host, _, path = base.partition("/")
    path = repository or path
    if not host or not path:
        return ""
    if is_pull and host.startswith("gitlab."):
        word = "merge_requests"
    dash = "/-" if path.count("/") > 1 else ""
    return f"https://{host}/{path}{dash}/{word}/{number}"


def _name_of(person: object) -> object:
    """The name of a person, who may be an object of a forge."""
    if isinstance(person, Mapping):
        return next((person[name] for name in NAMES_OF_PERSONS if person.get(name) is not None), None)
    return person


def _nodes(connection: Mapping[str, object]) -> tuple[list[object], object]:
    """The members of a connection of GraphQL, and the number of all of them."""
    nodes, edges = connection.get("nodes"), connection.get("edges")
    if not isinstance(nodes, list) and isinstance(edges, list):
        nodes = [edge.get("node") for edge in edges if isinstance(edge, Mapping)]
    listed = [node for node in nodes if node is not None] if isinstance(nodes, list) else []
    total = connection.get("totalCount", len(listed) if nodes is not None else connection)
    return listed, total


def _listed(text: str, key: str) -> list[object]:
    """The labels in one cell: separated by ; or |, or a list as JSON or Python write it."""
    if text.lstrip().startswith("["):
        try:
            value = literal(text)
        except ValueError:
            raise Refused("bad_labels", key=key) from None
        if not isinstance(value, list):
            raise Refused("bad_labels", key=key)
        return value
    return list(re.split("[;|]", text))


def _read_cell(text: str, key: str) -> object:
    """An object or a list that another program wrote into a cell."""
    try:
        return literal(text)
    except ValueError:
        raise Refused("bad_cell", key=key) from None
