from django.apps import AppConfig


class IngestConfig(AppConfig):
    name = "ingest"

    def ready(self) -> None:
        from ingest import (
            audit,
            tasks,  # noqa: F401 - registers its jobs
        )

        audit.register()
