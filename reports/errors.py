"""The errors of reports."""

from django.utils.translation import gettext_lazy as _

from core.errors import DomainError, FieldRefused


class FreezeRefused(FieldRefused):
    """A report cannot be frozen with these values. `field` names the field to change."""


class ReportHeldBack(DomainError):
    message = _(
        "This report holds issues that you still have to label in another round. You get it once you have"
        " labelled them."
    )


class NothingToDraw(DomainError):
    message = _("There is nothing to draw yet: no value of this picture is defined.")


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
