"""An issue as a person reads it: rendered text, keywords marked, comments, times in words."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext_lazy as _

from core import markdown
from ingest.keywords import KeywordMatch, Marks, Zone, matcher_of, matches
from ingest.models import Issue, Snapshot

MAINTAINERS = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
CACHED_UP_TO = 32_000  # characters; what is longer has a smaller cache: both bound their memory

Counts = Counter[tuple[str, Zone]]

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

    `keywords` (ingest.queries.keywords_of) are marked where they stand: in title, text, code and comments.
    """
    repository, snapshot = issue.repository, issue.current
    state = snapshot.state.lower() if snapshot else ""
    reason = snapshot.state_reason.lower() if snapshot else ""
    marks = Marks(matcher_of(keywords), "title") if keywords else None
    counts: Counts = marks.counts if marks else Counter()
    return Reading(
        issue=issue,
        snapshot=snapshot,
        forge=FORGES.get(repository.forge, repository.host),
        link=issue.url if issue.url.startswith(("https://", "http://")) else "",
        state=STATES.get((state, reason)) or STATES.get((state, "")) or state.capitalize(),
        is_closed=state in {"closed", "merged", "rejected"},
        association=_association(snapshot.author_association) if snapshot else "",
        html=_html(snapshot.body, keywords, counts) if snapshot else SafeString(),
        comments=[_comment(raw, snapshot, keywords, counts) for raw in snapshot.comments] if snapshot else [],
        title_html=markdown.line(_title(issue), marks),
        matches=matches(keywords, counts),
    )


def _title(issue: Issue) -> str:
    return (issue.current.title if issue.current else "") or str(issue)


def _comment(
    raw: Mapping[str, Any], snapshot: Snapshot, keywords: tuple[str, ...], counts: Counts
) -> Comment:
    author, body = str(raw.get("author") or ""), str(raw.get("body") or "")
    at = _moment(raw.get("at"))
    return Comment(
        author=author,
        is_maintainer=str(raw.get("association") or "").upper() in MAINTAINERS,
        is_author=bool(author) and author == snapshot.author,
        at=at,
        later=_later(snapshot.opened_at, at),
        gist=markdown.gist(body),
        html=_html(body, keywords, counts),
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


def _html(text: str, keywords: tuple[str, ...], counts: Counts) -> SafeString:
    """The text with its keywords marked; what was found is added to `counts`."""
    cached = _cached if len(text) <= CACHED_UP_TO else _cached_long
    html, found = cached(text, get_language(), keywords)
    counts.update(found)
    return html


def _rendered(text: str, _language: str | None, keywords: tuple[str, ...]) -> tuple[SafeString, Counts]:
    """Kept by the text itself: whoever asks has it in hand already, so nothing can reach the wrong reader."""
    marks = Marks(matcher_of(keywords)) if keywords else None
    return markdown.render(text, marker=marks), marks.counts if marks else Counter()


_cached = lru_cache(maxsize=256)(_rendered)
_cached_long = lru_cache(maxsize=8)(_rendered)
