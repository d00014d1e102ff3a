"""The id of the request, or of the task, that this code works for. Each line of the log and the answer have
it, jobs take it along, and where something broke the reader sees it.
"""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

HEADER = "X-Request-ID"
WELL_FORMED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")
_OF_TASKS = "request_id"

_now: ContextVar[str] = ContextVar("request id", default="")


def request_id() -> str:
    """The id that counts now; "" outside of requests and tasks."""
    return _now.get()


def new_id() -> str:
    """Twelve characters that can be read out on the telephone."""
    return secrets.token_hex(6)


def accepted(given: str) -> str:
    """The given id if it is well-formed, else a new one."""
    return given if WELL_FORMED.fullmatch(given) else new_id()


@contextmanager
def under(one: str) -> Iterator[str]:
    """Work under this id for the block."""
    before = _now.set(one)
    try:
        yield one
    finally:
        _now.reset(before)


def send_along(headers: dict[str, Any], **_given: Any) -> None:
    """Give the id to the task that is sent (Celery's signal `before_task_publish`)."""
    if one := request_id():
        headers[_OF_TASKS] = one


def take_along(task: Any, **_given: Any) -> None:
    """Work under the id of the request that sent the task (Celery's signal `task_prerun`)."""
    _now.set(accepted(str(getattr(task.request, _OF_TASKS, None) or "")))


def leave_behind(**_given: Any) -> None:
    """The task has ended (Celery's signal `task_postrun`)."""
    _now.set("")
