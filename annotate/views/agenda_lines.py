"""The agenda of a room, written at once: groups of confused pairs, and the issues of the one that is open."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from annotate.queries.meetings import Group, Line
from core.templatetags.crosscheck import count, icon


@dataclass(frozen=True)
class AgendaLines:
    """How an agenda is drawn. It can be long, and is drawn with every change: without a template.

    `address` is that of the meeting. `turns`: a click on an issue turns all screens. `follows`: who opens the
    issue that the meeting is at follows it again. `asks`: the lines say whether the reader has voted.
    """

    groups: Sequence[Group]
    hues: Mapping[str, str]
    address: str
    turns: bool
    follows: bool
    asks: bool

    @property
    def html(self) -> SafeString:
        return mark_safe("".join(map(self._group, self.groups)))  # noqa: S308 - every text in it is escaped

    def _group(self, group: Group) -> str:
        codes = "".join(map(self._code, group.codes))
        name = f'<span class="pp">{codes}</span>' if codes else f'<span class="medium">{self._open}</span>'
        is_open = "true" if group.is_opened else "false"
        done = self._done % {"n": count(group.decided), "m": count(group.total)}
        lines = f'<ul class="items">{"".join(map(self._line, group.lines))}</ul>' if group.is_opened else ""
        return (
            f'<li><a class="group" href="{self.address}?item={group.first}"'
            f' data-group="{escape(" ".join(group.codes))}" aria-expanded="{is_open}">'
            f'{icon("right")}{name}<span class="push xs num">{escape(done)}</span></a>{lines}</li>'
        )

    def _line(self, line: Line) -> str:
        title = escape(line.title)
        common = f'class="it{" now" if line.is_current else ""}" title="{title}"'
        if line.is_shown:
            common += ' aria-current="true"'
        tail = self._code(line.code) if line.code else self._vote[line.is_voted] if self.asks else ""
        inside = f'{self._marks[line.state]}<span class="clip" dir="auto">{title}</span>{tail}'
        if self.turns:
            return f'<li><button {common} name="item" value="{line.id}">{inside}</button></li>'
        query = "" if line.is_current and self.follows else f"?item={line.id}"
        return f'<li><a {common} href="{self.address}{query}" data-look="{line.id}">{inside}</a></li>'

    def _code(self, code: str) -> str:
        return f'<span class="code {self.hues.get(code, "")}">{escape(code)}</span>'

    @cached_property
    def _open(self) -> str:
        return escape(_("open labels"))

    @cached_property
    def _done(self) -> str:
        return _("%(n)s of %(m)s")

    @cached_property
    def _vote(self) -> dict[bool, str]:
        """What stands behind an issue that waits, by whether the reader has voted on it."""
        return {
            True: f'<span class="badge">{escape(_("voted"))}</span>',
            False: f'<span class="badge accent">{escape(_("to vote"))}</span>',
        }

    @cached_property
    def _marks(self) -> dict[str, str]:
        """What stands in front of an issue, by its state."""
        return {
            "decided": f'{icon("check", "ok-ink")}<span class="sr">{escape(_("decided"))} </span>',
            "parked": f'{icon("pause")}<span class="sr">{escape(_("put off"))} </span>',
            "now": f'<span class="dot"></span><span class="sr">{escape(_("the meeting is at it"))} </span>',
            "waiting": '<span class="dot"></span>',
        }
