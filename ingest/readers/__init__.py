"""Reads files of issues one record at a time into drafts and refusals. `sniff_file` finds how a file will be
read, to be shown before anything is stored; `open_reader` reads it.
"""

from ingest.readers.drafts import HEAD_BYTES, CommentDraft, Draft, Limits, Sniffed
from ingest.readers.fields import FIELDS, is_complete
from ingest.readers.reader import Look, Reader, counted, open_reader
from ingest.readers.refusals import Refusal, UnreadableFile
from ingest.readers.sniffing import is_empty_list, sniff, sniff_file
from ingest.readers.text import ENCODINGS

__all__ = [
    "ENCODINGS",
    "FIELDS",
    "HEAD_BYTES",
    "CommentDraft",
    "Draft",
    "Limits",
    "Look",
    "Reader",
    "Refusal",
    "Sniffed",
    "UnreadableFile",
    "counted",
    "is_complete",
    "is_empty_list",
    "open_reader",
    "sniff",
    "sniff_file",
]
