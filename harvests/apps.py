from django.apps import AppConfig


class HarvestsConfig(AppConfig):
    name = "harvests"

    def ready(self) -> None:
        from harvests import (
            audit,
            issue_references,
            tasks,  # noqa: F401 - registers its jobs
        )

        audit.register()
        issue_references.register()
