"""Where volunteers stood alone, as the agreement page draws it."""

from typing import Any

from django.utils.translation import gettext as _

from accounts.http import AuthedRequest
from annotate.agreement import Stretch
from annotate.dissents import Way, dissents
from annotate.figures import px
from annotate.reports import AgreementReport
from annotate.views import charts

WIDTH, HEIGHT, GAP = 14.0, 28.0, 2.0


def dissents_asked_for(request: AuthedRequest, report: AgreementReport) -> list[dict[str, Any]] | None:
    """A row of bars per volunteer, and one for all, where the address asks; None where it does not."""
    if request.GET.get("dissents") != "yes":
        return None
    found = dissents(report)
    most = max((_share(one) or 0.0 for way in found for one in way.stretches), default=0.0) or 1.0
    return [_row(way, most) for way in found]


def _row(way: Way, most: float) -> dict[str, Any]:
    return {
        "name": way.volunteer or _("All"),
        "is_all": not way.volunteer,
        "labels": way.labels,
        "alone": way.alone,
        "issues": way.issues,
        "share": _text(Stretch(way.issues, way.alone)),
        "first": _text(way.stretches[0]),
        "last": _text(way.stretches[-1]),
        "said": ", ".join(_text(stretch) for stretch in way.stretches),
        "bars": [_bar(at, stretch, most) for at, stretch in enumerate(way.stretches)],
    }


def _bar(at: int, stretch: Stretch, most: float) -> dict[str, str]:
    """A tenth without a dissent is a line of one unit, one without an issue is nothing."""
    share = _share(stretch)
    height = 0.0 if share is None else max(1.0, share / most * HEIGHT)
    return {
        "x": px(at * (WIDTH + GAP)),
        "y": px(HEIGHT - height),
        "width": px(WIDTH),
        "height": px(height),
        "said": _("%(alone)s of %(issues)s")
        % {"alone": f"{stretch.alone:,}", "issues": f"{stretch.issues:,}"},
    }


def _share(stretch: Stretch) -> float | None:
    return stretch.alone / stretch.issues if stretch.issues else None


def _text(stretch: Stretch) -> str:
    share = _share(stretch)
    return "–" if share is None else charts.percent(share)
