"""What codings, quotes and items look like over REST."""

from typing import Any

from rest_framework import serializers

from interviews.actions.coders import CHANGES
from interviews.actions.quotes import LONGEST_MEMO, LONGEST_NAME, MOST_CODES
from interviews.actions.settling import LONGEST_RATIONALE, OUTCOMES
from interviews.api.serializers import SMALL
from interviews.models import Quote

KEY, LONGEST_WORDS = 200, 20_000


class CoderSerializer(serializers.Serializer[Any]):
    who = serializers.CharField(source="member.pseudonym")
    done = serializers.SerializerMethodField(help_text="Before the reveal nothing else is known of others")
    released = serializers.SerializerMethodField(help_text="A lead took this coder off")

    def get_done(self, coder: Any) -> bool:
        return coder.done_at is not None

    def get_released(self, coder: Any) -> bool:
        return coder.released_at is not None


class CodingLineSerializer(serializers.Serializer[Any]):
    interview = serializers.IntegerField(source="session.pk")
    participant = serializers.CharField(source="session.participant")
    id = serializers.SerializerMethodField(help_text="Of the coding; null before it is opened")
    state = serializers.CharField(help_text="none, open, revealed or settled")
    coders = CoderSerializer(many=True)

    def get_id(self, line: Any) -> int | None:
        coding = getattr(line.session, "coding", None)
        return coding.pk if coding else None


class NewCodingSerializer(serializers.Serializer[Any]):
    coders = serializers.ListField(
        child=serializers.CharField(max_length=32), max_length=100, help_text="Pseudonyms, two or more"
    )
    taxonomy = serializers.IntegerField(min_value=1, max_value=SMALL)
    version = serializers.IntegerField(min_value=1, max_value=SMALL, help_text="Its number, published")


class ContentSerializer(serializers.Serializer[Any]):
    codes = serializers.ListField(
        child=serializers.CharField(max_length=40), max_length=MOST_CODES, default=list
    )
    open_codes = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_NAME), max_length=MOST_CODES, default=list
    )
    memo = serializers.CharField(max_length=LONGEST_MEMO, allow_blank=True, default="")
    strength = serializers.ChoiceField(Quote.Strength.choices, allow_null=True, default=None)


class PlaceSerializer(serializers.Serializer[Any]):
    turn = serializers.IntegerField(min_value=0, max_value=SMALL, help_text="Position, from 0")
    start = serializers.IntegerField(min_value=0, max_value=SMALL, help_text="Its first character, from 0")
    end = serializers.IntegerField(min_value=1, max_value=SMALL, help_text="The character after its last")
    transcript = serializers.IntegerField(
        min_value=1, max_value=SMALL, required=False, help_text="The version that you read"
    )


class NewQuoteSerializer(PlaceSerializer, ContentSerializer):
    """The place of a quote, and all that is said of it."""


class QuoteLineSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    by = serializers.CharField(allow_blank=True, help_text="Pseudonym; empty for a common quote")
    transcript = serializers.IntegerField()
    turn = serializers.IntegerField(source="span.turn")
    start = serializers.IntegerField(source="span.start")
    end = serializers.IntegerField(source="span.end")
    text = serializers.CharField(allow_blank=True)
    codes = serializers.ListField(source="content.codes", child=serializers.CharField())
    open_codes = serializers.ListField(source="content.open_codes", child=serializers.CharField())
    memo = serializers.CharField(source="content.memo", allow_blank=True)
    strength = serializers.IntegerField(source="content.strength", allow_null=True)
    dropped = serializers.BooleanField()


class CodingSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="coding.pk")
    interview = serializers.IntegerField(source="coding.session_id")
    participant = serializers.CharField(source="coding.session.participant")
    state = serializers.CharField(help_text="open, revealed or settled")
    taxonomy = serializers.IntegerField(source="coding.version.taxonomy_id")
    version = serializers.IntegerField(source="coding.version.number")
    transcript = serializers.IntegerField(help_text="Number of the newest version")
    coders = CoderSerializer(many=True)
    quotes = QuoteLineSerializer(many=True, help_text="Your own; of all once the coding is revealed")
    left_behind = QuoteLineSerializer(many=True, help_text="On an earlier transcript: they could not move")


class DoneSerializer(serializers.Serializer[Any]):
    done = serializers.BooleanField(default=True)


class SettledSerializer(serializers.Serializer[Any]):
    quote = QuoteLineSerializer(allow_null=True)
    method = serializers.CharField(help_text="equal or talk")
    rationale = serializers.CharField(allow_blank=True)
    by = serializers.CharField(allow_blank=True)


class ItemSerializer(serializers.Serializer[Any]):
    turn = serializers.IntegerField(source="span.turn")
    start = serializers.IntegerField(source="span.start")
    end = serializers.IntegerField(source="span.end")
    is_open = serializers.BooleanField()
    quotes = QuoteLineSerializer(many=True)
    settled = SettledSerializer(many=True)


class KeysSerializer(serializers.Serializer[Any]):
    keys = serializers.ListField(
        child=serializers.CharField(max_length=KEY), max_length=1_000, help_text="Of all quotes of the item"
    )


class SettleSerializer(KeysSerializer):
    outcome = serializers.ChoiceField([(one, one) for one in OUTCOMES])
    keep = serializers.ListField(child=serializers.CharField(max_length=KEY), max_length=1_000, default=list)
    codes = serializers.ListField(
        child=serializers.CharField(max_length=40), max_length=MOST_CODES, default=list
    )
    open_codes = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_NAME), max_length=MOST_CODES, default=list
    )
    rationale = serializers.CharField(max_length=LONGEST_RATIONALE, allow_blank=True, default="")
    transcript = serializers.IntegerField(min_value=1, max_value=SMALL, required=False)


class MoveSerializer(serializers.Serializer[Any]):
    by = serializers.CharField(max_length=32, help_text="Pseudonym of its coder")
    version = serializers.IntegerField(
        min_value=1, max_value=SMALL, help_text="Of the earlier transcript that the quote is on"
    )
    turn = serializers.IntegerField(min_value=0, max_value=SMALL, help_text="There")
    start = serializers.IntegerField(min_value=0, max_value=SMALL)
    end = serializers.IntegerField(min_value=1, max_value=SMALL)
    words = serializers.CharField(
        max_length=LONGEST_WORDS,
        trim_whitespace=False,
        help_text="In the newest transcript, where they occur once",
    )
    transcript = serializers.IntegerField(
        min_value=1, max_value=SMALL, help_text="Number of the newest transcript that you read"
    )


class CoderChangeSerializer(serializers.Serializer[Any]):
    who = serializers.CharField(max_length=32, help_text="Pseudonym")
    change = serializers.ChoiceField([(one, one) for one in CHANGES])
