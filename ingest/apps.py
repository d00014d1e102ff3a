from django.apps import AppConfig


class IngestConfig(AppConfig):
    name = "ingest"

    def ready(self) -> None:
        from ingest import (
            audit,
            files,
            tasks,  # noqa: F401 - registers its jobs
        )
        from studies.actions import removal

        audit.register()
        removal.files_of(files.of_study)
