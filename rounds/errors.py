"""The reasons to refuse an action on a round or its labels."""

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from core.errors import DomainError, FieldRefused

if TYPE_CHECKING:
    from taxonomy.models import CategoryState


class RoundRefused(FieldRefused):
    """A round cannot be created or opened with these settings. `field` names the setting to change."""


class VolunteerRefused(FieldRefused):
    """A change of the volunteers of a round, or of their share, is refused. `field` names what to change."""


class NotAllowed(DomainError):
    status = 403
    message = _("Your role in this study does not allow that. Nothing was changed.")


class RoundNotOpen(DomainError):
    message = _("This round is not open yet. A lead of the study can open it.")


class RoundAlreadyOpen(DomainError):
    message = _("This round is open already. Nothing was changed.")


class TextKept(DomainError):
    """A refusal of a form whose text is first saved as the member's draft; `is_kept`: the draft was saved."""

    is_kept = False


class RoundClosed(TextKept):
    message = _("This round is closed and takes no more labels. Your text is saved as a draft.")


class RoundAlreadyClosed(DomainError):
    message = _("This round is closed already. Nothing was changed.")


class NotYourTurn(DomainError):
    message = _(
        "This issue is not assigned to you in this round. Nothing was saved. Go on with your next issue."
    )


class RemovedFromRound(TextKept):
    message = _(
        "You no longer label in this round, because a lead has taken you out. Your labels are"
        " kept, and your text is saved as a draft."
    )


class TrainingFirst(TextKept):
    message = _("You can label in this round after you pass its training.")


class NotATraining(DomainError):
    message = _("Only the issues of a training round have right labels. Nothing was changed.")


class NotInTheRound(DomainError):
    message = _("This issue is not in the round. Nothing was changed.")


class UnknownCategory(DomainError):
    message = _("This category is not in the taxonomy version of this round. Choose another category.")


class TooShallow(DomainError):
    message = _("This category is too broad for this round. Choose a category below it.")


class ProposalIncomplete(DomainError):
    message = _("Enter a name for the missing category, and why no other category fits. Both are needed.")


class ProposalTooLong(DomainError):
    message = _(
        "A proposed name has at most 200 characters, and all of your reasons at most 1000. Your"
        " text is still in the form: shorten it."
    )


class StaleVersion(TextKept):
    message = _(
        "The round now uses another version of the taxonomy. Your text is saved as a draft."
        " Load the page again and check the category."
    )


class CategoryGone(TextKept):
    """The member chose the category on a page that showed an earlier version of the taxonomy."""

    def __init__(self, last: "CategoryState", *, is_split: bool = False) -> None:
        said = _(
            "The new version of the taxonomy does not have %(code)s %(name)s any more. Your"
            " other text is kept. Load the page again and choose another category."
        )
        if is_split:
            said = _(
                "The new version of the taxonomy has split %(code)s %(name)s, or has new categories"
                " beside it. Your other text is kept. Load the page again and choose a category."
            )
        super().__init__(said % {"code": last.code, "name": last.name})


class StaleGuideline(TextKept):
    message = _(
        "The guideline changed while you had this page open. Your text is still in the form."
        " Read the changes, then submit again."
    )


class TrainingHasAnswers(DomainError):
    message = _("Only right labels decide a training. Nothing was changed.")
