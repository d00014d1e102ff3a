"""A version of a taxonomy, sent as a file."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from taxonomy.asked import version_asked_for
from taxonomy.codebook_files import codebook_file


@require_safe
def taxonomy_csv(request: AuthedRequest, taxonomy_id: int) -> HttpResponse:
    """Send one version as the CSV that it can be loaded from."""
    return taxonomy_file(request, taxonomy_id, "csv")


@require_safe
def taxonomy_file(request: AuthedRequest, taxonomy_id: int, form: str) -> HttpResponse:
    """Send the codebook of one version: csv, md, tex, or jsonld (SKOS)."""
    _taxonomy, _member, version = version_asked_for(request, taxonomy_id)
    return codebook_file(version, form)
