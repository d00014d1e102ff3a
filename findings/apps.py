from django.apps import AppConfig


class FindingsConfig(AppConfig):
    name = "findings"

    def ready(self) -> None:
        from findings import audit
        from findings.actions.erasing import erase_evidence, evidence_to_erase
        from interviews.actions.erasing import also_erase
        from interviews.queries.erasing import also_tell

        audit.register()
        also_erase(erase_evidence)
        also_tell(evidence_to_erase)
