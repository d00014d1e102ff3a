"""Every change that brings issues in."""

from ingest.actions.loading import import_issues
from ingest.actions.uploads import JOB, confirm_import, discard_import, receive_upload

__all__ = ["JOB", "confirm_import", "discard_import", "import_issues", "receive_upload"]
