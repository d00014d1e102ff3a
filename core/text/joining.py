"""Parts and names one after the other as the reader’s language puts them: "a, b", and in Chinese "a、b"."""

from collections.abc import Iterable

from django.utils.translation import pgettext


def listed(names: Iterable[object]) -> str:
    """Names or codes, such as "C.1, C.9"."""
    return pgettext("between the names of a list", ", ").join(map(str, names))


def clauses(parts: Iterable[object]) -> str:
    """Parts of one sentence, such as "3 types, 18 themes"."""
    return pgettext("between the parts of a sentence", ", ").join(map(str, parts))


def remarks(parts: Iterable[object]) -> str:
    """Parts of a sentence that have commas of their own."""
    return pgettext("between the parts of a sentence", "; ").join(map(str, parts))


def named(name: object, text: object) -> str:
    """A name and what it has, such as "Cause: slip"."""
    return f"{name}{colon()}{text}"


def comma() -> str:
    """What is between two parts of one sentence."""
    return pgettext("between the parts of a sentence", ", ")


def colon() -> str:
    """What is between a name and its text."""
    return pgettext("between a name and its text", ": ")


def stop() -> str:
    """The end of a sentence."""
    return pgettext("at the end of a sentence", ".")
