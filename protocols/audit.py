"""The sentences of the audit for the events of this room. None of them repeats the plan."""

from django.utils.translation import gettext_lazy as _

from studies.audit import say


def register() -> None:
    say("protocols.started", _("Started version %(number)s of the protocol"))
    say("protocols.discarded", _("Discarded the draft of version %(number)s of the protocol"))
    say("protocols.frozen", _("Froze version %(number)s of the protocol"))
    say("protocols.explained", _("Gave a reason for a deviation from the protocol"))
