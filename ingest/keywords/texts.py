"""The text of an issue as several lists search it: folded, read and masked once for all of them."""

from collections.abc import Collection
from functools import cached_property

from ingest.keywords.folding import Folded, fold
from ingest.keywords.markdown.zones import Layout
from ingest.keywords.masking.masks import Masks
from ingest.keywords.terms import Mask


class Side:
    """The title or the body of an issue; a title has no layout."""

    def __init__(self, text: str, layout: Layout | None, headings: Collection[str]) -> None:
        self.text = text
        self.layout = layout
        self._headings = headings
        self._masks: dict[tuple[Mask, ...], Masks] = {}

    @cached_property
    def folded(self) -> Folded:
        return fold(self.text)

    def masks(self, masks: tuple[Mask, ...]) -> Masks:
        if masks not in self._masks:
            self._masks[masks] = Masks(self.text, masks, self.layout, self._headings)
        return self._masks[masks]


class IssueText:
    """`headings` are those of `template_headings` for the repository."""

    def __init__(self, title: str, body: str, headings: Collection[str] = ()) -> None:
        self.title = Side(title, None, ())
        self.body = Side(body, Layout(body), headings)
