"""The audit in words. Each room that records a verb registers its sentence here."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import TextChoices
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.text.joining import listed
from studies.models import Event, Role

_choices: dict[str, dict[str, type[TextChoices]]] = {}
_hidden: dict[str, frozenset[str]] = {}
_sentences: dict[str, str | Promise] = {
    "studies.created": gettext_lazy("Created the study %(name)s"),
    "studies.described": gettext_lazy("Changed the name or the description of the study %(name)s"),
    "studies.archived": gettext_lazy("Archived the study"),
    "studies.unarchived": gettext_lazy("Made the archived study writable again"),
    "studies.deletion_asked": gettext_lazy("Asked for the deletion of the study on %(day)s"),
    "studies.kept": gettext_lazy("Kept the study: it is not deleted"),
    "studies.imported": gettext_lazy("Imported the published study %(name)s"),
    "guideline.published": gettext_lazy("Published version %(version)s of the guideline"),
    "people.joined": gettext_lazy("%(member)s joined as %(role)s"),
    "people.left": gettext_lazy("%(member)s (%(role)s) left the study"),
    "people.rejoined": gettext_lazy("%(member)s (%(role)s) came back"),
    "people.role_changed": gettext_lazy("Changed the role of %(member)s from %(from)s to %(to)s"),
    "people.invited": gettext_lazy("Invited a new member as %(role)s"),
    "people.invitation_revoked": gettext_lazy("Revoked an invitation for the role %(role)s"),
    "people.model_added": gettext_lazy("Added the model %(name)s as %(member)s"),
    "people.model_token_made": gettext_lazy("Created a new token for the model %(member)s"),
}


_UNSAID = {"issue", "manifest_sha256"}
"""Details that can depend on labels that the reader of the audit may not see yet."""


@dataclass(frozen=True)
class AuditLine:
    """An event in words: a sentence, and the details that are not in the sentence. Never names the issue: the
    reader may still have to label it.
    """

    event: Event
    sentence: str
    details: list[tuple[str, str]]


def say(
    verb: str, sentence: str | Promise, *, hidden: Iterable[str] = (), **choices: type[TextChoices]
) -> None:
    """Register the sentence for events of `verb`: each `%(name)s` is replaced from the event's detail, by the
    label of its value if `choices` name it. `hidden` details are stored and not told: they quote labels of
    issues that the reader of the audit may still have to label.
    """
    _sentences[verb], _choices[verb], _hidden[verb] = sentence, choices, frozenset(hidden)


def line(event: Event) -> AuditLine:
    """The event in words; plain words of its verb if that is unknown or the sentence lacks a value."""
    choices = {"role": Role, "from": Role, "to": Role} | _choices.get(event.verb, {})
    values = {name: _value(value, choices.get(name)) for name, value in event.detail.items()}
    template = str(_sentences.get(event.verb, ""))
    try:
        sentence = template % values
    except (KeyError, ValueError, TypeError):
        template = sentence = ""
    plain = event.verb.replace(".", ": ").replace("_", " ").capitalize()
    details = [
        (name.replace("_", " "), value)
        for name, value in values.items()
        if value
        and name not in _UNSAID | _hidden.get(event.verb, frozenset())
        and f"%({name})" not in template
    ]
    return AuditLine(event, sentence or plain, details)


def _value(value: object, choices: type[TextChoices] | None) -> str:
    if choices and value in choices.values:
        return str(choices(str(value)).label)
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, list):
        return listed(value)
    return str(value)
