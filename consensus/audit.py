"""The sentences by which the audit describes the acts of this room."""

from django.utils.translation import gettext_lazy as _

from studies.audit import say


def register() -> None:
    say("decisions.settled", _("Settled a disagreement of the round %(round)s"))
    say("decisions.reopened", _("Opened a decided disagreement of the round %(round)s again"))
    say(
        "decisions.majority",
        _("Settled disagreements of the round %(round)s by a majority of %(at_least)s: %(decided)s"),
    )
    say("decisions.alike", _("Settled alike disagreements of the round %(round)s: %(decided)s"))
    say(
        "decisions.bulk_taken_back",
        _("Took back a bulk decision of the round %(round)s: %(reopened)s issues are open again"),
    )
    say("meetings.planned", _("Planned the meeting %(meeting)s of the round %(round)s"))
    say("meetings.changed", _("Changed the plan of the meeting %(meeting)s"))
    say("meetings.opened", _("Opened the meeting %(meeting)s"))
    say("meetings.closed", _("Closed the meeting %(meeting)s"))
    say("meetings.chair_taken", _("Took the chair of the meeting %(meeting)s"))
    say("meetings.decided", _("Recorded a decision of the meeting %(meeting)s"))
    say(
        "meetings.votes_closed",
        _("Closed votes of the meeting %(meeting)s: %(closed)s, which decided %(decided)s issues"),
    )
    say("meetings.put_on_agenda", _("Put issues on the agenda of the meeting %(meeting)s: %(issues)s"))
    say("meetings.taken_off_agenda", _("Took an issue off the agenda of the meeting %(meeting)s"))
    say("follow_ups.done", _("Did what followed from a meeting of the round %(round)s"))
    say("follow_ups.undone", _("Took up again what follows from a meeting of the round %(round)s"))
