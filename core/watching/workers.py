"""Which workers were seen, and what to tell whoever waits for one."""

import socket
from contextlib import suppress
from datetime import datetime, timedelta

import redis
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core import clock
from core.models import Job
from core.watching.store import store

KEY = "workers-seen"
AGE = timedelta(minutes=1)
"""A worker that was not seen for so long is gone."""
FORGOTTEN = timedelta(days=1)
PATIENCE = timedelta(seconds=30)
"""A job that waits for less is in nobody's way."""


def note_worker(name: str = "") -> None:
    """A worker runs: note the moment. Without Redis nothing is noted."""
    with suppress(redis.RedisError):
        store().hset(KEY, name or socket.gethostname(), clock.now().isoformat())


def workers_seen() -> dict[str, datetime]:
    """When each worker of the last day was seen, the latest first. Raises redis.RedisError."""
    found = {name: datetime.fromisoformat(at) for name, at in store().hgetall(KEY).items()}
    old = [name for name, at in found.items() if clock.now() - at > FORGOTTEN]
    if old:
        store().hdel(KEY, *old)
    return {
        name: found[name]
        for name in sorted(found, key=lambda name: (found[name], name), reverse=True)
        if name not in old
    }


def absence(job: Job) -> str:
    """A sentence for the page of a job that waits although no worker runs; "" for all other jobs."""
    now = clock.now()
    since = job.created_at if job.state == Job.State.QUEUED else job.heartbeat_at or job.created_at
    if job.finished_at or now - since < PATIENCE:
        return ""
    try:
        seen = next(iter(workers_seen().values()), None)
    except redis.RedisError:
        return _(
            "Redis does not answer, so nothing can start this job. The job waits, and nothing is lost."
            " Tell the administrator of this server."
        )
    if seen is None:
        return _(
            "Nothing runs jobs on this server. This job waits, and nothing is lost."
            " Tell the administrator of this server."
        )
    if now - seen <= AGE:
        return ""
    minutes = int((now - seen) / timedelta(minutes=1))
    return ngettext(
        "Nothing has run jobs on this server for %(n)s minute. This job waits, and nothing is lost."
        " Tell the administrator of this server.",
        "Nothing has run jobs on this server for %(n)s minutes. This job waits, and nothing is lost."
        " Tell the administrator of this server.",
        minutes,
    ) % {"n": minutes}
