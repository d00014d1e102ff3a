"""Recent errors, for administrators: which kind, where, when, and the id that the reader saw.

An error is kept without its message, its variables and its address: these can hold texts, names and links.
The log has its traceback, under the same id. The newest KEPT are in Redis, as long as Redis keeps its data.
"""

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

import redis

from core import clock
from core.watching import counts
from core.watching.ids import new_id, request_id
from core.watching.store import store

KEY = "problems"
KEPT = 500
DAYS = 30


@dataclass(frozen=True)
class Problem:
    """One error. `where` is a pattern of addresses or the kind of a job; `kind` the class of the error."""

    id: str
    at: datetime
    kind: str
    where: str


@dataclass(frozen=True)
class Group:
    """Errors of one kind at one place; `newest` first."""

    problems: tuple[Problem, ...]

    @property
    def newest(self) -> Problem:
        return self.problems[0]

    @property
    def count(self) -> int:
        return len(self.problems)


def keep_problem(error: BaseException | None, *, where: str) -> str:
    """Keep an error and return the id by which an administrator finds it."""
    one = request_id() or new_id()
    kind = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    counts.count("crosscheck_errors_total", kind=kind)
    line = json.dumps({"id": one, "at": clock.now().isoformat(), "kind": kind[:120], "where": where[:200]})
    with suppress(redis.RedisError):
        store().pipeline().lpush(KEY, line).ltrim(KEY, 0, KEPT - 1).execute()
    return one


def problems() -> list[Problem]:
    """The kept errors of the last DAYS, newest first. Raises redis.RedisError."""
    since = clock.now() - timedelta(days=DAYS)
    read = [json.loads(line) for line in store().lrange(KEY, 0, KEPT - 1)]
    found = [Problem(**{**one, "at": datetime.fromisoformat(one["at"])}) for one in read]
    return [one for one in found if one.at >= since]


def grouped(found: Iterable[Problem]) -> list[Group]:
    """The errors by kind and place, the one that came last first."""
    groups: dict[tuple[str, str], list[Problem]] = {}
    for one in found:
        groups.setdefault((one.kind, one.where), []).append(one)
    return [Group(tuple(group)) for group in groups.values()]
