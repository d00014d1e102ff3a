"""Uploads by browsers."""

from django.conf import settings
from django.core.files.uploadhandler import FileUploadHandler

MARGIN = 1 << 20


class Capped(FileUploadHandler):
    """Precedes the handlers that store a file, and passes on little more than UPLOAD_MAX_BYTES. The form then
    refuses the file by its size, and no disk fills meanwhile.
    """

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        return raw_data if start < settings.UPLOAD_MAX_BYTES + MARGIN else None

    def file_complete(self, file_size: int) -> None:
        """Leave the file to the next handlers."""
