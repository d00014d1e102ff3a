"""Windows of time in words, for pages, texts and commands."""

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.utils import formats
from django.utils.translation import gettext as said


def window_in_words(opened_from: datetime | None, opened_before: datetime | None, zone: str) -> str:
    """A window as a clause with its zone: "opened from 1 January 2023 00:00 to 30 April 2025 24:00, UTC"."""
    values = {
        "start": opened_from and _start(opened_from, zone),
        "end": opened_before and _end(opened_before, zone),
        "zone": zone.replace("_", " "),
    }
    if opened_from and opened_before:
        return said("opened from %(start)s to %(end)s, %(zone)s") % values
    if opened_from:
        return said("opened from %(start)s on, %(zone)s") % values
    if opened_before:
        return said("opened up to %(end)s, %(zone)s") % values
    return said("opened at any time before the harvest starts")


def _start(at: datetime, zone: str) -> str:
    local = at.astimezone(ZoneInfo(zone))
    return f"{formats.date_format(local, 'DATE_FORMAT')} {local:%H:%M}"


def _end(at: datetime, zone: str) -> str:
    """The moment before which a window ends; midnight is the end of the day before."""
    local = at.astimezone(ZoneInfo(zone))
    if local.time() == time.min:
        return f"{formats.date_format(local.date() - timedelta(days=1), 'DATE_FORMAT')} 24:00"
    return _start(at, zone)
