from django.apps import AppConfig


class ReportsConfig(AppConfig):
    name = "reports"

    def ready(self) -> None:
        from reports import (
            audit,
            panels,
            tasks,  # noqa: F401 - registers its job
        )
        from reports.formats import file_cache
        from studies.actions import removal

        audit.register()
        panels.register()
        removal.files_of(file_cache.of_study)
