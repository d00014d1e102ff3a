"""An issue as a person reads it: rendered text, highlighted keywords, comments, times in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.functional import Promise, cached_property
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext_lazy as _

from core.text import markdown
from core.text.fragments import drawn_by
from core.text.templates import TemplateLine
from ingest.addresses import unusual_host
from ingest.keywords import Counts, KeywordMatch, Marks, Matcher, matches, template_line
from ingest.models import Issue, Snapshot
from ingest.queries.keywords import Keywords

MAINTAINERS = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})

FORGES = {"github": "GitHub", "gitee": "Gitee", "gitlab": "GitLab", "gitea": "Gitea", "jira": "Jira"}
ASSOCIATIONS: Mapping[str, str | Promise] = {
    "OWNER": _("owner"),
    "MEMBER": _("member"),
    "COLLABORATOR": _("collaborator"),
    "CONTRIBUTOR": _("contributor"),
    "FIRST_TIME_CONTRIBUTOR": _("first contribution"),
    "FIRST_TIMER": _("first contribution"),
}


@dataclass(frozen=True)
class Comment:
    """One comment of the issue, shown folded behind its first words."""

    author: str
    is_maintainer: bool
    is_author: bool
    at: datetime | None
    later: str
    gist: str
    html: SafeString


class Texts(NamedTuple):
    """The texts of an issue as safe HTML, and the keywords that occur in them."""

    title: SafeString
    body: SafeString
    comments: list[Comment]
    matches: list[KeywordMatch]


@dataclass(frozen=True)
class Reading:
    """The content of an issue's page. Its texts are rendered on first use. The terms of those `keywords`
    (from `keywords_of`) that name the issue's repository are highlighted in title, text, code and comments.
    `hides_labels`: the labels of the forge are hidden from the reader.
    """

    issue: Issue
    keywords: tuple[Keywords, ...] = ()
    hides_labels: bool = False

    @cached_property
    def marking(self) -> tuple[Keywords, ...]:
        """The lists whose terms are highlighted."""
        return tuple(terms for terms in self.keywords if terms.names(self.issue.repository))

    @property
    def snapshot(self) -> Snapshot | None:
        """The current text; None while only the address is known."""
        return self.issue.current

    @property
    def labels(self) -> list[str]:
        """The labels that the issue has on its forge; none while they are hidden from the reader."""
        return self.snapshot.labels if self.snapshot and not self.hides_labels else []

    @property
    def forge(self) -> str:
        repository = self.issue.repository
        return FORGES.get(repository.forge, repository.host)

    @property
    def link(self) -> str:
        return self.issue.url if self.issue.url.startswith(("https://", "http://")) else ""

    @property
    def link_host(self) -> str:
        """The host of the link, if it is none of the large forges."""
        return unusual_host(self.link)

    @property
    def state(self) -> str | Promise:
        return self.snapshot.state_in_words if self.snapshot else ""

    @property
    def is_closed(self) -> bool:
        return self._state in {"closed", "merged", "rejected"}

    @property
    def association(self) -> str | Promise:
        return ASSOCIATIONS.get(self.snapshot.author_association.upper(), _("user")) if self.snapshot else ""

    @property
    def title(self) -> str:
        return (self.snapshot.title if self.snapshot else "") or str(self.issue)

    @cached_property
    def texts(self) -> Texts:
        snapshot, counts = self.snapshot, Counts()
        matchers = tuple(terms.matcher for terms in self.marking)
        body = _render(snapshot.body, matchers, counts, self._is_of_template) if snapshot else SafeString()
        comments = (
            [_comment(raw, snapshot, matchers, counts) for raw in snapshot.comments] if snapshot else []
        )
        marks = Marks(matchers, "title") if matchers else None
        title = markdown.line(self.title, marks)
        counts.update(marks.counts if marks else ())
        return Texts(title, body, comments, matches(matchers, counts))

    def _is_of_template(self, line: str) -> bool:
        return template_line(line) in self._template_lines

    @cached_property
    def _template_lines(self) -> frozenset[str]:
        return frozenset(self.issue.repository.headings)

    @property
    def missing_comments(self) -> int:
        """How many comments the forge counted that are not here."""
        snapshot = self.snapshot
        return max(0, snapshot.comment_count - len(snapshot.comments)) if snapshot else 0

    @property
    def from_maintainers(self) -> int:
        return sum(comment.is_maintainer for comment in self.texts.comments)

    @property
    def drawn_from(self) -> str:
        """Everything that `ingest/_issue.html` depends on: equal values give equal HTML."""
        issue, snapshot = self.issue, self.snapshot
        frozen = (snapshot.pk, snapshot.content_hash) if snapshot else ()
        kind = (issue.is_pull_request, issue.fate)
        # Headings are learnt anew from more texts only.
        repository = (issue.repository.path, issue.repository.headings_from)
        around = (str(issue), issue.url, issue.year, kind, repository, self.forge)
        reader = (get_language(), timezone.get_current_timezone_name())
        # A version of a list stays as it was stored: its id stands for its terms and switches.
        versions = [terms.version for terms in self.marking]
        return repr((drawn_by(), issue.pk, frozen, around, versions, reader, self.hides_labels))

    @property
    def _state(self) -> str:
        return self.snapshot.state.lower() if self.snapshot else ""


def _comment(
    raw: Mapping[str, Any], snapshot: Snapshot, matchers: Sequence[Matcher], counts: Counts
) -> Comment:
    author, at = str(raw.get("author") or ""), _moment(raw.get("at"))
    text = str(raw.get("body") or "")
    return Comment(
        author=author,
        is_maintainer=str(raw.get("association") or "").upper() in MAINTAINERS,
        is_author=bool(author) and author == snapshot.author,
        at=at,
        later=_later(snapshot.opened_at, at),
        gist=markdown.gist(text),
        html=_render(text, matchers, counts),
    )


def _moment(text: object) -> datetime | None:
    try:
        return parse_datetime(text) if isinstance(text, str) else None
    except ValueError:
        return None


def _later(opened: datetime | None, at: datetime | None) -> str:
    """The time from the opening of the issue to this moment; "" if either is unknown."""
    if opened is None or at is None or (opened.tzinfo is None) != (at.tzinfo is None):
        return ""
    days = (at - opened).days
    if days < 1:
        return str(_("same day"))
    return ngettext("%(n)s day later", "%(n)s days later", days) % {"n": days}


def _render(
    text: str,
    matchers: Sequence[Matcher],
    counts: Counts,
    template: TemplateLine | None = None,
) -> SafeString:
    """The text as HTML with its keywords highlighted; adds their occurrences to the counts."""
    marks = Marks(matchers) if matchers else None
    html = markdown.render(text, marker=marks, template=template)
    counts.update(marks.counts if marks else ())
    return html
