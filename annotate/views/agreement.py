"""The agreement report of a round as a page: numbers, words, figures, and every table as a file."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from annotate import statements as say
from annotate.agreement import Bootstrap, Reason, issues_for, volunteers_for
from annotate.agreement_forms import FreezeForm, WithinForm
from annotate.exports import WITHHELD
from annotate.figures import heat_step, px
from annotate.independence import suspicions
from annotate.latex import as_latex
from annotate.letters import boxes, names_of, without_a_font
from annotate.pictures import pictures
from annotate.queries.rounds import rounds_for
from annotate.queries.withheld import Reader, held_back
from annotate.rendering import FORMS as PICTURE_FORMS
from annotate.report_document import BY
from annotate.report_files import file_name
from annotate.reports import LEVELS, AgreementReport, agreement_report, level_name, resampled
from annotate.tables import (
    TABLES,
    against_decision,
    as_csv,
    as_markdown,
    caption,
    meeting_categories,
    number,
)
from annotate.views import charts, frozen
from annotate.views.before_after import both_ways
from annotate.views.by_round import by_round
from annotate.views.composition import composed
from annotate.views.dissents import dissents_asked_for
from annotate.views.model_raters import model_rows
from annotate.views.over_time import over_time
from core.http import render_page, require
from studies.queries import membership_of
from studies.rules import may_read_revealed
from taxonomy.models import Level

FORMATS = {
    "csv": ("text/csv", as_csv),
    "tex": ("application/x-tex", as_latex),
    "md": ("text/markdown", as_markdown),
}
CONFUSED = 12
SPLITS = 12


@require_safe
def agreement(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Show how far the volunteers agree, at `?level=`; with `?format=` and `?table=` one table as a file."""
    round_ = get_object_or_404(rounds_for(request.user), pk=round_id)
    member = membership_of(request.user, round_.study)
    require(may_read_revealed(member))
    if round_.of_id is not None:
        return redirect("agreement", round_.of_id)
    held = held_back(round_, member)
    report = agreement_report(round_, level=level_asked_for(request), by=BY, held=held, reader=Reader(member))
    if "format" in request.GET:
        return _file(report, request.GET["format"], request.GET.get("table", "report"))
    context: dict[str, Any] = {
        "study": round_.study,
        "round": round_,
        "membership": member,
        "report": report,
        "found": report.overall,
        "levels": _levels(report),
        "left_out": say.left_out(report),
        "frozen": frozen.section(report, member),
        "form": FreezeForm(),
    }
    if report.overall.issues:
        context |= _page(report, resampled(report) if request.GET.get("bootstrap") == "yes" else None)
        context["suspicions"] = _suspicions(request, report)
        context["consensus"] = both_ways(report)
        context["dissents"] = dissents_asked_for(request, report)
        context["planning"] = _planning(request, report)
    else:
        context["missing"] = say.what_is_missing(round_, report)
    return render_page(request, "annotate/agreement/agreement.html", context)


def level_asked_for(request: AuthedRequest) -> Level | None:
    """The level that `?level=` names, None without it; 404 for an unknown one."""
    name = request.GET.get("level", "")
    if name and name not in LEVELS:
        raise Http404
    return LEVELS.get(name)


def _suspicions(request: AuthedRequest, report: AgreementReport) -> list[dict[str, Any]] | None:
    """Signs that labels are not independent, where the address asks for them; None where it does not."""
    if request.GET.get("independence") != "yes":
        return None
    lines = []
    for one in suspicions(report):
        sign = one.sign
        address = reverse("issue", args=[report.round.study.slug, one.issue_id]) if one.issue_id else ""
        lines.append(
            {
                "part": sign.part,
                "text": say.sign_of_dependence(sign, report.columns),
                "p": say.small(sign.adjusted),
                "url": address,
            }
        )
    return lines


def _planning(request: AuthedRequest, report: AgreementReport) -> dict[str, Any] | None:
    """What it takes until Fleiss' kappa is known to ± `?within=`; None where it has no interval."""
    kappa = report.overall.coefficients[charts.HEADLINE]
    if kappa.value is None or kappa.se is None or kappa.low is None:
        return None
    form = WithinForm(request.GET if "within" in request.GET else None)
    half = kappa.value - kappa.low
    told: dict[str, Any] = {"form": form, "half": number(half)}
    if not form.is_valid():
        return told
    within = form.cleaned_data["within"]
    issues = issues_for(within, kappa.se, report.overall.issues)
    return told | {"sentences": say.planning(report, within, issues, volunteers_for(report.patterns, within))}


def _file(report: AgreementReport, form: str, table: str) -> HttpResponse:
    if form not in FORMATS or table not in TABLES:
        raise Http404
    kind, write = FORMATS[form]
    made = TABLES[table](report)
    text = as_latex(made, caption(report, table)) if write is as_latex else write(made)
    return attached(report, text, f"{table}.{form}", f"{kind}; charset=utf-8")


def attached(report: AgreementReport, content: str | bytes, name: str, kind: str) -> HttpResponse:
    """A file of this report, named for its study, round and level; says how many issues are held back."""
    disposition = content_disposition_header(
        as_attachment=True, filename=file_name(report.round, report.level, name)
    )
    return HttpResponse(
        content,
        content_type=kind,
        headers={"Content-Disposition": disposition or "attachment", WITHHELD: str(report.withheld)},
    )


# --- what the page draws


@dataclass(frozen=True)
class LevelTab:
    """One level to look at; `why_not` where the taxonomy lacks it."""

    key: str
    name: str
    is_current: bool
    why_not: str


def _page(report: AgreementReport, resampled: Bootstrap | None) -> dict[str, Any]:
    found = report.overall
    few = say.few_labels(found.categories)
    return {
        "headline": charts.headline(report),
        "coefficients": charts.coefficients(found, resampled),
        "resampled": resampled,
        "types": charts.groups(report, "type"),
        "undecided": say.undecided(report),
        "compared": say.compared(found),
        "repositories": charts.groups(report, "repository"),
        "months": charts.groups(report, "month") if len(report.by("month")) > 1 else None,
        "rounds": by_round(report),
        "splits": _splits(report),
        **composed(report),
        "over_time": over_time(report),
        "volunteers": _volunteers(report),
        "models": model_rows(report),
        "model_labels": sum(line.found.labels for line in report.models),
        "overruled": _overruled(report),
        "categories": charts.categories(report),
        "few": few,
        "unused": [one for one in found.categories if not one.labels],
        "unused_why": say.undefined(Reason.CATEGORY_UNUSED),
        "few_bound": say.FEW_LABELS,
        "paradoxes": [group for group in report.groups if say.is_paradox(group.agreement)],
        "pairs": _pairs(report),
        "confused": _confused(report),
        "intra": _intra(report),
        "intra_left_out": say.intra_left_out(report),
        "not_of_the_study": say.not_of_the_study(report),
        "paragraph": say.how_to_report(report),
        "definitions": [(say.DEFINED[one.key], one) for one in say.definitions()],
        "codebook_size": say.categories_at(report.level, len(found.categories)),
        "level": report.level.label,
        "level_key": level_name(report.level),
        "pictures": pictures(report),
        "picture_forms": list(PICTURE_FORMS),
        "boxes": boxes(without_a_font(names_of(report))),
    }


def _levels(report: AgreementReport) -> list[LevelTab]:
    return [
        LevelTab(
            key=name,
            name=str(level.label).capitalize(),
            is_current=level == report.level,
            why_not=""
            if report.codebook.at_level(level)
            else _("The taxonomy has no categories at this level."),
        )
        for name, level in LEVELS.items()
    ]


@dataclass(frozen=True)
class Cell:
    """One pair of volunteers: kappa without its leading zero, its heat, and the whole in words."""

    text: str
    heat: int | None
    title: str


def _pairs(report: AgreementReport) -> dict[str, Any] | None:
    """Cohen's kappas as a square table; None where columns are no volunteers, or there is no pair."""
    found = report.overall.pairs
    if not found:
        return None
    kappas = charts.known([(pair.kappa,) for pair in found])
    low, high = min(kappas, default=0.0), max(kappas, default=0.0)
    cells: dict[tuple[int, int], Cell] = {}
    for pair in found:
        said = {
            "first": report.columns[pair.first],
            "second": report.columns[pair.second],
            "issues": pair.issues,
        }
        if pair.kappa is None:
            cell = Cell("–", None, _("%(first)s and %(second)s: ") % said + say.undefined(pair.reason))
        else:
            said |= {"kappa": number(pair.kappa)}
            title = _("%(first)s and %(second)s: %(kappa)s over %(issues)s issues") % said
            cell = Cell(_short(pair.kappa), heat_step(pair.kappa, low, high), title)
        cells[pair.first, pair.second] = cells[pair.second, pair.first] = cell
    used = report.side_by_side
    light = report.overall.coefficients["light_kappa"].value
    return {
        "names": [report.columns[column] for column in used],
        "rows": [
            (report.columns[row], [cells.get((row, column)) for column in used]) for row in used
        ],
        "low": _short(low),
        "high": _short(high),
        "mean": number(light),
    }  # fmt: skip


def _splits(report: AgreementReport) -> list[dict[str, Any]]:
    """How many issues part how, with the length of their bars; those after the first dozen are one line."""
    found, rest = report.splits[:SPLITS], report.splits[SPLITS:]
    most = max((split.share for split in report.splits), default=1.0)
    lines = [
        {
            "text": " : ".join(map(str, split.sizes)),
            "is_unanimous": len(split.sizes) == 1,
            "issues": split.issues,
            "share": charts.percent(split.share),
            "width": px(100 * split.share / most),
        }
        for split in found
    ]
    if rest:
        share = sum(split.share for split in rest)
        lines.append(
            {
                "text": _("others"),
                "issues": sum(split.issues for split in rest),
                "share": charts.percent(share),
                "width": px(100 * min(share / most, 1.0)),
            }
        )
    return lines


def _volunteers(report: AgreementReport) -> list[dict[str, Any]]:
    """Each volunteer beside the others and the decision: texts with their bases."""
    rows = []
    for one in report.volunteers:
        decision = one.decision
        rows.append(
            {
                "name": report.columns[one.column],
                "labels": one.labels,
                "agreement": number(one.agreement.value) or say.undefined(one.agreement.reason),
                "span": say.span(one.agreement.low, one.agreement.high),
                "kappa": number(one.kappa.value) or say.undefined(one.kappa.reason),
                "decision": number(decision.kappa) or say.undefined(decision.reason),
                "decided": decision.issues,
                "same": charts.percent(decision.agreement) if decision.agreement is not None else "",
                "without": number(one.without.value) or say.undefined(one.without.reason),
                "effect": say.signed(one.effect),
                "alone": one.alone,
                "others_agree": one.others_agree,
                "alone_share": charts.percent(one.alone / one.others_agree) if one.others_agree else "",
            }
        )
    return rows


def _overruled(report: AgreementReport) -> list[dict[str, Any]]:
    """The labels that decisions overruled most often: which category became which."""
    return [
        {"pair": [_named(report, str(code)) for code in (label, decision)], "labels": labels}
        for label, decision, labels in against_decision(report).rows[:CONFUSED]
    ]


@dataclass(frozen=True)
class Again:
    """One volunteer, or all, against themselves: texts with their intervals, or why there are none."""

    name: str
    is_pooled: bool
    issues: int
    agreement: str
    agreement_span: str
    kappa: str
    kappa_span: str


def _intra(report: AgreementReport) -> list[Again]:
    """The drift check as rows, all volunteers pooled first; none where no issue came twice."""
    if report.intra is None:
        return []
    rows = []
    for one in (report.intra.pooled, *report.intra.raters):
        share, kappa = one.percent_agreement, one.cohen_kappa
        rows.append(
            Again(
                name=one.rater or _("All"),
                is_pooled=one.rater is None,
                issues=one.issues,
                agreement=number(share.value) or "–",
                agreement_span=say.span(share.low, share.high),
                kappa=number(kappa.value) or say.undefined(kappa.reason),
                kappa_span=say.span(kappa.low, kappa.high)
                or (say.no_interval(kappa.reason) if kappa.value is not None else ""),
            )
        )
    return rows


def _short(value: float) -> str:
    text = number(value)
    return text[1:] if text.startswith("0.") else text.replace("−0.", "−.")


def _confused(report: AgreementReport) -> list[dict[str, Any]]:
    """The pairs of categories that stand side by side on most issues."""
    rows: list[dict[str, Any]] = []
    for first, second, issues in meeting_categories(report).rows[:CONFUSED]:
        pair = [_named(report, str(code)) for code in (first, second)]
        address = reverse("disagreements", args=[report.round.pk])
        chosen = urlencode({"pair": f"{first} {second}"})
        rows.append({"pair": pair, "issues": issues, "url": f"{address}?{chosen}"})
    return rows


def _named(report: AgreementReport, code: str) -> dict[str, Any]:
    place = charts.place_of(report, code)
    return {"code": code, "place": place, "name": report.codebook.by_code[code].name}
