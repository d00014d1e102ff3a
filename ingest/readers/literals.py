"""Lists and objects in one cell of a table, as JSON or as Python prints them: pandas writes the latter."""

import json
import re

_TOKEN = re.compile(
    r"""\s*+(?:
        (?P<text>'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")
        |(?P<word>None|True|False|nan|null|true|false|NaN)\b
        |(?P<number>-?[0-9][0-9.eE+-]*+)
        |(?P<sign>[\[\]{}(),:])
    )""",
    re.DOTALL | re.VERBOSE,
)
_WORDS = {"None": "null", "nan": "null", "NaN": "null", "True": "true", "False": "false"}
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\n": ""}


def literal(text: str) -> object:
    """The value that the text spells. Raises ValueError."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return json.loads(_as_json(text))
    except RecursionError:
        raise ValueError("too deep") from None


def _as_json(text: str) -> str:
    parts = []
    at = 0
    end = len(text.rstrip())
    while at < end:
        found = _TOKEN.match(text, at)
        if found is None:
            raise ValueError(f"neither JSON nor Python at {at}")
        at = found.end()
        token = found[found.lastgroup or 0].strip()
        if found.lastgroup == "text":
            token = json.dumps(_ESCAPE.sub(_unescaped, token[1:-1]))
        elif found.lastgroup == "sign":
            token = token.translate({40: "[", 41: "]"})
        parts.append(_WORDS.get(token, token))
    return "".join(parts)


def _unescaped(found: re.Match[str]) -> str:
    said = found[1]
    if said[0] in "xuU" and len(said) > 1:
        code = int(said[1:], 16)
        if code > 0x10FFFF:
            raise ValueError("no such character")
        return chr(code)
    if said[0] in "01234567":
        return chr(int(said, 8))
    return _ESCAPES.get(said, said if said in "'\"\\" else found[0])
