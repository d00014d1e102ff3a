from django.apps import AppConfig


class FindingsConfig(AppConfig):
    name = "findings"

    def ready(self) -> None:
        from findings import audit
        from findings.actions.erasing import erase_evidence
        from interviews.actions.erasing import also_erase

        audit.register()
        also_erase(erase_evidence)
