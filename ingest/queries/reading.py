"""An issue as a person reads it: rendered text, keywords marked, comments, times in words."""

from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Any, NamedTuple

from django.utils.dateparse import parse_datetime
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext_lazy as _

from core.text import markdown
from ingest.keywords import KeywordMatch, Marks, Zone, matcher_of, matches
from ingest.models import Issue, Snapshot

MAINTAINERS = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
CHARACTERS_KEPT = 32_000_000
"""Of rendered texts in the memory of a process: about 3,000 issue reports, at most four bytes a character."""

Counts = Counter[tuple[str, Zone]]
TextKey = tuple[str, str | None, tuple[str, ...]]
"""A text, the language of the page, and the keywords that are marked."""

FORGES = {"github": "GitHub", "gitee": "Gitee", "gitlab": "GitLab", "gitea": "Gitea"}
ASSOCIATIONS: Mapping[str, str | Promise] = {
    "OWNER": _("owner"),
    "MEMBER": _("member"),
    "COLLABORATOR": _("collaborator"),
    "CONTRIBUTOR": _("contributor"),
    "FIRST_TIME_CONTRIBUTOR": _("first contribution"),
    "FIRST_TIMER": _("first contribution"),
}
STATES: Mapping[tuple[str, str], str | Promise] = {
    ("open", ""): _("Open"),
    ("open", "reopened"): _("Reopened"),
    ("closed", ""): _("Closed"),
    ("closed", "completed"): _("Closed as completed"),
    ("closed", "not_planned"): _("Closed as not planned"),
    ("closed", "duplicate"): _("Closed as a duplicate"),
    ("progressing", ""): _("In progress"),
    ("rejected", ""): _("Rejected"),
    ("merged", ""): _("Merged"),
}


@dataclass(frozen=True)
class Comment:
    """One comment of the discussion, to be shown folded behind its first words."""

    author: str
    is_maintainer: bool
    is_author: bool
    at: datetime | None
    later: str
    gist: str
    html: SafeString


@dataclass(frozen=True)
class Reading:
    """What the page of an issue shows. `snapshot` is None while only the address is known."""

    issue: Issue
    snapshot: Snapshot | None
    forge: str
    link: str
    state: str | Promise
    is_closed: bool
    association: str | Promise
    html: SafeString
    comments: list[Comment]
    title_html: SafeString
    matches: list[KeywordMatch]

    @property
    def title(self) -> str:
        return _title(self.issue)

    @property
    def from_maintainers(self) -> int:
        return sum(comment.is_maintainer for comment in self.comments)


def read(issue: Issue, keywords: tuple[str, ...] = ()) -> Reading:
    """The issue as its current snapshot has it; its repository and snapshot should be loaded already.

    `keywords` (from `keywords_of`) are marked where they stand: in title, text, code and comments.
    """
    repository, snapshot = issue.repository, issue.current
    state = snapshot.state.lower() if snapshot else ""
    reason = snapshot.state_reason.lower() if snapshot else ""
    marks = Marks(matcher_of(keywords), "title") if keywords else None
    counts: Counts = marks.counts if marks else Counter()
    body = _rendered.get((snapshot.body, get_language(), keywords)) if snapshot else None
    counts.update(body.counts if body else ())
    return Reading(
        issue=issue,
        snapshot=snapshot,
        forge=FORGES.get(repository.forge, repository.host),
        link=issue.url if issue.url.startswith(("https://", "http://")) else "",
        state=STATES.get((state, reason)) or STATES.get((state, "")) or state.capitalize(),
        is_closed=state in {"closed", "merged", "rejected"},
        association=_association(snapshot.author_association) if snapshot else "",
        html=body.html if body else SafeString(),
        comments=[_comment(raw, snapshot, keywords, counts) for raw in snapshot.comments] if snapshot else [],
        title_html=markdown.line(_title(issue), marks),
        matches=matches(keywords, counts),
    )


def _title(issue: Issue) -> str:
    return (issue.current.title if issue.current else "") or str(issue)


def _comment(
    raw: Mapping[str, Any], snapshot: Snapshot, keywords: tuple[str, ...], counts: Counts
) -> Comment:
    author, at = str(raw.get("author") or ""), _moment(raw.get("at"))
    text = _rendered.get((str(raw.get("body") or ""), get_language(), keywords))
    counts.update(text.counts)
    return Comment(
        author=author,
        is_maintainer=str(raw.get("association") or "").upper() in MAINTAINERS,
        is_author=bool(author) and author == snapshot.author,
        at=at,
        later=_later(snapshot.opened_at, at),
        gist=text.gist,
        html=text.html,
    )


def _association(name: str) -> str | Promise:
    return ASSOCIATIONS.get(name.upper(), _("user"))


def _moment(text: object) -> datetime | None:
    try:
        return parse_datetime(text) if isinstance(text, str) else None
    except ValueError:
        return None


def _later(opened: datetime | None, at: datetime | None) -> str:
    """How long after the issue was opened; "" when either moment is unknown."""
    if opened is None or at is None or (opened.tzinfo is None) != (at.tzinfo is None):
        return ""
    days = (at - opened).days
    if days < 1:
        return str(_("same day"))
    return ngettext("%(n)s day later", "%(n)s days later", days) % {"n": days}


class RenderedText(NamedTuple):
    """A text with its keywords marked, how often each was found, and the first words of the text."""

    html: SafeString
    counts: Counts
    gist: str


class RenderedTexts:
    """The texts that this process rendered last.

    The text itself is the key: a reader who asks has the text already, so no text reaches the wrong reader.
    The total length of all texts and their HTML is bounded: a server process lives for weeks. A new release
    starts new processes, so no HTML outlives its renderer.
    """

    def __init__(self, characters: int) -> None:
        self._most = characters
        self.length = 0
        self._kept: OrderedDict[TextKey, RenderedText] = OrderedDict()
        self._lock = Lock()

    def get(self, key: TextKey) -> RenderedText:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = _render(key)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = made
                self.length += len(key[0]) + len(made.html)
            while self.length > self._most:
                (text, *_), oldest = self._kept.popitem(last=False)
                self.length -= len(text) + len(oldest.html)
        return made


def _render(key: TextKey) -> RenderedText:
    text, _language, keywords = key
    marks = Marks(matcher_of(keywords)) if keywords else None
    html = markdown.render(text, marker=marks)
    return RenderedText(html, marks.counts if marks else Counter(), markdown.gist(text))


_rendered = RenderedTexts(CHARACTERS_KEPT)
