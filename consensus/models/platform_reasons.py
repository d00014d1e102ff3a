"""Why the platform itself ended a decision: stored without a word of any language, and told to each reader in
their own.
"""

import re

from django.utils.translation import gettext as _

_STORED = re.compile(r"(gone|near|else):v([0-9]+)(?::(.*))?", re.DOTALL)


def split_or_retired(version: int, category: str) -> str:
    """For a decision on a category, given by code and name, that this version split or retired."""
    return f"gone:v{version}:{category}"


def asked_again(version: int, category: str) -> str:
    """For a decision on a category beside which this version added others, and whose labels it asks again."""
    return f"near:v{version}:{category}"


def labels_say_else(version: int) -> str:
    """For a decision that no longer follows from the labels, as this version has them."""
    return f"else:v{version}"


def told(stored: str) -> str:
    """The reason in words; any other text as it is, such as one that an earlier release stored."""
    found = _STORED.fullmatch(stored)
    if not found:
        return stored
    kind, version, category = found.groups()
    if kind == "gone":
        return _("Version %(n)s split or retired %(category)s.") % {"n": version, "category": category}
    if kind == "near":
        words = _("Version %(n)s has new categories beside %(category)s and asks for its labels again.")
        return words % {"n": version, "category": category}
    return _("The labels say something else in version %(n)s.") % {"n": version}
