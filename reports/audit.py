"""The texts of the audit for the events of this room."""

from django.utils.translation import gettext_lazy as _

from studies.audit import say


def register() -> None:
    say("reports.frozen", _("Froze the agreement report %(report)s of the round %(round)s"))
    say("exports.downloaded", _("Downloaded %(file)s"))
