"""What people type, as it is stored."""

from typing import Any

from django.utils.translation import gettext as _

from protocols.errors import PlanRefused
from protocols.plan import LONGEST


def stored_text(value: Any, field: str) -> str:
    """The text without blanks around it. Raises PlanRefused for one that cannot be stored."""
    text = str(value).replace("\r\n", "\n").strip()
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise PlanRefused(
            _("The text contains characters that cannot be stored. Nothing was stored."), field=field
        )
    if len(text) > LONGEST:
        words = _("The text is longer than %(most)s characters. Nothing was stored. Shorten the text.")
        raise PlanRefused(words % {"most": LONGEST}, field=field)
    return text
