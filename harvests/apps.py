from django.apps import AppConfig


class HarvestsConfig(AppConfig):
    name = "harvests"

    def ready(self) -> None:
        from harvests import (
            audit,
            tasks,  # noqa: F401 - registers its jobs
        )

        audit.register()
