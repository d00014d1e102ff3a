"""How disagreements were settled, and what kind of variable was rated: what reviewers ask for."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from consensus.minutes_text import method
from consensus.queries.consensus_numbers import ConsensusNumbers, consensus_numbers
from reports.agreement_report import AgreementReport, computed_once
from reports.sentences.numbers import grouped
from taxonomy.models import Level


def kind_of_variable(report: AgreementReport) -> str:
    """Categories have no order; their tree has levels."""
    levels = sum(bool(report.codebook.at_level(level)) for level in Level)
    return ngettext(
        "The variable is nominal: its categories have no order.",
        "The variable is nominal, in a tree: its categories have %(n)s levels and no order.",
        levels,
    ) % {"n": levels}


@computed_once
def how_disagreements_were_settled(report: AgreementReport) -> str:
    """Meetings, majorities and leads in numbers; "" for a report that leaves issues out. Six queries."""
    if report.round.is_imported:
        return _("The decisions were imported. How disagreements were settled was not observed.")
    reader = report.reader.member if report.reader else None
    if report.withheld or report.without_coached or (reader is None and not report.blind.query.is_empty()):
        return ""
    return _in_words(consensus_numbers(report.round, reader))


def _in_words(found: ConsensusNumbers) -> str:
    said = [method(found)]
    if not found.discussed:
        said += [
            ngettext(
                "%(n)s disagreement was settled by the majority of its labels.",
                "%(n)s disagreements were settled by the majority of their labels.",
                found.bulk,
            )
            % {"n": grouped(found.bulk)}
            if found.bulk
            else "",
            ngettext(
                "%(n)s disagreement was settled by a lead.",
                "%(n)s disagreements were settled by a lead.",
                found.lead,
            )
            % {"n": grouped(found.lead)}
            if found.lead
            else "",
        ]
    if found.open:
        open_ = ngettext(
            "%(n)s disagreement is not settled yet.", "%(n)s disagreements are not settled yet.", found.open
        )
        said.append(open_ % {"n": grouped(found.open)})
    return " ".join(one for one in said if one)
