"""The reports of a study: one line for each round, with what can be read of it."""

from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from core.http import render_page
from reports.models import FrozenReport
from rounds.models import Round
from rounds.queries.rounds import round_lines
from studies.pages import frame, study_of
from studies.rules import may_read_revealed


@require_safe
def study_report(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show the reports of the rounds that have begun, and the newest frozen report of each."""
    study, member = study_of(request, slug, may_read_revealed)
    lines = [line for line in round_lines(study, member) if line.round.opened_at]
    frozen = {
        one.round_id: one
        for one in FrozenReport.objects.filter(round__study=study)
        .defer("document")
        .order_by("frozen_at", "pk")
    }
    context: dict[str, Any] = {
        **frame(study, member, "study_report"),
        "lines": [
            {"line": line, "frozen": frozen.get(line.round.pk)}
            for line in lines
            if line.round.kind != Round.Kind.LOOK
        ],
        "has_training": any(line.round.kind == Round.Kind.TRAINING for line in lines),
    }
    return render_page(request, "reports/study.html", context)
