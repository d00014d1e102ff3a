"""Members that a comment names: @R3 is the member of that pseudonym, in any case. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

CODE = re.compile(r"```.*?(?:```|\Z)|(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)


@dataclass(frozen=True)
class Piece:
    """A piece of a comment: its text, and the pseudonym that it names, "" for none."""

    text: str
    names: str = ""


def pieces(text: str, pseudonyms: Iterable[str]) -> list[Piece]:
    """The text in pieces, which joined give the text; each name is a piece of its own. A name begins with @
    and ends with its word. Code in backticks names nobody, and neither does an address such as a@R3.
    """
    known = {pseudonym.lower(): pseudonym for pseudonym in pseudonyms}
    found: list[Piece] = []
    plain = 0
    for match in _calls(text, known):
        pseudonym = known.get(match[1].lower(), "")
        if pseudonym:
            found += [Piece(text[plain : match.start()])] if match.start() > plain else []
            found.append(Piece(match[0], pseudonym))
            plain = match.end()
    return [*found, Piece(text[plain:])] if plain < len(text) else found


def named(text: str, pseudonyms: Iterable[str]) -> set[str]:
    """The pseudonyms that a text names, in the study's spelling."""
    return {piece.names for piece in pieces(text, pseudonyms) if piece.names}


def _calls(text: str, known: Iterable[str]) -> list[re.Match[str]]:
    # The longest first: "R1" must not match in "R1-b" if both are members.
    names = "|".join(re.escape(name) for name in sorted(known, key=len, reverse=True))
    if not names or "@" not in text:
        return []
    code = [match.span() for match in CODE.finditer(text)]
    call = re.compile(rf"(?<![\w.@+/-])@({names})(?![\w@])(?!-\w)", re.IGNORECASE)
    return [
        match for match in call.finditer(text) if not any(start <= match.start() < end for start, end in code)
    ]
