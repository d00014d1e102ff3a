"""Outcomes of readers, and files of Office programs, made for tests."""

import io
import zipfile
from collections.abc import Callable, Mapping
from typing import Any
from xml.sax.saxutils import escape

from interviews.readers.refusals import Unreadable

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'


def packed(parts: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def outcome(read: Callable[[bytes], Any], data: bytes) -> Any:
    """What a reader makes of these bytes: the result or its refusal, and nothing else."""
    try:
        return read(data)
    except Unreadable as refused:
        return refused


def document(body: str) -> bytes:
    """A DOCX file with this content of its body."""
    return packed({"word/document.xml": f"<w:document {W} {MC}><w:body>{body}</w:body></w:document>"})


def paragraph(*texts: str) -> str:
    """A paragraph with a run for each text."""
    return f"<w:p>{''.join(run(text) for text in texts)}</w:p>"


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'
