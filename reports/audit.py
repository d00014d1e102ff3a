"""The texts of the audit for the events of this room."""

from django.utils.translation import gettext_lazy as _

from studies.audit import say


def register() -> None:
    say("reports.frozen", _("Froze the agreement report %(report)s of the round %(round)s"))
    say("reports.weights_set", _("Set the weights %(number)s of version %(version)s of %(taxonomy)s"))
    say(
        "reports.weights_taken_back",
        _("Went back to the weights of the tree for version %(version)s of %(taxonomy)s"),
    )
    say("exports.downloaded", _("Downloaded %(file)s"))
