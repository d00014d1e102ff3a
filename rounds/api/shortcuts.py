"""A category of a round by its code, as REST names it."""

from rest_framework.exceptions import ValidationError

from rounds.models import Round
from taxonomy.models import Category, Version
from taxonomy.queries.codebooks import codebook


def category_of(round_: Round, code: str, version: Version | None = None) -> Category:
    """The category with this code in the round's version, or in this one; else a 400 that names the field."""
    state = codebook(version or round_.version_id).by_code.get(code)
    if state is None:
        where = f"Version {version.number}" if version else "The round's version"
        raise ValidationError({"category": [f"{where} has no category {code!r}."]})
    return Category(pk=state.category_id, taxonomy_id=round_.version.taxonomy_id)
