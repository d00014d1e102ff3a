from django.apps import AppConfig


class ReplicationConfig(AppConfig):
    name = "replication"

    def ready(self) -> None:
        from core.jobs import share
        from core.upkeep.leftovers import also_sweep
        from replication import (
            panels,
            tasks,  # noqa: F401 - registers its jobs
        )
        from replication.actions.packages import leave_package, remove_packages, sweep_packages
        from replication.queries.packages import MAKING
        from studies.actions.copies import also_remove

        panels.register()
        share(MAKING, leave_package)
        also_remove(remove_packages)
        also_sweep(sweep_packages)
