from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TaxonomyConfig(AppConfig):
    name = "taxonomy"

    def ready(self) -> None:
        from studies import audit  # noqa: PLC0415

        audit.say("taxonomies.started", _("Began the taxonomy %(name)s"))
        audit.say("taxonomies.published", _("Published version %(version)s of the taxonomy %(name)s"))
        audit.say("taxonomies.proposed", _("Put proposal %(number)s to the vote: %(title)s"))
        audit.say("taxonomies.decided", _("Proposal %(number)s: %(outcome)s"))
        audit.say("taxonomies.answered", _("Answered the open name %(name)s by %(code)s"))
        audit.say("taxonomies.rule_set", _("Set how proposals for the taxonomy %(name)s are accepted"))
