"""The audit's sentences for the events of this room."""

from django.utils.translation import gettext_lazy as _

from studies.audit import say


def register() -> None:
    say("issues.imported", _("Imported issues from %(name)s"))
    say("harvests.planned", _("Planned the harvest of %(name)s"))
    say("harvests.started", _("Started the harvest of %(name)s"))
    say("harvests.paused", _("Paused the harvest of %(name)s"))
    say("harvests.refreshed", _("Planned a refresh of the harvest of %(name)s"))
    say("harvests.selected", _("Selected issues of the harvest of %(name)s: %(kept)s kept"))
    say("harvests.kept", _("Kept %(count)s issues of the harvest of %(name)s by hand"))
    say("harvests.taken_back", _("Took back %(count)s issues of the harvest of %(name)s"))
    say("tokens.added", _("Added the token %(name)s for %(host)s"))
    say("tokens.removed", _("Removed the token %(name)s for %(host)s"))
    say("issues.resolved", _("Asked forges about %(asked)s issues known by their address"))
    say("keywords.changed", _("Changed the keywords: %(added)s added, %(removed)s removed"))
    say("keyword_lists.made", _("Made the keyword list %(name)s with %(terms)s terms"))
    say(
        "keyword_lists.stored",
        _("Stored version %(version)s of the keyword list %(name)s: %(added)s added, %(removed)s removed"),
    )
    say("keyword_lists.renamed", _("Renamed the keyword list %(name)s to %(to)s"))
    say("keyword_lists.retired", _("Retired the keyword list %(name)s"))
    say("keyword_lists.brought_back", _("Brought the keyword list %(name)s back"))
    say("similar.marked", _("Marked similar reports as %(kind)s: %(pairs)s pairs"))
    say("similar.unmarked", _("Took back marks of similar reports: %(pairs)s pairs"))
    say("filters.saved", _("Saved the filter %(name)s"))
    say("filters.deleted", _("Deleted the filter %(name)s"))
