"""Makes the taxonomies of a study."""

from django.db import transaction

from accounts.models import User
from core import clock
from studies.actions import record
from studies.models import Study
from taxonomy.errors import NameTaken
from taxonomy.models import Category, CategoryState, Taxonomy, Version
from taxonomy.tree import Tree


@transaction.atomic
def start_taxonomy(*, study: Study, name: str, by: User | None) -> Taxonomy:
    """Make a taxonomy without categories, whose first version is a draft. Raises NameTaken."""
    version = _first_version(study, name)
    record(study, "taxonomies.started", by, name=name)
    return version.taxonomy


@transaction.atomic
def create_taxonomy(*, study: Study, name: str, tree: Tree, by: User | None, note: str = "") -> Version:
    """Make a taxonomy whose first version is this tree, published at once. Each node becomes a category with
    its own identity. Raises NameTaken.
    """
    version = _first_version(study, name, note)
    _store(version, tree)
    version.published_at = clock.now()
    version.published_by = by
    version.save(update_fields=["published_at", "published_by"])
    record(study, "taxonomies.published", by, name=name, version=1, categories=len(tree))
    return version


def _first_version(study: Study, name: str, note: str = "") -> Version:
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if Taxonomy.objects.filter(study=study, name=name).exists():
        raise NameTaken
    taxonomy = Taxonomy.objects.create(study=study, name=name)
    return Version.objects.create(taxonomy=taxonomy, number=1, note=note)


def _store(version: Version, tree: Tree) -> None:
    nodes = list(tree)
    made = Category.objects.bulk_create(Category(taxonomy=version.taxonomy) for _ in nodes)
    categories = {node.code: category for node, category in zip(nodes, made, strict=True)}
    CategoryState.objects.bulk_create(
        CategoryState(
            version=version,
            category=categories[node.code],
            parent=categories[node.parent] if node.parent else None,
            level=node.level,
            code=node.code,
            position=position,
            **node.texts,
        )
        for position, node in enumerate(nodes)
    )
