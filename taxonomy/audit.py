"""The audit's sentences for the events of this room."""

from django.utils.translation import gettext_lazy as _

from studies.audit import say


def register() -> None:
    say("taxonomies.started", _("Began the taxonomy %(name)s"))
    say("taxonomies.published", _("Published version %(version)s of the taxonomy %(name)s"))
    say("taxonomies.proposed", _("Put proposal %(number)s to the vote: %(title)s"))
    say("taxonomies.decided", _("Proposal %(number)s: %(outcome)s"))
    say("taxonomies.answered", _("Answered the open name %(name)s by %(code)s"))
    say("taxonomies.rule_set", _("Set how proposals for the taxonomy %(name)s are accepted"))
