"""The draft of a taxonomy over REST: read, changed, taken back, published."""

from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from accounts.rest.endpoints import Endpoint
from taxonomy import actions, rules
from taxonomy.api.translations import TranslationsField, fields_of, translations_of, with_translations
from taxonomy.models import Change, Remap, Taxonomy
from taxonomy.pages import taxonomy_of
from taxonomy.queries.drafts import Drafted, drafted
from taxonomy.queries.unvoted import unvoted_entries
from taxonomy.tree import TEXTS, TRANSLATED, drafts
from taxonomy.tree.hues import HUES


class DraftCategorySerializer(serializers.Serializer[Any]):
    key = serializers.UUIDField()
    code = serializers.CharField()
    level = serializers.IntegerField()
    # The stubs take it for the attribute of the same name that the metaclass moves aside.
    parent = serializers.UUIDField(  # type: ignore[assignment]
        allow_null=True, help_text="Key of the category above it, null for a type"
    )
    name = serializers.CharField()
    definition = serializers.CharField(allow_blank=True)
    includes = serializers.CharField(allow_blank=True)
    excludes = serializers.CharField(allow_blank=True)
    examples = serializers.CharField(allow_blank=True)
    hue = serializers.IntegerField(allow_null=True)
    translations = TranslationsField(help_text="Texts by language, as far as they are translated")


class FateSerializer(serializers.Serializer[Any]):
    key = serializers.UUIDField()
    code = serializers.CharField(help_text="As it was published")
    kind = serializers.ChoiceField(Remap.Kind.choices)
    targets = serializers.ListField(child=serializers.UUIDField(), help_text="Keys of what it becomes")


class DraftChangeSerializer(serializers.ModelSerializer[Change]):
    made_by = serializers.StringRelatedField[Any]()
    values = serializers.SerializerMethodField()

    class Meta:
        model = Change
        fields = ("number", "kind", "key", "values", "made_by", "made_at", "undone_at")

    def get_values(self, change: Change) -> dict[str, Any]:
        return with_translations(change.values)


class NextVersionSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField(help_text="The number that the version will have")
    edition = serializers.CharField(help_text="Another word after each change; sent back when publishing")
    categories = DraftCategorySerializer(many=True)
    fates = FateSerializer(many=True, help_text="What became of each published category")
    changes = DraftChangeSerializer(many=True)
    unvoted = serializers.ListField(
        child=serializers.UUIDField(),
        help_text="Keys of new categories that nobody voted on though volunteers have labelled; then"
        " publishing needs a note",
    )


class SeenSerializer(serializers.Serializer[Any]):
    parent = serializers.UUIDField(required=False, allow_null=True)  # type: ignore[assignment]
    code = serializers.CharField(required=False)
    name = serializers.CharField(required=False)
    definition = serializers.CharField(required=False, allow_blank=True)
    includes = serializers.CharField(required=False, allow_blank=True)
    excludes = serializers.CharField(required=False, allow_blank=True)
    examples = serializers.CharField(required=False, allow_blank=True)
    hue = serializers.IntegerField(required=False, allow_null=True)
    translations = TranslationsField(required=False)


class NewChangeSerializer(SeenSerializer):
    kind = serializers.ChoiceField(drafts.KINDS)
    key = serializers.UUIDField(required=False, help_text="The category; a new one may come without")
    after = serializers.UUIDField(
        required=False, allow_null=True, help_text="The sibling before it; null: first"
    )
    into = serializers.UUIDField(required=False)
    stays = serializers.BooleanField(
        required=False, help_text="Is what is split one of the parts? Usually yes"
    )
    parts = serializers.ListField(
        child=serializers.DictField(child=serializers.CharField(allow_blank=True)),
        required=False,
        help_text="Of a split: name, code and texts of each new part",
    )
    name = serializers.CharField(required=False, allow_blank=True)
    hue = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=HUES - 1)
    seen = SeenSerializer(
        required=False,
        help_text="Fields as you read them: what somebody has changed since is not written over",
    )


_TAKEN = {
    drafts.ADD: ("parent", "after", "code", "name", *TEXTS, "hue", "translations"),
    drafts.DESCRIBE: ("code", "name", *TEXTS, "hue", "translations"),
    drafts.MOVE: ("parent", "after", "code"),
    drafts.MERGE: ("into",),
    drafts.SPLIT: ("parts", "stays"),
    drafts.RETIRE: (),
}
_NEEDED = {drafts.ADD: ("name",), drafts.MOVE: ("parent",), drafts.MERGE: ("into",), drafts.SPLIT: ("parts",)}
_PART = {"name", "code", *TEXTS}


class DraftOf(Endpoint):
    """The draft: its tree, what becomes of each published category, and its changes."""

    @extend_schema(responses=NextVersionSerializer)
    def get(self, request: Request, taxonomy_id: int) -> Response:
        taxonomy, _by = _taxonomy(request, taxonomy_id)
        return Response(_as_data(drafted(taxonomy)))


class DraftChanges(Endpoint):
    """One change in the draft. What cannot be made is a 422 that says why, and nothing is stored."""

    @extend_schema(
        request=NewChangeSerializer, responses={201: NextVersionSerializer, 200: NextVersionSerializer}
    )
    def post(self, request: Request, taxonomy_id: int) -> Response:
        taxonomy, by = _taxonomy(request, taxonomy_id)
        asked = NewChangeSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        kind, key = asked.validated_data["kind"], asked.validated_data.get("key")
        acted = actions.act(
            taxonomy=taxonomy,
            kind=kind,
            key=str(key) if key else None,
            values=values_of(kind, key, asked.validated_data),
            by=by,
            seen=_as_text(asked.validated_data.get("seen", {})),
        )
        made = status.HTTP_201_CREATED if acted.change else status.HTTP_200_OK
        return Response(_as_data(acted.drafted), status=made)


class DraftUndo(Endpoint):
    """Take back your last change."""

    @extend_schema(request=None, responses=NextVersionSerializer)
    def post(self, request: Request, taxonomy_id: int) -> Response:
        taxonomy, by = _taxonomy(request, taxonomy_id)
        return Response(_as_data(actions.undo(taxonomy=taxonomy, by=by).drafted))


class DraftRedo(Endpoint):
    """Do again what you took back."""

    @extend_schema(request=None, responses=NextVersionSerializer)
    def post(self, request: Request, taxonomy_id: int) -> Response:
        taxonomy, by = _taxonomy(request, taxonomy_id)
        return Response(_as_data(actions.redo(taxonomy=taxonomy, by=by).drafted))


class PublishSerializer(serializers.Serializer[Any]):
    edition = serializers.CharField(help_text="Of the draft that you read: nothing else is published")
    note = serializers.CharField(required=False, allow_blank=True, max_length=2000)
    again = serializers.ListField(
        child=serializers.UUIDField(),
        required=False,
        max_length=1000,
        help_text="Keys of categories beside new ones whose labels get a second look; others are ignored",
    )


class PublishedSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()


class DraftPublication(Endpoint):
    """Make the draft the newest version. Labels stay as they are."""

    @extend_schema(request=PublishSerializer, responses={201: PublishedSerializer})
    def post(self, request: Request, taxonomy_id: int) -> Response:
        taxonomy, by = _taxonomy(request, taxonomy_id)
        asked = PublishSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        actions.close_due(taxonomy)
        version = actions.publish(
            taxonomy=taxonomy,
            by=by,
            note=asked.validated_data.get("note", ""),
            seen=asked.validated_data["edition"],
            again=[str(key) for key in asked.validated_data.get("again", ())],
        )
        return Response({"number": version.number}, status=status.HTTP_201_CREATED)


def _taxonomy(request: Request, taxonomy_id: int) -> tuple[Taxonomy, User]:
    """The taxonomy and the caller, who may change it."""
    taxonomy, _member = taxonomy_of(request, taxonomy_id, rules.may_edit_taxonomies)
    return taxonomy, cast("User", request.user)


def values_of(kind: str, key: Any, given: dict[str, Any]) -> dict[str, Any]:
    """The values of a change for the draft. Raises ValidationError for missing and unknown values."""
    if kind != drafts.ADD and key is None:
        raise serializers.ValidationError({"key": ["Say which category."]})
    if missing := [name for name in _NEEDED.get(kind, ()) if name not in given]:
        raise serializers.ValidationError({name: [f"A change “{kind}” needs it."] for name in missing})
    if unfit := set(given) - {"kind", "key", "seen", *_TAKEN[kind]}:
        raise serializers.ValidationError({name: [f"It has no place in “{kind}”."] for name in sorted(unfit)})
    for part in given.get("parts", ()):
        if set(part) - _PART or "name" not in part:
            raise serializers.ValidationError({"parts": ["Each has a name, and may have a code and texts."]})
    return _as_text({name: given[name] for name in _TAKEN[kind] if name in given})


def _as_text(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values, with keys of categories as text and translated texts by the names of their fields."""
    given: dict[str, Any] = {
        name: str(value) if isinstance(value, UUID) else value for name, value in values.items()
    }
    translated = fields_of(given.pop("translations", {}))
    return given | translated


def _as_data(found: Drafted) -> dict[str, Any]:
    draft = found.draft
    return {
        "number": found.number,
        "edition": found.edition,
        "categories": [
            {"key": entry.key, "level": draft.level(entry.key), "parent": entry.parent}
            | {name: getattr(entry, name) for name in drafts.FIELDS if name not in TRANSLATED}
            | {"translations": translations_of({name: getattr(entry, name) for name in TRANSLATED})}
            for entry in draft
        ],
        "fates": [
            {"key": entry.key, "code": entry.code, "kind": fate.kind, "targets": list(fate.targets)}
            for entry in found.entries
            for fate in [draft.fate(entry.key)]
        ],
        "changes": DraftChangeSerializer([*found.changes], many=True).data,
        "unvoted": [entry.key for entry, _source in unvoted_entries(found)],
    }
