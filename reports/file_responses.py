"""Files that both the pages and REST send: the figure of a taxonomy, and the whole report."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.http import Http404, HttpResponse
from django.utils.http import content_disposition_header

from core.models import Job
from drawing.vega import FORMS as PICTURE_FORMS
from reports.errors import ReportFileGone
from reports.formats.file_cache import located
from reports.formats.files import FORMS as REPORT_FORMS
from reports.queries.category_shares import UNITS, Shares, category_shares, rounds_to_count
from reports.queries.report_files import finished_file
from reports.taxonomy_figure import TaxonomyFigure, taxonomy_figure
from rounds.models import Round
from rounds.pages import WITHHELD
from rounds.queries.categories import categories_of
from studies.models import Membership
from taxonomy.codebooks import attached_as
from taxonomy.models import Version

WITHOUT = "none"


@dataclass(frozen=True)
class AskedFigure:
    """The figure for an address, its shares, and all rounds whose shares it can show."""

    figure: TaxonomyFigure
    rounds: list[Round]
    shares: Shares | None

    @property
    def address(self) -> dict[str, str]:
        """The query parameters for the same shares."""
        if self.shares is None:
            return {"round": WITHOUT}
        return {"round": str(self.shares.round.pk), "of": self.shares.unit}


def figure_asked_for(version: Version, member: Membership | None, query: Mapping[str, str]) -> AskedFigure:
    """The figure with the shares of `round`: an id or "none"; by default the newest main round with shares.

    `of`: the unit to count, one of UNITS. Http404 for an unknown unit or a round that the member cannot read.
    """
    rounds = rounds_to_count(version.taxonomy, member)
    asked, unit = query.get("round", ""), query.get("of") or None
    if unit not in {None, *UNITS}:
        raise Http404
    chosen = next((one for one in rounds if str(one.pk) == asked), None)
    if asked not in {"", WITHOUT} and chosen is None:
        raise Http404
    if not asked:
        chosen = next((one for one in rounds if one.kind == Round.Kind.MAIN), None)
    book = categories_of(version.pk)
    shares = category_shares(chosen, book, member, unit) if chosen else None
    return AskedFigure(taxonomy_figure(version, book, shares), rounds, shares)


def figure_response(asked: AskedFigure, version: Version, form: str) -> HttpResponse:
    """The figure as a file of one of PICTURE_FORMS, else Http404; a header counts the withheld issues."""
    if form not in PICTURE_FORMS:
        raise Http404
    return HttpResponse(
        asked.figure.as_file(form),
        content_type=PICTURE_FORMS[form],
        headers={
            "Content-Disposition": attached_as(version, f"-figure.{form}"),
            WITHHELD: str(asked.shares.withheld if asked.shares else 0),
        },
    )


def report_file_response(job: Job, round_: Round, member: Membership) -> HttpResponse:
    """The file of this job. Raises the errors of `finished_file`, and ReportFileGone for a deleted file."""
    try:
        content = located(finished_file(job, round_, member)).read_bytes()
    except FileNotFoundError as error:
        raise ReportFileGone from error
    kind = REPORT_FORMS[job.arguments["form"]].mime
    answer = attached(content, job.result["name"], kind, withheld=job.result["withheld"])
    answer.headers["Cache-Control"] = "no-store"
    return answer


def attached(
    content: str | bytes, name: str, kind: str = "text/csv; charset=utf-8", *, withheld: int | None = None
) -> HttpResponse:
    """A response that browsers store as a file of this name."""
    return HttpResponse(content, content_type=kind, headers=stored_as(name, withheld))


def stored_as(name: str, withheld: int | None = None) -> dict[str, str]:
    """The headers of a file of this name; with `withheld`, also the number of withheld issues."""
    headers = {} if withheld is None else {WITHHELD: str(withheld)}
    disposition = content_disposition_header(as_attachment=True, filename=name) or "attachment"
    return {"Content-Disposition": disposition, **headers}
