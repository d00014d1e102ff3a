"""The whole agreement report as a file: self-contained HTML, or PDF."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.functional import cached_property
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from drawing.typst_pdf import set_as_pdf
from drawing.vega import INLINE, render_all
from reports.agreement_report import AgreementReport, level_name
from reports.formats.document import Document, document
from reports.pictures.catalogue import specification
from rounds.models import Round

TEMPLATE = Path(settings.BASE_DIR) / "templates" / "reports" / "agreement" / "report.typ"

Told = Callable[[int], None]


@dataclass(frozen=True)
class ReportDraft:
    """The content of a report file of one of FORMS; to write the file needs no more queries."""

    form: str
    found: Document
    specs: list[dict[str, Any]]

    @property
    def steps(self) -> int:
        """A step for each picture, and a step to set the file."""
        return len(self.specs) + 1

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the content without its moment."""
        said = json.dumps([self.form, get_language(), self.found, self.specs], sort_keys=True)
        return sha256(said.replace(self.found["moment"], "").encode()).hexdigest()

    def written(self, told: Told = lambda _step: None, *, wait: float | None = None) -> bytes:
        """The file, in some seconds. `told` is called at each step; `wait`: seconds for a place for drawing.

        Raises PictureFailed, PdfFailed, DrawingBusy, and the errors of `told`.
        """
        return FORMS[self.form].write(self, told, wait)


def draft(report: AgreementReport, form: str) -> ReportDraft:
    """The content of a file of one of FORMS. Raises NothingToReport."""
    found = document(report)
    widths = FORMS[form].widths
    specs = [specification(report, one["name"], width) for width in widths for one in found["figures"]]
    return ReportDraft(form, found, specs)


def file_name(round_: Round, level: int, name: str, *, without_coached: bool = False) -> str:
    """The name of a file of this report, made from its study, round and level."""
    without = "without-coached-" if without_coached else ""
    return named_for(round_, f"-{level_name(level)}-{without}{name}")


def named_for(round_: Round, ending: str) -> str:
    """The name of a file, made from its study and round."""
    return f"{slugify(round_.study.slug)}-{slugify(round_.name) or round_.pk}{ending}"


def _html(draft: ReportDraft, told: Told, wait: float | None) -> bytes:
    """One file that contains its styles and pictures, without scripts and without requests.

    It has each picture at the width of a page and of a column; the styles show the picture that fits.
    """
    found = draft.found
    drawn = render_all(draft.specs, INLINE, told=told, wait=wait)
    half = len(found["figures"])
    pages = [_inline(svg, f"{at}-") for at, svg in enumerate(drawn)]
    figures = [
        figure | {"page": page, "column": column}
        for figure, page, column in zip(found["figures"], pages[:half], pages[half:], strict=True)
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
    return render_to_string("reports/agreement/report.html", context).encode()


def _inline(svg: bytes, prefix: str) -> SafeString:
    """An SVG of the engine, with a prefix that makes its ids unique in the page. The engine escapes texts."""
    text = re.sub(r'\b(id="|url\(#|href="#)', rf"\g<1>{prefix}", svg.decode())
    return mark_safe(text)  # noqa: S308 - not a person's text, but the picture that the engine drew


def _pdf(draft: ReportDraft, told: Told, wait: float | None) -> bytes:
    """The report as PDF, set by Typst.

    Pictures are drawn as PDF with embedded letters, since Typst has no font without serifs.
    """
    found = draft.found
    drawn = render_all(draft.specs, "pdf", told=told, wait=wait)
    figures = [figure | {"file": list(file)} for figure, file in zip(found["figures"], drawn, strict=True)]
    return set_as_pdf(TEMPLATE, {**found, "figures": figures, "words": _words()}, wait=wait)


def _words() -> dict[str, str]:
    return {
        "report": _("How to report this"),
        "left-out": _("Left out"),
        "pictures": _("Pictures"),
        "tables": _("Tables"),
        "definitions": _("Definitions"),
    }


@dataclass(frozen=True)
class FileForm:
    """A kind of file: its media type, the widths of its pictures, and the function that writes it."""

    mime: str
    widths: tuple[str, ...]
    write: Callable[[ReportDraft, Told, float | None], bytes]


FORMS = {
    "html": FileForm("text/html; charset=utf-8", ("page", "column"), _html),
    "pdf": FileForm("application/pdf", ("page",), _pdf),
}
"""The kinds of files by the suffix of their names."""


def names_of(report: AgreementReport) -> list[str]:
    """All names in a report that people chose."""
    round_ = report.round
    names = [round_.study.name, round_.name, round_.version.taxonomy.name, *report.columns]
    return [*names, *(state.title for state in report.codebook.states)]
