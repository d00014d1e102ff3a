"""Uploads by browsers."""

from typing import Any

from django.conf import settings
from django.core.files.uploadhandler import FileUploadHandler

MARGIN = 1 << 20


class Capped(FileUploadHandler):
    """Precedes the handlers that store files, and passes on little more than UPLOAD_MAX_BYTES of all files of
    a request. The form then refuses the files by their size, and no disk fills meanwhile.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._passed = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:  # noqa: ARG002 - as Django calls it
        if self._passed >= settings.UPLOAD_MAX_BYTES + MARGIN:
            return None
        self._passed += len(raw_data)
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Leave the file to the next handlers."""
