"""Whether the issues of a report are a sample, and how many issues there are in all."""

from annotate.models import Sample
from core.numbers import whole_number
from ingest.models import Issue
from reports.agreement_report import AgreementReport, computed_once
from rounds.models import Round


@computed_once
def is_everything(report: AgreementReport) -> bool:
    """Is every selected issue in the report, and was no sample drawn that Crosscheck knows of?

    Issues that lack labels, are withheld or left out make the report a part. An imported round names no
    sample. A query for each round that the issues came from, one after the other.
    """
    is_part = report.withheld or report.without_coached
    return not is_part and not report.overall.left_out.get("incomplete_issues") and _is_whole(report.round)


def _is_whole(round_: Round) -> bool:
    """Did the issues come from no sample, directly or by way of other rounds? False if that is unknown."""
    earlier: Round | None = round_
    seen: set[int] = set()
    while earlier is not None and earlier.pk not in seen:
        seen.add(earlier.pk)
        kind, _colon, id_ = str(earlier.selection.get("source", "")).partition(":")
        if kind == "sample" or earlier.selection.get("chosen_by_hand"):
            return False
        if kind not in {"round", "kept"}:
            return True
        earlier = Round.objects.filter(study=round_.study_id, pk=whole_number(id_) or 0).first()
    return False


def population_of(round_: Round, false_positives: int) -> int:
    """For a sample the issues that it was drawn from, else the issues of the study without the
    `false_positives` that a screening excluded. At most two queries.
    """
    kind, _colon, id_ = str(round_.selection.get("source", "")).partition(":")
    sample = Sample.objects.filter(study=round_.study_id, pk=id_).first() if kind == "sample" else None
    if sample is not None:
        return sum(stratum["issues"] for stratum in sample.plan["strata"])
    return Issue.objects.filter(repository__study=round_.study_id).count() - false_positives
