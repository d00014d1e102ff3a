"""One-line titles of proposals."""

from django.utils.translation import gettext as _

from core.text.joining import listed
from taxonomy.tree import drafts
from taxonomy.tree.drafts import Change, Draft

LENGTH = 250


def title_of(draft: Draft, change: Change) -> str:
    """The change in words, with today's codes. Called before the change is made, possible or not."""
    entry = draft.entries.get(change.key)
    values = change.values
    names = {
        "name": values.get("name") or (entry.name if entry else ""),
        "code": entry.code if entry else "",
        "old": f"{entry.code} {entry.name}" if entry else "",
        "into": _named(draft, values.get("into")),
        "above": _named(draft, values.get("parent")),
        "parts": listed(str(part.get("name", "")) for part in values.get("parts", ())),
    }
    return (_template(change, draft) % names)[:LENGTH]


def _template(change: Change, draft: Draft) -> str:
    above = change.values.get("parent")
    if change.kind == drafts.ADD:
        return _("New below %(above)s: %(name)s") if above in draft else _("New type: %(name)s")
    if change.kind == drafts.DESCRIBE:
        return _("Rename %(old)s: %(name)s") if "name" in change.values else _("Change texts of %(old)s")
    if change.kind == drafts.MOVE:
        return _("Move %(old)s below %(above)s") if above in draft else _("Make %(old)s a type")
    return {
        drafts.MERGE: _("Merge %(old)s into %(into)s"),
        drafts.SPLIT: _("Split %(old)s: %(parts)s"),
        drafts.RETIRE: _("Retire %(old)s"),
    }[change.kind]


def _named(draft: Draft, key: object) -> str:
    entry = draft.entries.get(str(key))
    return f"{entry.code} {entry.name}" if entry else ""
