"""Makes the taxonomies of a study."""

import uuid
from operator import attrgetter

from django.db import IntegrityError, transaction

from accounts.models import User
from core import clock
from studies.actions import record
from studies.models import Study
from taxonomy.errors import ChangeRefused, DraftKept, DraftMoved, NameTaken
from taxonomy.models import Category, CategoryState, Change, Taxonomy, Version
from taxonomy.queries.drafts import edition_of
from taxonomy.tree import TRANSLATED, Tree, drafts


@transaction.atomic
def start_taxonomy(
    *, study: Study, name: str, by: User | None, tree: Tree | None = None, origin: Taxonomy | None = None
) -> Taxonomy:
    """Make a taxonomy whose first version is a draft: empty, or with the categories of this tree, which no
    Undo takes back. `origin`: the taxonomy of the pilot that the tree was drafted from. Raises
    NameTaken, ChangeRefused.
    """
    version = _first_version(study, name, origin=origin)
    if tree is not None:
        _draft(version, tree, by)
    record(study, "taxonomies.started", by, name=name)
    return version.taxonomy


@transaction.atomic
def create_taxonomy(
    *,
    study: Study,
    name: str,
    tree: Tree,
    by: User | None,
    note: str = "",
    origin: Taxonomy | None = None,
) -> Version:
    """Make a taxonomy whose first version is this tree, published at once. Each node becomes a category with
    its own identity. `origin` as in start_taxonomy. Raises NameTaken.
    """
    version = _first_version(study, name, note, origin=origin)
    _store(version, tree)
    version.published_at = clock.now()
    version.published_by = by
    version.save(update_fields=["published_at", "published_by"])
    record(study, "taxonomies.published", by, name=name, version=1, categories=len(tree))
    return version


@transaction.atomic
def delete_draft(*, taxonomy: Taxonomy, by: User, seen: str) -> None:
    """Delete a taxonomy that was never published, with its draft; the audit keeps its name. `seen` is the
    edition of the draft that the user saw. Raises DraftMoved, and DraftKept if a version was published, or
    members voted on the draft or made a board for it.
    """
    current = Taxonomy.objects.select_for_update().filter(pk=taxonomy.pk).first()
    if current is None:
        return
    if edition_of(current) != seen:
        raise DraftMoved
    is_published = current.versions.filter(published_at__isnull=False).exists()
    if is_published or current.motions.exists():
        raise DraftKept
    try:
        with transaction.atomic():
            _number, deleted = current.delete()
            # Boards and the like would go with it.
            if any(not name.startswith("taxonomy.") for name in deleted):
                raise DraftKept
    except IntegrityError:
        raise DraftKept from None
    record(taxonomy.study, "taxonomies.draft_deleted", by, name=taxonomy.name)


def _first_version(study: Study, name: str, note: str = "", *, origin: Taxonomy | None = None) -> Version:
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if Taxonomy.objects.filter(study=study, name=name).exists():
        raise NameTaken
    taxonomy = Taxonomy.objects.create(study=study, name=name, origin=origin)
    return Version.objects.create(taxonomy=taxonomy, number=1, note=note)


def _draft(version: Version, tree: Tree, by: User | None) -> None:
    draft, keys = drafts.Draft(()), {node.code: str(uuid.uuid4()) for node in tree}
    changes = []
    for node in sorted(tree, key=attrgetter("level")):  # parents first, siblings in their order
        parent = keys[node.parent] if node.parent else None
        texts = {name: text for name, text in node.texts.items() if text or name not in TRANSLATED}
        values = {"parent": parent, "code": node.code, **texts}
        try:
            draft.apply(drafts.Change(drafts.ADD, keys[node.code], values))
        except drafts.Refused as refused:
            raise ChangeRefused.of(refused) from refused
        changes.append((keys[node.code], values))
    Change.objects.bulk_create(
        Change(
            version=version, number=number, kind=drafts.ADD, key=key, values=values, made_by=by, loaded=True
        )
        for number, (key, values) in enumerate(changes, start=1)
    )


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
