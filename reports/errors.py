"""The errors of reports."""

from collections.abc import Sequence

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from agreement.weighted.matrix import Problem
from core.errors import DomainError, FieldRefused


class FreezeRefused(FieldRefused):
    """A report cannot be frozen with these values. `field` names the field to change."""


class WeightsRefused(FieldRefused):
    """A matrix of weights was refused; the message has every cause with its line."""

    status = 422

    def __init__(self, problems: Sequence[Problem]) -> None:
        said = [gettext("The matrix has mistakes. The weights stay as they were. Correct these lines:")]
        for one in problems:
            cause = gettext(one.template) % one.values
            said.append(gettext("Line %(line)s: %(cause)s.") % {"line": one.line, "cause": cause})
        super().__init__("\n".join(said), field="text")


class ReportHeldBack(DomainError):
    message = _(
        "This report has issues that you still have to label in another round. You can open the report when"
        " you have labelled these issues."
    )


class NothingToDraw(DomainError):
    message = _("This picture has no values yet, so it cannot be drawn.")


class NothingToReport(DomainError):
    message = _("There is nothing to report yet: no issue is complete and revealed.")


class ReportFileGone(DomainError):
    message = _("This file was deleted, because report files are kept for one day. Make the file again.")
    status = 410


class ReportFileHeldBack(DomainError):
    message = _(
        "This file has an issue that is hidden from you now: you must label the issue in another round, or"
        " it lacks labels again. Make the file again without this issue."
    )


class ReportNotForYou(DomainError):
    message = _("Your role in this study does not allow you to read labels. Ask an owner or a lead.")
    status = 403


class NoSuchGroup(DomainError):
    message = _("No complete issue is in this group.")
    status = 404
