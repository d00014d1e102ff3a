"""Rules of labelling that somebody broke, in words that they can act on."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.errors import DomainError

if TYPE_CHECKING:
    from annotate.models import Decision, Draft, Label
    from taxonomy.models import CategoryState


class RoundRefused(DomainError):
    """A round cannot be made, or opened, like this. `field` names what to change."""

    def __init__(self, message: str | Promise, *, field: str = "") -> None:
        self.field = field
        super().__init__(message)


class VolunteerRefused(DomainError):
    """A change of who labels in a round, or how much, cannot be made like this. `field`: what to change."""

    def __init__(self, message: str | Promise, *, field: str = "") -> None:
        self.field = field
        super().__init__(message)


class SampleRefused(DomainError):
    """A sample cannot be drawn like this. `field` names what to change."""

    def __init__(self, message: str | Promise, *, field: str = "") -> None:
        self.field = field
        super().__init__(message)


class FreezeRefused(DomainError):
    """A report cannot be frozen like this. `field` names what to change."""

    def __init__(self, message: str | Promise, *, field: str = "") -> None:
        self.field = field
        super().__init__(message)


class ReportHeldBack(DomainError):
    message = _(
        "This report holds issues that you still have to label in another round. You get it once you have"
        " labelled them."
    )


class NotAllowed(DomainError):
    status = 403
    message = _("Your role in this study does not allow that. Nothing was changed.")


class RoundNotOpen(DomainError):
    message = _("This round is not open yet. A lead of the study can open it.")


class RoundAlreadyOpen(DomainError):
    message = _("This round is open already. Nothing was changed.")


class TextKept(DomainError):
    """A refusal before which the text was to be kept as the member's draft; `is_kept` says that it is."""

    is_kept = False


class RoundClosed(TextKept):
    message = _("This round is closed: it takes no more labels. What you typed is kept as your draft.")


class RoundAlreadyClosed(DomainError):
    message = _("This round is closed already. Nothing was changed.")


class NotYourTurn(DomainError):
    message = _(
        "This issue is not assigned to you in this round. Nothing was stored; go on with your next issue."
    )


class RemovedFromRound(TextKept):
    message = _(
        "You no longer label in this round: a lead has taken you out of it. Your labels stay, and what you"
        " typed is kept as your draft."
    )


class TrainingFirst(TextKept):
    message = _("This round opens to you once you have passed its training.")


class NotATraining(DomainError):
    message = _("Only the issues of a training round have right labels. Nothing was changed.")


class AnswersStay(DomainError):
    message = _(
        "This training is open, so its right labels stay as they are. To correct one, plan another training."
    )


class LabelsInThisTraining(DomainError):
    message = _(
        "You label in this training yourself, so its right labels are not for you to know beforehand. Let"
        " another lead give them, or plan the training without you."
    )


class NotInTheRound(DomainError):
    message = _("This issue is not in the round. Nothing was changed.")


class ExplanationMissing(DomainError):
    message = _("Say why this is the right label: the volunteers learn from the explanation.")


class ExplanationTooLong(DomainError):
    message = _("The explanation is longer than 5,000 characters. Shorten it; it is still in the form.")


class NotSeenYet(DomainError):
    message = _("Label this issue first: then you see its right label and can comment on it.")


class CommentMissing(DomainError):
    message = _("Write the comment first.")


class CommentTooLong(DomainError):
    message = _("The comment is longer than 2,000 characters. Shorten it; it is still in the form.")


class NotAnExample(DomainError):
    status = 422
    message = _(
        "Examples are of categories of the draft, and of revealed issues that nobody has yet to label."
        " Nothing was changed."
    )


class NotYoursToSee(DomainError):
    message = _(
        "You may not see the labels of this issue now, so its discussion is not open to you. Nothing was"
        " stored."
    )


class SlotTaken(DomainError):
    message = _("Somebody else is labelling this issue now. It may come back to you later.")


class ReasonMissing(DomainError):
    message = _("Say in a few words why you skip this issue.")


class UnknownCategory(DomainError):
    message = _(
        "This category is not in the version of the taxonomy that the round uses. Choose another one."
    )


class TooShallow(DomainError):
    message = _("This round compares labels at a deeper level. Choose one of the categories below this one.")


class SummaryTooLong(DomainError):
    message = _("The summary is longer than 500 characters. Shorten it; what you typed is still in the form.")


class CategoryMissing(DomainError):
    message = _("Choose a category first, or say which one is missing.")


class ProposalIncomplete(DomainError):
    message = _("Give the category that is missing a name, and say why no other fits. Both are needed.")


class ProposalTooLong(DomainError):
    message = _(
        "A proposed name has at most 200 characters, and the reasons for it, with those that you gave before,"
        " at most 1000. Shorten them; what you typed is still in the form."
    )


class QuotaReached(DomainError):
    message = _("You have given as many labels as you were asked for in this round. Thank you.")


class StaleVersion(TextKept):
    message = _(
        "The round uses another version of the taxonomy than this page showed. What you typed is kept as your"
        " draft: load the page again and check the category."
    )


class CategoryGone(TextKept):
    """It was chosen on a page of an earlier version of the taxonomy."""

    def __init__(self, last: "CategoryState", *, is_split: bool = False) -> None:
        said = _(
            "The taxonomy has a new version, and %(code)s %(name)s is no category of it any more. Load the"
            " page again and choose another one: the rest of what you typed is kept."
        )
        if is_split:
            said = _(
                "The taxonomy has a new version, in which %(code)s %(name)s was split. Load the page again"
                " and choose one of its parts: the rest of what you typed is kept."
            )
        super().__init__(said % {"code": last.code, "name": last.name})


class StaleGuideline(TextKept):
    message = _(
        "The guideline changed while you had this page open. Read what is new, then submit again: what you"
        " typed is still in the form."
    )


class StaleDraft(DomainError):
    """The draft was saved elsewhere since; `stored` is that one."""

    message = _("You changed this draft in another window. Both texts are here: choose which one to keep.")

    def __init__(self, stored: "Draft", *, kept: dict[str, str] | None = None) -> None:
        self.stored = stored
        super().__init__(kept=kept)


class AboutALabel(DomainError):
    """A refusal that shows the label that is stored."""

    def __init__(self, label: "Label", *, kept: dict[str, str] | None = None) -> None:
        self.label = label
        super().__init__(kept=kept)


class AlreadyLabelled(AboutALabel):
    message = _("You have labelled this issue already. To choose another category, change that label.")


class StaleLabel(AboutALabel):
    message = _("You changed this label in another window. Both are here: choose which one to keep.")


class LabelRevealed(AboutALabel):
    message = _(
        "Others can see this label now, so it stays as it is. A meeting or the lead can still decide."
    )


class NotLabelled(DomainError):
    message = _("You have not labelled this issue yet, so there is no label to change.")


class NotRevealed(DomainError):
    message = _("This issue cannot be settled yet: its labels are not complete and revealed.")


class IssueIsUnanimous(DomainError):
    message = _("All labels of this issue agree, so there is nothing to settle.")


class TrainingHasAnswers(DomainError):
    message = _("A training is decided by its right labels alone. Nothing was changed.")


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
    """Another decision was made since; `standing` is the one that stands now."""

    message = _(
        "Somebody else settled this issue meanwhile. Read that decision, then decide again if you disagree."
    )

    def __init__(self, standing: "Decision | None", *, kept: dict[str, str] | None = None) -> None:
        self.standing = standing
        super().__init__(kept=kept)


class MeetingRefused(DomainError):
    """A meeting cannot be planned, or changed, like this. `field` names what to change."""

    def __init__(self, message: str | Promise, *, field: str = "") -> None:
        self.field = field
        super().__init__(message)


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
    """Too few take part for a decision: `there` of the `needs` that the meeting asks for."""

    def __init__(self, *, needs: int, there: int) -> None:
        self.needs = needs
        self.there = there
        super().__init__(
            gettext("The meeting needs %(needs)s people for a decision, and %(there)s took part in this one.")
            % {"needs": needs, "there": there}
        )


class FollowUpIncomplete(DomainError):
    message = _(
        "Say what follows: an example needs its category, a proposal a name, a line for the guideline its"
        " text of at most 1,000 characters."
    )


class NotForModels(DomainError):
    message = _("Models label pilots and main rounds only. Nothing was stored.")


class ModelLabelsRefused(DomainError):
    """Labels of a model were refused, all of them; `problems` holds a line for each row that is wrong."""

    status = 422

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join([gettext("Nothing was stored."), *problems]))


class ModelLabelsStay(ModelLabelsRefused):
    """The same for rows that say otherwise than what the model has said before."""

    status = 409


class PublishedStudyRefused(DomainError):
    """A published study was refused; `problems` holds every line that stands in the way, in words."""

    status = 422

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join([str(_("The study was refused and nothing was stored.")), *problems]))


class PublishedStudyDiffers(DomainError):
    message = _(
        "The study has a main round with other labels. Nothing was changed: import into another study."
    )


class SomebodyElse(DomainError):
    message = _(
        "You are signed in as another member than the one who opened this page. Nothing was stored; it is"
        " still in the form."
    )


class NothingToDraw(DomainError):
    message = _("There is nothing to draw yet: no value of this picture is defined.")


class TreeTooLarge(DomainError):
    """A figure of more categories than `most` is no PDF and no PNG."""

    status = 422

    def __init__(self, most: int) -> None:
        text = gettext(
            "A tree of more than %(most)s categories fits no page: take it as SVG, which holds all."
        )
        super().__init__(text % {"most": f"{most:,}"})


class NothingToReport(DomainError):
    message = _("There is nothing to report yet: no issue has labels that are complete and revealed.")


class ReportFileGone(DomainError):
    message = _("This file is not kept any more: files of reports are kept for a day. Have it made anew.")
    status = 410


class ReportFileHeldBack(DomainError):
    message = _(
        "Something in this file is held back from you now: an issue that you still have to label elsewhere,"
        " or that lacks labels again. Have the file made anew: it leaves this out."
    )


class ReportNotForYou(DomainError):
    message = _("Your role in this study does not include reading its labels.")
    status = 403


class PdfFailed(DomainError):
    message = _("The PDF could not be set. Try again, or take it as HTML or Markdown: all of it is there.")
    status = 503


class PictureFailed(DomainError):
    message = _(
        "The picture could not be drawn. Try again, or take its table as CSV: the numbers are all there."
    )
    status = 503


class DrawingBusy(DomainError):
    message = _("Other pictures or files are being made just now. Try again in a moment.")
    status = 503
    retry_after = 5
