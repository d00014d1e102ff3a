"""The audit's sentences for the events of this room."""

from django.utils.translation import gettext_lazy as _

from studies.audit import say


def register() -> None:
    say("issues.imported", _("Imported issues from %(name)s"))
    say("keywords.changed", _("Changed the keywords: %(added)s added, %(removed)s removed"))
    say("filters.saved", _("Saved the filter %(name)s"))
    say("filters.deleted", _("Deleted the filter %(name)s"))
