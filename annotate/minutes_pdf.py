"""Minutes as PDF, set by Typst from a template of this project; it reaches no network and no other file."""

import json
import subprocess
import sys
from pathlib import Path

from django.conf import settings
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotate.minutes_text import Document

TEMPLATE = Path(settings.BASE_DIR) / "templates" / "annotate" / "meetings" / "minutes.typ"


def pdf(found: Document) -> bytes:
    """The document as PDF. Its texts are handed over as data, so that none is read as markup.

    Latin, Greek and Cyrillic letters come with the typesetter; others, such as Chinese ones, from the fonts
    of the computer. A letter that no font has is drawn as an empty box; Markdown has all of them.
    """
    data = json.dumps(found | {"words": _words(), "lang": (get_language() or "en").partition("-")[0]})
    command = [sys.executable, "-m", "annotate.typesetting", str(TEMPLATE)]
    made = subprocess.run(
        command, input=data.encode(), stdout=subprocess.PIPE, cwd=settings.BASE_DIR, check=True, timeout=60
    )
    return made.stdout


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
