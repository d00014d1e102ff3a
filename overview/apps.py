from django.apps import AppConfig


class OverviewConfig(AppConfig):
    name = "overview"

    def ready(self) -> None:
        from overview import panels

        panels.register()
