"""The errors of packages, and of importing a published study."""

from collections.abc import Sequence

from django.utils.translation import gettext_lazy as _

from core.errors import DomainError


class PublishedStudyRefused(DomainError):
    """A published study was refused; `problems` are the reasons, a text for each refused line."""

    status = 422

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join([str(_("The study was refused. Nothing was stored.")), *problems]))


class PackageGone(DomainError):
    message = _(
        "This package is no longer on the server. Packages are kept for one day, and not as long if a person"
        " or a text is removed from the study. Make the package again."
    )
    status = 410


class PackageHeldBack(DomainError):
    message = _(
        "This package has an issue that is hidden from you now, or your role in the study changed. Make the"
        " package again."
    )


class PublishedStudyDiffers(DomainError):
    message = _(
        "The study has a main round with other labels. Nothing was changed. Import into another study."
    )


class PseudonymTaken(DomainError):
    message = _(
        "A volunteer of this study has a pseudonym that these labels need, such as R1. Nothing was imported."
        " Import into another study."
    )


class RoundNameTaken(DomainError):
    message = _(
        "The study now has a round with the name of this import. Nothing was imported. Type another name,"
        " then import the labels again."
    )


class NotChecked(DomainError):
    message = _("These files have no preview yet. Nothing was imported. Check the files first.")


class LinesRefused(DomainError):
    message = _(
        "Some lines of these files are refused. Nothing was imported. Correct the lines and upload the files"
        " again."
    )


class TaxonomyChanged(DomainError):
    message = _(
        "The taxonomy of the study changed after the preview. Nothing was imported. Check the files again."
    )
