"""The errors of drawing."""

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.errors import DomainError


class TreeTooLarge(DomainError):
    """A figure with more than `most` categories exists only as SVG, not as PDF or PNG."""

    status = 422

    def __init__(self, most: int) -> None:
        text = gettext(
            "A tree of more than %(most)s categories fits no page: take it as SVG, which holds all."
        )
        super().__init__(text % {"most": f"{most:,}"})


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
