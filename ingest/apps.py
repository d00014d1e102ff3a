from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class IngestConfig(AppConfig):
    name = "ingest"

    def ready(self) -> None:
        from ingest import tasks  # noqa: F401, PLC0415  (registers the jobs)
        from studies import audit  # noqa: PLC0415

        audit.say("issues.imported", _("Imported issues from %(name)s"))
