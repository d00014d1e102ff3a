"""Finds terms in texts, in one pass of an automaton and short looks around its hits."""

from collections.abc import Collection, Iterator, Sequence
from unicodedata import normalize

from ingest.keywords.automaton import Automaton
from ingest.keywords.folding import Folded, fold
from ingest.keywords.forms import Form, forms
from ingest.keywords.letters import KINDS_OF_LETTERS
from ingest.keywords.terms import ZONES, Hits, Switches, Term, Zone
from ingest.keywords.texts import IssueText, Side

_MASKED = len(ZONES)


class _Key:
    """The terms that one key of the automaton begins; `simple` ones end where it ends."""

    __slots__ = ("borders_left", "borders_right", "others", "simple")

    def __init__(self, held: Sequence[Form]) -> None:
        self.borders_left = held[0].borders_left
        self.borders_right = held[0].borders_right
        self.simple = tuple(form.index for form in held if form.is_simple)
        self.others = tuple(form for form in held if not form.is_simple)


class Matcher:
    """The compiled terms. `search` counts what selects an issue; `finds` yields every occurrence."""

    def __init__(self, terms: Sequence[Term], switches: Switches = Switches()) -> None:  # noqa: B008 - frozen
        self.terms = tuple(terms)
        self.switches = switches
        self._kinds = KINDS_OF_LETTERS[switches.unspaced]
        held: dict[str, list[Form]] = {}
        for form in forms(self.terms, switches):
            for key in form.keys:
                held.setdefault(key, []).append(form)
        self._keys = [_Key(found) for found in held.values()]
        self._automaton = Automaton(list(held))

    def search(self, title: str, body: str, *, headings: Collection[str] = ()) -> dict[int, Hits]:
        """The hits of each term by its index; only terms with a hit. `headings` are those of
        `template_headings` for the repository.
        """
        return self.search_in(IssueText(title, body, headings))

    def search_in(self, text: IssueText) -> dict[int, Hits]:
        """As `search`, in a text that other lists search as well."""
        counts: dict[int, list[int]] = {}
        zones = self.switches.zones
        if "title" in zones:
            self._count(counts, text.title)
        if "prose" in zones or "code" in zones:
            self._count(counts, text.body)
        return {index: Hits(*found) for index, found in counts.items()}

    def finds(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Start, end and index of the term of each occurrence, by the end of the term's first two parts. A
        find reaches over the plural, the version of a model, and to the end of the word for a term with `*`.
        """
        for start, _stem, end, indices in self._hits(text, self._folded(text)):
            for index in indices:
                yield start, end, index

    def _count(self, counts: dict[int, list[int]], side: Side) -> None:
        folded = side.folded if self.switches.folds else Folded(side.text)
        hits = list(self._hits(side.text, folded))
        if not hits:
            return
        layout, masks = side.layout, side.masks(self.switches.masks)
        if layout:
            layout.read_to(hits[-1][1])
        for start, stem, _end, indices in hits:
            part = layout.part(start) if layout else None
            zone: Zone = "title" if not layout else "code" if part and part.kind == "code" else "prose"
            if zone not in self.switches.zones:
                continue
            place = _MASKED if masks.covers(start, stem, part) else ZONES.index(zone)
            for index in indices:
                if index not in counts:
                    counts[index] = [0] * (_MASKED + 1)
                counts[index][place] += 1

    def _folded(self, text: str) -> Folded:
        return fold(text) if self.switches.folds else Folded(text)

    def _hits(self, text: str, folded: Folded) -> Iterator[tuple[int, int, int, Sequence[int]]]:
        """Start of a term, its end, the end of what belongs to it, and the indices of equal terms."""
        low, atoms, kinds, keys = folded.text, folded.atoms, self._kinds, self._keys
        length = len(low)
        for at, start, place in self._automaton.finds(low):
            key = keys[at]
            if key.borders_left and start and kinds[low[start - 1]] and kinds.in_word(low, start - 1):
                continue
            if key.simple and (place == length or not key.borders_right or not kinds[low[place]]):
                if not atoms:
                    yield start, place, place, key.simple
                elif (found := folded.span(start, place)) is not None:
                    yield *found, found[1], key.simple
            for form in key.others:
                if ends := form.ends(low, place):
                    yield from self._other(form, text, folded, start, *ends)

    def _other(
        self, form: Form, text: str, folded: Folded, start: int, stem: int, end: int
    ) -> Iterator[tuple[int, int, int, Sequence[int]]]:
        """The occurrence of a term that is not simple, in places of the original text."""
        found = folded.span(start, stem)
        if found is None or (form.exact and not form.exact.fullmatch(normalize("NFKC", text[slice(*found)]))):
            return
        whole = folded.span(start, end)
        yield *found, whole[1] if whole else found[1], (form.index,)
