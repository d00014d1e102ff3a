"""Headings that a template of the repository brings into many of its issues."""

import re
from collections import Counter
from collections.abc import Iterable

from ingest.keywords.folding import fold

LEAST_ISSUES = 5
LEAST_SHARE = 0.01

_HEADING = re.compile(
    r"^ {0,3}(?:#{1,6}[ \t]+(?P<hashes>[^\n]*)|\*\*(?P<bold>[^*\n]+)\*\*[ \t:]*\r?)$", re.MULTILINE
)
_NOISE = re.compile(r"[^\w]+")


def template_headings(bodies: Iterable[str]) -> frozenset[str]:
    """Headings that many of a repository's issues share, for `Matcher.search`: those of at least LEAST_ISSUES
    issues and of at least LEAST_SHARE of all issues with a text.
    """
    counts: Counter[str] = Counter()
    total = 0
    for body in bodies:
        total += bool(body.strip())
        counts.update({_plain(found) for found in _HEADING.finditer(body)})
    least = max(LEAST_ISSUES, LEAST_SHARE * total)
    return frozenset(heading for heading, count in counts.items() if heading and count >= least)


def heading_at(text: str, place: int) -> str:
    """The heading on whose line this place is, as `template_headings` writes it; "" on any other line."""
    found = _HEADING.match(text, text.rfind("\n", 0, place) + 1)
    return _plain(found) if found else ""


def _plain(found: re.Match[str]) -> str:
    return " ".join(_NOISE.sub(" ", fold(found["hashes"] or found["bold"] or "").text).split())
