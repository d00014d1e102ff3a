"""Finds terms in texts, in one pass of an automaton and short looks around its hits."""

from collections.abc import Collection, Iterator, Sequence
from unicodedata import normalize

import ahocorasick

from ingest.keywords.folding import Folded, fold
from ingest.keywords.forms import Form, forms
from ingest.keywords.letters import in_word, kinds
from ingest.keywords.masks import Masks
from ingest.keywords.terms import ZONES, Hits, Switches, Term, Zone
from ingest.keywords.zones import Layout

_MASKED = len(ZONES)


class Matcher:
    """The compiled terms. `search` counts what selects an issue; `finds` yields every occurrence."""

    def __init__(self, terms: Sequence[Term], switches: Switches = Switches()) -> None:  # noqa: B008 - frozen
        self.terms = tuple(terms)
        self.switches = switches
        held: dict[str, list[Form]] = {}
        for form in forms(list(terms), switches):
            for key in dict.fromkeys(form.keys):
                held.setdefault(key, []).append(form)
        self._automaton = ahocorasick.Automaton()
        for key, found in held.items():
            self._automaton.add_word(key, (len(key), found[0].borders_left, found))
        self._is_empty = not held
        if held:
            self._automaton.make_automaton()

    def search(self, title: str, body: str, *, headings: Collection[str] = ()) -> dict[int, Hits]:
        """The hits of each term by its index; only terms with a hit. `headings` are those of
        `template_headings` for the repository.
        """
        counts: dict[int, list[int]] = {}
        if "title" in self.switches.zones:
            self._count(counts, title, None, Masks(title, self.switches.masks))
        if len(self.switches.zones) > ("title" in self.switches.zones):
            layout = Layout(body)
            self._count(counts, body, layout, Masks(body, self.switches.masks, layout, headings))
        return {index: Hits(*found) for index, found in counts.items()}

    def finds(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Start, end and index of the term of each occurrence, by the end of the term's first part. A find
        reaches over the plural, the version of a model, and to the end of the word for a term with `*`.
        """
        for start, _stem, end, index in self._hits(text):
            yield start, end, index

    def _count(self, counts: dict[int, list[int]], text: str, layout: Layout | None, masks: Masks) -> None:
        for start, stem, _end, index in self._hits(text):
            zone: Zone = layout.zone(start) if layout else "title"
            if zone in self.switches.zones:
                place = _MASKED if masks.covers(start, stem) else ZONES.index(zone)
                counts.setdefault(index, [0] * (_MASKED + 1))[place] += 1

    def _hits(self, text: str) -> Iterator[tuple[int, int, int, int]]:
        """Start of the term, its end, the end of what belongs to it, and its index."""
        if self._is_empty:
            return
        folded = fold(text) if self.switches.folds else Folded(text)
        low = folded.text
        for last, (length, borders_left, held) in self._automaton.iter(low):
            start = last + 1 - length
            if borders_left and start and kinds[low[start - 1]] and in_word(low, start - 1):
                continue
            for form in held:
                ends = form.end(low, start + len(form.first))
                if not ends:
                    continue
                from_, stem, to = folded.back(start), folded.back(ends[0]), folded.back(ends[1])
                if from_ < 0 or stem < 0:
                    continue
                if form.exact and not form.exact.fullmatch(normalize("NFKC", text[from_:stem])):
                    continue
                yield from_, stem, max(stem, to), form.index
