"""The audit's sentences for the events of this room. None of them names a participant but by pseudonym."""

from django.utils.translation import gettext_lazy as _

from studies.audit import say


def register() -> None:
    say("guides.published", _("Published version %(number)s of the interview guide"))
    say("participants.added", _("Added the participant %(participant)s"))
    say("participants.imported", _("Imported %(count)s participants"))
    say("participants.changed", _("Changed the background of %(participant)s"))
    say("participants.named", _("Changed the identity of %(participant)s"))
    say("participants.looked_at", _("Looked at the identity of %(participant)s"))
    say("participants.erased", _("Erased %(participant)s"))
    say("consents.published", _("Published version %(number)s of the consent text"))
    say("consents.recorded", _("Recorded the consent of %(participant)s"))
    say("consents.withdrawn", _("Recorded that %(participant)s withdrew consent"))
    say("interviews.added", _("Added an interview with %(participant)s"))
    say("interviews.changed", _("Changed the interview with %(participant)s"))
    say("interviewers.described", _("Described the interviewer %(member)s"))
    say("transcripts.looked_at", _("Looked at the transcript with names of %(participant)s"))
    say("transcripts.imported", _("Imported the transcript of %(participant)s"))
    say(
        "transcripts.stored",
        _("Stored version %(number)s of the transcript of %(participant)s"),
    )
    say("rankings.recorded", _("Recorded a ranking of %(participant)s"))
    say("rankings.removed", _("Removed a ranking of %(participant)s"))
    say("codings.opened", _("Opened the coding of the interview with %(participant)s"))
    say("codings.coder_added", _("Added %(coder)s as a coder of the interview with %(participant)s"))
    say("codings.coder_released", _("Took %(coder)s off the coding of the interview with %(participant)s"))
    say("codings.coder_reopened", _("Reopened the coding of %(participant)s for %(coder)s"))
    say("codings.revealed", _("The coding of the interview with %(participant)s was revealed"))
    say("codings.reopened", _("Reopened the coding of the interview with %(participant)s"))
    say("codebooks.imported", _("Imported the codebook “%(name)s” with %(count)s rows"))
    say("codebooks.removed", _("Removed the imported codebook “%(name)s”"))
    say("open_codes.proposed", _("Proposed the open code “%(name)s” as a category"))
    say("codings.settled", _("Settled the coding of the interview with %(participant)s"))
