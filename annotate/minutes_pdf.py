"""Minutes as PDF, set by Typst."""

from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from annotate.minutes_text import Document
from annotate.typesetter import set_as_pdf

TEMPLATE = Path(settings.BASE_DIR) / "templates" / "annotate" / "meetings" / "minutes.typ"


def pdf(found: Document) -> bytes:
    """The document as PDF; raises PdfFailed, DrawingBusy.

    Latin, Greek and Cyrillic letters come with the typesetter; others, such as Chinese ones, from the fonts
    of the computer. A letter that no font has is drawn as an empty box; Markdown has all of them.
    """
    return set_as_pdf(TEMPLATE, {**found, "words": _words()})


def _words() -> dict[str, str]:
    return {
        "there": _("There"),
        "numbers": _("Numbers"),
        "method": _("For the method section"),
        "or": _(" or "),
        "open-labels": _("Open labels"),
        "labels": _("Labels"),
        "open": _("open"),
        "abstained": _("abstained"),
        "decision": _("Decision"),
        "cause": _("Cause"),
        "follows": _("Follows"),
        "time": _("Time"),
        "not-reached": _("Not reached"),
    }
