"""The sentences of the audit for the events of this room."""

from django.utils.translation import gettext_lazy as _

from studies.audit import say


def register() -> None:
    say("rounds.created", _("Planned the round %(round)s: %(issues)s issues, %(volunteers)s volunteers"))
    say("samples.drawn", _("Drew the sample %(sample)s: %(issues)s issues, seed %(seed)s"))
    say(
        "rounds.plan_changed",
        _("Changed the plan of the round %(round)s: %(issues)s issues, %(volunteers)s volunteers"),
    )
    say("rounds.opening_taken_back", _("Took back the opening of the round %(round)s"))
    say("rounds.deleted", _("Deleted the round %(round)s, in which nobody had labelled"))
    say("rounds.opened", _("Opened the round %(round)s"))
    say(
        "rounds.followed",
        _(
            "Moved the round %(round)s from version %(before)s to version %(version)s:"
            " %(again)s labels need a second look"
        ),
    )
    say("rounds.closed", _("Closed the round %(round)s"))
    say("rounds.done", _("Closed the second look %(round)s: all of its labels are given"))
    say("rounds.volunteer_added", _("Added %(member)s to the round %(round)s: %(slots)s assignments"))
    say("rounds.volunteer_removed", _("Took %(member)s out of the round %(round)s"))
    say(
        "rounds.labels_raised",
        _("Raised the labels per issue of the round %(round)s from %(before)s to %(after)s"),
    )
    say("rounds.quota_set", _("Changed the quota of %(member)s in the round %(round)s"))
    say("rounds.deadline_set", _("Changed the deadline of the round %(round)s"))
    say("rounds.admitted", _("Let %(member)s into the round %(round)s without a passed training"))
    say("rounds.admission_taken_back", _("%(member)s needs the training of the round %(round)s again"))
    say("models.labelled", _("%(member)s, a model, labelled %(labels)s issues of the round %(round)s"))
