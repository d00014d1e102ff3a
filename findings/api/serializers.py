"""A finding and its evidence, as REST shows them to one reader."""

from typing import Any

from rest_framework import serializers

from findings.models import Evidence
from findings.queries.evidence import CHANGED, ERASED, GONE, HIDDEN, SAME, SILENT


class EvidenceSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField(help_text="Its name in the text of the finding, as {1}")
    kind = serializers.ChoiceField(Evidence.Kind.choices, source="evidence.kind")
    source = serializers.CharField(source="live.source")  # type: ignore[assignment]  # a field
    reference = serializers.CharField(
        source="live.reference", help_text="Of a quote: participant, interview, turn, characters"
    )
    content = serializers.CharField(source="live.content")
    codes = serializers.ListField(child=serializers.CharField(), source="live.codes")
    value = serializers.CharField(source="shown", help_text="As the text of the finding shows it")
    was = serializers.CharField(help_text="When it was confirmed, if that is another value")
    state = serializers.ChoiceField(
        [SAME, CHANGED, GONE, HIDDEN, SILENT, ERASED],
        help_text="As confirmed, changed, no longer there, hidden from you, not to be quoted, erased",
    )
    note = serializers.CharField(source="evidence.note")


class FindingSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="finding.pk")
    number = serializers.IntegerField(help_text="Its place; 0 for a deleted finding")
    text = serializers.CharField(source="finding.text", help_text="As typed, with {1}")
    told = serializers.CharField(source="text", help_text="With the values of its evidence")
    revision = serializers.IntegerField(source="finding.revision")
    frozen_at = serializers.DateTimeField(source="finding.frozen_at", allow_null=True)
    changed = serializers.BooleanField(source="is_changed", help_text="Some evidence is not as confirmed")
    evidence = EvidenceSerializer(many=True)
