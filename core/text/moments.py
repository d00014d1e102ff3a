"""Moments in words, in the reader's zone and language. `config/formats/` has the formats of each language."""

from datetime import datetime

from django.utils import formats, timezone
from django.utils.translation import gettext as _


def exactly(at: datetime) -> str:
    """Day, time and zone: "3 June 2025, 14:30 UTC"."""
    local = timezone.localtime(at)
    return f"{formats.date_format(local, 'DATETIME_FORMAT')} {local.tzname()}"


def day_time(at: datetime) -> str:
    """Day and time without the year: "3 June, 14:30"."""
    local = timezone.localtime(at)
    return _("%(day)s, %(time)s") % {
        "day": formats.date_format(local, "MONTH_DAY_FORMAT"),
        "time": formats.date_format(local, "TIME_FORMAT"),
    }


def weekday_time(at: datetime) -> str:
    """Weekday, day and time: "Tue 3 Jun 2025, 14:30"."""
    local = timezone.localtime(at)
    return _("%(weekday)s %(moment)s") % {
        "weekday": formats.date_format(local, "D"),
        "moment": formats.date_format(local, "SHORT_DATETIME_FORMAT"),
    }
