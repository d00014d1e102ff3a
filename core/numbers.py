"""Whole numbers in links and forms."""

from collections.abc import Mapping

from django.http import Http404

SHORT = 9
"""The number of digits that always fit into a 32-bit column."""


def whole_number(text: object, *, digits: int = 18) -> int | None:
    """The number that `text` writes in ASCII digits; None for any other text and for too many digits.
    Eighteen digits fit into PostgreSQL's bigint.
    """
    written = str(text)
    known = written.isascii() and written.isdecimal() and len(written) <= digits
    return int(written) if known else None


def number_asked(query: Mapping[str, str], name: str, *, digits: int = 18) -> int | None:
    """The number of this parameter in a query string; None for a missing or empty parameter. Raises Http404
    for any other text, because no page of ours links to it.
    """
    text = query.get(name, "")
    number = whole_number(text, digits=digits)
    if text and number is None:
        raise Http404
    return number
