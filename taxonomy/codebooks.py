"""A version of a taxonomy as a codebook: CSV, SKOS, REFI-QDA, Markdown to read, LaTeX for the appendix of a
paper. Every text comes from outside and is escaped. An arrow that points to a category is kept.
"""

import io
from collections.abc import Callable, Iterable, Iterator, Sequence

from django.http import Http404, HttpResponse
from django.utils import formats, timezone
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.text.escaping import latex, markdown
from core.text.joining import clauses
from taxonomy.models import Level, Version
from taxonomy.queries.codebooks import codebook
from taxonomy.queries.reading import level_counts
from taxonomy.refi import as_qdc
from taxonomy.skos import as_skos
from taxonomy.tree import THEME, TYPE, Node, Tree, phrases, write_csv


def title(version: Version) -> str:
    return _("%(name)s, version %(n)s") % {"name": version.taxonomy.name, "n": version.number}


def sizes(levels: Sequence[tuple[str, int]]) -> str:
    """The numbers of categories by level: "3 types, 18 themes, 69 sub-themes"."""
    return clauses(_size(level, count) for level, count in levels)


def as_markdown(version: Version, tree: Tree) -> str:
    """A heading for each category, with its definition and its lists."""
    return "\n".join(_markdown(version, tree)) + "\n"


def as_latex(version: Version, tree: Tree) -> str:
    """A table of all categories, then a section for each type; comments name the packages that it needs.

    Writing it needs no TeX, and nothing here compiles it. Lines may break everywhere, so that no text exceeds
    the line.
    """
    return "\n".join(_latex(version, tree)) + "\n"


def _size(level: str, count: int) -> str:
    text = {
        "type": ngettext("%(n)s type", "%(n)s types", count),
        "theme": ngettext("%(n)s theme", "%(n)s themes", count),
        "sub_theme": ngettext("%(n)s sub-theme", "%(n)s sub-themes", count),
    }[level]
    return text % {"n": f"{count:,}"}


def _about(version: Version, tree: Tree) -> str:
    """The size of the version and its day of publication."""
    parts = [sizes(level_counts(node.level for node in tree))] if len(tree) else []
    if version.published_at:
        day = formats.date_format(timezone.localtime(version.published_at), "DATE_FORMAT")
        parts.append(_("published on %(day)s") % {"day": day})
    return "; ".join(parts)


def _lists(node: Node) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The headings of a category's lists, with their entries."""
    heads = {"includes": _("Includes"), "excludes": _("Excludes"), "examples": _("Examples")}
    for name, head in heads.items():
        if entries := phrases(getattr(node, name)):
            yield head, entries


# --- Markdown


def _markdown(version: Version, tree: Tree) -> Iterable[str]:
    yield f"# {markdown(title(version))}"
    for text in filter(None, (_about(version, tree), version.note)):
        yield from ("", markdown(text))
    for node in tree:
        yield from ("", f"{'#' * (node.level + 1)} {markdown(node.code)} {markdown(node.name)}")
        if node.definition:
            yield from ("", markdown(node.definition))
        for head, entries in _lists(node):
            yield from ("", f"**{markdown(head)}**", "")
            yield from (f"- {markdown(entry)}" for entry in entries)


# --- LaTeX


_SECTIONS = {Level.TYPE: "section", Level.THEME: "subsection", Level.SUB_THEME: "subsubsection"}
_PACKAGES = "array,booktabs,longtable"
_COLUMNS = r"@{}>{\raggedright}p{0.2\linewidth}>{\raggedright\arraybackslash}p{0.75\linewidth}@{}"


def _latex(version: Version, tree: Tree) -> Iterable[str]:
    yield f"% {' '.join(title(version).split())}"
    yield rf"% \usepackage{{{_PACKAGES}}}"
    if version.note:
        yield from (latex(version.note), "")
    yield from _table(tree)
    for node in tree:
        yield ""
        yield rf"\{_SECTIONS[Level(node.level)]}*{{{_breaking(node.code)} {latex(node.name)}}}"
        if node.definition:
            yield latex(node.definition)
        if described := list(_lists(node)):
            yield r"\begin{description}"
            for head, entries in described:
                yield rf"\item[{latex(head)}] \leavevmode"
                yield r"\begin{itemize}"
                yield from (rf"\item {latex(entry)}" for entry in entries)
                yield r"\end{itemize}"
            yield r"\end{description}"


def _table(tree: Tree) -> Iterable[str]:
    """All categories, with a rule before each type and some space before each theme."""
    yield rf"\begin{{longtable}}{{{_COLUMNS}}}"
    yield from (r"\toprule", rf"{latex(_('Code'))} & {latex(_('Name'))} \\", r"\midrule", r"\endhead")
    yield from (r"\bottomrule", r"\endfoot")
    for place, node in enumerate(tree):
        if place and node.level == TYPE:
            yield r"\midrule"
        elif place and node.level == THEME:
            yield r"\addlinespace"
        name = rf"\textbf{{{latex(node.name)}}}" if node.level == TYPE else latex(node.name)
        yield rf"{_breaking(node.code)} & {name} \\"
    yield r"\end{longtable}"


def _breaking(code: str) -> str:
    """A code that may break across lines after a full stop."""
    return latex(code).replace(".", r".\allowbreak{}")


def _csv(version: Version) -> str:
    text = io.StringIO(newline="")
    write_csv(codebook(version).tree(), text)
    return text.getvalue()


FORMS: dict[str, tuple[str, Callable[[Version], str]]] = {
    "csv": ("text/csv; charset=utf-8", _csv),
    "md": ("text/markdown; charset=utf-8", lambda version: as_markdown(version, codebook(version).tree())),
    "tex": ("application/x-tex; charset=utf-8", lambda version: as_latex(version, codebook(version).tree())),
    "jsonld": ("application/ld+json", as_skos),
    "qdc": ("text/xml; charset=utf-8", as_qdc),
}
"""By the extension of a file its content type and the function that writes it."""


def codebook_file(version: Version, form: str) -> HttpResponse:
    """One version as a file in one of FORMS; 404 for any other form."""
    if form not in FORMS:
        raise Http404
    mime, write = FORMS[form]
    return HttpResponse(
        write(version),
        content_type=mime,
        headers={"Content-Disposition": attached_as(version, f".{form}")},
    )


def attached_as(version: Version, ending: str) -> str:
    """The header with the name of a file of this version."""
    name = f"{slugify(version.taxonomy.name) or 'taxonomy'}-v{version.number}{ending}"
    return content_disposition_header(as_attachment=True, filename=name) or "attachment"
