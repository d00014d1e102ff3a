from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AnnotateConfig(AppConfig):
    name = "annotate"

    def ready(self) -> None:
        from annotate import (  # noqa: PLC0415
            followed,
            tasks,  # noqa: F401  (registers the jobs)
        )
        from annotate.actions import follow  # noqa: PLC0415
        from studies import audit  # noqa: PLC0415
        from taxonomy import signals  # noqa: PLC0415

        signals.published.connect(follow.on_published)
        signals.followed.connect(followed.on_followed)
        signals.answered.connect(follow.on_answered)

        audit.say(
            "rounds.created", _("Planned the round %(round)s: %(issues)s issues, %(volunteers)s volunteers")
        )
        audit.say("samples.drawn", _("Drew the sample %(sample)s: %(issues)s issues, seed %(seed)s"))
        audit.say("rounds.opened", _("Opened the round %(round)s"))
        audit.say(
            "rounds.followed",
            _(
                "The round %(round)s goes on with version %(version)s, after %(before)s:"
                " %(again)s labels need a second look"
            ),
        )
        audit.say("rounds.closed", _("Closed the round %(round)s"))
        audit.say("rounds.done", _("The second look %(round)s is done, and closed"))
        audit.say(
            "rounds.volunteer_added", _("Added %(member)s to the round %(round)s: %(slots)s assignments")
        )
        audit.say("rounds.volunteer_removed", _("Took %(member)s out of the round %(round)s"))
        audit.say(
            "rounds.labels_raised",
            _("Raised the labels per issue of the round %(round)s from %(before)s to %(after)s"),
        )
        audit.say("rounds.quota_set", _("Changed the quota of %(member)s in the round %(round)s"))
        audit.say("rounds.deadline_set", _("Changed the deadline of the round %(round)s"))
        audit.say("rounds.admitted", _("Let %(member)s into the round %(round)s without a passed training"))
        audit.say(
            "rounds.admission_taken_back", _("%(member)s needs the training of the round %(round)s again")
        )
        audit.say(
            "models.labelled", _("%(member)s, a model, labelled %(labels)s issues of the round %(round)s")
        )
        audit.say("decisions.settled", _("Settled a disagreement of the round %(round)s"))
        audit.say("decisions.reopened", _("Opened a decided disagreement of the round %(round)s again"))
        audit.say(
            "decisions.majority",
            _("Settled disagreements of the round %(round)s by a majority of %(at_least)s: %(decided)s"),
        )
        audit.say(
            "decisions.majority_taken_back",
            _("Took back a majority vote of the screening %(round)s: %(reopened)s issues are open again"),
        )
        audit.say("decisions.alike", _("Settled alike disagreements of the round %(round)s: %(decided)s"))
        audit.say(
            "decisions.bulk_taken_back",
            _("Took back a bulk decision of the round %(round)s: %(reopened)s issues are open again"),
        )
        audit.say("meetings.planned", _("Planned the meeting %(meeting)s of the round %(round)s"))
        audit.say("meetings.changed", _("Changed the plan of the meeting %(meeting)s"))
        audit.say("meetings.opened", _("Opened the meeting %(meeting)s"))
        audit.say("meetings.closed", _("Closed the meeting %(meeting)s"))
        audit.say("meetings.chair_taken", _("Took the chair of the meeting %(meeting)s"))
        audit.say("meetings.decided", _("Recorded a decision of the meeting %(meeting)s"))
        audit.say(
            "meetings.votes_closed",
            _("Closed votes of the meeting %(meeting)s: %(closed)s, which decided %(decided)s issues"),
        )
        audit.say(
            "meetings.put_on_agenda", _("Put issues on the agenda of the meeting %(meeting)s: %(issues)s")
        )
        audit.say("meetings.taken_off_agenda", _("Took an issue off the agenda of the meeting %(meeting)s"))
        audit.say("follow_ups.done", _("Did what followed from a meeting of the round %(round)s"))
        audit.say("follow_ups.undone", _("Took up again what follows from a meeting of the round %(round)s"))
        audit.say("studies.demonstration_loaded", _("Loaded the demonstration study"))
        audit.say("reports.frozen", _("Froze the agreement report %(report)s of the round %(round)s"))
        audit.say("boards.made", _("Made the board %(name)s: %(cards)s cards"))
        audit.say("boards.brought", _("Brought %(cards)s new cards onto the board %(name)s"))
        audit.say("boards.together", _("Ended the sorting apart on the board %(name)s"))
        audit.say("boards.closed", _("Closed the board %(name)s"))
        audit.say("boards.downloaded", _("Downloaded the mapping of the board %(name)s"))
        audit.say("exports.downloaded", _("Downloaded %(file)s"))
