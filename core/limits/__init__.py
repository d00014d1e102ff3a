"""Counts of what happens in a minute, an hour …, in the cache that all web processes share."""

from dataclasses import dataclass
from math import ceil

from django.core.cache import cache

from core import clock

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
ROUNDING = 1e-5


@dataclass(frozen=True)
class Rate:
    """So many in so many seconds."""

    amount: int
    seconds: int

    @classmethod
    def of(cls, text: str) -> "Rate | None":
        """The rate of `1200/m`; None for an empty text, which sets no limit. Raises ValueError."""
        if not text:
            return None
        amount, _, unit = text.partition("/")
        if unit not in SECONDS or not (amount.isascii() and amount.isdecimal()) or int(amount) < 1:
            raise ValueError(f"{text!r} is no rate such as 1200/m (units: {', '.join(SECONDS)})")
        return cls(int(amount), SECONDS[unit])


def spend(key: str, rate: Rate) -> int | None:
    """Count one more of `key`; return the seconds to wait if that is more than `rate` allows, else None.

    The window slides: the former one counts as far as it reaches into the last `seconds`. A key has two
    counters, whatever the rate. What is refused is not counted.
    """
    this, former, gone = _windows(key, rate)
    before = cache.get(former) or 0
    count = _counted(this, 2 * rate.seconds)
    if before * (1 - gone / rate.seconds) + count <= rate.amount + ROUNDING:
        return None
    cache.incr(this, -1)
    if count > rate.amount:
        return ceil(rate.seconds - gone + rate.seconds / rate.amount - ROUNDING)
    return max(1, ceil(rate.seconds * (1 - (rate.amount - count) / before) - gone - ROUNDING))


def give_back(key: str, rate: Rate) -> None:
    """Count one less of `key`: what was spent has not come about."""
    this, _former, _gone = _windows(key, rate)
    if cache.get(this):
        cache.incr(this, -1)


def _windows(key: str, rate: Rate) -> tuple[str, str, float]:
    """The counters of this window and of the former one, and how many seconds of this one are over."""
    window, gone = divmod(clock.now().timestamp(), rate.seconds)
    this, former = (f"limit:{key}:{rate.seconds}:{int(window) - back}" for back in (0, 1))
    return this, former, gone


def _counted(key: str, timeout: int) -> int:
    cache.add(key, 0, timeout)
    return cache.incr(key)
