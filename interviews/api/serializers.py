"""What guides, interviews, transcripts and rankings look like over REST."""

from datetime import UTC
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from interviews.actions.sessions import MOST_MINUTES
from interviews.actions.transcripts import ROLES
from interviews.forms.transcripts import FORMATS, MOST_BYTES
from interviews.models import Guide
from interviews.queries.guides import parts_of
from taxonomy.models import Level

SMALL = 2**31 - 1
LONGEST_TRANSCRIPT = 5_000_000


class GuideLineSerializer(serializers.ModelSerializer[Guide]):
    published_by = serializers.CharField(source="published_by.pseudonym")

    class Meta:
        model = Guide
        fields: tuple[str, ...] = ("id", "number", "note", "published_by", "published_at")


class QuestionSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    text = serializers.CharField()
    audience = serializers.CharField(source="audience.prefix", default=None, allow_null=True)
    is_ranking = serializers.BooleanField()
    taxonomy = serializers.IntegerField(source="taxonomy_id", allow_null=True)
    level = serializers.IntegerField(allow_null=True)
    top = serializers.IntegerField(allow_null=True)


class PartSerializer(serializers.Serializer[Any]):
    title = serializers.CharField()
    objective = serializers.CharField(allow_blank=True)
    minutes = serializers.IntegerField(allow_null=True)
    questions = QuestionSerializer(many=True)


class OneGuideSerializer(GuideLineSerializer):
    parts = serializers.SerializerMethodField()

    class Meta(GuideLineSerializer.Meta):
        fields = (*GuideLineSerializer.Meta.fields, "text", "parts")

    @extend_schema_field(PartSerializer(many=True))
    def get_parts(self, guide: Guide) -> Any:
        return PartSerializer(parts_of(guide), many=True).data


class RankingOfSerializer(serializers.Serializer[Any]):
    part = serializers.IntegerField(min_value=0, max_value=SMALL, help_text="Place of the part, from 0")
    question = serializers.IntegerField(min_value=0, max_value=SMALL, help_text="Place in the part, from 0")
    taxonomy = serializers.IntegerField(min_value=1, max_value=SMALL)
    level = serializers.ChoiceField(Level.choices)
    under = serializers.CharField(
        max_length=32, required=False, help_text="Code of a category, whose categories are ranked"
    )
    top = serializers.IntegerField(min_value=1, max_value=999, allow_null=True, default=None)


class NewGuideSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(max_length=200_000, trim_whitespace=False, help_text="Markdown")
    note = serializers.CharField(max_length=500, allow_blank=True, default="")
    rankings = RankingOfSerializer(many=True, default=list)


class SessionSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="session.pk")
    participant = serializers.CharField(source="session.participant", help_text="Pseudonym")
    interviewer = serializers.CharField(source="session.interviewer", help_text="Pseudonym")
    guide = serializers.IntegerField(source="session.guide.number", default=None, allow_null=True)
    held_on = serializers.DateField(source="session.held_on")
    minutes = serializers.IntegerField(source="session.minutes", allow_null=True)
    transcript = serializers.IntegerField(help_text="Newest stored version, 0 without one")
    coding = serializers.CharField(help_text="none, open, revealed or settled")


class ChangedSessionSerializer(serializers.Serializer[Any]):
    interviewer = serializers.CharField(max_length=32, help_text="Pseudonym")
    held_on = serializers.DateField()
    minutes = serializers.IntegerField(min_value=1, max_value=MOST_MINUTES, allow_null=True, default=None)
    guide = serializers.IntegerField(
        min_value=1, max_value=SMALL, allow_null=True, default=None, help_text="Its number"
    )


class NewSessionSerializer(ChangedSessionSerializer):
    participant = serializers.IntegerField(min_value=1, max_value=SMALL, help_text="Id of the participant")


class TranscriptTurnSerializer(serializers.Serializer[Any]):
    position = serializers.IntegerField()
    speaker = serializers.CharField(allow_blank=True)
    is_interviewer = serializers.BooleanField()
    begins = serializers.IntegerField(allow_null=True, help_text="Milliseconds")
    text = serializers.CharField(allow_blank=True)


class TranscriptSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    note = serializers.CharField(allow_blank=True)
    stored_at = serializers.DateTimeField(default_timezone=UTC)
    turns = TranscriptTurnSerializer(many=True)


class NewTranscriptSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(
        max_length=LONGEST_TRANSCRIPT,
        trim_whitespace=False,
        help_text="Lines: speaker, colon, text",
    )


@extend_schema_field(OpenApiTypes.BINARY)
class TranscriptFileField(serializers.FileField):
    """A file that a reader of transcripts takes, of at most the size that the page takes."""

    def to_internal_value(self, data: Any) -> Any:
        upload = super().to_internal_value(data)
        if not str(upload.name).lower().endswith(FORMATS):
            raise serializers.ValidationError(f"Send a file that ends with {', '.join(FORMATS)}.")
        if upload.size > MOST_BYTES:
            raise serializers.ValidationError(f"A transcript has at most {MOST_BYTES >> 20} MB.")
        return upload


class TranscriptFileSerializer(serializers.Serializer[Any]):
    file = TranscriptFileField(help_text="TXT, SRT, VTT or DOCX, by the ending of its name")


class ReplacementSerializer(serializers.Serializer[Any]):
    original = serializers.CharField(max_length=200)
    stand_in = serializers.CharField(max_length=120)


class CorrectionSerializer(NewTranscriptSerializer):
    replacements = ReplacementSerializer(many=True, default=list, help_text="Names that were missed")
    note = serializers.CharField(max_length=500, help_text="What was corrected, without names")
    made_from = serializers.IntegerField(min_value=1, max_value=SMALL, help_text="The corrected version")


class CorrectionFileSerializer(TranscriptFileSerializer):
    note = serializers.CharField(max_length=500, help_text="What was corrected, without names")
    made_from = serializers.IntegerField(min_value=1, max_value=SMALL, help_text="The corrected version")
    original = serializers.CharField(max_length=200, required=False, help_text="A name that was missed")
    stand_in = serializers.CharField(max_length=120, required=False, help_text="Its replacement")

    def validate(self, values: dict[str, Any]) -> dict[str, Any]:
        if ("original" in values) != ("stand_in" in values):
            raise serializers.ValidationError({"stand_in": ["Send original and stand_in, or neither."]})
        pairs = (
            [{"original": values["original"], "stand_in": values["stand_in"]}] if "original" in values else []
        )
        return values | {"replacements": pairs}


class PseudonymiseSerializer(serializers.Serializer[Any]):
    replacements = ReplacementSerializer(many=True, default=list, help_text="Added to the list")
    speakers = serializers.DictField(
        child=serializers.ChoiceField([(role, role) for role in ROLES]),
        required=False,
        help_text="Who each speaker is; with it the transcript is stored, without it only looked at",
    )


class FoundPlaceSerializer(serializers.Serializer[Any]):
    turn = serializers.IntegerField(help_text="From 1")
    before = serializers.CharField(allow_blank=True)
    original = serializers.CharField()
    stand_in = serializers.CharField()
    after = serializers.CharField(allow_blank=True)


class MissedSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    times = serializers.IntegerField()
    why = serializers.CharField()


class PreviewSerializer(serializers.Serializer[Any]):
    speakers = serializers.ListField(child=serializers.CharField(allow_blank=True))
    places = FoundPlaceSerializer(many=True)
    missed = MissedSerializer(many=True)
    notes = serializers.ListField(
        child=serializers.CharField(), help_text="What the reader left out, and where"
    )


class RankedSerializer(serializers.Serializer[Any]):
    question = serializers.IntegerField(source="question.pk")
    text = serializers.CharField(source="question.text")
    top = serializers.IntegerField(source="question.top", allow_null=True)
    order = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()), help_text="Codes; ties share a place"
    )


class PlacesSerializer(serializers.Serializer[Any]):
    places = serializers.DictField(
        child=serializers.IntegerField(min_value=1, max_value=999),
        help_text="Place by code; equal places are ties, an empty mapping removes the ranking",
    )
