"""The decisions: a bar for each category, with its number and share at the end."""

from django.utils.translation import gettext as _

from reports.agreement_report import AgreementReport
from reports.formats.tables import number
from reports.pictures.picture import DATA, Drawing, Picture, left_axis, right_axis, row_name
from reports.pictures.widths import Width

LEVELS = ("type", "theme")
SHADES = ("#404040", "#a8a8a8")
"""Types are dark, their themes are light."""


def draw_distribution(_report: AgreementReport, found: Picture, room: Width) -> Drawing:
    import altair as alt

    rows = [
        row
        | {
            "row": row_name(
                f"{row['code']} {row['name']}", f"{row['issues']:,} ({number(100 * row['share'], 1)} %)"
            ),
            "said": _("%(code)s %(name)s: %(issues)s of %(base)s issues, %(share)s %%")
            % {
                "code": row["code"],
                "name": row["name"],
                "issues": f"{row['issues']:,}",
                "base": f"{row['base']:,}",
                "share": number(100 * row["share"], 1),
            },
        }
        for row in found.rows
    ]
    names = alt.Scale(domain=[row["row"] for row in rows])

    def y(axis: alt.Axis) -> alt.Y:
        return alt.Y("row:N", sort=None, scale=names, axis=axis)

    x_axis = alt.Axis(title=_("Share of the decided issues"), format=".0%", tickCount=5, labelFlush=False)
    shade = alt.Color("level:N", scale=alt.Scale(domain=LEVELS, range=SHADES), legend=None)
    base = alt.Chart(alt.NamedData(DATA))
    bars = base.mark_bar(height={"band": 0.7}).encode(
        x=alt.X("share:Q", axis=x_axis), y=y(left_axis(room)),
        color=shade, description="said:N", tooltip="said:N",
    )  # fmt: skip
    ends = base.mark_point(opacity=0, aria=False, tooltip=None).encode(
        y=y(right_axis(rows, _("Issues"), room))
    )
    layers = alt.layer(bars.properties(name="bars"), ends)
    chart = layers.resolve_axis(y="independent").properties(height={"step": room.step})
    return Drawing(chart, {DATA: rows})
