from django.apps import AppConfig


class ReplicationConfig(AppConfig):
    name = "replication"
