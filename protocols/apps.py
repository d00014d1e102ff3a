from django.apps import AppConfig


class ProtocolsConfig(AppConfig):
    name = "protocols"

    def ready(self) -> None:
        from protocols import audit

        audit.register()
