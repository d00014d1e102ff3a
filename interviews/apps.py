from django.apps import AppConfig


class InterviewsConfig(AppConfig):
    name = "interviews"

    def ready(self) -> None:
        from interviews import audit, panels

        audit.register()
        panels.register()
