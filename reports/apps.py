from django.apps import AppConfig


class ReportsConfig(AppConfig):
    name = "reports"

    def ready(self) -> None:
        from reports import (
            audit,
            tasks,  # noqa: F401 - registers its job
        )

        audit.register()
