"""Frozen agreement reports: the list, freezing a report, and a frozen report beside the current numbers."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import AuthedRequest
from core.http import go_to, render_page, require
from core.idempotency import first_time
from core.sql.retry import retried
from core.version import version
from reports.actions import frozen as actions
from reports.agreement_report import BY, LEVELS, AgreementReport, agreement_report, level_name
from reports.errors import FreezeRefused, ReportHeldBack
from reports.file_responses import attached
from reports.formats.files import named_for
from reports.formats.json_report import report_as_dict
from reports.formats.tables import number
from reports.forms.agreement import FreezeForm
from reports.frozen.document import changes, difference, inputs_hash, is_altered
from reports.frozen.wording import change_lines, group_lines
from reports.models import FrozenReport
from reports.queries import frozen as queries
from reports.queries.final_labels import change_counts
from reports.rules import may_freeze
from reports.views.shortcuts import leaves_out_coached, round_to_read
from rounds.actions.locks import settled_snapshot
from rounds.models import Round
from rounds.queries.blindness import keeps_frozen, withheld_issues
from studies.models import Membership
from studies.pages import frame


def section(report: AgreementReport, member: Membership | None) -> dict[str, Any]:
    """The context for the list of a round's frozen reports beside the current report at one level.

    Two queries and those of the current numbers, and one more if issues can be withheld.
    """
    round_ = report.round
    withheld = keeps_frozen(round_, member).count()
    found = list(queries.frozen_reports(round_))
    levels = (level_name(round_.depth), level_name(report.level))
    numbers = queries.at_levels(round_, *levels) if found and not withheld else {}
    # The search for signs takes long, and no number here is about it.
    now = report_as_dict(report, but={"independence"}) if numbers else {}
    return {
        "listed": [_listed(one, numbers.get(one.pk), now, report) for one in found],
        "withheld": withheld,
        "may_freeze": may_freeze(member, round_) and not withheld and report.complete > 0,
        "would_freeze": may_freeze(member, round_) and withheld > 0,
        "level": report.level.label,
        "without_coached": report.without_coached,
    }


def _listed(
    frozen: FrozenReport, numbers: Mapping[str, Any] | None, now: Mapping[str, Any], report: AgreementReport
) -> dict[str, Any]:
    """A frozen report in the list: its kappa, and whether its numbers are current; no numbers if withheld."""
    if numbers is None:
        return {"frozen": frozen, "kappa": None}
    is_alike = frozen.without_coached == report.without_coached
    at_depth, shown = numbers[level_name(report.round.depth)], numbers[level_name(report.level)]
    kappa = at_depth and at_depth["groups"][0]["coefficients"]["fleiss_kappa"]["value"]
    found = changes(shown, now) if shown and is_alike else None
    return {
        "frozen": frozen,
        "kappa": number(kappa) or _("undefined"),
        "is_same": None if found is None else not found,
        "is_alike": is_alike,
        "is_altered": bool(found) and is_altered(frozen, found or (), report.complete),
    }


@require_http_methods(["GET", "HEAD", "POST"])
def frozen_reports(request: AuthedRequest, round_id: int) -> HttpResponse:
    """List the frozen reports of a round, and freeze the current report."""
    round_, member = round_to_read(request, round_id)
    form = FreezeForm(request.POST if request.method == "POST" else None)
    if request.method == "POST":
        require(may_freeze(member, round_))
        if form.is_valid():
            try:
                frozen = _freeze(request, round_, member, form)
            except FreezeRefused as refusal:
                form.add_error(refusal.field or None, str(refusal.message))
            else:
                if frozen is None:
                    return go_to(request, "frozen_reports", round_.pk)
                messages.success(request, _("The report is frozen. Nothing changes its numbers any more."))
                return go_to(request, frozen)
    without = form.leaves_out_coached if form.is_bound else leaves_out_coached(request)
    report = agreement_report(round_, by=BY, blind=withheld_issues(round_, member), without_coached=without)
    context = {
        **frame(round_.study, member, "agreement"),
        "round": round_,
        "form": form,
        "frozen": section(report, member),
    }
    status = 422 if form.errors else 200
    return render_page(request, "reports/frozen/frozen_reports.html", context, status=status)


@retried
def _freeze(
    request: AuthedRequest, round_: Round, member: Membership | None, form: FreezeForm
) -> FrozenReport | None:
    """The report that the form froze; None if the form was sent twice."""
    with settled_snapshot(round_) as moment:
        if not first_time(request):
            return None
        return actions.freeze_report(
            round_=round_,
            by=member,
            name=form.cleaned_data["name"],
            without_coached=form.leaves_out_coached,
            at=moment,
        )


@require_safe
def frozen_report(request: AuthedRequest, round_id: int, frozen_id: int) -> HttpResponse:
    """Show a frozen report at `?level=`, and the changes since; `?check=yes` compares the hash of labels."""
    round_, member = round_to_read(request, round_id)
    frozen = get_object_or_404(queries.frozen_reports(round_), pk=frozen_id)
    context: dict[str, Any] = {
        **frame(round_.study, member, "agreement"),
        "round": round_,
        "frozen": frozen,
        "withheld": keeps_frozen(round_, member).count(),
    }
    if not context["withheld"]:
        context |= _numbers(request, frozen, member)
    return render_page(request, "reports/frozen/frozen_report.html", context)


@require_safe
def frozen_json(request: AuthedRequest, round_id: int, frozen_id: int) -> HttpResponse:
    """Send the JSON of a frozen report to the byte; ReportHeldBack if issues are withheld from the member."""
    round_, member = round_to_read(request, round_id)
    frozen = get_object_or_404(queries.frozen_reports(round_), pk=frozen_id)
    if keeps_frozen(round_, member).exists():
        raise ReportHeldBack
    name = named_for(round_, f"-{slugify(frozen.name) or frozen.pk}.json")
    return attached(frozen.document, name, "application/json")


# --- the page of a frozen report


def _is_same_file(frozen: FrozenReport) -> bool:
    now = inputs_hash(frozen.round, without_coached=frozen.without_coached)
    return now == frozen.inputs_hash


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
            {
                "key": name,
                "name": str(LEVELS[name].label).capitalize(),
                "is_current": name == level,
                "changed": len(found.levels.get(name, ())),
            }
            for name in then
        ],
        "changed": found.count,
        "altered": found.altered,
        "version": version(),
        "main": change_lines(main),
        "others": change_lines([one for one in shown if one not in main]),
        "more_issues": found.issues_added,
        "final_labels": sum(counts.values()),
        "final_labels_url": f"{reverse('final_labels', args=[frozen.round_id])}?{since}",
        "check": _is_same_file(frozen) if request.GET.get("check") else None,
    }
