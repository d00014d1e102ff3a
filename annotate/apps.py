from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AnnotateConfig(AppConfig):
    name = "annotate"

    def ready(self) -> None:
        from annotate import tasks  # noqa: F401, PLC0415  (registers the jobs)
        from studies import audit  # noqa: PLC0415

        audit.say(
            "rounds.created", _("Planned the round %(round)s: %(issues)s issues, %(volunteers)s volunteers")
        )
        audit.say("rounds.opened", _("Opened the round %(round)s"))
        audit.say("rounds.closed", _("Closed the round %(round)s"))
        audit.say("decisions.settled", _("Settled a disagreement of the round %(round)s"))
        audit.say("studies.demonstration_loaded", _("Loaded the demonstration study"))
        audit.say("exports.downloaded", _("Downloaded %(file)s"))
