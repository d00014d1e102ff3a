"""The sentences of the audit for the events of this room."""

from django.utils.translation import gettext_lazy as _

from studies.audit import say


def register() -> None:
    say("boards.made", _("Made the board %(name)s: %(cards)s cards"))
    say("boards.brought", _("Brought %(cards)s new cards onto the board %(name)s"))
    say("boards.together", _("Ended the sorting apart on the board %(name)s"))
    say("boards.closed", _("Closed the board %(name)s"))
    say("boards.downloaded", _("Downloaded the mapping of the board %(name)s"))
