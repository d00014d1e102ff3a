"""The texts of the scripts of the board. The scripts fill in the names in `%(…)s`."""

from django.utils.translation import gettext as _


def board_words() -> dict[str, str]:
    """Each text by its name, in the reader's language."""
    return {
        "unsorted": _("To sort"),
        "aside": _("Left aside"),
        "pile": _("Pile %(n)s, %(name)s"),
        "edit_pile": _("Pile %(n)s, %(name)s: edit name and definition"),
        "labels": _("%(n)s labels with this summary"),
        "under": _("Theme %(code)s"),
        "is_made": _("Sub-theme %(code)s in the draft"),
        "alike_cards": _("Similar cards"),
        "alike_one": _("1 card"),
        "alike_many": _("%(n)s similar cards"),
        "alike_rest": _("%(n)s more already sorted"),
        "alike_in": _("%(n)s in %(pile)s"),
        "alike_elsewhere": _("Similar cards: %(places)s"),
        "chosen_one": _("1 card selected"),
        "chosen_many": _("%(n)s cards selected"),
        "choose_found": _("Select the %(n)s cards to sort"),
        "found_one": _("1 card found, %(left)s to sort"),
        "found_many": _("%(n)s cards found, %(left)s to sort"),
        "sent_one": _("1 card sent to %(pile)s. %(left)s cards left to sort."),
        "sent_many": _("%(n)s cards sent to %(pile)s. %(left)s cards left to sort."),
        "others_one": _("Another member moved a card."),
        "others_many": _("Other members moved %(n)s cards."),
        "progress": _("%(sorted)s of %(all)s cards sorted, %(aside)s left aside, %(left)s to sort"),
        "cards_one": _("1 card"),
        "cards_many": _("%(n)s cards"),
        "news_one": _("Labels have 1 new summary since this board started."),
        "news_many": _("Labels have %(n)s new summaries since this board started."),
        "ask_bring": _("Add %(n)s new cards to the board? Everybody finds the new cards under “To sort”."),
        "bring": _("Add new cards"),
        "brought": _("The new cards are under “To sort”."),
        "mapping_in": _("The file contains %(cards)s cards in %(piles)s piles."),
        "mapping_out": _("Cards not in the file: %(aside)s left aside, %(left)s still to sort."),
        "send_to": _("Send to pile (number or name)"),
        "name_of_new": _("Name of the new pile"),
        "new_pile": _("New pile"),
        "new_pile_named": _("New pile “%(name)s”"),
        "which_pile": _("First go to a card in a pile, or press the name of a pile."),
        "pile_gone": _(
            "Another member dissolved this pile or joined it with another pile. All cards are"
            " still on the board."
        ),
        "join_with": _("Join with another pile …"),
        "join": _("Join piles"),
        "ask_join": _("Move all cards of this pile into “%(name)s”?"),
        "joined": _("Joined with %(name)s."),
        "ask_apart_one": _("Dissolve this pile? Its card goes back to “To sort”."),
        "ask_apart_many": _("Dissolve this pile? Its %(n)s cards go back to “To sort”."),
        "take_apart": _("Dissolve pile"),
        "taken_apart": _("The pile is dissolved."),
        "needs_theme": _("First choose the theme of this pile."),
        "made": _("“%(name)s” is now a sub-theme in the draft."),
        "saved": _("Pile saved."),
        "split": _("The card is split."),
        "split_one": _("Select one card to split."),
        "merged": _("The cards are merged."),
        "merge_two": _("Select at least two cards to merge."),
        "undone": _("Change undone."),
        "redone": _("Change redone."),
        "ask_done": _(
            "Finish sorting? You cannot change your piles after that, unless you press “Continue sorting”."
        ),
        "ask_together": _(
            "Start the joint session? Cards that everybody grouped the same way stay together."
            " Everybody will see the piles of each member."
        ),
        "ask_together_early": _(
            "Not all members have finished sorting. Start the joint session anyway? Everybody"
            " will see the piles of each member."
        ),
        "ask_close": _(
            "Close the board with %(left)s cards left to sort? After that nobody can move a card."
        ),
        "refused": _("Your change was not possible. The board shows the current state."),
        "signed_out": _("You are signed out. Sign in again in another tab, then reload this page."),
    }
