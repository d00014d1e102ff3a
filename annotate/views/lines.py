"""The lines of the list of disagreements, written at once: thirty of some forty pieces are on a page."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from annotate.queries.disagreements import Disagreement, Disagreements
from annotate.views.looks import Look, looks, split, standing
from annotate.views.narrowed import CURRENT

MOST_COLUMNS = 10


@dataclass(frozen=True)
class Lines:
    """How the lines of one page are drawn.

    `address` is the page's own, and ends where the id of the issue to open follows; `shown` is the one that
    is open. `may_choose`: with a box in front, for who can send issues somewhere.
    """

    page: Disagreements
    colours: Mapping[str, str]
    address: str
    shown: int | None
    may_choose: bool

    @property
    def in_columns(self) -> bool:
        """A column per volunteer, or all labels in one?"""
        return len(self.page.volunteers) <= MOST_COLUMNS

    @property
    def html(self) -> SafeString:
        return mark_safe("".join(map(self._line, self.page.rows)))  # noqa: S308 - every text in it is escaped

    def _line(self, item: Disagreement) -> str:
        issue, number = item.issue, str(item.issue)
        title = issue.current.title if issue.current else ""
        url = escape(f"{self.address}{issue.pk}")
        found = looks(item, self.page.volunteers, self.colours)
        css, current = (' class="on"', CURRENT) if issue.pk == self.shown else ("", "")
        name = f' <span class="num">{escape(number)}</span>' if title else ""
        path = escape(issue.repository.path)
        return (
            f"<tr{css}>{self._box(item, number) if self.may_choose else ''}"
            f'<th scope="row" class="ti"><a href="{url}" hx-get="{url}" id="issue-{issue.pk}"{current}'
            f' dir="auto" title="{escape(title or issue.url)}">'
            f'{escape(title or number)}</a> <span class="xs faint">{path}{name}</span>'
            f"</th>{cells(found, in_columns=self.in_columns)}"
            f'<td class="sp num"><span>{split(item)}</span> {standing(item)}</td></tr>'
        )

    @cached_property
    def _choose(self) -> str:
        return _("Choose %(issue)s")

    def _box(self, item: Disagreement, number: str) -> str:
        said, why = escape(self._choose % {"issue": number}), escape(_why_not(item))
        box = f'<input type="checkbox" name="issues" value="{item.issue.pk}"'
        if not why:
            return f'<td class="ck">{box} aria-label="{said}"></td>'
        return f'<td class="ck" title="{why}">{box} disabled aria-label="{said}. {why}"></td>'


def cells(found: list[Look | None], *, in_columns: bool) -> str:
    """The labels of one issue, a cell each, or all in one with the names of who gave them."""
    if in_columns:
        return "".join(f'<td class="v">{look.html if look else ""}</td>' for look in found)
    parts = (
        f'<span class="nowrap"><span class="xs faint">{escape(look.volunteer)}</span> {look.html}</span> '
        for look in found
        if look
    )
    return f'<td class="vs">{"".join(parts)}</td>'


def _why_not(item: Disagreement) -> str:
    """Why this issue cannot be chosen; "" where it can."""
    if item.state == "decided":
        return _("Decided: it can be chosen again when it is reopened")
    if item.meeting is not None:
        return _("On the agenda of %(meeting)s: it can be chosen again when it is taken off") % {
            "meeting": item.meeting.name
        }
    return ""
