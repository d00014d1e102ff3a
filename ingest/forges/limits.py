"""What a forge says about waiting, as GitHub documents it: `retry-after`, else the reset of a used-up limit,
else a minute that doubles.
"""

import json
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

from core.fetch.answers import Answer

FIRST_WAIT = 60.0
LONGEST = 31 * 24 * 3600.0
"""Seconds. A longer wait, which no forge asks for, is cut to this."""

_MARGIN = 1.0
"""Seconds. A forge says whole seconds, and the second itself belongs to the wait."""

_SAYS_LIMIT = re.compile(r"rate.?limit|secondary|abuse|too many|frequen|频繁|频率|超限", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Wait:
    """`is_of_token`: this token is used up, others are not. Otherwise everything has to wait."""

    seconds: float
    is_of_token: bool


def wait_of(answer: Answer, now: datetime, times: int) -> Wait | None:
    """How long to wait after an answer that refuses by a rate limit, or a server that says when it is back;
    None for any other answer.

    `times` is the number of such answers in a row before this one.
    """
    if answer.status not in {403, 429} and answer.status < 500:
        return None
    least = _MARGIN * 2.0 ** min(times, 12)
    said = _retry_after(answer, now)
    if said is not None:
        return Wait(min(max(said + _MARGIN, least), LONGEST), is_of_token=False)
    if answer.status >= 500:
        return None
    if answer.header("x-ratelimit-remaining").strip() == "0":
        reset = _until_reset(answer, now)
        if reset is not None:
            return Wait(min(max(reset + _MARGIN, least), LONGEST), is_of_token=True)
    if answer.status == 429 or _SAYS_LIMIT.search(message_of(answer)):
        return Wait(min(FIRST_WAIT * 2.0 ** min(times, 20), LONGEST), is_of_token=False)
    return None


def used_up(answer: Answer, now: datetime) -> datetime | None:
    """When a token may be used again that a good answer says has nothing left."""
    if answer.header("x-ratelimit-remaining").strip() != "0":
        return None
    reset = _until_reset(answer, now)
    return None if reset is None else now + timedelta(seconds=min(max(reset, 0) + _MARGIN, LONGEST))


def remaining(answer: Answer) -> int | None:
    text = answer.header("x-ratelimit-remaining").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def message_of(answer: Answer) -> str:
    """What the forge says in words; "" if the body is not one of its own JSON answers."""
    try:
        body = json.loads(answer.body)
    except (ValueError, RecursionError):
        return ""
    said = body.get("message", body.get("error", "")) if isinstance(body, dict) else ""
    return said[:300] if isinstance(said, str) else ""


def is_own(answer: Answer) -> bool:
    """Is it the forge itself that answers, in JSON, and not something between?"""
    try:
        return isinstance(json.loads(answer.body), dict)
    except (ValueError, RecursionError):
        return False


def _retry_after(answer: Answer, now: datetime) -> float | None:
    """Seconds, from a number of seconds or from an HTTP date by the forge's own clock."""
    text = answer.header("retry-after").strip()
    if re.fullmatch(r"[0-9]{1,12}(?:\.[0-9]+)?", text):
        return float(text)
    until = _date(text)
    return None if until is None else max((until - (_date(answer.header("date")) or now)).total_seconds(), 0)


def _until_reset(answer: Answer, now: datetime) -> float | None:
    """Seconds until the limit begins anew, by the forge's own clock where it says the time."""
    text = answer.header("x-ratelimit-reset").strip()
    if not re.fullmatch(r"[0-9]{1,12}", text):
        return None
    there = _date(answer.header("date")) or now
    return float(text) - there.timestamp()


def _date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment if moment.tzinfo else None
