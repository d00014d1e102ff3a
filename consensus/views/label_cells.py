"""The labels of one issue side by side, as lists of issues and panels show them."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from consensus.queries.disagreements import DisagreementRow, LabelChip
from core.text.joining import named
from rounds.models import RoundVolunteer

PIECES = "consensus/disagreements/_cells.html"
MOST_COLUMNS = 10
"""The most volunteers with a column each; the labels of more share one column."""


class LabelCell(NamedTuple):
    """One label: the code that it counts as, and whether it differs from the majority. An open label has no
    code: its `css` is `open`, and its name is that of the proposed category. `language` of the reader is read
    once for all the cells of a page.
    """

    volunteer: str
    chip: LabelChip
    hue: str
    css: str
    language: str | None

    @property
    def code(self) -> str:
        """The chosen code; a word for an open label."""
        return self.chip.code or pgettext("label that proposes a name", "new")

    @property
    def html(self) -> SafeString:
        """The chip; its title names the volunteer and the category in full."""
        return self.drawn("chip")

    def drawn(self, piece: str) -> SafeString:
        """The label, drawn by this piece of the template."""
        chip = self.chip
        css, shown = f"{self.hue} {self.css}", chip.depth_code or self.code
        unsure = "unsure" if chip.unsure else ""
        return _label(piece, self.volunteer, self.code, chip.name, shown, css, unsure, self.language)


@lru_cache(maxsize=8192)
def _label(
    piece: str, volunteer: str, code: str, name: str, shown: str, css: str, unsure: str, _language: str | None
) -> SafeString:
    """A label, drawn by this piece of the template; cached, since few of the hundreds on a page differ."""
    title = named(volunteer, f"{code} {name}")
    if css.endswith("open"):
        title = _("%(who)s: proposed name: %(name)s") % {"who": volunteer, "name": name}
    if unsure:
        title = _("%(said)s, unsure") % {"said": title}
    context = {"css": css, "title": title, "shown": shown, "departs": css.endswith("odd")}
    chip = _piece("chip", context)
    return chip if piece == "chip" else _piece(piece, {"chip": chip, "volunteer": volunteer})


@cache
def _nothing() -> SafeString:
    return _piece("cell", {"chip": ""})


def _piece(name: str, context: dict[str, object]) -> SafeString:
    return render_to_string(f"{PIECES}#{name}", context)


def cells_in_row(cells: Sequence[LabelCell | None], *, in_columns: bool) -> SafeString:
    """The labels of one issue: one table cell per volunteer, or the content of one cell with names."""
    if in_columns:
        return _joined(cell.drawn("cell") if cell else _nothing() for cell in cells)
    return _joined(cell.drawn("named") for cell in cells if cell)


def _joined(pieces: Iterable[SafeString]) -> SafeString:
    return mark_safe("".join(pieces))  # noqa: S308 - templates drew each of them


def label_cells(
    item: DisagreementRow, volunteers: Sequence[RoundVolunteer], colours: Mapping[str, str]
) -> list[LabelCell | None]:
    """A cell per column. The largest group recedes and other labels stand out, except in a tie."""
    most = max((votes for _code, votes in item.split), default=0)
    leading = [code for code, votes in item.split if votes == most]

    def css(chip: LabelChip) -> str:
        if not chip.code:
            return "open"
        if chip.depth_code not in leading:
            return "odd"
        return "ghost" if len(leading) == 1 else ""

    language = get_language()
    return [
        LabelCell(column.member.pseudonym, chip, colours.get(chip.depth_code, ""), css(chip), language)
        if chip
        else None
        for column, chip in zip(volunteers, item.labels, strict=True)
    ]


def split_in_words(split: Sequence[tuple[str, int]], open_labels: int) -> SafeString:
    """Codes with their numbers of labels: "4 × C.5, 3 × C.9, 1 open", without a break inside a part."""
    return _split(tuple(split), open_labels, get_language())


@lru_cache(maxsize=1024)
def _split(parts: tuple[tuple[str, int], ...], open_labels: int, _language: str | None) -> SafeString:
    return _piece("split", {"parts": parts, "open_labels": open_labels})


def state_in_words(item: DisagreementRow) -> SafeString:
    """The decision on an issue, the meeting that has it, or the level at which its labels differ."""
    if item.decision:
        how = item.decision.get_how_display() if item.decision.how else item.decision.get_method_display()
        return _state("decided", item.decided_code or "", str(how), get_language())
    if item.meeting:
        return _state("agenda", item.meeting.name, "", get_language())
    return _state("open", str(item.parts_at.label) if item.parts_at else "", "", get_language())


@lru_cache(maxsize=1024)
def _state(state: str, name: str, how: str, _language: str | None) -> SafeString:
    return _piece(state, {"name": name, "how": how})


@lru_cache(maxsize=1024)
def code_chip(code: str, hue: str, name: str = "") -> SafeString:
    """A code; its title is the name of its category."""
    return _piece("code", {"code": code, "hue": hue, "name": name})


def decided_code(item: DisagreementRow, colours: Mapping[str, str]) -> dict[str, str] | None:
    """The code of the standing decision, with its hue."""
    code = item.decided_code
    return {"code": code, "hue": colours.get(code, "")} if code else None
