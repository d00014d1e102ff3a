"""What the scripts of the board say. Names in `%(…)s` are filled in by them."""

from django.utils.translation import gettext as _


def board_words() -> dict[str, str]:
    """Each sentence by its name, in the reader's language."""
    return {
        "unsorted": _("To sort"),
        "aside": _("Left aside"),
        "pile": _("Pile %(n)s, %(name)s"),
        "edit_pile": _("Pile %(n)s, %(name)s: name and describe it"),
        "labels": _("%(n)s labels say so"),
        "under": _("Under %(code)s"),
        "is_made": _("It is %(code)s in the draft."),
        "alike_cards": _("Cards that are alike"),
        "alike_one": _("1 card"),
        "alike_many": _("%(n)s alike"),
        "alike_rest": _("%(n)s more placed"),
        "alike_in": _("%(n)s in %(pile)s"),
        "alike_elsewhere": _("Alike: %(places)s"),
        "chosen_one": _("1 card chosen"),
        "chosen_many": _("%(n)s cards chosen"),
        "choose_found": _("Choose the %(n)s to sort"),
        "found_one": _("1 card found, %(left)s to sort"),
        "found_many": _("%(n)s cards found, %(left)s to sort"),
        "sent_one": _("1 card sent to %(pile)s. %(left)s left."),
        "sent_many": _("%(n)s cards sent to %(pile)s. %(left)s left."),
        "others_one": _("Somebody moved a card."),
        "others_many": _("Somebody moved %(n)s cards."),
        "progress": _("%(sorted)s of %(all)s sorted, %(aside)s left aside, %(left)s to go"),
        "cards_one": _("1 card"),
        "cards_many": _("%(n)s cards"),
        "send_to": _("Send to: a number, or letters"),
        "name_of_new": _("Name of the new pile"),
        "new_pile": _("New pile"),
        "new_pile_named": _("New pile “%(name)s”"),
        "which_pile": _("Go to a card in a pile first, or press the name of a pile."),
        "pile_gone": _("Somebody took this pile apart or joined it with another. Its cards are still here."),
        "join_with": _("Join with …"),
        "join": _("Join"),
        "ask_join": _("Put all cards of this pile into “%(name)s”?"),
        "joined": _("Joined with %(name)s."),
        "ask_apart_one": _("Take this pile apart? Its card is to be sorted again."),
        "ask_apart_many": _("Take this pile apart? Its %(n)s cards are to be sorted again."),
        "take_apart": _("Take apart"),
        "taken_apart": _("The pile is taken apart."),
        "needs_theme": _("Choose the theme that it belongs to first."),
        "made": _("“%(name)s” is a sub-theme in the draft now."),
        "saved": _("Saved."),
        "split": _("The card is split."),
        "split_one": _("Choose one card to split."),
        "merged": _("The cards are merged."),
        "merge_two": _("Choose two cards or more to merge."),
        "undone": _("Taken back."),
        "redone": _("Done again."),
        "ask_done": _("Are you done? Your piles stay as they are until all have sorted."),
        "ask_together": _(
            "Sort together now? What all put together stays together, and all see the piles of each."
        ),
        "ask_together_early": _(
            "Not everybody is done. Sort together all the same? All see the piles of each, as they are."
        ),
        "ask_close": _("Close the board with %(left)s cards to sort? Nobody can move a card any more."),
        "refused": _("That could not be done. The board shows how it stands."),
        "signed_out": _("You are signed out. Sign in again in another tab, then load this page anew."),
    }
