"""The errors of drawing."""

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.errors import DomainError


class TreeTooLarge(DomainError):
    """A figure with more than `most` categories exists only as SVG, not as PDF or PNG."""

    status = 422

    def __init__(self, most: int) -> None:
        text = gettext(
            "A tree of more than %(most)s categories does not fit on a page. Download the SVG: it has all"
            " categories."
        )
        super().__init__(text % {"most": f"{most:,}"})


class PdfFailed(DomainError):
    message = _(
        "The PDF could not be made. Try again, or download HTML or Markdown: both have the whole text."
    )
    status = 503


class PictureFailed(DomainError):
    message = _(
        "The picture could not be drawn. Try again, or download its table as CSV: it has all numbers."
    )
    status = 503


class DrawingBusy(DomainError):
    message = _("The server is making other pictures or files now. Try again in a moment.")
    status = 503
    retry_after = 5
