"""Names of an issue's fields and of a report's counts, for pages and commands."""

import re
from collections.abc import Mapping

from django.template.defaultfilters import filesizeformat
from django.utils.functional import Promise
from django.utils.translation import gettext as said
from django.utils.translation import gettext_lazy as _

from core.text.joining import clauses, named
from ingest.readers import Sniffed

FIELD_NAMES: Mapping[str, str | Promise] = {
    "url": _("address"),
    "repository": _("repository"),
    "number": _("number"),
    "title": _("title"),
    "body": _("text"),
    "author": _("author"),
    "author_association": _("author’s role"),
    "labels": _("the forge’s labels"),
    "state": _("state"),
    "state_reason": _("reason for the state"),
    "created_at": _("opened at"),
    "closed_at": _("closed at"),
    "updated_at": _("changed at"),
    "comments": _("comments, or their number"),
    "is_pull_request": _("pull request or issue"),
}

COUNT_NAMES: Mapping[str, str | Promise] = {
    "rows": _("rows read"),
    "new": _("new issues"),
    "known": _("already in the study"),
    "changed": _("in the study, with new text"),
    "repeated": _("repeated"),
    "refused": _("refused"),
    "repaired": _("repaired"),
    "back": _("brought back after a removal"),
    "pull_requests": _("pull requests"),
    "comments": _("comments listed separately"),
    "strays": _("comments without their issue"),
    "left_out": _("issues of other repositories"),
    "others": _("records of other kinds"),
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
    "zip": _("ZIP archive"),
    "published": _("published study"),
}

SHAPE_NAMES: Mapping[str, str | Promise] = {
    "events": _("events of GH Archive"),
    "perceval": _("issues fetched by Perceval"),
    "jira": _("issues of Jira over REST"),
    "jira_csv": _("issues exported by Jira"),
    "gitlab_export": _("repository exported by GitLab"),
    "graphql": _("answers of GraphQL"),
    "comments": _("comments of a forge"),
    "mixed": _("issues and comments of a forge"),
    "github": _("issues of GitHub over REST"),
    "gitlab": _("issues of GitLab over REST"),
    "gitee": _("issues of Gitee over REST"),
    "gh": _("output of gh"),
}

LAYOUT_NAMES: Mapping[str, str | Promise] = {
    "table": _("a pandas frame (orient table)"),
    "columns": _("a pandas frame (orient columns)"),
    "index": _("a pandas frame (orient index)"),
    "split": _("a pandas frame (orient split)"),
}


def format_in_words(sniffed: Sniffed) -> str:
    """The format of a file: "JSON in gzip: issues of GitHub over REST"."""
    name = str(FORMAT_NAMES[sniffed.format])
    if sniffed.packing == "gzip":
        name = said("%(format)s in gzip") % {"format": name}
    kinds = (LAYOUT_NAMES.get(sniffed.layout), SHAPE_NAMES.get(sniffed.shape))
    told = clauses(kind for kind in kinds if kind)
    return named(name, told) if told else name


def chooser_words() -> dict[str, str]:
    """The texts of the script that gathers files."""
    return {
        "chosen": said("Files to upload: %(n)s (%(size)s)"),
        "more": said("and %(n)s more"),
        "left": said("Not uploaded, because of the file type: %(n)s (%(names)s)"),
        "most": said("Too many files. Choose at most %(n)s files, or one ZIP archive."),
    }


def limit_name(size: int) -> str:
    """A limit in bytes as text: "512 MB", not "512.0 MB"."""
    return re.sub(r"[.,]0(?=\s)", "", filesizeformat(size))
