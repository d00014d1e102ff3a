"""The agreement report of a full study, against the query that groups its labels; and its page."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from bench.ground import Ground, Measurement, median_of, rows_of, seconds
from bench.page import READY_AT, chromium, in_browser, web_server
from bench.rounds import main_round, team_of
from bench.submit import signed_in
from reports.agreement_report import _numbers, agreement_report
from reports.formats.json_report import report_as_dict
from reports.queries.independence import _kept, suspicions
from reports.queries.label_tuples import _grouped

MOST = 0.3
PAGE = 1.5
TIMES = 9
DRAWN_AT = """() => {
    const figures = [...document.querySelectorAll("[data-picture]")];
    const drawn = figures.length && figures.every((figure) => "drawn" in figure.dataset);
    return drawn ? performance.now() / 1000 : null;
}"""

GROUPED = """
    SELECT labels, count(*) FROM (
        SELECT array_agg(category_id ORDER BY volunteer_id) AS labels
        FROM rounds_label WHERE round_id = %s AND NOT surplus GROUP BY issue_id
    ) of_issue GROUP BY labels
"""
COUNTED = "SELECT count(*) FROM rounds_label WHERE round_id = %s"


def rows(ground: Ground) -> Iterator[Measurement]:
    slug = ground.study(ground.issues)
    round_ = main_round(slug)
    ground.say("agreement …")
    grouped = median_of(TIMES, lambda: rows_of(GROUPED, [round_.pk]))
    counted = median_of(TIMES, lambda: rows_of(COUNTED, [round_.pk]))
    found = agreement_report(round_)
    tuples = len(rows_of(GROUPED, [round_.pk]))
    labels = found.overall.labels
    note = (
        f"{labels:,} labels, {tuples:,} distinct tuples; counting the labels alone {seconds(counted)};"
        f" median of {TIMES}, warm"
    )

    def asked(by: list[list[str]], *, anew: bool) -> None:
        if anew:
            _grouped.cache_clear()
            _numbers.cache_clear()
        report_as_dict(agreement_report(round_, by=by))

    parts = [["type"], ["repository"]]
    for what, by, anew, bar in (
        ("agreement report, all coefficients with intervals, per category, anew", [], True, MOST),
        ("the same, asked again while nothing changed", [], False, MOST),
        ("the same anew, by type and by repository too", parts, True, None),
    ):
        ours = median_of(TIMES, partial(asked, by, anew=anew))
        yield Measurement.timed(what, ours, grouped, "the query that groups the labels", most=bar, note=note)

    def searched() -> None:
        _kept.clear()
        suspicions(found)

    yield Measurement.timed(
        "search for signs of dependence, anew",
        median_of(TIMES, searched),
        grouped,
        "the query that groups the labels",
        note="once for each state of the labels; the rows above have it from there, and the page fetches it",
    )
    yield from page(slug, ground)


def page(slug: str, ground: Ground) -> Iterator[Measurement]:
    """The page in a browser, from navigation until its last picture is drawn."""
    browser = chromium()
    if not browser:
        return
    lead, round_, _members = team_of(slug)
    cookie = signed_in(lead).cookies["sessionid"].value
    ground.say("the agreement page …")
    given: dict[str, Any] = {"ready_at": DRAWN_AT, "height": 20_000}
    with web_server() as address:
        path = f"/rounds/{round_.pk}/agreement/"
        drawn, asked = in_browser(browser, address, path, cookie, **given)
        least, _asked = in_browser(browser, address, "/healthz", cookie, ready_at=READY_AT)
    yield Measurement.timed(
        "agreement page, cold cache of the browser: all pictures drawn",
        drawn,
        least,
        "the same browser, a page of one word",
        most=PAGE,
        note=f"{len(asked)} requests; warm server",
    )
