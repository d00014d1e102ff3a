"""The reader's own data as a file."""

import tempfile

from django.http import FileResponse
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from core import clock
from overview.queries.my_data import write_my_data


@require_safe
def my_data(request: AuthedRequest) -> FileResponse:
    """All that is stored of the reader, as a ZIP archive."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the response closes it
    write_my_data(request.user, file)
    file.seek(0)
    return FileResponse(file, as_attachment=True, filename=f"my-data-{clock.now():%Y-%m-%d}.zip")
