"""Labels over time, as the agreement page shows them."""

from typing import Any

from annotate import over_time_words
from annotate.figures import px
from annotate.reports import AgreementReport
from annotate.views import charts


def over_time(report: AgreementReport) -> dict[str, Any] | None:
    """The shares of the frequent categories in each month, and what the test says; None with one month."""
    periods = report.periods
    if len(periods.names) < 2:
        return None
    counts = periods.shown(periods.labels)
    has_others = bool(counts[:, -1].any())
    counts = counts if has_others else counts[:, :-1]
    totals = periods.labels.sum(axis=1)
    shares = counts / totals.clip(min=1)[:, None]
    most = float(shares.max(initial=0.0)) or 1.0
    codes = [report.overall.categories[place].code for place in periods.frequent]
    return {
        "heads": [
            {"code": code, "place": charts.place_of(report, code), "name": report.codebook.by_code[code].name}
            for code in codes
        ],
        "has_others": has_others,
        "rows": [
            {
                "month": month,
                "labels": int(totals[at]),
                "cells": [
                    {"text": charts.percent(share), "width": px(100 * share / most)}
                    for share in shares[at].tolist()
                ],
            }
            for at, month in enumerate(periods.names)
        ],
        "sentences": over_time_words.change(periods.change),
    }
