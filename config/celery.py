"""The Celery application, which wakes workers. The authoritative queue is the table of core.models.Job."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")

app = Celery("crosscheck")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
