"""Refusals about joining, changing or leaving a study, and about its guideline."""

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from core.errors import DomainError

if TYPE_CHECKING:
    from studies.models import Guideline


class LastOwner(DomainError):
    """The constraint trigger `last_owner_stays` enforces the same rule in the database."""

    message = _("A study needs at least one owner. Nothing was changed. First make another member an owner.")


class DeletionIsAhead(DomainError):
    message = _("This study is about to be deleted. Nothing was changed. First keep the study.")


class RoleIsFixed(DomainError):
    message = _(
        "A model cannot become a person, and a person cannot become a model. The role was not changed."
    )


class AlreadyMember(DomainError):
    message = _("You are already a member of this study. The invitation was not used.")


class NotInTheStudy(DomainError):
    message = _("This member has left the study. Nothing was changed. First add the member again.")


class AccountClosed(DomainError):
    message = _("The account of this member is closed. Nothing was changed. Invite a new member.")


class InvitationUnknown(DomainError):
    message = _(
        "This invitation is unknown. Check that you copied the whole link. If you did, ask the"
        " owner of the study for a new link."
    )
    status = 404


class InvitationClosed(DomainError):
    message = _(
        "This invitation was used, was revoked or has expired. Ask the owner of the study for a new link."
    )
    status = 410


class GuidelineUnchanged(DomainError):
    message = _("Your text is the same as the current version. Nothing was published.")
    status = 422


class GuidelineTooLong(DomainError):
    status = 422


class StaleGuidelineText(DomainError):
    """Another version, `standing`, was published since the form was made."""

    message = _(
        "Another version was published while you typed. Your text was not published and is"
        " still in the form. Compare the two texts, then publish again."
    )

    def __init__(self, standing: "Guideline", *, kept: dict[str, str]) -> None:
        self.standing = standing
        super().__init__(kept=kept)
