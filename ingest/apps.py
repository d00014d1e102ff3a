from django.apps import AppConfig


class IngestConfig(AppConfig):
    name = "ingest"

    def ready(self) -> None:
        from ingest import (
            audit,
            files,
            tasks,  # noqa: F401 - registers its jobs
        )
        from ingest.queries import references
        from studies.actions import removal

        audit.register()
        references.register()
        removal.files_of(files.of_study)
