"""What static/js/label.js says; `%(x)s` is filled in there."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

words: Mapping[str, str | Promise] = {
    "submit": _("Submit"),
    "submit_code": _("Submit %(code)s"),
    "change": _("Change"),
    "change_code": _("Change to %(code)s"),
    "choose_first": _("Choose a category first."),
    "too_broad": _("%(code)s is too broad for this round. Choose one below it."),
    "nothing_found": _("Nothing matches. Try fewer letters, or another word."),
    "found": _("%(n)s of %(all)s"),
    "counter": _("%(n)s of %(all)s"),
    "name": _("name"),
    "definition": _("definition"),
    "includes": _("includes"),
    "excludes": _("excludes"),
    "examples": _("example"),
    "Includes": _("Includes"),
    "Excludes": _("Excludes"),
    "Examples": _("Examples"),
    "about_none": _(
        "Type a code such as c3, or / and a word. Arrows move, Enter chooses, Enter again submits."
        " Here stands what a category means."
    ),
    "unsaved": _("Not saved yet"),
    "saving": _("Saving …"),
    "saved_now": _("Draft saved"),
    "saved_seconds": _("Draft saved %(n)s s ago"),
    "saved_minutes": _("Draft saved %(n)s min ago"),
    "offline": _("Not saved yet; kept in this browser, trying again"),
    "refused": _("Not saved; kept in this browser"),
    "signed_out": _("You are signed out. What you typed is kept in this browser."),
    "sign_in": _("Sign in in a new tab"),
    "both": _("This draft was saved elsewhere since. Both texts are here: choose which one to keep."),
    "restored": _("What you typed here before is restored."),
    "chosen": _("%(code)s chosen. Press Enter to submit."),
    "unsure": _("unsure"),
    "no_category": _("no category"),
}
