"""Pages of issues, and of the imports that bring them in."""

from ingest.views.imports import confirm_import, discard_import, import_, import_rows, imports, new_import
from ingest.views.issues import delete_filter, issue, issues, keywords, save_filter

__all__ = [
    "confirm_import",
    "delete_filter",
    "discard_import",
    "import_",
    "import_rows",
    "imports",
    "issue",
    "issues",
    "keywords",
    "new_import",
    "save_filter",
]
