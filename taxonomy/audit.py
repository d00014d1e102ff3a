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
    # Proposed names are quoted from labels: the reader may still have to label their issues.
    say("taxonomies.answered", _("Chose the category %(category)s for a proposed name"), hidden=["name"])
    say("taxonomies.joined", _("Joined two proposed names"), hidden=["name", "into"])
    say("taxonomies.parted", _("Separated two joined names"), hidden=["name", "into"])
    say(
        "taxonomies.asked_again",
        _("Asked again for labels of %(categories)s with version %(version)s of the taxonomy %(name)s"),
    )
    say("taxonomies.rule_set", _("Changed the rule for accepting proposals for the taxonomy %(name)s"))
