"""Which characters of a line of Markdown are signs, not text. Pure: for differences, which show text by its
words and cannot render halves of it.
"""

import re

_BLOCK = re.compile(r"[ \t]*(?:(?:>[ \t]?)+(?:#{1,6}[ \t]+)?|#{1,6}[ \t]+)")
_POINT = re.compile(r"([ \t]*)[-*+]([ \t]+)")
_CODE = re.compile(r"(?<!`)(`{1,8})(?!`)[^`\n]{1,400}\1(?!`)")
_LINK = re.compile(r"(!?\[)[^\[\]\n]{0,400}(\])(\([^()\s]{0,400}\))")
_ESCAPE = re.compile(r"(\\)[!-/:-@\[-`{-~]")
_STRONG = [
    re.compile(rf"({opens})(?=[^\s\0]).{{0,400}}?[^\s\0]({closes})")
    for opens, closes in (
        (r"\*\*\*", r"\*\*\*"),
        (r"\*\*", r"\*\*"),
        (r"(?<!\*)\*(?!\*)", r"\*(?!\*)"),
        (r"(?<!\w)__", r"__(?!\w)"),
        (r"(?<![\w_])_(?!_)", r"_(?![\w_])"),
        ("~~", "~~"),
    )
]


def signs(line: str) -> dict[int, str]:
    """Place of each sign to the text that is shown there: a bullet for a point of a list, a space between the
    text and the address of a link, else nothing.
    """
    found: dict[int, str] = {}
    start = _BLOCK.match(line)
    end = start.end() if start else 0
    found |= dict.fromkeys(range(end), "")
    point = _POINT.match(line, end)
    if point:
        found |= dict.fromkeys(range(end, point.end()), "") | {point.end(1): "•", point.end(1) + 1: " "}
        end = point.end()
    # What has been read is masked, so that no other sign is looked for in it.
    rest = "\0" * end + line[end:]
    for code in _CODE.finditer(rest):
        ticks = len(code[1])
        found |= dict.fromkeys(range(code.start(), code.start() + ticks), "")
        found |= dict.fromkeys(range(code.end() - ticks, code.end()), "")
        rest = _masked(rest, code.start(), code.end())
    for escape in _ESCAPE.finditer(rest):
        found[escape.start()] = ""
        rest = _masked(rest, *escape.span())
    for link in _LINK.finditer(rest):
        found |= dict.fromkeys(range(*link.span(1)), "") | {link.start(2): " "}
        rest = _masked(rest, *link.span(3))
    for pattern in _STRONG:
        for strong in pattern.finditer(rest):
            for sign in (1, 2):
                found |= dict.fromkeys(range(*strong.span(sign)), "")
                rest = _masked(rest, *strong.span(sign))
    return found


def _masked(text: str, start: int, end: int) -> str:
    return text[:start] + "\0" * (end - start) + text[end:]
