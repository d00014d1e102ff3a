from django.apps import AppConfig


class ProtocolsConfig(AppConfig):
    name = "protocols"

    def ready(self) -> None:
        from protocols import audit, panels
        from protocols.queries.planned import planned_for
        from reports import planned

        audit.register()
        panels.register()
        planned.register(planned_for)
