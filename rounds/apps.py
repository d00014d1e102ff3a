from django.apps import AppConfig


class RoundsConfig(AppConfig):
    name = "rounds"

    def ready(self) -> None:
        from core.upkeep.doctor import register
        from core.watching.metrics import register_gauge
        from ingest.queries.forge_labels import hide_forge_labels
        from rounds import issue_references, sealed_kinds
        from rounds.queries import labels_given
        from rounds.queries.chains import chains
        from rounds.queries.forge_labels import hidden_forge_labels
        from taxonomy import signals

        sealed_kinds.register_events()
        register("chains", chains)
        issue_references.register()
        signals.labelled.connect(labels_given.has_labels)
        hide_forge_labels(hidden_forge_labels)
        register_gauge(
            "crosscheck_labels", "Labels stored, as PostgreSQL estimates them.", labels_given.labels_stored
        )
