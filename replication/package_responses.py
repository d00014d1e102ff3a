"""A kept package as an answer, of pages and of REST."""

from django.http import FileResponse

from core.models import Job
from replication.errors import PackageGone
from replication.queries.packages import finished_package
from rounds.models import Round
from rounds.pages import WITHHELD
from studies.models import Membership


def package_response(job: Job, round_: Round, member: Membership) -> FileResponse:
    """The package of this job, streamed from its file. Raises the errors of `finished_package`."""
    try:
        stream = finished_package(job, round_, member).open("rb")
    except FileNotFoundError:  # removed since it was looked for
        raise PackageGone from None
    return FileResponse(
        stream,
        as_attachment=True,
        filename=job.result["name"],
        content_type="application/zip",
        headers={WITHHELD: str(job.result["withheld"]), "Cache-Control": "no-store"},
    )
