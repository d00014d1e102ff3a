"""The matrix of disagreements as a file: CSV for a spreadsheet, SVG for a paper."""

from collections.abc import Iterator
from typing import Any

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from consensus.queries.confusion import confusion
from consensus.queries.disagreements import disagreement_counts
from consensus.views.disagreement_page import LEVEL_WORDS, level_asked, levels_of
from consensus.views.filter_menu import ListAddress
from consensus.views.matrix import HOTTEST, WholeMatrix, heat, whole_matrix
from consensus.views.shortcuts import round_to_read
from core.csv import csv_file
from core.text.joining import listed, named
from rounds.models import Round
from rounds.pages import WITHHELD
from rounds.queries.categories import codebook
from taxonomy.models import Level

CELL, FONT, LETTER = 28, 12, 6.6
"""Points of a cell, of the font, and of an average letter."""
LONGEST = 40


@require_safe
def disagreements_matrix(request: AuthedRequest, round_id: int, form: str) -> HttpResponseBase:
    """Send the matrix at `?level=`, or inside of the cell `?inside=`, as svg or csv.

    It has all categories with a number, also those that the page leaves out, and the filters of the page.
    """
    if form not in {"svg", "csv"}:
        raise Http404
    round_, member = round_to_read(request, round_id)
    asked = ListAddress.read(request.GET)
    name = level_asked(asked, round_)
    level, book = levels_of(round_)[name], codebook(round_.version_id)
    if not set(asked.inside or ()) <= book.by_code.keys():
        raise Http404
    found = whole_matrix(confusion(round_, level, member, asked.narrowing), book, level, asked.inside)
    file = f"{slugify(round_.study.slug)}-{slugify(round_.name) or round_.pk}-disagreements-{name}.{form}"
    if form == "csv":
        answer: HttpResponseBase = csv_file(file, ["", *(head.code for head in found.across)], _rows(found))
    else:
        drawn = _picture(round_, level, found)
        text = render_to_string("consensus/disagreements/_matrix_picture.html", drawn)
        answer = HttpResponse(text.strip() + "\n", content_type="image/svg+xml")
        answer["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=file)
    answer[WITHHELD] = str(disagreement_counts(round_, member).withheld)
    return answer


def _rows(found: WholeMatrix) -> Iterator[list[str | int]]:
    for row in found.down:
        cells = (found.issues.get(frozenset((row.code, column.code)), 0) for column in found.across)
        yield [f"{row.code} {row.name}", *cells]


def _picture(round_: Round, level: Level, found: WholeMatrix) -> dict[str, Any]:
    """The positions of the picture: rows with names, columns with codes, a square for each number."""
    names = [f"{row.code} {row.name}" for row in found.down]
    names = [name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…" for name in names]
    left = round(LETTER * max(map(len, names), default=0)) + 12
    top = round(LETTER * max((len(column.code) for column in found.across), default=0)) + 16
    middle = CELL / 2
    cells = [
        {
            "x": left + CELL * x,
            "y": top + CELL * y,
            "text_x": left + CELL * x + middle,
            "text_y": top + CELL * y + middle + FONT / 3,
            "issues": issues,
            "said": named(listed([row.code, column.code]), issues),
            "opacity": f"{0.06 + 0.13 * (step - 1):.2f}",
            "is_dark": step > HOTTEST / 2,
        }
        for y, row in enumerate(found.down)
        for x, column in enumerate(found.across)
        if (issues := found.issues.get(frozenset((row.code, column.code)), 0))
        for step in [heat(issues, found.most)]
    ]
    return {
        "title": f"{LEVEL_WORDS[level]['title']} · {round_.name}",
        "width": left + CELL * len(found.across) + 2,
        "height": top + CELL * len(found.down) + 2,
        "font": FONT,
        "cell": CELL,
        "rows": [
            {"x": left - 8, "y": top + CELL * y + middle + FONT / 3, "text": name}
            for y, name in enumerate(names)
        ],
        "columns": [
            {"x": left + CELL * x + middle + FONT / 3, "y": top - 8, "text": column.code}
            for x, column in enumerate(found.across)
        ],
        "cells": cells,
    }
