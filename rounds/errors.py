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


class NotInTheRound(DomainError):
    message = _("This issue is not in the round. Nothing was changed.")


class UnknownCategory(DomainError):
    message = _(
        "This category is not in the version of the taxonomy that the round uses. Choose another one."
    )


class TooShallow(DomainError):
    message = _("This round compares labels at a deeper level. Choose one of the categories below this one.")


class ProposalIncomplete(DomainError):
    message = _("Give the category that is missing a name, and say why no other fits. Both are needed.")


class ProposalTooLong(DomainError):
    message = _(
        "A proposed name has at most 200 characters, and the reasons for it, with those that you gave before,"
        " at most 1000. Shorten them; what you typed is still in the form."
    )


class StaleVersion(TextKept):
    message = _(
        "The round uses another version of the taxonomy than this page showed. What you typed is kept as your"
        " draft: load the page again and check the category."
    )


class CategoryGone(TextKept):
    """The member chose the category on a page that showed an earlier version of the taxonomy."""

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


class TrainingHasAnswers(DomainError):
    message = _("A training is decided by its right labels alone. Nothing was changed.")
