"""Report files: the jobs that make them, and whether their owner may still read them."""

from collections.abc import Collection, Iterable
from functools import reduce
from operator import or_

from django.db.models import QuerySet

from core.models import Job
from reports.errors import ReportFileGone, ReportFileHeldBack
from reports.formats.file_cache import has
from rounds.models import Round
from rounds.queries.blindness import NOTHING, withheld_issues_in
from rounds.queries.rounds import revealed
from studies.models import Membership

MAKING = "reports.make_report_file"
"""The kind of the jobs that make a report file; the argument `round` is the round's id, and
`removed` says that something was removed from the study since."""

Runs = list[list[int]]
"""Numbers as the first and last of each run: [[1, 3], [7, 7]] is 1, 2, 3, 7."""


def report_jobs(round_: Round, member: Membership) -> QuerySet[Job]:
    """This member's jobs for files of this round's report, newest first."""
    asked = Job.objects.filter(kind=MAKING, arguments__contains={"round": round_.pk, "member": member.pk})
    return asked.order_by("-pk")


def finished_file(job: Job, round_: Round, member: Membership) -> str:
    """The name of this job's file in the file cache. The queries of `readable`.

    Raises ReportFileGone if the file was not made or not kept, and ReportFileHeldBack if the member may no
    longer see an issue in it: it is withheld now, or no longer revealed.
    """
    is_there = job.state == Job.State.DONE and not job.arguments.get("removed")
    if not is_there or not has(job.result["file"]):
        raise ReportFileGone
    seen = readable(round_, member)
    if not all(one in seen for first, last in job.result["issues"] for one in range(first, last + 1)):
        raise ReportFileHeldBack
    return str(job.result["file"])


def readable(round_: Round, member: Membership) -> Collection[int]:
    """The issues that a member's report of this round can contain: the revealed issues of all rounds of the
    study that are not withheld from the member, as ids of `RoundIssue`. Three small queries.
    """
    rounds = Round.objects.filter(study=round_.study_id)
    found = reduce(or_, map(revealed, rounds), NOTHING)
    blind = withheld_issues_in(rounds, [member])
    if not blind.query.is_empty():
        found = found.exclude(pk__in=blind.values("pk"))
    return set(found.values_list("pk", flat=True))


def runs(numbers: Iterable[int]) -> Runs:
    found: Runs = []
    for number in sorted(numbers):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found
