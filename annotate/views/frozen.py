"""Frozen agreement reports: the list, freezing one, and one beside the numbers of now."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import AuthedRequest
from annotate.actions import frozen as actions
from annotate.actions.locks import settled_snapshot
from annotate.agreement_forms import FreezeForm
from annotate.errors import FreezeRefused, ReportHeldBack
from annotate.frozen import changes, difference, inputs_hash
from annotate.frozen_words import change_lines, group_lines
from annotate.models import FrozenReport, Round
from annotate.package import BY
from annotate.queries import frozen as queries
from annotate.queries.final_labels import change_counts
from annotate.queries.rounds import rounds_for
from annotate.queries.withheld import held_back, keeps_frozen
from annotate.reports import LEVELS, AgreementReport, agreement_report, level_name
from annotate.rules import may_freeze
from annotate.tables import number
from core.http import go_to, render_page, require
from core.idempotency import first_time
from core.retry import retried
from studies.models import Membership
from studies.pages import frame
from studies.queries import membership_of
from studies.rules import may_read_revealed


@dataclass(frozen=True)
class Listed:
    """A frozen report of a list; `kappa` at the round's depth, and whether the numbers of the level shown are
    the same now. Both None where something is held back from the reader.
    """

    frozen: FrozenReport
    kappa: str | None
    is_same: bool | None


def section(report: AgreementReport, member: Membership | None) -> dict[str, Any]:
    """What the list of a round's frozen reports draws, beside the report of now at one level.

    Two queries and those of what was labelled, and one more where something may be held back.
    """
    round_ = report.round
    withheld = keeps_frozen(round_, member).count()
    found = list(queries.frozen_reports(round_))
    levels = (level_name(round_.depth), level_name(report.level))
    numbers = queries.at_levels(round_, *levels) if found and not withheld else {}
    now = report.as_dict() if numbers else {}
    return {
        "listed": [_listed(one, numbers.get(one.pk), now, report) for one in found],
        "withheld": withheld,
        "may_freeze": may_freeze(member, round_) and not withheld and report.complete > 0,
        "would_freeze": may_freeze(member, round_) and withheld > 0,
        "level": report.level.label,
    }


def _listed(
    frozen: FrozenReport,
    numbers: Mapping[str, Any] | None,
    now: Mapping[str, Any],
    report: AgreementReport,
) -> Listed:
    if numbers is None:
        return Listed(frozen, None, None)
    at_depth, shown = numbers[level_name(report.round.depth)], numbers[level_name(report.level)]
    kappa = at_depth and at_depth["groups"][0]["coefficients"]["fleiss_kappa"]["value"]
    return Listed(
        frozen,
        number(kappa) or _("undefined"),
        not changes(shown, now) if shown else None,
    )


@require_http_methods(["GET", "HEAD", "POST"])
def frozen_reports(request: AuthedRequest, round_id: int) -> HttpResponse:
    """List the frozen reports of a round, and freeze the one of now."""
    round_, member = _round(request, round_id)
    form = FreezeForm(request.POST if request.method == "POST" else None)
    if request.method == "POST":
        require(may_freeze(member, round_))
        if form.is_valid():
            try:
                frozen = _freeze(request, round_, member, form.cleaned_data["name"])
            except FreezeRefused as refusal:
                form.add_error(refusal.field or None, str(refusal.message))
            else:
                if frozen is None:
                    return go_to(request, "frozen_reports", round_.pk)
                messages.success(request, _("The report is frozen. It stays as it is."))
                return go_to(request, frozen)
    report = agreement_report(round_, by=BY, held=held_back(round_, member))
    context = {
        **frame(round_.study, member, "agreement"),
        "round": round_,
        "form": form,
        "frozen": section(report, member),
    }
    status = 422 if form.errors else 200
    return render_page(request, "annotate/frozen/frozen_reports.html", context, status=status)


@retried
def _freeze(
    request: AuthedRequest, round_: Round, member: Membership | None, name: str
) -> FrozenReport | None:
    """The report that the form froze; None for its second sending."""
    with settled_snapshot(round_) as moment:
        if not first_time(request):
            return None
        return actions.freeze_report(round_=round_, by=member, name=name, at=moment)


@require_safe
def frozen_report(request: AuthedRequest, round_id: int, frozen_id: int) -> HttpResponse:
    """Show one at `?level=`, and what is other now; `?check=yes` compares what it was made of."""
    round_, member = _round(request, round_id)
    frozen = get_object_or_404(queries.frozen_reports(round_), pk=frozen_id)
    context: dict[str, Any] = {
        **frame(round_.study, member, "agreement"),
        "round": round_,
        "frozen": frozen,
        "withheld": keeps_frozen(round_, member).count(),
    }
    if not context["withheld"]:
        context |= _numbers(request, frozen, member)
    return render_page(request, "annotate/frozen/frozen_report.html", context)


@require_safe
def frozen_json(request: AuthedRequest, round_id: int, frozen_id: int) -> HttpResponse:
    """Send the report as it was frozen, to the byte."""
    round_, member = _round(request, round_id)
    frozen = get_object_or_404(queries.frozen_reports(round_), pk=frozen_id)
    if keeps_frozen(round_, member).exists():
        raise ReportHeldBack
    stem = f"{slugify(round_.study.slug)}-{slugify(round_.name) or round_.pk}"
    name = f"{stem}-{slugify(frozen.name) or frozen.pk}.json"
    return HttpResponse(
        frozen.document,
        content_type="application/json",
        headers={"Content-Disposition": content_disposition_header(True, name) or "attachment"},
    )


def _round(request: AuthedRequest, round_id: int) -> tuple[Round, Membership | None]:
    round_ = get_object_or_404(rounds_for(request.user), pk=round_id)
    member = membership_of(request.user, round_.study)
    require(may_read_revealed(member))
    return round_, member


# --- what the page of one draws


@dataclass(frozen=True)
class FrozenTab:
    """One level of a frozen report, and how many of its numbers are different now."""

    key: str
    name: str
    is_current: bool
    changed: int


def _numbers(request: AuthedRequest, frozen: FrozenReport, member: Membership | None) -> dict[str, Any]:
    then, found = json.loads(frozen.document)["levels"], difference(frozen)
    level = request.GET.get("level", "")
    if level not in then:
        level = level_name(frozen.round.depth)
    counts = change_counts(frozen.round, member, frozen.frozen_at)
    since = urlencode({"since": frozen.frozen_at.isoformat()})
    shown = found.levels.get(level, ())
    main = [one for one in shown if one.part in ("groups", "left-out")]
    return {
        "rows": group_lines(then[level]["groups"]),
        "level": LEVELS[level].label,
        "levels": [
            FrozenTab(
                name, str(LEVELS[name].label).capitalize(), name == level, len(found.levels.get(name, ()))
            )
            for name in then
        ],
        "changed": found.count,
        "main": change_lines(main),
        "others": change_lines([one for one in shown if one not in main]),
        "more_issues": found.issues_added,
        "final_labels": sum(counts.values()),
        "final_labels_url": f"{reverse('final_labels', args=[frozen.round_id])}?{since}",
        "check": inputs_hash(frozen.round) == frozen.inputs_hash if request.GET.get("check") else None,
    }
