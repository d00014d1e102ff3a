"""The whole agreement report as a file: request it, and make it in a worker."""

from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from core.jobs import enqueue
from core.models import Job
from core.sql import replica
from core.sql.snapshots import snapshot
from drawing.missing_glyphs import without_a_font
from reports.agreement_report import PAGE_BY, AgreementReport, agreement_report, level_name
from reports.errors import ReportFileGone, ReportNotForYou
from reports.formats import file_cache
from reports.formats.files import FORMS, ReportDraft, draft, file_name, names_of
from reports.queries.report_files import MAKING, Runs, readable, report_jobs, runs
from rounds.models import Round
from rounds.queries.blindness import Reader, withheld_issues
from studies.models import Membership
from studies.rules import may_read_revealed
from taxonomy.models import Level

WAIT = 300
"""Seconds that a job waits for a place for drawing; it can be long because no page waits for the job."""

Report = Callable[[int, int | None, str], None]


def ask_for_report(
    *,
    round_: Round,
    by: Membership,
    form: str,
    level: Level | None = None,
    without_coached: bool = False,
) -> Job:
    """The unfinished or new job that makes the report as a file of one of FORMS for this member. `level`: the
    round's depth by default. `without_coached` leaves out issues that volunteers were coached on. ValueError
    for an unknown form.
    """
    if form not in FORMS:
        raise ValueError(f"form is one of {', '.join(FORMS)}")
    arguments = {
        "round": round_.pk,
        "member": by.pk,
        "form": form,
        "level": level_name(level or round_.depth),
        "without_coached": without_coached,
        "language": get_language(),
    }
    waiting = report_jobs(round_, by).filter(finished_at=None, arguments=arguments).first()
    return waiting or enqueue(MAKING, arguments=arguments, by=by.user)


def make_report(
    *,
    round_: Round,
    by: Membership,
    form: str,
    level: Level,
    report: Report,
    without_coached: bool = False,
    job_id: int | None = None,
) -> dict[str, Any]:
    """Make the file, or find a recent file with the same content; returns the result of its job.

    The report and the readable issues, which `finished_file` checks, are read at one moment. Raises
    ReportNotForYou, ReportFileGone if something was removed from the study meanwhile,
    NothingToReport, LevelTooDeep, PictureFailed, PdfFailed, DrawingBusy, errors of `report`.
    """
    if by.left_at or not may_read_revealed(by):
        raise ReportNotForYou
    report(0, None, _("counting labels"))

    def read() -> tuple[AgreementReport, ReportDraft, Runs]:
        with snapshot():
            found = agreement_report(
                round_,
                level=level,
                by=PAGE_BY,
                blind=withheld_issues(round_, by),
                reader=Reader(by),
                without_coached=without_coached,
            )
            return found, draft(found, form), runs(readable(round_, by))

    found, drafted, issues = replica.reading(read)
    name = file_cache.recent(drafted.digest, form)
    if name is None:
        name = file_cache.named(drafted.digest, form, found.as_of)
        report(0, drafted.steps, _("drawing pictures"))
        content = drafted.written(lambda done: report(done, drafted.steps, ""), wait=WAIT)
        file_cache.put(name, content)
    if job_id and Job.objects.filter(pk=job_id, arguments__removed=True).exists():
        file_cache.remove([name])
        raise ReportFileGone
    report(drafted.steps, drafted.steps, "")
    return {
        "file": name,
        "name": file_name(round_, level, f"agreement.{form}", without_coached=without_coached),
        "as_of": file_cache.moment_of(name).isoformat(),
        "withheld": found.withheld,
        "missing_letters": without_a_font(names_of(found)) if form == "pdf" else "",
        "issues": issues,
    }


def remove_report_files(study_id: int) -> None:
    """Remove the kept report files of a study from this server, also those that are asked for: a replica can
    still have what was removed. The caller holds the study, in a transaction.
    """
    rounds = list(Round.objects.filter(study=study_id).values_list("pk", flat=True))
    jobs = Job.objects.filter(kind=MAKING, arguments__round__in=rounds)
    unfinished = jobs.filter(finished_at=None).select_for_update(no_key=True, of=("self",))
    for job in unfinished.order_by("pk"):
        job.arguments["removed"] = True
        job.save(update_fields=["arguments"])
    names = {str(name) for name in jobs.values_list("result__file", flat=True) if name}
    transaction.on_commit(lambda: file_cache.remove(names))
