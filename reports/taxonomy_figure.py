"""A version of a taxonomy as a figure: the tree, the shares of a round, and the caption."""

from dataclasses import dataclass

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.templatetags.crosscheck import count, percent_of
from drawing.errors import TreeTooLarge
from drawing.text_width import ruler
from drawing.vega import FORMS, render
from drawing.wrapping import drawable
from reports.queries.category_shares import DECISIONS, Shares
from reports.tree_figure import Leaf, tree_figure
from taxonomy.codebooks import sizes
from taxonomy.models import CategoryState, Level, Version
from taxonomy.queries.codebooks import Codebook
from taxonomy.queries.reading import level_counts

DIGITS = 1
MOST = 1_000
"""The most categories for PDF and PNG: about eight pages of paper, drawn in three seconds."""


@dataclass(frozen=True)
class ShareLine:
    """The share of one type or theme as a text, with the `number` that it was counted from."""

    state: CategoryState
    number: int
    share: str


@dataclass(frozen=True)
class TaxonomyFigure:
    """A tree as SVG, its caption for a paper, the `texts` in it, and its number of categories (`size`)."""

    svg: str
    caption: str
    lines: tuple[ShareLine, ...]
    texts: tuple[str, ...]
    size: int

    @property
    def forms(self) -> list[str]:
        """The forms of `drawing.vega.FORMS` that this figure can have."""
        return [form for form in FORMS if form == "svg" or self.size <= MOST]

    def as_file(self, form: str) -> bytes:
        """The figure in one of `drawing.vega.FORMS`: SVG at once, others in a second or two. Raises
        TreeTooLarge and the errors of `render`.
        """
        if form not in self.forms:
            raise TreeTooLarge(MOST)
        return self.svg.encode() if form == "svg" else render({"svg": self.svg}, form)


def taxonomy_figure(version: Version, book: Codebook, shares: Shares | None) -> TaxonomyFigure:
    """The figure of a version, with the shares of a round if given. No queries."""
    name, number = drawable(version.taxonomy.name), _("version %(n)s") % {"n": version.number}
    lines = _lines(book, shares)
    said = {line.state.category_id: line.share for line in lines}
    made = {
        state.category_id: Leaf(
            drawable(state.code),
            drawable(state.name),
            said.get(state.category_id, ""),
            hue=book.hue(state.category_id),
        )
        for state in book.states
    }
    types: list[Leaf] = []
    for state in book.states:
        above = made[state.parent_id].below if state.parent_id else types
        above.append(made[state.category_id])
    notes = []
    if shares:
        # The same words as in the caption, without the sizes that the tree shows.
        notes = [drawable(" ".join((f"{capfirst(_of_what(shares))}.", *_more(shares, version))))]
    texts = (
        name,
        number,
        *notes,
        *(text for one in made.values() for text in (one.code, one.name, one.share)),
    )
    svg = tree_figure(name, number, types, notes, ruler((*texts, " ")))
    return TaxonomyFigure(svg, _caption(version, book, shares), lines, texts, len(book.states))


def _lines(book: Codebook, shares: Shares | None) -> tuple[ShareLine, ...]:
    if shares is None:
        return ()
    return tuple(
        ShareLine(state, number, percent_of(number, shares.bases[state.level], DIGITS))
        for state in book.states
        if state.level in {Level.TYPE, Level.THEME} and shares.bases[state.level]
        for number in [shares.counts.get(state.category_id, 0)]
    )


def _caption(version: Version, book: Codebook, shares: Shares | None) -> str:
    whole = _("Taxonomy of %(name)s, version %(n)s") % {"name": version.taxonomy.name, "n": version.number}
    if levels := level_counts(state.level for state in book.states):
        whole = f"{whole}: {sizes(levels)}"
    if shares is None:
        return f"{whole}."
    return f"{whole}; " + " ".join((f"{_of_what(shares)}.", *_more(shares, version)))


def _of_what(shares: Shares) -> str:
    """The base of the shares: one number, or two if decisions or labels are above the themes."""
    types, themes = shares.bases[Level.TYPE], shares.bases[Level.THEME]
    values = {"n": count(types), "themes": count(themes), "round": shares.round.name}
    alike = themes in {0, types}
    if shares.unit == DECISIONS:
        text = ngettext(
            "shares of %(n)s decided issue of “%(round)s”",
            "shares of %(n)s decided issues of “%(round)s”",
            types,
        )
        if not alike:
            text = _("shares of the decided issues of “%(round)s”: types of %(n)s, themes of %(themes)s")
    else:
        text = ngettext(
            "shares of %(n)s label of “%(round)s”", "shares of %(n)s labels of “%(round)s”", types
        )
        if not alike:
            text = _("shares of the labels of “%(round)s”: types of %(n)s, themes of %(themes)s")
    return text % values


def _more(shares: Shares, version: Version) -> list[str]:
    said = []
    if shares.undecided:
        text = ngettext(
            "%(n)s complete issue has no decision.",
            "%(n)s complete issues have no decision.",
            shares.undecided,
        )
        said.append(text % {"n": count(shares.undecided)})
    if shares.elsewhere:
        text = ngettext(
            "%(n)s more issue or label has no category in this version.",
            "%(n)s more issues or labels have no category in this version.",
            shares.elsewhere,
        )
        said.append(text % {"n": count(shares.elsewhere)})
    if shares.withheld:
        text = ngettext(
            "%(n)s issue is hidden from the reader and counts in no number.",
            "%(n)s issues are hidden from the reader and count in no number.",
            shares.withheld,
        )
        said.append(text % {"n": count(shares.withheld)})
    if shares.round.version_id != version.pk:
        said.append(_("The round was labelled with version %(n)s.") % {"n": shares.round.version.number})
    if shares.round.is_open:
        said.append(_("The round is open, so its numbers can change."))
    return said
