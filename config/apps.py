from importlib import import_module

from django.apps import AppConfig


class Wiring(AppConfig):
    """Connects jobs with Celery once the applications are loaded. Settings alone do not load Celery."""

    name = "config"

    def ready(self) -> None:
        import_module("config.celery")
