"""How the labels of one issue are drawn side by side."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape
from typing import NamedTuple

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from annotate.models import RoundVolunteer
from annotate.queries.disagreements import Chip, Disagreement
from core.templatetags.crosscheck import icon
from taxonomy.models import Level


class Look(NamedTuple):
    """How one label is drawn: the code that it counts as, and whether it departs from the majority.

    An open label has no code: its `css` is `open`, and its name is that of the category it proposes.
    `language` is that of who reads: asked for once, since hundreds are on a page.
    """

    volunteer: str
    chip: Chip
    hue: str
    css: str
    language: str | None

    @property
    def code(self) -> str:
        """The code chosen; "open" where there is none yet."""
        return self.chip.code or _("open")

    @property
    def html(self) -> SafeString:
        """The chip in its column; who and what in full on hover."""
        return _drawn(
            self.volunteer,
            self.code,
            self.chip.name,
            self.chip.depth_code or self.code,
            f"{self.hue} {self.css}",
            "unsure" if self.chip.unsure else "",
            self.language,
        )


@lru_cache(maxsize=4096)
def _drawn(
    volunteer: str, code: str, name: str, shown: str, css: str, unsure: str, _language: str | None
) -> SafeString:
    """A chip; hundreds are on a page, and few of them differ."""
    if css.endswith("open"):
        said = _("%(who)s: open: %(name)s") % {"who": volunteer, "name": name}
    else:
        said = f"{volunteer}: {code} {name}"
    if unsure:
        said = _("%(said)s, unsure") % {"said": said}
    odd = f'<span class="sr"> {escape(_("departs"))}</span>' if css.endswith("odd") else ""
    return mark_safe(  # noqa: S308 - every text in it is escaped
        f'<span class="code {css}" title="{escape(said)}">{escape(shown)}{odd}</span>'
    )


def looks(
    item: Disagreement, volunteers: Sequence[RoundVolunteer], colours: Mapping[str, str]
) -> list[Look | None]:
    """A look per column. The majority recedes, who departs from it stands out; a tie for it does neither."""
    most = max((votes for _code, votes in item.split), default=0)
    leading = [code for code, votes in item.split if votes == most]

    def css(chip: Chip) -> str:
        if not chip.code:
            return "open"
        if chip.depth_code not in leading:
            return "odd"
        return "ghost" if len(leading) == 1 else ""

    language = get_language()
    return [
        Look(column.member.pseudonym, chip, colours.get(chip.depth_code, ""), css(chip), language)
        if chip
        else None
        for column, chip in zip(volunteers, item.labels, strict=True)
    ]


def split(item: Disagreement) -> SafeString:
    """The split in words: "4 × C.5, 3 × C.9, 1 open", no break inside a part."""
    return said_split(tuple(item.split), item.open_labels)


def said_split(parts: tuple[tuple[str, int], ...], open_labels: int) -> SafeString:
    """The same of codes with their labels, and of open ones."""
    return _split(parts, open_labels, get_language())


@lru_cache(maxsize=1024)
def _split(parts: tuple[tuple[str, int], ...], open_labels: int, _language: str | None) -> SafeString:
    said = [f"<b>{n}</b>&nbsp;×&nbsp;{escape(code)}" for code, n in parts]
    if open_labels:
        left = ngettext("%(n)s\N{NO-BREAK SPACE}open", "%(n)s\N{NO-BREAK SPACE}open", open_labels)
        said.append(escape(left % {"n": open_labels}))
    return mark_safe(", ".join(said))  # noqa: S308 - every text in it is escaped


def standing(item: Disagreement) -> SafeString:
    """What became of the issue so far: its decision, the meeting it waits for, or where its labels part."""
    decision = item.decision
    if decision:
        how = decision.get_how_display() if decision.how else decision.get_method_display()
        check, said = icon("check", "ok-ink"), _("decided")
        return format_html(
            '<span class="faint">{}<span class="sr">{} </span><b>{}</b>, {}</span>',
            check,
            said,
            item.decided_code,
            how,
        )
    if item.meeting:
        said = _("on the agenda of %(name)s") % {"name": item.meeting.name}
        return format_html('<span class="faint">{}{}</span>', icon("inbox"), said)
    return _parts_at(item.parts_at, get_language()) if item.parts_at else SafeString("")


@lru_cache(maxsize=32)
def _parts_at(level: Level, _language: str | None) -> SafeString:
    return format_html('<span class="faint">{}</span>', _("part at %(level)s") % {"level": level.label})


def decided(item: Disagreement, colours: Mapping[str, str]) -> dict[str, str] | None:
    """The code that stands, with its hue."""
    code = item.decided_code
    return {"code": code, "hue": colours.get(code, "")} if code else None
