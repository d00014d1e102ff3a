"""Moments as forges and tools write them."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from ingest.readers.refusals import Refused, excerpt

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_JIRA = re.compile(r"(\d{1,2})/([A-Za-z]{3})/(\d{2}|\d{4}) (\d{1,2}):(\d{2})(?::(\d{2}))?(?: ([AP]M))?")


def moment(value: object, key: str, zone: str = "") -> datetime:
    """A moment in UTC, from ISO 8601, from seconds or milliseconds since 1970, or as Jira exports it
    (31/May/24 9:30 AM). `zone` is the time zone of a time that names none. Raises Refused.
    """
    found = None
    if isinstance(value, str):
        found = _read(value.strip())
        if found and found.tzinfo is None:
            if not zone:
                raise Refused("no_zone", key=key, value=excerpt(value.strip()))
            found = found.replace(tzinfo=ZoneInfo(zone))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        # pandas writes milliseconds; as seconds they would be thousands of years away, so both are clear.
        if 0 < value < 10**10:
            found = datetime.fromtimestamp(value, UTC)
        elif 10**11 < value < 10**13:
            found = datetime.fromtimestamp(value / 1000, UTC)
    if found is None or not 1970 < found.year < 2200:
        raise Refused("bad_time", key=key, value=excerpt(str(value)))
    return found.astimezone(UTC)


def _read(text: str) -> datetime | None:
    try:
        jira = _JIRA.fullmatch(text)
        if jira is None:
            return datetime.fromisoformat(re.sub(r" ?UTC$", "+00:00", text))
        day, month, year, hour, minute, second, half = jira.groups()
        hours = int(hour) % 12 + 12 * (half == "PM") if half else int(hour)
        years = int(year) + (2000 if len(year) == 2 else 0)
        date = f"{years:04}-{_MONTHS.index(month.lower()) + 1:02}-{int(day):02}"
        return datetime.fromisoformat(f"{date}T{hours:02}:{minute}:{second or '00'}")
    except ValueError:
        return None
