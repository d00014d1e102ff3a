"""How large a request may be."""

from django.conf import settings

MARGIN = 2 << 20
"""Bytes beside the files: the other fields of the form, and what stands around each file."""


def most_bytes() -> int:
    """The bytes of the largest body that is read. A form refuses smaller bodies in its own words."""
    return int(settings.UPLOAD_MAX_BYTES) + MARGIN
