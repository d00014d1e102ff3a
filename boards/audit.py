"""The sentences of the audit for the events of this room."""

from django.utils.translation import gettext_lazy as _

from studies.audit import say


def register() -> None:
    say("boards.made", _("Created the board %(name)s with %(cards)s cards"))
    say("boards.brought", _("Added %(cards)s new cards to the board %(name)s"))
    say("boards.together", _("Started the joint session of the board %(name)s"))
    say("boards.closed", _("Closed the board %(name)s"))
    say("boards.downloaded", _("Downloaded the mapping of the board %(name)s"))
