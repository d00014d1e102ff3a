"""An issue as a person reads it: rendered text, marked comments, times in words."""

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
from ingest.models import Issue, Snapshot

MAINTAINERS = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
CACHED_UP_TO = 32_000  # characters; 256 of them bound the memory that the cache takes

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

    @property
    def title(self) -> str:
        return (self.snapshot.title if self.snapshot else "") or str(self.issue)

    @property
    def from_maintainers(self) -> int:
        return sum(comment.is_maintainer for comment in self.comments)


def read(issue: Issue) -> Reading:
    """The issue as its current snapshot has it; its repository and snapshot should be loaded already."""
    repository, snapshot = issue.repository, issue.current
    state = snapshot.state.lower() if snapshot else ""
    reason = snapshot.state_reason.lower() if snapshot else ""
    return Reading(
        issue=issue,
        snapshot=snapshot,
        forge=FORGES.get(repository.forge, repository.host),
        link=issue.url if issue.url.startswith(("https://", "http://")) else "",
        state=STATES.get((state, reason)) or STATES.get((state, "")) or state.capitalize(),
        is_closed=state in {"closed", "merged", "rejected"},
        association=_association(snapshot.author_association) if snapshot else "",
        html=_html(snapshot.body) if snapshot else SafeString(),
        comments=[_comment(raw, snapshot) for raw in snapshot.comments] if snapshot else [],
    )


def _comment(raw: Mapping[str, Any], snapshot: Snapshot) -> Comment:
    author, body = str(raw.get("author") or ""), str(raw.get("body") or "")
    at = _moment(raw.get("at"))
    return Comment(
        author=author,
        is_maintainer=str(raw.get("association") or "").upper() in MAINTAINERS,
        is_author=bool(author) and author == snapshot.author,
        at=at,
        later=_later(snapshot.opened_at, at),
        gist=markdown.gist(body),
        html=_html(body),
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


def _html(text: str) -> SafeString:
    if len(text) > CACHED_UP_TO:
        return markdown.render(text)
    return _cached(text, get_language())


@lru_cache(maxsize=256)
def _cached(text: str, _language: str | None) -> SafeString:
    """Kept by the text itself: whoever asks has it in hand already, so nothing can reach the wrong reader."""
    return markdown.render(text)
