"""The reasons to refuse an action on disagreements, decisions, meetings or comments."""

from typing import TYPE_CHECKING

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.errors import DomainError, FieldRefused

if TYPE_CHECKING:
    from consensus.models import Decision


class NotSeenYet(DomainError):
    message = _("Label this issue first: then you see its right label and can comment on it.")


class CommentMissing(DomainError):
    message = _("Write the comment first.")


class CommentTooLong(DomainError):
    message = _("The comment is longer than 2,000 characters. Shorten it; it is still in the form.")


class NotYoursToSee(DomainError):
    message = _(
        "You may not see the labels of this issue now, so its discussion is not open to you. Nothing was"
        " stored."
    )


class NotRevealed(DomainError):
    message = _("This issue cannot be settled yet: its labels are not complete and revealed.")


class IssueIsUnanimous(DomainError):
    message = _("All labels of this issue agree, so there is nothing to settle.")


class NotAMajority(DomainError):
    message = _(
        "A majority is more than half of the labels of an issue, and at most all of them. Nothing was"
        " changed: choose another number."
    )


class AMeetingDecides(DomainError):
    message = _(
        "In this round a meeting decides what the labels do not: put the issue on the agenda of one. Nothing"
        " was changed."
    )


class MeetingClosed(DomainError):
    message = _("This meeting is closed: its agenda and its decisions stay as they are. Plan another one.")


class HeldBack(DomainError):
    message = _(
        "You still have to label this issue in another round, so what others said of it is kept from you"
        " until then. Nothing was changed."
    )


class NothingToDecide(DomainError):
    message = _("None of these issues waits for such a decision any more. Nothing was changed.")


class ReasonToReopenMissing(DomainError):
    message = _("Say in a sentence why the issue is open again: it stands in its history.")


class NothingForTheAgenda(DomainError):
    message = _(
        "None of these issues can go on this agenda: each is decided, or on the agenda of another meeting."
        " Nothing was changed."
    )


class NotAPair(DomainError):
    message = _("Choose two different people who label in this study. Nothing was changed.")


class RationaleMissing(DomainError):
    message = _("Give the reason for this decision in a sentence.")


class StaleDecision(DomainError):
    """Somebody decided or reopened the issue meanwhile; `standing` is the decision that stands now."""

    message = _(
        "Somebody else settled this issue meanwhile. Read that decision, then decide again if you disagree."
    )

    def __init__(self, standing: "Decision | None", *, kept: dict[str, str] | None = None) -> None:
        self.standing = standing
        super().__init__(kept=kept)


class MeetingRefused(FieldRefused):
    """A meeting cannot be planned or changed with these settings. `field` names the setting to change."""


class MeetingNotOpen(DomainError):
    message = _("This meeting is not open yet. Its chair, or a lead of the study, can open it.")


class NotTogether(DomainError):
    message = _(
        "Only a meeting that is held together looks at one issue at a time. Here each person opens the issues"
        " in their own order."
    )


class OffTheAgenda(DomainError):
    message = _("This issue is not on the agenda of the meeting. Nothing was changed.")


class ItemDecided(DomainError):
    message = _("This issue is decided already. Reopen it first, with a reason.")


class NotPresent(DomainError):
    message = _(
        "You are not counted as present, so your vote was not stored. Open the page of the meeting again and"
        " vote then."
    )


class VoteNotOpen(DomainError):
    message = _("No vote on this issue is open. Its chair opens it.")


class VoteClosed(DomainError):
    message = _(
        "This vote was closed before your choice came in, so it was not counted. If the chair opens another"
        " vote you can cast it there."
    )


class VoteStillOpen(DomainError):
    message = _("A vote is still open. Reveal it first, then try again. Nothing was changed.")


class VoteMissing(DomainError):
    message = _("No vote on this issue is closed yet, and this decision needs one.")


class VotesDoNotSuffice(DomainError):
    message = _(
        "The votes do not suffice for this decision. Discuss and vote again, or let the chair decide with a"
        " rationale."
    )


class NobodyDecidesForAPair(DomainError):
    message = _("A pair decides by agreeing: nobody decides for the two. Nothing was changed.")


class NoQuorum(DomainError):
    """Too few members take part for a decision: `there` members, while the meeting needs `needs`."""

    def __init__(self, *, needs: int, there: int) -> None:
        super().__init__(
            gettext("The meeting needs %(needs)s people for a decision, and %(there)s took part in this one.")
            % {"needs": needs, "there": there}
        )


class FollowUpIncomplete(DomainError):
    message = _(
        "Say what follows: an example needs its category, a proposal a name, a line for the guideline its"
        " text of at most 1,000 characters."
    )
