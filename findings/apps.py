from django.apps import AppConfig


class FindingsConfig(AppConfig):
    name = "findings"

    def ready(self) -> None:
        from findings import audit, issue_references
        from findings.actions.erasing import erase_evidence, evidence_to_erase
        from interviews.actions.erasing import also_erase
        from interviews.queries.erasing import also_tell

        audit.register()
        issue_references.register()
        also_erase(erase_evidence)
        also_tell(evidence_to_erase)
