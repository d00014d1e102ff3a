from django.apps import AppConfig


class StandardsConfig(AppConfig):
    name = "standards"

    def ready(self) -> None:
        from standards import audit
        from standards.actions.backgrounds import forget_backgrounds
        from standards.sets import system_checks
        from studies.actions.erasing import also_forget

        audit.register()
        system_checks.register()
        also_forget(forget_backgrounds)
