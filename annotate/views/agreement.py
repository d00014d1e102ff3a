"""The agreement report of a round as a page: numbers, words, figures, and every table as a file."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from annotate import statements as say
from annotate.agreement import Agreement, CategoryKappa, Reason
from annotate.agreement.coefficients import LANDIS_KOCH
from annotate.figures import Axis, Whisker, bands, close_axis, heat_step, whisker, whole_axis
from annotate.queries.rounds import rounds_for
from annotate.reports import LEVELS, AgreementReport, Group, agreement_report, level_name
from annotate.tables import COEFFICIENTS, TABLES, as_csv, as_latex, caption, meeting_categories, number
from core.http import render_page, require
from studies.queries import membership_of
from studies.rules import may_read_revealed
from taxonomy.models import Level

HEADLINE = "fleiss_kappa"
FORMATS = {"csv": ("text/csv", as_csv), "tex": ("application/x-tex", as_latex)}
DRAWN = 150.0
EDGE = 8.0
CONFUSED = 12
MARKS = ("circle", "square", "diamond")


@require_safe
def agreement(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Show how far the volunteers agree, at `?level=`; with `?format=` and `?table=` one table as a file."""
    round_ = get_object_or_404(rounds_for(request.user), pk=round_id)
    member = membership_of(request.user, round_.study)
    require(may_read_revealed(member))
    report = agreement_report(round_, level=_level(request), by=[["type"], ["repository"]])
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
    }
    if report.overall.issues:
        context |= _page(report)
    else:
        context["missing"] = say.what_is_missing(round_, report)
    return render_page(request, "annotate/agreement/agreement.html", context)


def _level(request: AuthedRequest) -> Level | None:
    name = request.GET.get("level", "")
    if name and name not in LEVELS:
        raise Http404
    return LEVELS.get(name)


def _file(report: AgreementReport, form: str, table: str) -> HttpResponse:
    if form not in FORMATS or table not in TABLES:
        raise Http404
    kind, write = FORMATS[form]
    made = TABLES[table](report)
    text = as_latex(made, caption(report, table)) if write is as_latex else write(made)
    round_ = report.round
    stem = f"{slugify(round_.study.slug)}-{slugify(round_.name) or round_.pk}"
    name = f"{stem}-{level_name(report.level)}-{table}.{form}"
    disposition = content_disposition_header(as_attachment=True, filename=name)
    return HttpResponse(
        text,
        content_type=f"{kind}; charset=utf-8",
        headers={"Content-Disposition": disposition or "attachment"},
    )


# --- what the page draws


@dataclass(frozen=True)
class LevelTab:
    """One level to look at; `why_not` where the taxonomy lacks it."""

    key: str
    name: str
    is_current: bool
    why_not: str


@dataclass(frozen=True)
class Estimate:
    """A number for people: `text` and `interval`, or `why` it is undefined or has no interval."""

    text: str
    interval: str
    why: str
    drawn: Whisker | None


@dataclass(frozen=True)
class Row:
    """A line of one of the tables. `place` is that of its type, from 0; -1 where types play no part."""

    key: str
    name: str
    hint: str = ""
    place: int = -1
    issues: int = 0
    labels: int = 0
    share: str = ""
    agreement: str = ""
    ac1: str = ""
    estimate: Estimate | None = None
    is_first: bool = False
    is_few: bool = False
    is_paradox: bool = False

    @property
    def mark(self) -> str:
        """Shape of the mark: hue and shape together tell the first three types apart."""
        return MARKS[self.place] if 0 <= self.place < len(MARKS) else MARKS[0]

    @property
    def css(self) -> str:
        if self.is_first and self.place < 0:
            return "ac"
        return f"f{'abc'[self.place]}" if 0 <= self.place < len(MARKS) else "d w"


@dataclass(frozen=True)
class Chart:
    """Rows on one axis."""

    axis: Axis
    rows: list[Row]
    all: Row | None = None
    reference: str = ""


def _page(report: AgreementReport) -> dict[str, Any]:
    found = report.overall
    few = say.few_labels(found.categories)
    return {
        "headline": _headline(report),
        "coefficients": _coefficients(found),
        "types": _groups(report, "type"),
        "repositories": _groups(report, "repository"),
        "categories": _categories(report),
        "few": few,
        "unused": [one for one in found.categories if not one.labels],
        "unused_why": say.undefined(Reason.CATEGORY_UNUSED),
        "few_bound": say.FEW_LABELS,
        "paradoxes": [group for group in report.groups if say.is_paradox(group.agreement)],
        "pairs": _pairs(report),
        "confused": _confused(report),
        "paragraph": say.how_to_report(report),
        "definitions": [(say.DEFINED[one.key], one) for one in say.definitions()],
        "codebook_size": say.categories_at(report.level, len(found.categories)),
        "level": report.level.label,
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


def _estimate(
    axis: Axis, value: float | None, low: float | None, high: float | None, reason: Any
) -> Estimate:
    return Estimate(
        text=number(value),
        interval=say.span(low, high),
        why=say.undefined(reason) if value is None else "" if low is not None else say.no_interval(reason),
        drawn=whisker(axis, value, low, high),
    )


def _headline(report: AgreementReport) -> dict[str, Any]:
    kappa = report.overall.coefficients[HEADLINE]
    told: dict[str, Any] = {
        "name": say.COEFFICIENTS[HEADLINE][0],
        "is_paradox": say.is_paradox(report.overall),
    }
    whole = Axis(0.0, 1.0, 0.2, 22, 614)
    estimate = _estimate(whole, kappa.value, kappa.low, kappa.high, kappa.reason)
    told |= {"estimate": estimate, "axis": whole}
    if kappa.value is None:
        return told
    word = say.landis_koch_word(kappa.value)
    bounds = [(bound, say.landis_koch_word(bound)) for bound, _word in LANDIS_KOCH]
    told |= {"word": word, "bands": bands(whole, bounds, word), "degrees": report.overall.issues - 1}
    if kappa.low is not None and kappa.high is not None and kappa.low >= 0 and kappa.high - kappa.low < 0.2:
        lens = close_axis([kappa.low, kappa.high], whole.left, whole.right)
        told |= {
            "lens": lens,
            "lens_left": whole.x(lens.low),
            "lens_right": whole.x(lens.high),
            "close": whisker(lens, kappa.value, kappa.low, kappa.high),
        }
    return told


def _coefficients(found: Agreement) -> Chart:
    all_ = found.coefficients
    axis = close_axis(
        _known((one.value, one.low, one.high) for one in all_.values()), EDGE, DRAWN - EDGE, most=4
    )
    return Chart(
        axis,
        [
            Row(
                key=name,
                name=str(say.COEFFICIENTS[name][0]),
                hint=str(say.COEFFICIENTS[name][1]),
                is_first=name == HEADLINE,
                estimate=_estimate(axis, one.value, one.low, one.high, one.reason),
            )
            for name in COEFFICIENTS
            for one in [all_[name]]
        ],
    )


def _groups(report: AgreementReport, name: str) -> Chart:
    groups = report.by(name)
    kappas = [group.agreement.coefficients[HEADLINE] for group in (*groups, report.groups[0])]
    axis = close_axis(_known((one.value, one.low, one.high) for one in kappas), EDGE, DRAWN - EDGE, most=4)
    return Chart(
        axis,
        [_group(report, axis, name, group) for group in groups],
        all=_group(report, axis, name, report.groups[0]),
    )


def _group(report: AgreementReport, axis: Axis, name: str, group: Group) -> Row:
    found = group.agreement
    kappa = found.coefficients[HEADLINE]
    key = group.key.get(name, "")
    place = _place(report, key) if name == "type" and key else -1
    return Row(
        key=key if name == "type" else "",
        name=report.codebook.by_code[key].name if place >= 0 else key,
        place=place,
        issues=found.issues,
        labels=found.labels,
        share=_share(found.issues, report.overall.issues),
        agreement=number(found.coefficients["percent_agreement"].value),
        ac1=number(found.coefficients["gwet_ac1"].value),
        estimate=_estimate(axis, kappa.value, kappa.low, kappa.high, kappa.reason),
        is_paradox=say.is_paradox(found),
    )


def _share(part: int, whole: int) -> str:
    return _("%(share)s\N{NO-BREAK SPACE}%%") % {"share": number(100 * part / whole, 1)}


def _categories(report: AgreementReport) -> Chart:
    found = report.overall.categories
    axis = whole_axis(_known((one.kappa, one.low) for one in found), EDGE, DRAWN - EDGE)
    few = {one.code for one in say.few_labels(found)}
    kappa = report.overall.coefficients[HEADLINE].value
    rows: list[Row] = []
    for one in (one for one in found if one.labels):
        rows.append(
            Row(
                key=one.code,
                name=report.codebook.by_code[one.code].name,
                place=_place(report, one.code),
                labels=one.labels,
                estimate=_category(axis, one),
                is_first=bool(rows) and rows[-1].key.split(".")[0] != one.code.split(".")[0],
                is_few=one.code in few,
            )
        )
    return Chart(axis, rows, reference=axis.x(kappa) if kappa is not None else "")


def _category(axis: Axis, one: CategoryKappa) -> Estimate:
    return _estimate(axis, one.kappa, one.low, one.high, one.reason)


def _place(report: AgreementReport, code: str) -> int:
    return report.codebook.hue(report.codebook.by_code[code].category_id)


def _known(triples: Iterable[Sequence[float | None]]) -> list[float]:
    return [value for triple in triples for value in triple if value is not None]


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
    kappas = _known([(pair.kappa,) for pair in found])
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
    used = sorted({column for pair in found for column in (pair.first, pair.second)})
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


def _short(value: float) -> str:
    text = number(value)
    return text[1:] if text.startswith("0.") else text.replace("-0.", "−.")


def _confused(report: AgreementReport) -> list[dict[str, Any]]:
    """The pairs of categories that stand side by side on most issues."""
    rows: list[dict[str, Any]] = []
    for first, second, issues in meeting_categories(report).rows[:CONFUSED]:
        pair = [
            {
                "code": code,
                "place": _place(report, str(code)),
                "name": report.codebook.by_code[str(code)].name,
            }
            for code in (first, second)
        ]
        address = reverse("disagreements", args=[report.round.pk])
        chosen = urlencode({"pair": f"{first} {second}"})
        rows.append({"pair": pair, "issues": issues, "url": f"{address}?{chosen}"})
    return rows
