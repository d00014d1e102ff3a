from django.apps import AppConfig


class ReplicationConfig(AppConfig):
    name = "replication"

    def ready(self) -> None:
        from replication import (
            panels,
            tasks,  # noqa: F401 - registers its jobs
        )

        panels.register()
