"""The audit's sentences for the events of this room."""

from django.utils.translation import gettext_lazy as _

from studies.audit import say
from taxonomy.models import Motion


def register() -> None:
    say("taxonomies.started", _("Created the taxonomy %(name)s"))
    say("taxonomies.draft_deleted", _("Deleted the draft of the taxonomy %(name)s"))
    say("taxonomies.published", _("Published version %(version)s of the taxonomy %(name)s"))
    say("taxonomies.proposed", _("Started the vote on proposal %(number)s: %(title)s"))
    say("taxonomies.decided", _("Proposal %(number)s: %(outcome)s"), outcome=Motion.Outcome)
    say("taxonomies.answered", _("Chose the category %(category)s for the proposed name %(name)s"))
    say("taxonomies.joined", _("Joined the proposed name %(name)s with %(into)s"))
    say("taxonomies.parted", _("Separated the proposed name %(name)s from %(into)s"))
    say(
        "taxonomies.asked_again",
        _("Asked again for labels of %(categories)s with version %(version)s of the taxonomy %(name)s"),
    )
    say("taxonomies.rule_set", _("Changed the rule for accepting proposals for the taxonomy %(name)s"))
