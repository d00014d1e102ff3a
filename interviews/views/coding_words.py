"""The texts of the scripts of the coding page; the scripts fill in `%(x)s`."""

from django.utils.translation import gettext as _


def coding_words() -> dict[str, str]:
    """Each text by its name, in the reader's language."""
    return {
        "includes": _("includes"),
        "excludes": _("excludes"),
        "definition": _("definition"),
        "examples": _("examples"),
        "also": _("also"),
        "found": _("%(n)s of %(all)s"),
        "nothing_found": _("No code matches."),
        "new_code": _("New open code “%(name)s”"),
        "open_code": _("open code"),
        "chosen": _("%(code)s added. Press Enter to save."),
        "taken_off": _("%(code)s removed."),
        "take_off": _("Remove %(code)s"),
        "choose_first": _("Choose at least one code."),
        "select_first": _("Select some words of a turn first."),
        "asks": _("Turns of the interviewer are not coded."),
        "new_quote": _("New quote"),
        "edit_quote": _("Change quote"),
        "save_quote": _("Save quote"),
        "code_selection": _("Code selection"),
        "no_quote": _("Select words to code, or choose a quote."),
        "saved": _("Quote saved: %(codes)s."),
        "dropped": _("Quote dropped. Press u to undo."),
        "undone": _("Change undone."),
        "redone": _("Change redone."),
        "nothing_to_undo": _("Nothing to undo."),
        "nothing_to_redo": _("Nothing to redo."),
        "quotes_one": _("1 quote"),
        "quotes_many": _("%(n)s quotes"),
        "all_saved": _("All quotes are saved."),
        "sending": _("Saving. Changes left: %(n)s."),
        "offline": _("No connection. Changes kept in this browser: %(n)s."),
        "signed_out": _("You are signed out. Sign in in another tab. Changes kept in this browser: %(n)s."),
        "refused_status": _("The server refused this change (status %(n)s)."),
        "selected": _("Selected: %(text)s"),
        "edit_codes": _("Change quote “%(text)s”"),
        "memo": _("memo"),
        "strength_1": _("hint"),
        "strength_2": _("clear"),
        "strength_3": _("strong"),
        "ask_done_waiting": _("Some changes are still being sent. Wait until all quotes are saved."),
    }
