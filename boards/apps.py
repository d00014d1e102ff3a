from django.apps import AppConfig


class BoardsConfig(AppConfig):
    name = "boards"

    def ready(self) -> None:
        from boards import audit

        audit.register()
