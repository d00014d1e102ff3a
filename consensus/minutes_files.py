"""Minutes as files: Markdown, and PDF, which Typst sets. Titles, names, rationales and arguments come from
outside: each is escaped, so that none becomes a heading, a list or a link of the minutes.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from consensus.minutes_text import Document
from core.text.escaping import markdown as escaped
from core.text.joining import clauses, colon, comma, listed, named
from drawing.typst_pdf import set_as_pdf

TEMPLATE = Path(settings.BASE_DIR) / "templates" / "consensus" / "meetings" / "minutes.typ"
_ADDRESS = re.compile(r"https?://[^\s<>\\]+", re.ASCII)


def markdown(found: Document) -> str:
    """The document as Markdown, valid for CommonMark and for GitHub."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Document) -> Iterable[str]:
    yield f"# {escaped(found['title'])}"
    yield ""
    yield escaped(found["kicker"])
    yield ""
    for fact in found["facts"]:
        yield _fact(fact["name"], escaped(fact["text"]))
    if found["there"]:
        people = listed(f"{escaped(one['who'])} ({escaped(one['text'])})" for one in found["there"])
        yield _fact(_("Present"), people)
    yield from ["", f"## {_('Numbers')}", ""]
    for fact in found["numbers"]:
        yield f"- {named(escaped(fact['name']), escaped(fact['text']))}"
    if found["method"]:
        yield from ["", f"## {_('For the method section')}", "", escaped(found["method"])]
    for text in filter(None, (found["withheld"], found["nothing"])):
        yield from ["", escaped(text)]
    yield from _group_lines(found)


def _group_lines(found: Document) -> Iterable[str]:
    for group in found["groups"]:
        yield from ["", f"## {escaped(group['heading'])}"]
        for item in group["items"]:
            yield from _item_lines(item)
    if found["not_reached"]:
        yield from ["", f"## {_('Not reached')}", ""]
        for item in found["not_reached"]:
            yield f"- {named(escaped(item['place']), escaped(item['title']))} {_link(item['url'])}"


def _item_lines(item: dict[str, Any]) -> Iterable[str]:
    yield from [
        "",
        f"### {named(escaped(item['place']), escaped(item['title']))}",
        "",
        _link(item["url"]),
        "",
    ]
    labels = [f"{one['who']} {one['code'] or one['text']}" for one in item["labels"]]
    yield _fact(_("Labels"), escaped(clauses(labels)))
    for vote in item["votes"]:
        split = clauses([*(f"{one['n']} × {one['code']}" for one in vote["split"]), vote["tail"]])
        ballots = clauses(f"{one['who']} {one['code'] or _('abstained')}" for one in vote["ballots"])
        yield f"- **{escaped(vote['name'])}** ({vote['at']}): {escaped(split)}. {escaped(ballots)}"
    for one in item["decisions"]:
        decided = named(_("Decision"), escaped(f"{one['code']} {one['name']}"))
        yield f"- **{decided}**{comma()}{escaped(one['tail'])}"
        yield from _quoted(one["rationale"])
        if one["cause"]:
            yield f"  - {named(_('Cause'), escaped(one['cause']))}"
        if one["ended"]:
            yield f"  - {escaped(one['ended'])}"
    if item["state"] != "decided":
        yield f"- **{escaped(item['outcome'])}**"
    for one in item["following"]:
        yield _fact(_("Follow-up"), escaped(" ".join(filter(None, (one["kind"], one["code"])))))
        yield from _quoted(one["text"])
        yield f"  - {escaped(one['tail'])}"
    for one in item["thread"]:
        who = _("%(who)s for %(code)s") % one if one["code"] else one["who"]
        yield f"- {escaped(who)} ({one['at']}):"
        yield from _quoted(one["text"])
    if item["time"]:
        yield f"- {named(_('Time'), escaped(item['time']))}"


def _fact(name: str, text: str) -> str:
    """A list item that begins with a bold name; `text` is Markdown."""
    return f"- **{escaped(name)}{colon().strip()}** {text}"


def _quoted(text: str) -> Iterable[str]:
    """A text of several lines as a quotation inside a list item, one paragraph per line."""
    lines = [said for line in text.splitlines() if (said := escaped(line))]
    return "\n  >\n".join(f"  > {line}" for line in lines).splitlines()


def _link(url: str) -> str:
    return f"<{url}>" if _ADDRESS.fullmatch(url) else escaped(url)


def pdf(found: Document) -> bytes:
    """The document as PDF. Raises PdfFailed, DrawingBusy.

    The typesetter has Latin, Greek and Cyrillic letters; the fonts of the computer provide others, such as
    Chinese. A letter without a font becomes an empty box; Markdown has all letters.
    """
    return set_as_pdf(TEMPLATE, {**found, "words": _words()})


def _words() -> dict[str, str]:
    return {
        "there": _("Present"),
        "numbers": _("Numbers"),
        "method": _("For the method section"),
        "labels": _("Labels"),
        "abstained": _("abstained"),
        "decision": _("Decision"),
        "cause": _("Cause"),
        "follows": _("Follow-up"),
        "time": _("Time"),
        "not-reached": _("Not reached"),
    }
