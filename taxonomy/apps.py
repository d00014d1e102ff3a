from django.apps import AppConfig


class TaxonomyConfig(AppConfig):
    name = "taxonomy"

    def ready(self) -> None:
        from taxonomy import audit

        audit.register()
