from django.apps import AppConfig


class ReportsConfig(AppConfig):
    name = "reports"

    def ready(self) -> None:
        from reports import (
            audit,
            panels,
            tasks,  # noqa: F401 - registers its job
        )
        from reports.actions.report_files import remove_report_files
        from reports.formats import file_cache
        from studies.actions import copies, removal

        audit.register()
        panels.register()
        copies.also_remove(remove_report_files)
        removal.files_of(file_cache.of_study)
