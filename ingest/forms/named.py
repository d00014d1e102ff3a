"""What several forms choose from and refuse: names of repositories by line, and time zones."""

from collections.abc import Mapping
from zoneinfo import available_timezones

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from ingest.forges.naming import Cause, Misnamed

_CAUSES: Mapping[Cause, str | Promise] = {
    "shape": gettext_lazy(
        "Line %(line)d is not a repository: “%(text)s”. Write owner/name or the whole address."
    ),
    "path": gettext_lazy("Line %(line)d has no owner and no repository: “%(text)s”."),
    "host": gettext_lazy("Line %(line)d has no readable host: “%(text)s”."),
    "scheme": gettext_lazy(
        "Line %(line)d begins with %(about)s://, but forges answer only https:// and http://: “%(text)s”."
    ),
    "secret": gettext_lazy(
        "Line %(line)d contains a user name or a password: “%(text)s”. Remove the name and "
        "the password, and add a token instead."
    ),
    "forge": gettext_lazy(
        "Line %(line)d is on %(about)s, which cannot be harvested: “%(text)s”. Import these "
        "issues from a file."
    ),
    "twice": gettext_lazy("Line %(line)d repeats line %(about)s: “%(text)s”."),
    "many": gettext_lazy("Line %(line)d is one line too many: a harvest has at most %(about)s repositories."),
    "base": gettext_lazy(
        "Line %(line)d is not the address of a host above: “%(text)s”. Write the host and "
        "its address, such as git.example.org https://git.example.org/api/v3."
    ),
}


def causes(bad: list[Misnamed]) -> list[str]:
    """Why each of these lines was refused, in words."""
    return [str(_CAUSES[one.cause]) % {"line": one.line, "text": one.text, "about": one.about} for one in bad]


def zone_choices() -> list[tuple[str, str]]:
    """The time zones that have a place in their name, and UTC."""
    named = (
        name for name in available_timezones() if "/" in name and not name.startswith(("Etc/", "SystemV/"))
    )
    return [("UTC", "UTC"), *((name, name.replace("_", " ")) for name in sorted(named))]
