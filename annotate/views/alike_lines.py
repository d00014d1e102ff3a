"""The lines of alike groups and the rows of the open one, written at once: fifty of some forty pieces."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.models import Meeting, RoundVolunteer
from annotate.queries.alike import Group
from annotate.queries.categories import Codebook
from annotate.queries.disagreements import Disagreement
from annotate.views.lines import cells
from annotate.views.looks import Look, looks, said_split, split, standing
from annotate.views.narrowed import CURRENT
from core.templatetags.crosscheck import count
from ingest.models import Issue


@dataclass(frozen=True)
class Line:
    """One group: how many, what they share, what they are like, what was decided of the same."""

    group: Group
    centre: Issue
    url: str
    is_open: bool
    columns: Sequence[RoundVolunteer]
    colours: Mapping[str, str]
    book: Codebook

    @property
    def html(self) -> SafeString:
        group, url = self.group, escape(self.url)
        return mark_safe(  # noqa: S308 - every text in it is escaped
            f'<a class="line" href="{url}" hx-get="{url}" id="group-{group.centre}"'
            f"{CURRENT if self.is_open else ''}>"
            f'<b class="size num">{count(len(group.issues))}</b>'
            f'<span class="what">{self._by_text() if group.is_by_text else self._by_split()}</span>'
            f"{self._before() if group.decided else ''}</a>"
        )

    def _by_text(self) -> str:
        words = "".join(f'<span class="word" dir="auto">{escape(word)}</span> ' for word in self.group.words)
        issue = self.centre
        title = (issue.current.title if issue.current else "") or issue.repository.path
        like = _("like %(issue)s: %(title)s") % {"issue": issue, "title": title}
        return (
            f'<span class="words">{words}</span> <span class="xs faint like" dir="auto">{escape(like)}</span>'
        )

    def _by_split(self) -> str:
        group = self.group
        parts = tuple((self.book.states[id_].code, votes) for id_, votes in group.split)
        apart = [one.member.pseudonym for one in self.columns if one.member_id in group.apart]
        said = _("no side is the larger one")
        if apart:
            said = ngettext("%(who)s stands apart", "%(who)s stand apart", len(apart)) % {
                "who": ", ".join(apart)
            }
        return (
            f'<span class="words num">{said_split(parts, group.open_labels)}</span>'
            f' <span class="xs faint like">{escape(said)}</span>'
        )

    def _before(self) -> str:
        codes = [(self.book.states[id_].code, issues) for id_, issues in self.group.decided]
        parts = "".join(
            f'<span class="nowrap">{count(issues)}&nbsp;×&nbsp;'
            f'<span class="code {self.colours[code]}">{escape(code)}</span></span> '
            for code, issues in codes
        )
        decided = escape(_("decided"))
        return f'<span class="before xs num">{parts}<span class="faint">{decided}</span></span>'


@dataclass(frozen=True)
class Rows:
    """The rows of the open group, each with what its labels say.

    `address`: of the list of disagreements, up to where the id of an issue follows. `meetings`: issue id to
    the one whose agenda it is on. `may_act`: with a box in front.
    """

    items: Sequence[Disagreement]
    columns: Sequence[RoundVolunteer]
    colours: Mapping[str, str]
    address: str
    ticked: Collection[int]
    meetings: Mapping[int, Meeting]
    may_act: bool
    in_columns: bool

    def __len__(self) -> int:
        return len(self.items)

    @property
    def html(self) -> SafeString:
        return mark_safe("".join(map(self._row, self.items)))  # noqa: S308 - every text in it is escaped

    @property
    def _span(self) -> int:
        return 2 + self.may_act + (len(self.columns) if self.in_columns else 1)

    def _row(self, item: Disagreement) -> str:
        issue, number = item.issue, str(item.issue)
        title = issue.current.title if issue.current else ""
        name = f' <span class="num">{escape(number)}</span>' if title else ""
        path = escape(issue.repository.path)
        found = looks(item, self.columns, self.colours)
        return (
            f"<tbody><tr>{self._box(issue) if self.may_act else ''}"
            f'<th scope="row" class="ti"><a href="{escape(self.address)}{issue.pk}" hx-boost="false"'
            f' id="issue-{issue.pk}" dir="auto" title="{escape(title or issue.url)}">'
            f'{escape(title or number)}</a> <span class="xs faint">{path}{name}</span></th>'
            f"{cells(found, in_columns=self.in_columns)}"
            f'<td class="sp num"><span>{split(item)}</span> {self._standing(item)}</td></tr>'
            f"{self._said([look for look in found if look and look.chip.summary])}</tbody>"
        )

    def _box(self, issue: Issue) -> str:
        checked = " checked" if issue.pk in self.ticked else ""
        return (
            f'<td class="tick"><input type="checkbox" name="issues" value="{issue.pk}"'
            f' aria-labelledby="issue-{issue.pk}"{checked}></td>'
        )

    def _standing(self, item: Disagreement) -> str:
        meeting = self.meetings.get(item.issue.pk)
        if item.decision:
            return standing(item)
        if meeting:
            return f'<a class="faint" href="{meeting.get_absolute_url()}">{escape(meeting.name)}</a>'
        return ""

    def _said(self, said: list[Look]) -> str:
        if not said:
            return ""
        more = ""
        if len(said) > 1:
            number = ngettext("%(n)s summary", "%(n)s summaries", len(said)) % {"n": len(said)}
            more = f'<span class="faint nowrap">{escape(number)}</span>'
        summaries = "".join(
            f'<li><span class="who faint">{escape(one.volunteer)}</span> {one.html}'
            f' <span dir="auto">{escape(one.chip.summary)}</span></li>'
            for one in said
        )
        return (
            f'<tr class="said"><td colspan="{self._span}"><details><summary class="xs">'
            f'<span class="gist" dir="auto">{escape(said[0].chip.summary)}</span>{more}</summary>'
            f'<ul class="xs">{summaries}</ul></details></td></tr>'
        )
