from django.apps import AppConfig


class RoundsConfig(AppConfig):
    name = "rounds"

    def ready(self) -> None:
        from rounds.queries import labels_given
        from taxonomy import signals

        signals.labelled.connect(labels_given.has_labels)
