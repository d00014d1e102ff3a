"""Files that browsers send."""

from django.conf import settings
from django.core.files.uploadhandler import FileUploadHandler

MARGIN = 1 << 20


class Capped(FileUploadHandler):
    """Stands before the handlers that keep a file, and gives them no more than UPLOAD_MAX_BYTES and a little.

    The form sees from its size that it is too large and says so; no disk fills meanwhile.
    """

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        return raw_data if start < settings.UPLOAD_MAX_BYTES + MARGIN else None

    def file_complete(self, file_size: int) -> None:
        """Leave the file to the handlers behind this one."""
