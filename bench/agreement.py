"""The agreement report of a full study, against the one query that groups its labels."""

from collections.abc import Iterator

from bench.ground import Ground, Row, median_of, seconds

MOST = 0.3
TIMES = 9

GROUPED = """
    SELECT labels, count(*) FROM (
        SELECT array_agg(category_id ORDER BY volunteer_id) AS labels
        FROM annotate_label WHERE round_id = %s AND NOT surplus GROUP BY issue_id
    ) of_issue GROUP BY labels
"""
COUNTED = "SELECT count(*) FROM annotate_label WHERE round_id = %s"


def rows(ground: Ground) -> Iterator[Row]:
    from django.db import connection  # noqa: PLC0415

    from annotate.models import Round  # noqa: PLC0415
    from annotate.reports import agreement_report  # noqa: PLC0415

    slug = ground.study(ground.issues)
    round_ = Round.objects.select_related("study").get(study__slug=slug, name="Main round")

    def query(statement: str) -> list[tuple[object, ...]]:
        with connection.cursor() as cursor:
            cursor.execute(statement, [round_.pk])
            return cursor.fetchall()

    ground.say("agreement …")
    grouped = median_of(TIMES, lambda: query(GROUPED))
    counted = median_of(TIMES, lambda: query(COUNTED))
    found = agreement_report(round_)
    tuples = len(query(GROUPED))
    labels = found.overall.labels
    note = (
        f"{labels:,} labels, {tuples:,} distinct tuples; counting the labels alone {seconds(counted)};"
        f" median of {TIMES}, warm"
    )
    for what, by, bar in (
        ("agreement report, all coefficients with intervals, per category", [], MOST),
        ("the same, by type and by repository too", [["type"], ["repository"]], None),
    ):
        ours = median_of(TIMES, lambda by=by: agreement_report(round_, by=by).as_dict())  # type: ignore[misc]
        yield Row(
            work=what,
            ours=seconds(ours),
            limit=seconds(grouped),
            limit_is="the query that groups the labels",
            ratio=ours / grouped,
            bar=f"≤ {seconds(bar)}" if bar else "",
            met=ours <= bar if bar else None,
            note=note,
        )
