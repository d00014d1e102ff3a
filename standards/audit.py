"""The sentences of the audit for the events of this room. None of them repeats a text."""

from django.utils.translation import gettext_lazy as _

from studies.audit import say


def register() -> None:
    say("standards.answered", _("Answered item %(item)s of the standards"))
    say("standards.undone", _("Undid the last answer to item %(item)s of the standards"))
    say("standards.citation_changed", _("Changed how to cite the study"))
