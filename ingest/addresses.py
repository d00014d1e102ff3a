"""The address of an issue on a forge: sixteen spellings of a URL name the same issue."""

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote_to_bytes, urlsplit

Kind = Literal["issue", "pull_request"]

MAX_LENGTH = 500
"""The most characters that an address may have."""

_HOST_LENGTH, _PATH_LENGTH = 253, 300

Reason = Literal[
    "empty", "too_long", "control", "space", "scheme", "host", "escape", "shape", "repository", "number",
    "discussion",
]  # fmt: skip
"""Why an address is refused; ingest.readers.refusals has the words for each reason."""


class BadAddress(ValueError):
    """The text is not the address of an issue."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Address:
    """The place of one issue on its forge.

    `forge` is github, gitee, gitlab, gitea, jira or other. `path` keeps the given letter case. `number` is
    text: 129, I6UHT3 (upper-cased), or !5 if the forge counts pull requests apart from issues (GitLab,
    Gitee). `kind` comes from the spelling, but GitHub answers `/issues/N` for pull requests too. In Jira the
    issue KAFKA-7 is number 7 of path KAFKA, or of jira/KAFKA if Jira is not at the top of its host.
    """

    forge: str
    host: str
    path: str
    number: str
    kind: Kind

    @property
    def repository(self) -> tuple[str, str]:
        """The repository's identity: host and path in lower case."""
        return (self.host, self.path.lower())

    @property
    def identity(self) -> tuple[str, str, str]:
        """The issue's identity, the same for all addresses of the issue."""
        return (self.host, self.path.lower(), self.number)

    @property
    def url(self) -> str:
        """The address as the forge itself spells it."""
        if self.forge == "jira":
            top, _, project = self.path.rpartition("/")
            return f"https://{self.host}/{top}{'/' if top else ''}browse/{project}-{self.number}"
        separator = "/-/" if self.forge == "gitlab" else "/"
        word = _PULL_WORD.get(self.forge, "pulls") if self.kind == "pull_request" else "issues"
        return f"https://{self.host}/{self.path}{separator}{word}/{self.number.removeprefix('!')}"


_PULL_WORD = {"github": "pull", "gitlab": "merge_requests"}
_FORGES = {
    "github.com": "github",
    "gitee.com": "gitee",
    "gitlab.com": "gitlab",
    "codeberg.org": "gitea",
    "gitea.com": "gitea",
}
# The hosts of GitHub's REST interface and of links in its mails, for the same issues.
_HOST_OF = {"api.github.com": "github.com", "redirect.github.com": "github.com"}
# Forges that count pull requests apart from issues: number 5 is an issue and also a pull request.
_COUNTED_APART = {"gitee", "gitlab"}
_WORDS: dict[str, Kind] = {
    "issues": "issue",
    "work_items": "issue",
    "pull": "pull_request",
    "pulls": "pull_request",
    "merge_requests": "pull_request",
}
_PULL_PAGES = {"files", "commits", "checks", "changes", "conflicts", "diffs", "pipelines"}

# A fast path for nearly every line of real lists; the full parser gives the same result.
_PLAIN = re.compile(
    r"https://(?:(github)\.com|gitee\.com)/([A-Za-z0-9_-]{1,100})/([A-Za-z0-9_-]{1,100})/(issues|pull)/(?:([1-9][0-9]{0,11})|([A-Z][A-Z0-9]{1,15}))"
)
_SHORT = re.compile(r"([A-Za-z0-9_.-]+)/([A-Za-z0-9_.-]+)#([0-9]+)")
_SEGMENT = re.compile(r"[A-Za-z0-9._~+-]+")
_HOST = re.compile(
    r"(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*|\[[0-9a-f:.]+\]"
)
_BARE_HOST = re.compile(r"(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}(?::[0-9]+)?/")
_SCHEME = re.compile(r"https?://", re.IGNORECASE)
_NUMBER = re.compile(r"[1-9][0-9]{0,11}")
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9]{1,15}|[1-9][0-9]{0,11}")
_JIRA_KEY = re.compile(r"([A-Za-z][A-Za-z0-9_]{1,49})-([1-9][0-9]{0,11})")
_BEFORE_JIRA_KEY = re.compile(
    r"(?P<top>[A-Za-z0-9._~+-]+/)?(?:browse|rest/api/(?:[0-9]+|latest)/issue|projects/[A-Za-z0-9_]+/issues)/"
)
_CONTROL = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_AROUND = " \t\r\n\v\f\u00a0\u200b\u2060\u3000\ufeff"
_BRACKETS = {"<": ">", '"': '"', "'": "'", "`": "`", "(": ")", "[": "]", "“": "”", "‘": "’"}
_SECRET = re.compile(r"(?i)(?:^|[&;])(?:access_token|private_token|token|client_secret|password)=")


def parse(url: str, *, short: bool = False) -> Address:
    """The address that `url` spells; `short` also reads `owner/repository#129`, a GitHub issue. Raises
    BadAddress.
    """
    plain = _PLAIN.fullmatch(url)
    if plain:
        github, owner, repository, word, number, key = plain.groups()
        if github and number:
            kind: Kind = "issue" if word == "issues" else "pull_request"
            return Address("github", "github.com", f"{owner}/{repository}", number, kind)
        if not github and word == "issues":
            return Address("gitee", "gitee.com", f"{owner}/{repository}", number or key, "issue")
    text = bare(url)
    if short and (found := _SHORT.fullmatch(text)):
        owner, repository, number = found.groups()
        return _address("github.com", [owner, repository], "issues", number)
    host, segments = _split(text)
    return _locate(host, segments)


def bare(url: str) -> str:
    """The text without the white space, brackets, quotes and closing comma around it. Raises BadAddress for
    an empty or too long rest, or one with characters that no URL contains.
    """
    text = url.strip(_AROUND)
    if len(text) > MAX_LENGTH + 100:
        raise BadAddress("too_long")
    while text:
        inner = text.rstrip(",;").rstrip(_AROUND)
        if len(inner) > 1 and _BRACKETS.get(inner[0]) == inner[-1]:
            inner = inner[1:-1].strip(_AROUND)
        if inner == text:
            break
        text = inner
    if not text:
        raise BadAddress("empty")
    if _CONTROL.search(text):
        raise BadAddress("control")
    if len(text) > MAX_LENGTH:
        raise BadAddress("too_long")
    if any(character.isspace() for character in text):
        raise BadAddress("space")
    return text


def keepable(url: str) -> str:
    """The spelling to store for a URL that `parse` has read: as given, without user, password or token.
    Exports write this spelling, and pages link to it if it begins with https:// or http://.
    """
    if "@" not in url and "=" not in url:
        return url if len(url) <= MAX_LENGTH else bare(url)
    text = bare(url)
    before, separator, rest = text.partition("://") if "://" in text else ("", "", text)
    host, slash, path = rest.partition("/")
    path, mark, query = path.partition("?")
    if _SECRET.search(query.partition("#")[0]):
        mark = query = ""
    return before + separator + host.rpartition("@")[2] + slash + path + mark + query


def _split(text: str) -> tuple[str, list[str]]:
    """Host and decoded path segments of a URL."""
    if _BARE_HOST.match(text):
        text = "https://" + text
    elif text.startswith("//"):
        text = "https:" + text
    if not _SCHEME.match(text):
        raise BadAddress("scheme")
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise BadAddress("host") from None
    host = host.rstrip(".")
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            raise BadAddress("host") from None
    host = host.removeprefix("www.")
    if not _HOST.fullmatch(host) or len(host) > _HOST_LENGTH - len(":65535"):
        raise BadAddress("host")
    host = _HOST_OF.get(host, host)
    if port is not None and port != {"http": 80, "https": 443}[parts.scheme.lower()]:
        host = f"{host}:{port}"
    return host, [_decoded(segment) for segment in parts.path.split("/") if segment]


def _decoded(segment: str) -> str:
    if "%" not in segment:
        return segment
    if re.search("%(?![0-9A-Fa-f]{2})", segment):
        raise BadAddress("escape")
    try:
        text = unquote_to_bytes(segment).decode("utf-8")
    except UnicodeDecodeError:
        raise BadAddress("escape") from None
    if _CONTROL.search(text) or "\t" in text or "\n" in text or "\r" in text:
        raise BadAddress("control")
    return text


def _locate(host: str, segments: list[str]) -> Address:
    """The address to which the path of a page, or of a forge's REST interface, leads."""
    if segments[:1] == ["api"] and len(segments) > 5 and re.fullmatch("v[0-9]", segments[1]):
        segments = segments[2:]
        if segments[0] == "projects":
            # GitLab names the repository in one escaped segment; a bare id does not identify it.
            segments = [*segments[1].split("/"), "-", *segments[2:]]
    if segments[:1] == ["repos"] and len(segments) > 4:
        segments = segments[1:]
    jira = _in_jira(host, segments)
    if jira:
        return jira
    words = {"-"} if "-" in segments[2:] else {*_WORDS, "discussions"}
    at = next((i for i in range(2, len(segments)) if segments[i].lower() in words), 0)
    if not at:
        raise BadAddress("shape")
    path = segments[:at]
    dashed = segments[at] == "-"
    word, *rest = segments[at + 1 :] if dashed else segments[at:] or [""]
    word = word.lower()
    if word == "discussions":
        raise BadAddress("discussion")
    if word not in _WORDS or not rest:
        raise BadAddress("shape")
    pages = rest[1:]
    if pages and not (_WORDS[word] == "pull_request" and pages[0] in _PULL_PAGES):
        raise BadAddress("shape")
    return _address(host, path, word, rest[0], dashed=dashed)


def _in_jira(host: str, segments: list[str]) -> Address | None:
    """The address to which a page of Jira, or of its REST interface, leads; None for other paths."""
    key = _JIRA_KEY.fullmatch(segments[-1]) if segments else None
    before = _BEFORE_JIRA_KEY.fullmatch("".join(f"{segment}/" for segment in segments[:-1]))
    if not key or not before or _forge_of(host):
        return None
    return Address("jira", host, f"{before['top'] or ''}{key[1].upper()}", key[2], "issue")


def unusual_host(url: str) -> str:
    """The host that an address leads to, "" for the hosts of large forges: a link names it, so that a reader
    sees a host that only looks like one of them. Letters of other scripts stand in their ASCII form (xn--…).
    """
    try:
        host = urlsplit(url).hostname or ""
        return "" if host in _FORGES else host.encode("idna").decode()
    except ValueError:
        return url


def _forge_of(host: str) -> str | None:
    """The forge of a host, by its name; None if that does not say."""
    return _FORGES.get(host) or next(
        (name for name in ("gitlab", "gitee", "gitea") if host.startswith(f"{name}.")), None
    )


def _address(host: str, path: list[str], word: str, number: str, *, dashed: bool = False) -> Address:
    forge = _forge_of(host) or ("gitlab" if dashed else "other")
    if len(path) != 2 and forge != "gitlab":
        raise BadAddress("shape")
    path = [*path[:-1], path[-1].removesuffix(".git")]
    if len("/".join(path)) > _PATH_LENGTH:
        raise BadAddress("repository")
    if any(segment in {"", ".", ".."} or not _SEGMENT.fullmatch(segment) for segment in path):
        raise BadAddress("repository")
    kind = _WORDS[word]
    pattern = _KEY if forge == "gitee" and kind == "issue" else _NUMBER
    if not pattern.fullmatch(number):
        raise BadAddress("number")
    apart = kind == "pull_request" and (forge in _COUNTED_APART or word == "merge_requests")
    return Address(forge, host, "/".join(path), f"!{number}" if apart else number.upper(), kind)
