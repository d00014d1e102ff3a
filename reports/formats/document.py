"""The whole agreement report as one document of plain texts, the source of its HTML and PDF files.

It has the numbers of the page: the tables of the sections at three digits.
"""

from collections.abc import Iterator
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.version import version
from reports import planned
from reports.agreement_report import AgreementReport
from reports.errors import NothingToReport
from reports.formats.tables import number
from reports.pictures.catalogue import pictures
from reports.sections.registry import SECTIONS
from reports.sentences import agreement as say
from reports.sentences import limits
from reports.sentences.definitions import COEFFICIENTS, DEFINED, definitions
from reports.sentences.numbers import no_interval, reason_in_words, span, undefined
from reports.sentences.paragraph import how_to_report

MOST = 200
"""The number of rows of a table in a document; the table files of the page have all rows."""


Document = dict[str, Any]
"""All texts of the files, in the reader's language: plain texts, lists and dictionaries of texts."""


def document(report: AgreementReport) -> Document:
    """The report as texts; raises NothingToReport for a report without issues."""
    found, round_ = report.overall, report.round
    if not found.issues:
        raise NothingToReport
    moment = date_format(report.as_of, "DATETIME_FORMAT") + " UTC"
    named = {"version": round_.version.number, "taxonomy": round_.version.taxonomy.name}
    facts = [
        (_("Study"), round_.study.name),
        (_("Round"), round_.name),
        (_("Level"), str(report.level.label)),
        (_("Taxonomy"), _("%(taxonomy)s, version %(version)s") % named),
        (_("As of"), moment),
        (_("Issues"), f"{found.issues:,}"),
        (_("Volunteers"), f"{found.raters:,}"),
        (_("Labels"), f"{found.labels:,}"),
    ]
    size = say.categories_at(report.level, found.choosable)
    return {
        "title": _("Agreement: %(round)s") % {"round": round_.name},
        "moment": moment,
        "kicker": _("Imported labels. Crosscheck did not see how these labels were made.")
        if round_.is_imported
        else _("Independent labels, before any meeting."),
        "facts": [{"name": name, "text": text} for name, text in facts],
        "headline": _headline(report),
        "notes": [
            note
            for note in (
                say.not_of_the_study(report),
                limits.coached(report),
                limits.without_training(report),
                limits.without_vote(report),
                planned.sentence(report, planned.planned_in(report)) if planned.planned_in(report) else "",
                say.compared(found),
                say.undecided(report),
            )
            if note
        ],
        "paragraph": how_to_report(report),
        "sections": list(_tables(report)),
        "figures": [
            {"name": one.name, "title": one.title, "caption": one.caption} for one in pictures(report)
        ],
        "definitions": [
            {"name": str(DEFINED[one.key]), "text": one.text, "formula": one.formula, "source": one.source}
            for one in definitions()
        ],
        "symbols": _(
            "n_ik: labels of category k on issue i. r_i: labels on issue i. N: issues. q: categories that"
            " volunteers could choose, used or not (%(size)s)."
        )
        % {"size": size},
        "left_out": [{"count": f"{part.count:,}", "text": part.text} for part in say.left_out(report)],
        "made_by": _("Made with Crosscheck %(version)s, as of %(moment)s.")
        % {"version": version(), "moment": moment},
    }


def _headline(report: AgreementReport) -> dict[str, str]:
    kappa = report.overall.coefficients["fleiss_kappa"]
    interval = span(kappa.low, kappa.high)
    if kappa.value is None:
        beside = undefined(kappa.reason)
    elif interval:
        beside = _("95 %% interval %(span)s") % {"span": interval}
        if kappa.doubt:
            beside = f"{beside} ({reason_in_words(kappa.doubt.text)})"
    else:
        beside = no_interval(kappa.reason)
    return {
        "name": _("%(name)s, %(level)s level")
        % {"name": COEFFICIENTS["fleiss_kappa"][0], "level": report.level.label},
        "value": number(kappa.value) or "–",
        "beside": beside,
        "agreement": number(report.overall.coefficients["percent_agreement"].value)
        or undefined(report.overall.coefficients["percent_agreement"].reason),
        "words": _("percent agreement"),
    }


def _tables(report: AgreementReport) -> Iterator[dict[str, Any]]:
    """The sections of the document that have rows, as texts without columns whose cells are all empty.

    The text `more` counts the rows beyond MOST.
    """
    for section in SECTIONS:
        if not section.in_document:
            continue
        table = section.table(report)
        if not table.rows:
            continue
        printed, more = section.printed(report, MOST, table), len(table.rows) - MOST
        yield {
            "name": section.key,
            "title": str(section.title),
            "note": str(section.note),
            "heads": [
                {"text": text, "is_number": is_number}
                for text, is_number in zip(printed.heads, printed.is_number, strict=True)
            ],
            "rows": [list(row) for row in printed.rows],
            "more": ngettext(
                "%(n)s more row is in the CSV file.", "%(n)s more rows are in the CSV file.", more
            )
            % {"n": f"{more:,}"}
            if more > 0
            else "",
        }
