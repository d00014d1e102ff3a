"""The forms in which a term occurs: its parts with any joiner, its plural, a model with its version."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from unicodedata import normalize

from ingest.keywords.folding import fold
from ingest.keywords.letters import LETTER, UNSPACED, WORD_REST, kinds
from ingest.keywords.terms import Switches, Term

JOINERS = (" ", "-", "_", "\n", "\r\n", "\u2010", "\u2013")
"""What joins two parts of a term; `\u2011`, the hyphen that does not break, folds to `\u2010`."""

_JOINER = rf"(?:{'|'.join(JOINERS)})"
_BETWEEN_PARTS = re.compile(r"(?<=[^\s_\u2010\u2013-])[ _\u2010\u2013-](?=[^\s_\u2010\u2013-])")
_BORDER = rf"(?!(?!{UNSPACED.pattern})[^\W_])"
_PLURAL = re.compile(rf"e?s{_BORDER}", re.IGNORECASE)

VARIANTS = (
    "instruct", "chat", "base", "large", "small", "mini", "medium", "tiny", "nano", "micro", "huge", "xl",
    "xxl", "xs", "pro", "plus", "max", "turbo", "lite", "flash", "ultra", "vl", "vision", "audio", "omni",
    "coder", "code", "math", "thinking", "reasoning", "embedding", "moe", "distill", "it", "sft", "dpo", "hf",
    "gguf", "ggml", "awq", "gptq", "int4", "int8", "fp8", "fp16", "bf16", "preview", "alpha", "beta", "neo",
    "neox", "j",
)  # fmt: skip
"""What may stand behind the name of a model, beside numbers; directly only behind a digit."""

_VARIANT = rf"(?:{'|'.join(sorted(VARIANTS, key=len, reverse=True))})"
_NUMBER = (
    r"v?\d{1,20}(?:\.\d{1,20}){0,4}(?:x\d{1,6})?"
    r"(?:(?:bit|[bmktoven])(?![^\W\d_]))?"
)
_LETTERED = r"[a-z]\d{1,4}(?:\.\d{1,4})?[a-z]?(?![^\W\d_])"
_ELEMENT = rf"(?>{_NUMBER}{_VARIANT}?|{_LETTERED}|{_VARIANT}\d{{0,4}})"
_MOST_ELEMENTS = 12
_TAIL_REST = rf"(?:[_-]{_ELEMENT}|[ ]{_NUMBER}){{0,{_MOST_ELEMENTS}}}{_BORDER}"
_TAIL = re.compile(rf"(?:(?>{_NUMBER}{_VARIANT}?))?{_TAIL_REST}", re.IGNORECASE)
_TAIL_BEHIND_DIGIT = re.compile(
    rf"(?:(?>(?:v\d{{1,20}})?(?:\.\d{{1,20}}){{0,4}}{_VARIANT}?))?{_TAIL_REST}", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Form:
    """A compiled term: what the automaton searches (`keys`), and what must follow its first part."""

    index: int
    first: str
    keys: tuple[str, ...]
    rest: re.Pattern[str] | None
    exact: re.Pattern[str] | None
    """For a case-sensitive term: matches its original text after NFKC."""
    is_open: bool
    has_plural: bool
    tail: re.Pattern[str] | None
    borders_left: bool
    borders_right: bool

    @property
    def is_simple(self) -> bool:
        """Does a border behind the first part decide?"""
        return not (self.rest or self.exact or self.is_open or self.has_plural or self.tail)

    def end(self, text: str, place: int) -> tuple[int, int] | None:
        """The end of the term and of what belongs to it, if the rest of the term follows at `place`."""
        if self.rest:
            found = self.rest.match(text, place)
            if not found:
                return None
            place = found.end()
        if not self.borders_right or place == len(text) or not kinds[text[place]]:
            follows = self.tail and self.tail.match(text, place)
            return place, follows.end() if follows else place
        if self.is_open:
            follows = WORD_REST.match(text, place)
        else:
            follows = (self.has_plural and _PLURAL.match(text, place)) or (
                self.tail and self.tail.match(text, place)
            )
        return (place, follows.end()) if follows else None


def forms(terms: list[Term], switches: Switches) -> Iterator[Form]:
    """The terms with at least one letter, compiled."""
    for index, term in enumerate(terms):
        stem = term.text.rstrip("*").strip()
        if not stem:
            continue
        shown = fold(stem).text if switches.folds else stem
        parts = _parts(shown, switches)
        is_open = term.text.endswith("*")
        has_tail = switches.version_tails and term.kind == "model" and not is_open
        tail = (_TAIL_BEHIND_DIGIT if shown[-1].isdigit() else _TAIL) if has_tail else None
        yield Form(
            index=index,
            first=parts[0],
            keys=tuple(parts[0] + joiner[0] for joiner in JOINERS) if len(parts) > 1 else (parts[0],),
            rest=re.compile(_JOINER + _joined(parts[1:])) if len(parts) > 1 else None,
            exact=_exact(stem, switches) if term.is_case_sensitive and switches.folds else None,
            is_open=is_open,
            has_plural=switches.plurals and not is_open and shown[-1].isalpha(),
            tail=tail,
            borders_left=kinds[shown[0]] == LETTER,
            borders_right=kinds[shown[-1]] == LETTER,
        )


def _parts(stem: str, switches: Switches) -> list[str]:
    return _BETWEEN_PARTS.split(stem) if switches.joins else [stem]


def _joined(parts: list[str]) -> str:
    return _JOINER.join(map(re.escape, parts))


def _exact(stem: str, switches: Switches) -> re.Pattern[str]:
    return re.compile(_joined(_parts(normalize("NFKC", stem), switches)))
