"""Finds a category of a round by the code that a REST request gives."""

from rest_framework.exceptions import ValidationError

from rounds.models import Round
from taxonomy.models import Category, Version
from taxonomy.queries.codebooks import codebook


def category_of(round_: Round, code: str, version: Version | None = None) -> Category:
    """The category with this code in `version`, by default the round's; a 400 for an unknown code."""
    state = codebook(version or round_.version_id).by_code.get(code)
    if state is None:
        where = f"Version {version.number}" if version else "The round's version"
        raise ValidationError({"category": [f"{where} has no category {code!r}."]})
    return Category(pk=state.category_id, taxonomy_id=round_.version.taxonomy_id)
