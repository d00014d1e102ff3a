"""The reasons to refuse an action on disagreements, decisions, meetings or comments."""

from typing import TYPE_CHECKING

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.errors import DomainError, FieldRefused

if TYPE_CHECKING:
    from consensus.models import Decision


class NotSeenYet(DomainError):
    message = _("Label this issue first. Then you see the right label and can comment.")


class CommentMissing(DomainError):
    message = _("Write the comment first.")


class CommentTooLong(DomainError):
    message = _(
        "The comment is longer than 2,000 characters. Your text is still in the form. Shorten the text."
    )


class NotYoursToSee(DomainError):
    message = _("You may not see the labels and the discussion of this issue now. Nothing was stored.")


class NotRevealed(DomainError):
    message = _("You cannot decide this issue yet, because its labels are not complete and revealed.")


class IssueIsUnanimous(DomainError):
    message = _("All labels of this issue agree. There is nothing to decide.")


class NotAMajority(DomainError):
    message = _(
        "A majority is more than half of the labels of an issue, at most all labels. Nothing "
        "was changed. Choose another number."
    )


class AMeetingDecides(DomainError):
    message = _(
        "In this round only a meeting decides disagreements. Nothing was changed. Put the "
        "issue on the agenda of a meeting."
    )


class MeetingClosed(DomainError):
    message = _("This meeting is closed. Its agenda and decisions cannot change. Plan another meeting.")


class HeldBack(DomainError):
    message = _("This issue is hidden until you label it in another round. Nothing was changed.")


class NothingToDecide(DomainError):
    message = _("None of these issues waits for this decision now. Nothing was changed.")


class NoneFitsNotAsked(DomainError):
    message = _(
        "A screening does not ask if a category is missing. Your ballot was not counted."
        " Choose a category, or abstain."
    )


class ReasonToReopenMissing(DomainError):
    message = _("Why do you reopen this issue? Your reason appears in its history.")


class NothingForTheAgenda(DomainError):
    message = _("All of these issues are decided or on the agenda of another meeting. Nothing was changed.")


class NotAPair(DomainError):
    message = _("Choose two different people who label in this study. Nothing was changed.")


class RationaleMissing(DomainError):
    message = _("Give the reason for this decision in one sentence.")


class StaleDecision(DomainError):
    """Somebody decided or reopened the issue meanwhile; `standing` is the decision that stands now."""

    message = _(
        "Somebody else decided this issue while you typed. Your text is kept. Read the "
        "decision, then decide again if you disagree."
    )

    def __init__(self, standing: "Decision | None", *, kept: dict[str, str] | None = None) -> None:
        self.standing = standing
        super().__init__(kept=kept)


class MeetingRefused(FieldRefused):
    """A meeting cannot be planned or changed with these settings. `field` names the setting to change."""


class MeetingNotOpen(DomainError):
    message = _("This meeting is not open yet. Its chair or a lead can open the meeting.")


class NotTogether(DomainError):
    message = _(
        "Only a meeting at a fixed time goes from issue to issue together. In this meeting, "
        "each person chooses the issues."
    )


class OffTheAgenda(DomainError):
    message = _("This issue is not on the agenda of the meeting. Nothing was changed.")


class ItemDecided(DomainError):
    message = _("This issue is already decided. Reopen the issue first, with a reason.")


class NotPresent(DomainError):
    message = _(
        "You are not counted as present, so your vote was not stored. Open the page of the "
        "meeting again, then vote."
    )


class VoteNotOpen(DomainError):
    message = _("No vote on this issue is open. The chair opens the vote.")


class VoteClosed(DomainError):
    message = _(
        "This vote was closed before your choice arrived. Your choice was not counted. You "
        "can vote again if the chair opens another vote."
    )


class VoteStillOpen(DomainError):
    message = _("A vote is still open. Nothing was changed. Close the vote, then try again.")


class VoteMissing(DomainError):
    message = _("This decision needs a closed vote, and this issue has none.")


class VotesDoNotSuffice(DomainError):
    message = _(
        "The votes are not enough for this decision. Discuss and vote again, or let the "
        "chair decide with a rationale."
    )


class NobodyDecidesForAPair(DomainError):
    message = _("A pair decides only by voting for the same category. Nothing was changed.")


class NoQuorum(DomainError):
    """Too few members take part for a decision: `there` members, while the meeting needs `needs`."""

    def __init__(self, *, needs: int, there: int) -> None:
        super().__init__(
            gettext("The meeting needs %(needs)s people for a decision. Only %(there)s took part.")
            % {"needs": needs, "there": there}
        )


class FollowUpIncomplete(DomainError):
    message = _(
        "Complete the follow-up: an example needs a category, a proposal a name, a guideline "
        "line a text of at most 1,000 characters."
    )
