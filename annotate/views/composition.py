"""What the issues of a report are, as the agreement page shows it."""

from typing import Any

from annotate.composition import Decided, distribution
from annotate.figures import px
from annotate.reports import AgreementReport
from annotate.views import charts
from taxonomy.models import Level


def composed(report: AgreementReport) -> dict[str, Any]:
    """Table I, and the decided types with the themes of each below it."""
    decided = distribution(report)
    most = max((one.share for one in decided), default=1.0)
    return {
        "composition": report.composition,
        "decided": [_bar(report, one, most) for one in sorted(decided, key=lambda one: one.state.position)],
    }


def _bar(report: AgreementReport, one: Decided, most: float) -> dict[str, Any]:
    return {
        "code": one.state.code,
        "name": one.state.name,
        "place": charts.place_of(report, one.state.code),
        "is_type": one.state.level == Level.TYPE,
        "issues": one.issues,
        "base": one.base,
        "share": charts.percent(one.share),
        "width": px(100 * one.share / most),
    }
