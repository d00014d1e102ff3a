"""Every change of a draft, and its publication: one transaction each, one at a time."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from accounts.models import User
from core import clock
from studies.actions import record
from taxonomy import errors
from taxonomy.actions.answers import answer_by_votes
from taxonomy.models import Category, CategoryState, Change, Gone, Motion, Remap, Taxonomy, Unvoted, Version
from taxonomy.queries.drafts import Drafted, as_changes, drafted
from taxonomy.queries.neighbours import neighbours, subtree
from taxonomy.queries.unvoted import unvoted
from taxonomy.signals import published
from taxonomy.tree import drafts
from taxonomy.tree.checks import cleaned
from taxonomy.tree.draft_trees import Entry
from taxonomy.tree.nodes import Node


@dataclass(frozen=True)
class Acted:
    """The result of an act on a draft: the stored change, None if nothing changed, and the new draft."""

    change: Change | None
    drafted: Drafted


@transaction.atomic
def act(
    *,
    taxonomy: Taxonomy,
    kind: str,
    key: str | None,
    values: Mapping[str, Any],
    by: User | None,
    seen: Mapping[str, Any] | None = None,
) -> Acted:
    """Make one change in the draft; the first change starts the draft. `kind`, `key` and `values` are those
    of taxonomy.tree.drafts.Change; a new category needs no key, and no code if the next free one will do.

    `seen` are the fields of the category that the form showed. A field that somebody else has since changed
    to another value is not overwritten. Raises ChangeRefused, ChangeClash.
    """
    found = _locked(taxonomy)
    key, seen = key or str(uuid.uuid4()), seen or {}
    values = _wanted(found, kind, key, values, seen)
    if kind == drafts.DESCRIBE and not values:
        return Acted(None, found)
    draft = found.draft
    if kind == drafts.MOVE and "parent" in seen and key in draft and seen["parent"] != draft[key].parent:
        raise errors.ChangeClash(_who_changed(found, key, ["parent"]), draft[key], {}, {})
    before, below = list(draft), draft.below(key)
    try:
        draft.apply(drafts.Change(kind, key, values))
    except drafts.Refused as refused:
        raise errors.ChangeRefused.of(refused, _typed(values)) from refused
    if kind == drafts.MOVE and list(draft) == before:
        return Acted(None, drafted(taxonomy))
    values |= _chosen(draft, kind, key, values, below)
    version = found.version or Version.objects.create(taxonomy=taxonomy, number=found.number)
    number = Change.objects.filter(version=version).aggregate(last=Max("number"))["last"] or 0
    change = Change.objects.create(
        version=version, number=number + 1, kind=kind, key=key, values=values, made_by=by
    )
    return Acted(change, drafted(taxonomy))


@transaction.atomic
def undo(*, taxonomy: Taxonomy, by: User) -> Acted:
    """Undo this user's last change. What the draft began from, a preset or a file, is nobody's change.

    Raises NothingToUndo, and UndoBlocked if a later change depends on the change.
    """
    found = _locked(taxonomy)
    own = [change for change in found.made if change.made_by_id == by.pk]
    if not own:
        raise errors.NothingToUndo
    last = own[-1]
    rest = [change for change in found.changes if change.pk != last.pk]
    _, broken = drafts.fold(found.entries, as_changes(rest))
    if broken:
        raise errors.UndoBlocked(rest[broken.place], broken.cause)
    last.undone_at = clock.now()
    last.save(update_fields=["undone_at"])
    return Acted(last, drafted(taxonomy))


@transaction.atomic
def redo(*, taxonomy: Taxonomy, by: User) -> Acted:
    """Redo the change that this user undid last and that is still possible, if they made no change since.
    Raises NothingToRedo, and ChangeRefused if none of their undone changes is possible.
    """
    found = _locked(taxonomy)
    change, refused = redoable(found, by)
    if change is None and refused:
        raise errors.ChangeRefused.of(refused[0][1])
    if change is None:
        raise errors.NothingToRedo
    change.undone_at = None
    change.save(update_fields=["undone_at"])
    return Acted(change, drafted(taxonomy))


def redoable(found: Drafted, by: User) -> tuple[Change | None, list[tuple[Change, drafts.Refused]]]:
    """The change that `redo` would redo: this user's last undone change that is still possible, None if they
    made another change since; and the impossible ones before it, with the reasons.
    """
    last = max((change.number for change in found.changes if change.made_by_id == by.pk), default=0)
    own = (change for change in found.undone if change.made_by_id == by.pk and change.number > last)
    refused: list[tuple[Change, drafts.Refused]] = []
    for change in sorted(own, key=lambda each: (each.undone_at, -each.number), reverse=True):
        again = sorted((*found.changes, change), key=lambda each: each.number)
        _, broken = drafts.fold(found.entries, as_changes(again))
        if broken is None:
            return change, refused
        # The reason as of a change made now: in its old place a later change may be the impossible one.
        _, now = drafts.fold(found.entries, as_changes((*found.changes, change)))
        refused.append((change, (now or broken).cause))
    return None, refused


@transaction.atomic
def publish(
    *,
    taxonomy: Taxonomy,
    by: User | None,
    note: str = "",
    seen: str | None = None,
    again: Collection[str] = (),
) -> Version:
    """Make the draft the newest version, with a remap for each category of the version before.

    `seen` is the edition of the draft that the user saw; another edition is not published. `again` are keys
    of categories beside new ones (`queries.neighbours`): their labels, and those below, are asked for again,
    as after a split. Labels do not change. `note` is the reason: a new category or split that nobody voted on
    needs one, once volunteers have labelled by the taxonomy. Raises NothingToPublish, DraftMoved,
    MotionsOpen, ReasonMissing.
    """
    found = _locked(taxonomy)
    voted_on = Motion.objects.filter(taxonomy=taxonomy, closed_at=None).order_by("number")
    if numbers := list(voted_on.values_list("number", flat=True)):
        raise errors.MotionsOpen(numbers)
    if found.version is None or not found.changes or not len(found.draft):
        raise errors.NothingToPublish
    if seen is not None and seen != found.edition:
        raise errors.DraftMoved
    version, draft, alone = found.version, found.draft, unvoted(found)
    if alone and not note.strip():
        raise errors.ReasonMissing([entry.code for entry in draft if entry.key in alone])
    categories = _categories(taxonomy, draft)
    Unvoted.objects.bulk_create(
        Unvoted(version=version, category_id=categories[key], source_id=categories.get(source or ""))
        for key, source in alone.items()
    )
    CategoryState.objects.bulk_create(
        CategoryState(
            version=version,
            category_id=categories[entry.key],
            parent_id=categories[entry.parent] if entry.parent else None,
            level=draft.level(entry.key),
            position=position,
            **{name: getattr(entry, name) for name in drafts.FIELDS},
        )
        for position, entry in enumerate(draft)
    )
    if found.published is not None:
        Remap.objects.bulk_create(
            Remap(
                from_version=found.published,
                to_version=version,
                source_id=categories[entry.key],
                target_id=categories[target] if target else None,
                kind=fate.kind,
            )
            for entry in found.entries
            for fate in [draft.fate(entry.key)]
            for target in fate.targets or (None,)
        )
        beside = [one.entry for one in neighbours(found) if one.entry.key in again]
        keys = {key for entry in beside for key in subtree(draft, entry.key) if key in draft.published}
        _note_what_is_gone(found.published, version, again=[categories[key] for key in keys])
        if beside:
            codes = [entry.code for entry in beside]
            told = {"name": taxonomy.name, "version": version.number, "categories": codes}
            record(taxonomy.study, "taxonomies.asked_again", by, **told)
    answer_by_votes(taxonomy, draft, categories)
    version.published_at = clock.now()
    version.published_by = by
    version.note = note
    version.save(update_fields=["published_at", "published_by", "note"])
    record(
        taxonomy.study,
        "taxonomies.published",
        by,
        name=taxonomy.name,
        version=version.number,
        categories=len(draft),
    )
    published.send(sender=Version, version=version, by=by)
    return version


def _note_what_is_gone(before: Version, version: Version, again: Collection[int] = ()) -> None:
    """Store the Gone rows of this version, for the categories that it or an earlier version merged, split or
    retired, and for those whose labels are asked for `again`. The remaps from the version before are stored
    already.
    """
    remaps = Remap.objects.filter(from_version=before, to_version=version)
    lost = {
        source: target if kind == Remap.Kind.MERGED else None
        for source, target, kind in remaps.values_list("source", "target", "kind")
        if kind in {Remap.Kind.MERGED, Remap.Kind.SPLIT, Remap.Kind.RETIRED}
    }
    lost |= {category: None for category in again if category not in lost}
    earlier = list(Gone.objects.filter(version=before).order_by("since"))
    went = {gone.category_id: gone.since_id for gone in earlier}
    states = CategoryState.objects.filter(version=before, category__in=lost)
    Gone.objects.bulk_create(
        Gone(
            version=version,
            category_id=gone.category_id,
            after_id=gone.after_id,
            since_id=gone.since_id,
            became_id=lost.get(gone.became_id, gone.became_id) if gone.became_id else None,
            last_id=gone.last_id,
        )
        for gone in earlier
    )
    Gone.objects.bulk_create(
        Gone(
            version=version,
            category_id=state.category_id,
            after_id=went.get(state.category_id),
            since=version,
            became_id=lost[state.category_id],
            last=state,
        )
        for state in states
    )


def _locked(taxonomy: Taxonomy) -> Drafted:
    """The draft; locks the taxonomy, so that nobody else changes the draft until the transaction ends."""
    Taxonomy.objects.select_for_update(no_key=True).get(pk=taxonomy.pk)
    return drafted(taxonomy)


def _categories(taxonomy: Taxonomy, draft: drafts.Draft) -> dict[str, int]:
    """The ids of all categories, published and new, by their keys."""
    known = dict(Category.objects.filter(taxonomy=taxonomy).values_list("key", "pk"))
    made = Category.objects.bulk_create(
        Category(taxonomy=taxonomy, key=uuid.UUID(entry.key))
        for entry in draft
        if uuid.UUID(entry.key) not in known
    )
    return {str(key): pk for key, pk in known.items()} | {str(each.key): each.pk for each in made}


def _wanted(
    found: Drafted, kind: str, key: str, values: Mapping[str, Any], seen: Mapping[str, Any]
) -> dict[str, Any]:
    """The values of a change, with keys for new categories. Raises ChangeRefused, ChangeClash."""
    if kind == drafts.ADD and _is_taken(key, found.taxonomy):
        raise errors.ChangeRefused(
            _(
                "This key belongs to a category of another taxonomy. Nothing was changed. Send the"
                " change without the key."
            )
        )
    if kind == drafts.DESCRIBE:
        return _differing(found, key, values, seen)
    if kind == drafts.SPLIT:
        return {**values, "parts": [{"key": str(uuid.uuid4())} | dict(part) for part in values["parts"]]}
    return dict(values)


def _chosen(
    draft: drafts.Draft, kind: str, key: str, values: Mapping[str, Any], below: Sequence[Entry]
) -> dict[str, Any]:
    """The codes that the draft chose itself, stored so that they stay when other changes are undone."""
    if kind in {drafts.ADD, drafts.MOVE}:
        return {"code": draft[key].code}
    if kind == drafts.MERGE:
        return {"codes": {entry.key: draft[entry.key].code for entry in below}} if below else {}
    if kind == drafts.SPLIT:
        return {"parts": [part | {"code": draft[part["key"]].code} for part in values["parts"]]}
    return {}


def _is_taken(key: str, taxonomy: Taxonomy) -> bool:
    """Does this key belong to a category of another taxonomy, published or in a draft?"""
    elsewhere = Change.objects.filter(key=key, kind=drafts.ADD).exclude(version__taxonomy=taxonomy)
    return elsewhere.exists() or Category.objects.filter(key=key).exclude(taxonomy=taxonomy).exists()


def _differing(
    found: Drafted, key: str, values: Mapping[str, Any], seen: Mapping[str, Any]
) -> dict[str, Any]:
    """The fields that would change. Raises ChangeClash if somebody else changed one of them since."""
    entry = found.draft.entries.get(key)
    if entry is None:
        return dict(values)
    given = {name: _clean(text) for name, text in values.items()}
    was = {name: _clean(text) for name, text in seen.items()}
    # A field that this user did not edit does not undo another user's change.
    changing = {
        name: text
        for name, text in given.items()
        if text != getattr(entry, name) and not (name in was and text == was[name])
    }
    theirs = {
        name: getattr(entry, name) for name in changing if was.get(name, now := getattr(entry, name)) != now
    }
    if theirs:
        raise errors.ChangeClash(_who_changed(found, key, theirs), entry, theirs, changing)
    return changing


def _who_changed(found: Drafted, key: str, fields: Collection[str]) -> Change | None:
    """The last change of one of these fields in the draft; None if it was undone."""
    about = (change for change in reversed(found.changes) if str(change.key) == key)
    return next((change for change in about if not change.values.keys().isdisjoint(fields)), None)


def _clean(text: Any) -> Any:
    return cleaned(Node("", 1, None, text))[0].name if isinstance(text, str) else text


def _typed(values: Mapping[str, Any]) -> dict[str, str]:
    return {name: text for name, text in values.items() if isinstance(text, str) and text}
