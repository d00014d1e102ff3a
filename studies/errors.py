"""Refusals about joining, changing or leaving a study, and about its guideline."""

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from core.errors import DomainError

if TYPE_CHECKING:
    from studies.models import Guideline


class LastOwner(DomainError):
    """The constraint trigger `last_owner_stays` enforces the same rule in the database."""

    message = _("A study needs an owner, and this is the last one. Make somebody else an owner first.")


class RoleIsFixed(DomainError):
    message = _(
        "A model stays a model, and a person a person: models are compared with the volunteers,"
        " never counted among them. The role was not changed."
    )


class AlreadyMember(DomainError):
    message = _("You take part in this study already. The invitation was not used up.")


class NotInTheStudy(DomainError):
    message = _("They are no longer in the study. Let them back in first.")


class InvitationUnknown(DomainError):
    message = _(
        "This invitation is not known here. Was its link copied whole?"
        " If so, ask the owner of the study for a new one."
    )
    status = 404


class InvitationClosed(DomainError):
    message = _(
        "This invitation was used, was revoked or has expired. Ask the owner of the study for a new one."
    )
    status = 410


class GuidelineUnchanged(DomainError):
    message = _("The text is the one of the current version. Nothing was published.")
    status = 422


class GuidelineTooLong(DomainError):
    status = 422


class StaleGuidelineText(DomainError):
    """Another version, `standing`, was published since the form was made."""

    message = _(
        "Somebody published a new version meanwhile. Nothing was published, and what you typed is still in"
        " the form: take over what is new, then publish again."
    )

    def __init__(self, standing: "Guideline", *, kept: dict[str, str]) -> None:
        self.standing = standing
        super().__init__(kept=kept)
