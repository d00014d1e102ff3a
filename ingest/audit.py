"""The audit's sentences for the events of this room."""

from django.utils.translation import gettext_lazy as _

from ingest.models import SimilarMark
from studies.audit import say


def register() -> None:
    say("issues.imported", _("Imported issues from %(name)s"))
    say(
        "imports.taken_back",
        _("Took back the import of %(name)s: %(issues)s issues, %(texts)s texts"),
    )
    hidden = ("repository", "number")
    say("issues.removed", _("Removed the issue %(what)s: %(why)s"), hidden=hidden)
    say("issues.brought_back", _("An import brought removed issues back: %(what)s"))
    say("keywords.changed", _("Changed the keywords: %(added)s added, %(removed)s removed"))
    say("keyword_lists.made", _("Created the keyword list %(name)s with %(terms)s terms"))
    say(
        "keyword_lists.stored",
        _("Saved version %(version)s of the keyword list %(name)s: %(added)s added, %(removed)s removed"),
    )
    say("keyword_lists.renamed", _("Renamed the keyword list %(name)s to %(to)s"))
    say("keyword_lists.retired", _("Retired the keyword list %(name)s"))
    say("keyword_lists.brought_back", _("Restored the keyword list %(name)s"))
    say("similar.marked", _("Marked similar reports as %(kind)s: %(pairs)s pairs"), kind=SimilarMark.Kind)
    say("similar.unmarked", _("Took back marks of similar reports: %(pairs)s pairs"))
    say("filters.saved", _("Saved the filter %(name)s"))
    say("filters.deleted", _("Deleted the filter %(name)s"))
