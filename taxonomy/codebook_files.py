"""A version of a taxonomy as files: to be read, to be printed, and for other tools."""

import io
from collections.abc import Callable
from dataclasses import dataclass

from django.http import Http404, HttpResponse
from django.utils.http import content_disposition_header
from django.utils.text import slugify

from taxonomy.codebooks import as_latex, as_markdown
from taxonomy.models import Version
from taxonomy.queries import codebook
from taxonomy.skos import as_skos
from taxonomy.tree import write_csv


@dataclass(frozen=True)
class Form:
    """A kind of file: its type, and what writes it."""

    mime: str
    write: Callable[[Version], str]


def _csv(version: Version) -> str:
    text = io.StringIO(newline="")
    write_csv(codebook(version).tree(), text)
    return text.getvalue()


FORMS = {
    "csv": Form("text/csv; charset=utf-8", _csv),
    "md": Form(
        "text/markdown; charset=utf-8", lambda version: as_markdown(version, codebook(version).tree())
    ),
    "tex": Form(
        "application/x-tex; charset=utf-8", lambda version: as_latex(version, codebook(version).tree())
    ),
    "jsonld": Form("application/ld+json", as_skos),
}
"""The files by the end of their name."""


def codebook_file(version: Version, form: str) -> HttpResponse:
    """One version as a file of one of FORMS; 404 for any other."""
    if form not in FORMS:
        raise Http404
    made = FORMS[form]
    return HttpResponse(
        made.write(version),
        content_type=made.mime,
        headers={"Content-Disposition": attached_as(version, f".{form}")},
    )


def attached_as(version: Version, ending: str) -> str:
    """The header that names a file of this version."""
    name = f"{slugify(version.taxonomy.name) or 'taxonomy'}-v{version.number}{ending}"
    return content_disposition_header(as_attachment=True, filename=name) or "attachment"
