"""Names of an issue's fields and of a report's counts, for the pages and commands of imports."""

import re
from collections.abc import Mapping

from django.template.defaultfilters import filesizeformat
from django.utils.functional import Promise
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
