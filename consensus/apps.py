from django.apps import AppConfig


class ConsensusConfig(AppConfig):
    name = "consensus"

    def ready(self) -> None:
        from consensus import audit, panels, sealed_kinds

        sealed_kinds.register_events()
        audit.register()
        panels.register()
