"""A version of a taxonomy for other tools: SKOS, written as JSON-LD.

W3C, SKOS Simple Knowledge Organization System Reference (2009). A concept is named by its category's UUID,
the same in every version and on every server.
"""

import json
from collections import defaultdict
from typing import Any
from uuid import UUID, uuid5

from taxonomy.models import Category, CategoryState, Version
from taxonomy.tree import phrases

CONTEXT: dict[str, Any] = {
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "dct": "http://purl.org/dc/terms/",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "id": "@id",
    "type": "@type",
    **{name: f"skos:{name}" for name in ("notation", "prefLabel", "definition", "scopeNote", "example")},
    **{
        name: {"@id": f"skos:{name}", "@type": "@id"}
        for name in ("inScheme", "hasTopConcept", "topConceptOf", "broader", "narrower")
    },
    "title": "dct:title",
    "description": "dct:description",
    "issued": {"@id": "dct:issued", "@type": "xsd:dateTime"},
    "versionInfo": "owl:versionInfo",
}


def as_skos(version: Version) -> str:
    """The concept scheme and its concepts, in the order of the tree. Two queries. The includes and excludes
    of a category are its scope notes, each after the word “Includes” or “Excludes”.
    """
    states = list(
        CategoryState.objects.filter(version=version).select_related("category").order_by("position")
    )
    scheme = _scheme_iri(version)
    iris = {state.category_id: state.category.key.urn for state in states}
    below: dict[int | None, list[str]] = defaultdict(list)
    for state in states:
        below[state.parent_id].append(iris[state.category_id])
    graph = [
        _said(
            {
                "id": scheme,
                "type": "skos:ConceptScheme",
                "title": version.taxonomy.name,
                "prefLabel": version.taxonomy.name,
                "description": version.note,
                "issued": version.published_at.isoformat() if version.published_at else "",
                "versionInfo": str(version.number),
                "hasTopConcept": below[None],
            }
        ),
        *(_concept(state, scheme, iris, below[state.category_id]) for state in states),
    ]
    return json.dumps({"@context": CONTEXT, "@graph": graph}, ensure_ascii=False, indent=2) + "\n"


def _concept(state: CategoryState, scheme: str, iris: dict[int, str], narrower: list[str]) -> dict[str, Any]:
    return _said(
        {
            "id": iris[state.category_id],
            "type": "skos:Concept",
            "inScheme": scheme,
            "notation": state.code,
            "prefLabel": _both(state.name, state.name_zh),
            "definition": _both(state.definition, state.definition_zh),
            "scopeNote": [
                f"{word}: {entry}"
                for word, text in (("Includes", state.includes), ("Excludes", state.excludes))
                for entry in phrases(text)
            ]
            + [
                _chinese(f"{word}：{entry}")
                for word, text in (("包括", state.includes_zh), ("不包括", state.excludes_zh))
                for entry in phrases(text)
            ],
            "example": [*phrases(state.examples), *map(_chinese, phrases(state.examples_zh))],
            **({"broader": iris[state.parent_id]} if state.parent_id else {"topConceptOf": scheme}),
            "narrower": narrower,
        }
    )


def _chinese(text: str) -> dict[str, str]:
    return {"@language": "zh-Hans", "@value": text}


def _both(text: str, chinese: str) -> Any:
    """The study's own text, and its translation where there is one."""
    return [text, _chinese(chinese)] if chinese else text


def _said(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields without the empty ones."""
    return {name: value for name, value in fields.items() if value}


def _scheme_iri(version: Version) -> str:
    """The IRI from the UUID of the taxonomy's first category, or from its id while it has none."""
    first = (
        Category.objects.filter(taxonomy=version.taxonomy_id)
        .order_by("pk")
        .values_list("key", flat=True)
        .first()
    )
    return uuid5(first or UUID(int=version.taxonomy_id), "scheme").urn
