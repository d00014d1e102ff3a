"""The sentence of the audit for the event of this room."""

from django.utils.translation import gettext_lazy as _

from studies.audit import say


def register() -> None:
    say("studies.demonstration_loaded", _("Loaded the demonstration study"))
