"""The whole agreement report as a file: HTML that needs nothing else, and PDF."""

import re
from pathlib import Path

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotate.pictures import specification
from annotate.rendering import render_all
from annotate.report_document import document
from annotate.reports import AgreementReport
from annotate.typesetter import set_as_pdf

TEMPLATE = Path(settings.BASE_DIR) / "templates" / "annotate" / "agreement" / "report.typ"


def html(report: AgreementReport) -> bytes:
    """One file with its styles and pictures in it, no script, and no address that it would ask. Some seconds.

    Each picture is there for the width of a page and for that of a column; the styles show the one that fits.
    Raises NothingToReport, PictureFailed, DrawingBusy.
    """
    found = document(report)
    names = [figure["name"] for figure in found["figures"]]
    widths = ("page", "column")
    drawn = render_all([specification(report, name, width) for width in widths for name in names], "svg")
    pages = [_inline(svg, f"{at}-") for at, svg in enumerate(drawn)]
    figures = [
        figure | {"page": page, "column": column}
        for figure, page, column in zip(
            found["figures"], pages[: len(names)], pages[len(names) :], strict=True
        )
    ]
    sections = [
        section
        | {
            "rows": [
                [(cell, head["is_number"]) for cell, head in zip(row, section["heads"], strict=True)]
                for row in section["rows"]
            ]
        }
        for section in found["sections"]
    ]
    context = {**found, "sections": sections, "figures": figures, "lang": get_language() or "en"}
    return render_to_string("annotate/agreement/report.html", context).encode()


def _inline(svg: bytes, prefix: str) -> SafeString:
    """An SVG of the engine for use in a page, with names of its own: in one page an id may stand once.

    The engine writes texts escaped.
    """
    text = re.sub(r'\b(id="|url\(#|href="#)', rf"\g<1>{prefix}", svg.decode())
    return mark_safe(text)  # noqa: S308 - not a person's text, but the picture that the engine drew


def pdf(report: AgreementReport) -> bytes:
    """The same as PDF, set by Typst.

    Pictures are drawn as PDF, which brings its own letters: the typesetter has none without serifs.
    Raises NothingToReport, PictureFailed, PdfFailed, DrawingBusy.
    """
    found = document(report)
    specs = [specification(report, figure["name"], "page") for figure in found["figures"]]
    drawn = render_all(specs, "pdf")
    figures = [figure | {"file": list(file)} for figure, file in zip(found["figures"], drawn, strict=True)]
    return set_as_pdf(TEMPLATE, {**found, "figures": figures, "words": _words()})


def _words() -> dict[str, str]:
    """Headings, as they stand in both files."""
    return {
        "report": _("How to report this"),
        "left-out": _("Left out"),
        "pictures": _("Pictures"),
        "tables": _("Tables"),
        "definitions": _("Definitions"),
    }


FORMS = {"html": ("text/html; charset=utf-8", html), "pdf": ("application/pdf", pdf)}
"""The files by the end of their name: their kind, and what makes them."""
