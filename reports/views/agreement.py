"""The agreement report of a round as a page: numbers, words, figures, and every table as a file."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from agreement.coefficients import LANDIS_KOCH
from core.http import render_page
from drawing.axes import Axis, bands, close_axis, whisker
from drawing.missing_glyphs import boxes, without_a_font
from drawing.vega import FORMS as PICTURE_FORMS
from reports.agreement_report import (
    LEVELS,
    PAGE_BY,
    AgreementReport,
    LevelTooDeep,
    agreement_report,
    level_name,
)
from reports.file_responses import attached
from reports.formats.files import file_name, names_of
from reports.formats.paragraphs import latex_paragraph, markdown_paragraph
from reports.formats.table_files import table_as_csv, table_as_latex, table_as_markdown
from reports.forms.agreement import FreezeForm
from reports.pictures.catalogue import pictures
from reports.queries.independence import Signs, suspicions, suspicions_for_page
from reports.sections.chart_rows import HEADLINE
from reports.sections.independence import NOTE
from reports.sections.model_raters import model_comparisons
from reports.sections.registry import CARD_SECTIONS, TABLES
from reports.sentences import agreement as say
from reports.sentences import limits
from reports.sentences.benchmarks import landis_koch_word, word_probability
from reports.sentences.definitions import COEFFICIENTS, DEFINED, definitions
from reports.sentences.independence import how_labels_were_given, sign_of_dependence
from reports.sentences.numbers import p_value
from reports.sentences.paragraph import how_to_report, paragraph
from reports.views import frozen
from reports.views.forecasts import forecast_card
from reports.views.shortcuts import leaves_out_coached, round_to_read
from rounds.queries.blindness import Reader, withheld_issues
from taxonomy.models import Level

FORMATS = {
    "csv": ("text/csv", table_as_csv),
    "tex": ("application/x-tex", table_as_latex),
    "md": ("text/markdown", table_as_markdown),
}
PARAGRAPHS = {"md": markdown_paragraph, "tex": latex_paragraph}
"""The forms of the paragraph for a paper, which is no table."""


@require_safe
def agreement(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Show the agreement of the volunteers at `?level=`; `?format=` and `?table=` send a table as a file."""
    round_, member = round_to_read(request, round_id)
    if round_.of_id is not None:
        return redirect("agreement", round_.of_id)
    blind = withheld_issues(round_, member)
    report = agreement_report(
        round_,
        level=level_asked_for(request),
        by=PAGE_BY,
        blind=blind,
        reader=Reader(member),
        without_coached=leaves_out_coached(request),
    )
    if "format" in request.GET:
        return _file(report, request.GET["format"], request.GET.get("table", "report"))
    context: dict[str, Any] = {
        "study": round_.study,
        "round": round_,
        "membership": member,
        "report": report,
        "found": report.overall,
        "levels": _levels(report),
        "kept_query": "&coached=no" if report.without_coached else "",
        "left_out": say.left_out(report),
        "frozen": frozen.section(report, member),
        "form": FreezeForm(),
    }
    if report.overall.issues:
        signs = (
            suspicions(report) if request.GET.get("independence") == "yes" else suspicions_for_page(report)
        )
        context |= {
            "suspicions": _suspicions(report, signs),
            "about_signs": NOTE,
            "enforced": how_labels_were_given(report),
            "paragraph": paragraph(report, signs),
        }
        if request.headers.get("HX-Target") != "independence":
            context |= _page(report) | _cards(request, report)
            context["planning"] = forecast_card(request, report)
    else:
        context["missing"] = say.what_is_missing(round_, report)
    return render_page(request, "reports/agreement/agreement.html", context, partials=["independence"])


def level_asked_for(request: AuthedRequest) -> Level | None:
    """The level of `?level=`, None without this parameter; Http404 for an unknown level."""
    name = request.GET.get("level", "")
    if name and name not in LEVELS:
        raise Http404
    return LEVELS.get(name)


def _suspicions(report: AgreementReport, signs: Signs | None) -> list[dict[str, Any]] | None:
    """The signs that labels are not independent; None while they are unknown."""
    slug = report.round.study.slug
    return (
        signs
        if signs is None
        else [
            {
                "part": sign.part,
                "text": sign_of_dependence(sign, report.columns),
                "p": p_value(sign.adjusted),
                "url": reverse("issue", args=[slug, issue_id]) if issue_id else "",
            }
            for sign, issue_id in signs
        ]
    )


def _file(report: AgreementReport, form: str, name: str) -> HttpResponse:
    if form not in FORMATS:
        raise Http404
    kind, write = FORMATS[form]
    if name == "paragraph" and form in PARAGRAPHS and report.overall.issues:
        text = PARAGRAPHS[form](how_to_report(report))
    elif name in TABLES:
        text = write(report, name)
    else:
        raise Http404
    return sent(report, text, f"{name}.{form}", f"{kind}; charset=utf-8")


def sent(report: AgreementReport, content: str | bytes, name: str, kind: str) -> HttpResponse:
    """A file of this report, named for its study, round and level; a header counts the withheld issues."""
    named = file_name(report.round, report.level, name, without_coached=report.without_coached)
    return attached(content, named, kind, withheld=report.withheld)


# --- what the page draws


def _cards(request: AuthedRequest, report: AgreementReport) -> dict[str, Any]:
    """The context of every section that the page shows, and the templates by the place of their cards."""
    context: dict[str, Any] = {}
    cards: dict[str, list[str]] = {"top": [], "left": [], "right": [], "whole": []}
    for card in (section.card for section in CARD_SECTIONS if section.card):
        found = card.context(report, request.GET)
        if found is not None:
            context |= found
            cards[card.place].append(card.template)
    return context | {"cards": cards}


def _page(report: AgreementReport) -> dict[str, Any]:
    found = report.overall
    return {
        "headline": _headline(report),
        "compared": say.compared(found),
        "model_labels": sum(found.labels for _model, found in model_comparisons(report)),
        "not_of_the_study": say.not_of_the_study(report),
        "coached": limits.coached(report),
        "without_training": limits.without_training(report),
        "definitions": [(DEFINED[one.key], one) for one in definitions()],
        "codebook_size": say.categories_at(report.level, found.choosable),
        "level": report.level.label,
        "level_key": level_name(report.level),
        "pictures": pictures(report),
        "picture_forms": list(PICTURE_FORMS),
        "boxes": boxes(without_a_font(names_of(report))),
    }


def _headline(report: AgreementReport) -> dict[str, Any]:
    """Fleiss' kappa on the scale of Landis and Koch, also magnified if its interval is narrow."""
    kappa = report.overall.coefficients[HEADLINE]
    whole = Axis(0.0, 1.0, 0.2, 22, 614)
    drawn: dict[str, Any] = {
        "name": COEFFICIENTS[HEADLINE][0],
        "is_paradox": say.is_paradox(report.overall),
        "kappa": kappa,
        "drawn": whisker(whole, kappa.value, kappa.low, kappa.high),
        "axis": whole,
    }
    if kappa.value is None:
        return drawn
    word = landis_koch_word(kappa.value)
    bounds = [(bound, landis_koch_word(bound)) for bound, _word in LANDIS_KOCH]
    drawn |= {"word": word, "bands": bands(whole, bounds, word), "degrees": report.overall.issues - 1}
    drawn["probability"] = word_probability(kappa)
    if kappa.low is not None and kappa.high is not None and kappa.low >= 0 and kappa.high - kappa.low < 0.2:
        lens = close_axis([kappa.low, kappa.high], whole.left, whole.right)
        drawn |= {
            "lens": lens,
            "lens_left": whole.x(lens.low),
            "lens_right": whole.x(lens.high),
            "close": whisker(lens, kappa.value, kappa.low, kappa.high),
        }
    return drawn


def _levels(report: AgreementReport) -> list[dict[str, Any]]:
    """The levels to choose from; `why_not` explains a level that the taxonomy lacks."""
    return [
        {
            "key": name,
            "name": str(level.label).capitalize(),
            "is_current": level == report.level,
            "why_not": "" if report.codebook.at_level(level) else LevelTooDeep.message,
        }
        for name, level in LEVELS.items()
    ]
