"""The audit's sentences for the events of this room."""

from django.utils.translation import gettext_lazy as _

from studies.audit import say


def register() -> None:
    say("harvests.planned", _("Planned the harvest of %(name)s"))
    say("harvests.started", _("Started the harvest of %(name)s"))
    say("harvests.paused", _("Paused the harvest of %(name)s"))
    say("harvests.refreshed", _("Planned a refresh of the harvest of %(name)s"))
    say("harvests.selected", _("Selected issues of the harvest of %(name)s: %(kept)s kept"))
    say("harvests.kept", _("Kept %(count)s more issues of the harvest of %(name)s"))
    say("harvests.taken_back", _("Took back %(count)s issues of the harvest of %(name)s"))
    say("tokens.added", _("Added the token %(name)s for %(host)s"))
    say("tokens.removed", _("Removed the token %(name)s for %(host)s"))
    say("issues.resolved", _("Asked forges about %(asked)s issues without text"))
