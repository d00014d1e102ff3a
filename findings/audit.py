"""The sentences of the audit for the events of this room. None of them repeats a finding."""

from django.utils.translation import gettext_lazy as _

from studies.audit import say


def register() -> None:
    say("findings.added", _("Added a finding"))
    say("findings.changed", _("Changed finding %(number)s"))
    say("findings.moved", _("Moved finding %(number)s"))
    say("findings.deleted", _("Deleted a finding"))
    say("findings.restored", _("Brought back a finding"))
    say("findings.frozen", _("Froze finding %(number)s"))
    say("findings.thawed", _("Unfroze finding %(number)s"))
