"""The labels after second looks: as they are now, and not independent."""

from agreement import Agreement
from reports.agreement_report import AgreementReport, computed_of_labels
from reports.level_agreement import agreement_of
from reports.queries.label_tuples import tuples
from rounds.models import Round
from rounds.queries.categories import categories_of


def is_looking_again(round_: Round) -> bool:
    """Is a second look of the round open? Its issues are not complete until then. One query."""
    return Round.objects.filter(of=round_, closed_at=None).exists()


@computed_of_labels
def agreement_after(report: AgreementReport) -> Agreement | None:
    """The agreement of the labels as they are now, over the issues of the report; None if no label was given
    again. Costs the queries of `tuples`.
    """
    if not report.again:
        return None
    book = categories_of(report.round.version_id)
    return agreement_of(tuples(report.round, book, blind=report.blind, present=True), book, report.level)
