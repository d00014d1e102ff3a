"""A table of participants over REST: looked at, then imported whole or not at all."""

import base64
import binascii
from typing import Any

from django.views.decorators.debug import sensitive_variables
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from interviews.actions.participants import import_participants
from interviews.actions.tables import planned_people
from interviews.api.people import ParticipantSerializer, given, led
from interviews.errors import InterviewRefused
from interviews.models import Audience
from interviews.queries.participants import audiences_of
from interviews.queries.reading import Unread, read_table
from interviews.queries.table_audiences import (
    Assignment,
    groups_of,
    likely_assignment,
    likely_groups,
    likely_kinds,
)
from interviews.queries.tables import KINDS, ONCE, Table

MOST_CHARACTERS = 1 << 20
MOST_SHEETS = 200


class ParticipantTableSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(
        max_length=MOST_CHARACTERS, required=False, trim_whitespace=False, help_text="A CSV file"
    )
    xlsx = serializers.CharField(
        max_length=MOST_CHARACTERS * 4 // 3 + 4, required=False, help_text="Or an XLSX file, in Base64"
    )
    sheet = serializers.IntegerField(min_value=1, max_value=MOST_SHEETS, default=1)
    columns = serializers.ListField(
        child=serializers.ChoiceField(choices=KINDS),
        max_length=100,
        required=False,
        help_text="What each column is, in their order; guessed by their names without it",
    )
    audience_column = serializers.IntegerField(
        min_value=1,
        max_value=100,
        allow_null=True,
        required=False,
        help_text="The column that tells the audience, from 1; guessed without it",
    )
    audiences = serializers.DictField(
        child=serializers.CharField(max_length=4, allow_blank=True),
        required=False,
        help_text="The prefix of the audience for each of its values, or for what they begin with",
    )
    audience = serializers.CharField(
        max_length=4, required=False, allow_blank=True, help_text="Prefix, for rows that name none"
    )
    preview = serializers.BooleanField(default=False, help_text="Store nothing, count each audience")


class TableProblemSerializer(serializers.Serializer[Any]):
    line = serializers.IntegerField(help_text="Or the row of the sheet")
    cause = serializers.CharField()


class TableGroupSerializer(serializers.Serializer[Any]):
    value = serializers.CharField()
    rows = serializers.IntegerField()
    audience = serializers.CharField(allow_blank=True, help_text="Prefix")


class ReadTableSerializer(serializers.Serializer[Any]):
    header = serializers.ListField(child=serializers.CharField(allow_blank=True))
    columns = serializers.ListField(child=serializers.CharField())
    audience_column = serializers.IntegerField(allow_null=True)
    groups = TableGroupSerializer(many=True, help_text="Of the column that tells the audience")
    counts = serializers.DictField(child=serializers.IntegerField(), help_text="By prefix of the audience")
    problems = TableProblemSerializer(many=True, help_text="Nothing is stored while there are any")
    notes = serializers.ListField(child=serializers.CharField(), help_text="Flaws that refuse nothing")
    made = ParticipantSerializer(many=True, help_text="Empty for a preview")


class ParticipantTable(Endpoint):
    """Import a table of participants, whole or not at all. With `preview` nothing is stored."""

    @sensitive_variables()
    @extend_schema(
        request=ParticipantTableSerializer, responses={200: ReadTableSerializer, 201: ReadTableSerializer}
    )
    def post(self, request: Request, slug: str) -> Response:
        study, member = led(request, slug)
        values = given(ParticipantTableSerializer, request)
        table = _table(values)
        audiences = list(audiences_of(study))
        guess = likely_assignment(table, audiences)
        by = _assignment(values, table, audiences, guess)
        kinds = _kinds(values, table, guess)
        plan = planned_people(study, table, kinds, by)
        groups = [] if by.column is None else groups_of(table, by.column)
        row: dict[str, Any] = {
            "header": table.header,
            "columns": kinds,
            "audience_column": None if by.column is None else by.column + 1,
            "groups": [
                {
                    "value": name,
                    "rows": rows,
                    "audience": getattr(by.groups.get(name.casefold()), "prefix", ""),
                }
                for name, rows in groups
            ],
            "counts": {audience.prefix: count for audience, count in plan.counts},
            "problems": [{"line": line, "cause": cause} for line, cause in plan.problems],
            "notes": table.notes,
            "made": [],
        }
        if values["preview"]:
            return Response(ReadTableSerializer(row).data)
        if plan.problems:
            raise serializers.ValidationError(
                {"problems": [f"{table.unit} {line}: {cause}" for line, cause in plan.problems]}
            )
        row["made"] = import_participants(study=study, people=plan.people, by=member)
        return Response(ReadTableSerializer(row).data, status=status.HTTP_201_CREATED)


@sensitive_variables()
def _table(values: dict[str, Any]) -> Table:
    if ("text" in values) == ("xlsx" in values):
        raise serializers.ValidationError({"text": ["Send either text or xlsx."]})
    try:
        if "text" in values:
            return read_table(values["text"].encode(), "csv", values["sheet"])
        return read_table(base64.b64decode(values["xlsx"], validate=True), "xlsx", values["sheet"])
    except binascii.Error:
        raise serializers.ValidationError({"xlsx": ["This is not Base64."]}) from None
    except Unread as refused:
        raise InterviewRefused(str(refused), field="text" if "text" in values else "xlsx") from None


def _kinds(values: dict[str, Any], table: Table, guess: Assignment) -> list[str]:
    if "columns" not in values:
        return likely_kinds(table, guess)
    kinds = list(values["columns"])
    if len(kinds) != len(table.header):
        raise serializers.ValidationError({"columns": [f"The table has {len(table.header)} columns."]})
    if twice := [kind for kind in ONCE if kinds.count(kind) > 1]:
        raise serializers.ValidationError({"columns": [f"Two columns are {twice[0]}."]})
    return kinds


def _assignment(
    values: dict[str, Any], table: Table, audiences: list[Audience], guess: Assignment
) -> Assignment:
    by_prefix = {one.prefix: one for one in audiences}
    asked = [*values.get("audiences", {}).values(), values.get("audience", "")]
    if unknown := sorted(prefix for prefix in set(asked) - {""} if prefix not in by_prefix):
        raise serializers.ValidationError({"audiences": [f"The study has no audience {', '.join(unknown)}."]})
    column = guess.column
    if "audience_column" in values:
        number = values["audience_column"]
        column = None if number is None else number - 1
    if column is not None and column >= len(table.header):
        raise serializers.ValidationError(
            {"audience_column": [f"The table has {len(table.header)} columns."]}
        )
    groups = {} if column is None else likely_groups(table, column, audiences)
    for name, prefix in values.get("audiences", {}).items():
        groups[" ".join(name.split()).casefold()] = by_prefix.get(prefix)
    default = by_prefix.get(values["audience"]) if "audience" in values else guess.default
    return Assignment(column, groups, default)
