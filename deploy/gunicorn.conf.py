"""The web server, deployed and embedded: as many processes and threads as the environment says."""  # noqa: INP001 - a configuration file

import fcntl
import os
import sys
from pathlib import Path
from typing import Any

bind = os.environ.get("BIND", "127.0.0.1:8000")
worker_class = "core.web.worker.WholeRequests"
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
threads = int(os.environ.get("WEB_THREADS", "8"))
worker_connections = 400  # of each process; a new one ends the one that has waited longest
timeout = 60
graceful_timeout = 20
keepalive = 75  # longer than the proxy keeps an idle connection
max_requests = 20_000
max_requests_jitter = 2_000
errorlog = "-"
# A worker's sign of life is a file that is touched: in memory, where there is such a place.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108
control_socket_disable = True
# Loaded once, for all processes: what they do not change is in memory once.
preload_app = "--reload" not in sys.argv


# A request that waits for a lock, or asks too much, ends with 503 instead of holding a thread for a minute.
if "PGOPTIONS" not in os.environ:
    raw_env = ["PGOPTIONS=-c lock_timeout=15s -c statement_timeout=50s"]


# Proxies are believed by core.watching.proxies, which knows which ones.
forwarded_allow_ips = ""
is_deployed = os.environ.get("DJANGO_SETTINGS_MODULE", "config.settings.prod") == "config.settings.prod"


def on_starting(server: Any) -> None:
    from config.logs import formatter  # noqa: PLC0415 - before Django is set up

    form = formatter(os.environ.get("LOG_FORMAT", "json" if is_deployed else "text"))
    for handler in server.log.error_log.handlers:
        handler.setFormatter(form)
    # `up` brings the database up to date while this process loads, and holds this file meanwhile.
    if gate := os.environ.get("CROSSCHECK_GATE"):
        with Path(gate).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH)


def when_ready(server: Any) -> None:  # noqa: ARG001 - what gunicorn gives
    if preload_app:
        _spare()


def post_worker_init(worker: Any) -> None:  # noqa: ARG001 - what gunicorn gives
    if not preload_app:
        _spare()


def _spare() -> None:
    from django.apps import apps  # noqa: PLC0415 - all is loaded by now
    from django.urls import get_resolver  # noqa: PLC0415

    from core.garbage import spare_what_stays  # noqa: PLC0415

    if apps.ready:
        get_resolver().url_patterns  # noqa: B018 - the views, which the first page would load
    spare_what_stays()
