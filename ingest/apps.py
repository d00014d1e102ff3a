from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class IngestConfig(AppConfig):
    name = "ingest"

    def ready(self) -> None:
        from ingest import tasks  # noqa: F401, PLC0415  (registers the jobs)
        from studies import audit  # noqa: PLC0415

        audit.say("issues.imported", _("Imported issues from %(name)s"))
        audit.say("keywords.changed", _("Changed the keywords: %(added)s added, %(removed)s removed"))
        audit.say("filters.saved", _("Saved the filter %(name)s"))
        audit.say("filters.deleted", _("Deleted the filter %(name)s"))
