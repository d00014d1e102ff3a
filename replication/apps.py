from django.apps import AppConfig


class ReplicationConfig(AppConfig):
    name = "replication"

    def ready(self) -> None:
        from core.upkeep.leftovers import also_sweep
        from replication import (
            panels,
            tasks,  # noqa: F401 - registers its jobs
        )
        from replication.actions.packages import remove_packages, sweep_packages
        from studies.actions.copies import also_remove

        panels.register()
        also_remove(remove_packages)
        also_sweep(sweep_packages)
