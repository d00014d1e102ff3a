"""What this room adds to pages of other rooms: where the labels of a published study are."""

from django.http import HttpRequest
from django.template.loader import render_to_string

from core import panels
from ingest.models import Import
from rounds.models import Round


def register() -> None:
    panels.register("import", imported_labels)
    panels.register("import.files", imported_files)


def imported_labels(request: HttpRequest, *, run: Import) -> str:
    """The round with the labels of an import. One query for a published study, none for other imports."""
    if run.kind != Import.Kind.PUBLISHED:
        return ""
    round_ = Round.objects.filter(study=run.study_id, pk=run.mapping.get("round")).first()
    return render_to_string("replication/published/_imported.html", {"round": round_}, request)


def imported_files(request: HttpRequest, *, run: Import) -> str:
    """The files of a published study that were taken, and those that were not."""
    if run.kind != Import.Kind.PUBLISHED:
        return ""
    context = {"files": run.mapping.get("files", []), "skipped": run.mapping.get("skipped", [])}
    if not any(context.values()):
        return ""
    return render_to_string("replication/published/_files.html", context, request)
