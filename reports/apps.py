from django.apps import AppConfig


class ReportsConfig(AppConfig):
    name = "reports"

    def ready(self) -> None:
        from reports import (
            audit,
            panels,
            tasks,  # noqa: F401 - registers its job
        )

        audit.register()
        panels.register()
