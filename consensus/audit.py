"""The sentences by which the audit describes the acts of this room."""

from django.utils.translation import gettext_lazy as _

from studies.audit import say


def register() -> None:
    say("decisions.settled", _("Decided a disagreement of the round %(round)s"))
    say("decisions.reopened", _("Reopened a decided disagreement of the round %(round)s"))
    say(
        "decisions.majority",
        _("Decided disagreements of the round %(round)s by a majority of %(at_least)s: %(decided)s"),
    )
    say("decisions.alike", _("Decided similar disagreements of the round %(round)s together: %(decided)s"))
    say(
        "decisions.bulk_taken_back",
        _("Took back a bulk decision of the round %(round)s. Open again: %(reopened)s issues"),
    )
    say("meetings.planned", _("Planned the meeting %(meeting)s of the round %(round)s"))
    say("meetings.changed", _("Changed the plan of the meeting %(meeting)s"))
    say("meetings.opened", _("Opened the meeting %(meeting)s"))
    say("meetings.closed", _("Closed the meeting %(meeting)s"))
    say("meetings.chair_taken", _("Took over as chair of the meeting %(meeting)s"))
    say("meetings.decided", _("Recorded a decision of the meeting %(meeting)s"))
    say(
        "meetings.votes_closed",
        _("Closed votes of the meeting %(meeting)s: %(closed)s. Decided issues: %(decided)s"),
    )
    say("meetings.put_on_agenda", _("Put issues on the agenda of the meeting %(meeting)s: %(issues)s"))
    say("meetings.taken_off_agenda", _("Removed an issue from the agenda of the meeting %(meeting)s"))
    say("follow_ups.done", _("Marked a follow-up of a meeting of the round %(round)s as done"))
    say("follow_ups.undone", _("Marked a follow-up of a meeting of the round %(round)s as not done"))
