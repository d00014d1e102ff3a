"""Names of an issue's fields, of a report's counts and of windows of time, for pages and commands."""

import re
from collections.abc import Mapping
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.template.defaultfilters import filesizeformat
from django.utils import formats
from django.utils.functional import Promise
from django.utils.translation import gettext as said
from django.utils.translation import gettext_lazy as _

FIELD_NAMES: Mapping[str, str | Promise] = {
    "url": _("address"),
    "number": _("number"),
    "title": _("title"),
    "body": _("text"),
    "author": _("author"),
    "author_association": _("author's role"),
    "labels": _("the forge's labels"),
    "state": _("state"),
    "state_reason": _("reason of the state"),
    "created_at": _("opened at"),
    "closed_at": _("closed at"),
    "updated_at": _("changed at"),
    "comments": _("comments, or their number"),
    "is_pull_request": _("pull request or issue"),
}

COUNT_NAMES: Mapping[str, str | Promise] = {
    "rows": _("rows read"),
    "new": _("new issues"),
    "known": _("known already"),
    "changed": _("known, text differs"),
    "repeated": _("repeated"),
    "refused": _("refused"),
    "repaired": _("repaired"),
    "pull_requests": _("pull requests"),
    # Of a published study.
    "repositories": _("repositories"),
    "issues": _("issues"),
    "lists": _("lists"),
    "list entries": _("list entries"),
    "volunteers": _("volunteers"),
    "issues in the round": _("issues in the round"),
    "assignments": _("assignments"),
    "labels": _("labels"),
    "decisions": _("decisions"),
}
"""In the order of display."""

FORMAT_NAMES: Mapping[str, str | Promise] = {
    "urls": _("list of addresses"),
    "csv": _("CSV"),
    "json": _("JSON"),
    "published": _("published study"),
}


def limit_name(size: int) -> str:
    """A limit in bytes as text: "512 MB", not "512.0 MB"."""
    return re.sub(r"[.,]0(?=\s)", "", filesizeformat(size))


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
    return f"{formats.date_format(local, 'j F Y')} {local:%H:%M}"


def _end(at: datetime, zone: str) -> str:
    """The moment before which a window ends; midnight is the end of the day before."""
    local = at.astimezone(ZoneInfo(zone))
    if local.time() == time.min:
        return f"{formats.date_format(local.date() - timedelta(days=1), 'j F Y')} 24:00"
    return _start(at, zone)
