from django.apps import AppConfig


class AnnotateConfig(AppConfig):
    name = "annotate"

    def ready(self) -> None:
        from annotate import (
            audit,
            issue_references,
            panels,
            publish_notice,
            tasks,  # noqa: F401 - registers its job
        )
        from annotate.actions import version_upgrade
        from taxonomy import signals

        audit.register()
        issue_references.register()
        panels.register()
        signals.published.connect(version_upgrade.follow)
        signals.followed.connect(publish_notice.sentence)
        signals.answered.connect(version_upgrade.ask_again)
