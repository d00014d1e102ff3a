"""The Celery application, which wakes workers. The authoritative queue is the table of core.models.Job."""

import logging
import os
from logging.config import dictConfig
from typing import Any

from celery import Celery
from celery.signals import (
    before_task_publish,
    setup_logging,
    task_postrun,
    task_prerun,
    worker_ready,
    worker_shutting_down,
)

from core.watching import ids

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")

app = Celery("crosscheck")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

before_task_publish.connect(ids.send_along, dispatch_uid="crosscheck.ids")
task_prerun.connect(ids.take_along, dispatch_uid="crosscheck.ids")
task_postrun.connect(ids.leave_behind, dispatch_uid="crosscheck.ids")


@setup_logging.connect(dispatch_uid="crosscheck.logs")
def _log_as_the_web_does(loglevel: int | None = None, **_given: Any) -> None:
    """Celery would log in a form of its own, with what a job said when it failed."""
    from django.conf import settings  # noqa: PLC0415 - settings ask for this module

    dictConfig(settings.LOGGING)
    if loglevel:
        logging.getLogger().setLevel(loglevel)


@worker_ready.connect
def _ring(**_given: Any) -> None:
    from config.bell import Bell  # noqa: PLC0415 - a worker alone rings

    bell = Bell(app)
    bell.start()
    worker_shutting_down.connect(lambda **_given: bell.stop(), weak=False)
