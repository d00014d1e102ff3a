"""What comes in with a request: files of browsers, and JSON over REST.

The settings of REST name the class for JSON, and the views of the framework read them when they are imported.
So it stands apart from `core.api`, which imports these views.
"""

import json
from tempfile import TemporaryFile
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

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


class Nameless(FileUploadHandler):
    """Keeps an upload in a file without a name, which goes with its process, however that ends."""

    file: "UploadedFile[bytes]"

    def new_file(self, *given: Any, **named: Any) -> None:
        super().new_file(*given, **named)
        self.file = UploadedFile(
            TemporaryFile(),  # noqa: SIM115 - Django closes it at the end of the request
            self.file_name,
            self.content_type,
            0,
            self.charset,
            self.content_type_extra,
        )

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:  # noqa: ARG002 - as Django calls it
        self.file.write(raw_data)

    def file_complete(self, file_size: int) -> "UploadedFile[bytes]":
        self.file.seek(0)
        self.file.size = file_size
        return self.file

    def upload_interrupted(self) -> None:
        if hasattr(self, "file"):
            self.file.close()


class WholeJson(JSONParser):
    """JSON without half characters (lone surrogates), which no refusal could repeat, and not nested so deeply
    that it cannot be read.
    """

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        try:
            found = super().parse(stream, media_type, parser_context)
            json.dumps(found, ensure_ascii=False).encode()
        except RecursionError:
            raise ParseError(_("The JSON is nested too deeply.")) from None
        except UnicodeEncodeError:
            words = _("The JSON contains half a character (a lone surrogate). Remove the character.")
            raise ParseError(words) from None
        return found
