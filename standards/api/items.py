"""Standards over REST: the checklist of a set, answers, and the texts made from rows."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from standards import sets
from standards.actions.answers import LONGEST, answer_item
from standards.checks import CHECKS
from standards.files import BUILT_IN, TEXTS, text_file
from standards.outcomes import STATES
from standards.queries.facts import read_facts
from standards.queries.items import item_lines
from standards.rules import may_answer_standards, may_read_standards
from standards.sets import Standard
from standards.texts.checklist import checklist_dict
from studies.models import Membership, Study
from studies.pages import study_of


class StandardItemSerializer(serializers.Serializer[Any]):
    number = serializers.CharField()
    kind = serializers.CharField(help_text="E essential, D desirable, X extraordinary, AP antipattern")
    section = serializers.CharField()
    text = serializers.CharField()
    state = serializers.CharField(help_text=", ".join(STATES))
    evidence = serializers.ListField(child=serializers.CharField(), help_text="Sentences made from rows")
    files = serializers.ListField(
        child=serializers.CharField(), help_text="Files of the package that have the numbers"
    )
    question = serializers.CharField(help_text="What only people can answer; empty without a question")
    answer = serializers.CharField()
    does_not_apply = serializers.BooleanField()
    answers = serializers.IntegerField(help_text="Number of answers so far, with those that were taken back")


class ChecklistSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    name = serializers.CharField()
    version = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]  # a field
    states = serializers.DictField(child=serializers.IntegerField(), help_text="Number of items by state")
    items = StandardItemSerializer(many=True)


class TypedAnswerSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(
        max_length=LONGEST, allow_blank=True, help_text="An empty text takes the answer back"
    )
    does_not_apply = serializers.BooleanField(default=False)
    number = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=2**31 - 1,
        help_text="`answers` as you read it; an answer that changed since is not overwritten",
    )


class StandardTextSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    text = serializers.CharField()


def _shown(study: Study, member: Membership, standard: Standard) -> dict[str, Any]:
    return checklist_dict(standard, item_lines(standard, read_facts(study, member), study))


def _standard(key: str) -> Standard:
    found = sets.standards(CHECKS).get(key)
    if found is None:
        raise Http404
    return found


class Standards(Endpoint):
    """All sets of items, each with the states of its items."""

    @extend_schema(responses=ChecklistSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        study, member = study_of(request, slug, may_read_standards)
        facts = read_facts(study, member)
        found = sets.standards(CHECKS).values()
        return Response([checklist_dict(one, item_lines(one, facts, study)) for one in found])


class OneStandard(Endpoint):
    """The items of one set with their states, evidence and answers."""

    @extend_schema(responses=ChecklistSerializer)
    def get(self, request: Request, slug: str, key: str) -> Response:
        study, member = study_of(request, slug, may_read_standards)
        return Response(_shown(study, member, _standard(key)))


class StandardAnswer(Endpoint):
    """Answer an item; owners and leads."""

    @extend_schema(request=TypedAnswerSerializer, responses=StandardItemSerializer)
    def put(self, request: Request, slug: str, key: str, item: str) -> Response:
        study, member = study_of(request, slug, may_answer_standards)
        standard = _standard(key)
        found = standard.item(item)
        if found is None:
            raise Http404
        read = TypedAnswerSerializer(data=request.data)
        read.is_valid(raise_exception=True)
        answer_item(study=study, standard=standard, item=found, by=member, **read.validated_data)
        lines = _shown(study, member, standard)["items"]
        return Response(next(one for one in lines if one["number"] == item))


class StandardText(Endpoint):
    """A text that is made from rows: the method section, its numbers, data availability, the citation."""

    @extend_schema(responses=StandardTextSerializer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        study, member = study_of(request, slug, may_read_standards)
        if name not in TEXTS:
            raise Http404
        facts = read_facts(study, member)
        lines = item_lines(_standard(BUILT_IN), facts, study)
        return Response({"name": name, "text": b"".join(text_file(name, facts, lines)).decode()})
