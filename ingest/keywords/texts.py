"""The text of an issue as several lists search it: folded, read and masked once for all of them."""

from collections.abc import Collection

from ingest.keywords.folding import Folded, fold
from ingest.keywords.markdown.zones import Layout
from ingest.keywords.masking.masks import Masks
from ingest.keywords.terms import Mask


class Side:
    """The title or the body of an issue. Most have no hit: all but the text is made when it is asked for."""

    __slots__ = ("_folded", "_headings", "_layout", "_masks", "is_title", "text")

    def __init__(self, text: str, headings: Collection[str], *, is_title: bool) -> None:
        self.text = text
        self.is_title = is_title
        self._headings = headings
        self._folded: Folded | None = None
        self._layout: Layout | None = None
        self._masks: dict[tuple[Mask, ...], Masks] = {}

    @property
    def folded(self) -> Folded:
        if self._folded is None:
            self._folded = fold(self.text)
        return self._folded

    @property
    def layout(self) -> Layout | None:
        """Of a body; a title has none."""
        if self._layout is None and not self.is_title:
            self._layout = Layout(self.text)
        return self._layout

    def masks(self, masks: tuple[Mask, ...]) -> Masks:
        if masks not in self._masks:
            self._masks[masks] = Masks(self.text, masks, self.layout, self._headings)
        return self._masks[masks]


class IssueText:
    """`headings` are those of `template_headings` for the repository."""

    def __init__(self, title: str, body: str, headings: Collection[str] = ()) -> None:
        self.title = Side(title, (), is_title=True)
        self.body = Side(body, headings, is_title=False)
