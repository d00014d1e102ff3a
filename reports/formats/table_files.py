"""The tables of a report as files: CSV and Markdown with the names of files, LaTeX in words for a paper."""

from dataclasses import replace
from string import ascii_lowercase

from django.utils.translation import gettext as _

from reports.agreement_report import AgreementReport, level_name
from reports.formats.latex import as_latex
from reports.formats.tables import PrintedTable, as_csv, as_markdown
from reports.sections.columns import REASON
from reports.sections.registry import BY_KEY, TABLES


def table_as_csv(report: AgreementReport, key: str) -> str:
    return as_csv(TABLES[key](report))


def table_as_markdown(report: AgreementReport, key: str) -> str:
    return as_markdown(TABLES[key](report), [column.digits for column in BY_KEY[key].columns_of(report)])


def table_as_latex(report: AgreementReport, key: str) -> str:
    """The table in the reader's language, with a caption that names what it is of."""
    section, round_ = BY_KEY[key], report.round
    named = {
        "title": section.title,
        "study": round_.study.name,
        "round": round_.name,
        "level": report.level.label,
        "version": round_.version.number,
    }
    caption = _("%(title)s. %(study)s, %(round)s, %(level)s level, taxonomy version %(version)s.") % named
    without = " without coached issues," if report.without_coached else ""
    comment = (
        f"{key}: {round_.study.name}, {round_.name}, {level_name(report.level)} level,"
        f" taxonomy v{round_.version.number},{without} as of {report.as_of:%Y-%m-%d %H:%M} UTC"
    )
    printed, notes = _with_letters(section.printed(report))
    texts = [caption, str(section.note), section.remark(report), notes]
    return as_latex(printed, key=key, caption=" ".join(filter(None, texts)), comment=comment)


def _with_letters(table: PrintedTable) -> tuple[PrintedTable, str]:
    """The table with a letter for each note in its last column, and the notes by letter for the caption."""
    last = [row[-1] for row in table.rows]
    found = list(dict.fromkeys(filter(None, last)))
    if table.heads[-1] != str(REASON.heading) or not 0 < len(found) <= len(ascii_lowercase):
        return table, ""
    letters = {"": "", **dict(zip(found, ascii_lowercase, strict=False))}
    rows = tuple((*row[:-1], letters[row[-1]]) for row in table.rows)
    notes = (f"{letters[note]}: {note}." for note in found)
    return replace(table, rows=rows), " ".join(notes)
