"""Lines that a template of the repository brings into many of its issues."""

import re
from collections import Counter
from collections.abc import Iterable

from ingest.keywords.folding import fold
from ingest.keywords.markdown.zones import Layout

LEAST_ISSUES = 5
LEAST_SHARE = 0.01
ENOUGH_ISSUES = 100
_LONGEST = 500

_LINE = re.compile(r"\n {0,3}(?:#{1,6}[ \t]|\*\*|[-*+] \[[ xX]\] )[^\n]*")
_TEMPLATE = re.compile(
    r"[ >]{0,6}(?:#{1,6}[ \t]+(.*)|\*\*([^*]+)\*\*[ \t:?]*|[-*+] \[[ xX]\] (.*))\r?", re.DOTALL
)
_UNDERLINE = re.compile(r"\n {0,3}(?:==*|--*)[ \t\r]*(?=\n|\Z)")
_UNDERLINED = re.compile(r"\n[ \t\r]*\n {0,3}(?!\d+[.)]|[-+*][ \t])([^\s#>|`~<][^\n]*)" + _UNDERLINE.pattern)
"""A heading of one line, after an empty one, that the next line underlines."""
_NOISE = re.compile(r"[\W_]+")


def template_headings(bodies: Iterable[str]) -> frozenset[str]:
    """The headings and check boxes that many issues of one repository share, for `Matcher.search`.

    Those are in at least LEAST_ISSUES issues and in at least LEAST_SHARE of those with a text, or in
    ENOUGH_ISSUES. A heading is a line with `#`, one that is underlined, or one that is bold as a whole; case,
    punctuation and level do not matter. The order of the bodies does not matter either.
    """
    counts: Counter[str] = Counter()
    total = 0
    for body in bodies:
        total += bool(body.strip())
        counts.update(_lines_of(body))
    least = min(ENOUGH_ISSUES, max(LEAST_ISSUES, LEAST_SHARE * total))
    return frozenset(line for line, count in counts.items() if count >= least)


def template_line(line: str) -> str:
    """A heading or a check box as `template_headings` gives it; "" for any other line."""
    found = _TEMPLATE.fullmatch(line) if len(line) <= _LONGEST else None
    if not found:
        return ""
    return _NOISE.sub(" ", fold(found[1] or found[2] or found[3] or "").text).strip()


def template_line_at(text: str, start: int, end: int) -> str:
    """As `template_line`, for the line of a text from `start` to `end`: the next line may underline it."""
    line = text[start:end]
    return template_line(line) or (template_line(f"# {line}") if _UNDERLINE.match(text, end) else "")


def _lines_of(body: str) -> set[str]:
    layout = Layout(body)
    lines = set()
    for found in _LINE.finditer(f"\n{body}"):
        if not layout.part(found.start()):
            lines.add(template_line(found.group()[1:]))
    for found in _UNDERLINED.finditer(f"\n\n{body}"):
        if not layout.part(found.start(1) - 2):
            lines.add(template_line(f"# {found[1]}"))
    return lines - {""}
