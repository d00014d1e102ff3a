from django.apps import AppConfig


class ConsensusConfig(AppConfig):
    name = "consensus"

    def ready(self) -> None:
        from consensus import audit, panels

        audit.register()
        panels.register()
