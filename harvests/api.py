"""Harvests over REST: planned, started, paused, refreshed and read, with their flow and their pages."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from core.api import KeysetPagination
from core.numbers import whole_number
from core.sql.snapshots import snapshot
from harvests import actions
from harvests.forms import MOST_MINUTES, is_in_reach
from harvests.models import Harvest, HarvestedRepository, HarvestPage
from harvests.queries.comparing import compare, harvests_to_compare
from harvests.queries.forge_clients import RepositoryAsked
from harvests.queries.query_text import query_text
from harvests.queries.reports import (
    flow_of,
    harvests_for,
    journal_of,
    lists_to_choose,
    repository_lines,
    state_of_harvest,
)
from ingest.forges.naming import MOST, read_names
from ingest.forms.named import causes
from ingest.rules import may_import
from studies.models import Study
from studies.pages import study_of


class HarvestSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    state = serializers.CharField(
        help_text="planned, queued, running, waiting, paused, failed, incomplete, differs or done"
    )
    refreshes = serializers.IntegerField(allow_null=True)
    opened_from = serializers.DateTimeField(allow_null=True)
    opened_before = serializers.DateTimeField(allow_null=True)
    zone = serializers.CharField()
    with_pull_requests = serializers.BooleanField()
    with_comments = serializers.BooleanField()
    lists = serializers.ListField(child=serializers.IntegerField(), help_text="Ids of keyword lists")
    budget = serializers.IntegerField(allow_null=True, help_text="Seconds that one run may take")
    resume_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()


class FlowSerializer(serializers.Serializer[Any]):
    listed = serializers.IntegerField()
    outside = serializers.IntegerField()
    in_window = serializers.IntegerField()
    vanished = serializers.IntegerField()
    pull_requests = serializers.IntegerField()
    refused = serializers.IntegerField()
    issues = serializers.IntegerField()
    unmatched = serializers.IntegerField()
    path_only = serializers.IntegerField()
    matched = serializers.IntegerField()
    by_hand = serializers.IntegerField()
    kept_earlier = serializers.IntegerField()
    kept = serializers.IntegerField()


class HarvestedRepositorySerializer(serializers.Serializer[Any]):
    forge = serializers.CharField()
    host = serializers.CharField()
    path = serializers.CharField()
    moved_to = serializers.CharField()
    phase = serializers.CharField()
    outcome = serializers.CharField()
    trouble = serializers.CharField()
    pages = serializers.IntegerField()
    records = serializers.IntegerField()
    requests = serializers.IntegerField(help_text="Sent to its forge, each try counted")
    waited = serializers.FloatField(help_text="Seconds without a request: limits, faults, the pace")
    forges_count = serializers.IntegerField(allow_null=True, help_text="Issues in the window, by its forge")
    flow = FlowSerializer()


class OneHarvestSerializer(HarvestSerializer):
    flow = FlowSerializer()
    repositories = HarvestedRepositorySerializer(many=True)
    text = serializers.CharField(help_text="The query and its numbers, for a method section")


class HarvestPageSerializer(serializers.ModelSerializer[HarvestPage]):
    repository = serializers.CharField(source="repository.path")
    phase = serializers.CharField()

    class Meta:
        model = HarvestPage
        fields = (
            "id", "repository", "position", "phase", "url", "next_url", "status", "records", "etag", "sha256",
            "fetched_at",
        )  # fmt: skip


class HarvestPagesSerializer(serializers.Serializer[Any]):
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = HarvestPageSerializer(many=True)


class ComparedNumbersSerializer(serializers.Serializer[Any]):
    earlier = serializers.IntegerField()
    later = serializers.IntegerField()
    both = serializers.IntegerField()
    earlier_only = serializers.IntegerField()
    earlier_not_fetched = serializers.IntegerField(
        help_text="Of `earlier_only`: the later one never fetched them"
    )
    later_only = serializers.IntegerField()
    later_not_fetched = serializers.IntegerField(
        help_text="Of `later_only`: the earlier one never fetched them"
    )


class ComparedRepositorySerializer(serializers.Serializer[Any]):
    host = serializers.CharField()
    path = serializers.CharField()
    in_earlier = serializers.BooleanField()
    in_later = serializers.BooleanField()
    numbers = ComparedNumbersSerializer()


class ComparedListSerializer(serializers.Serializer[Any]):
    list = serializers.CharField()
    earlier = serializers.IntegerField(allow_null=True, help_text="Its version in the earlier harvest")
    later = serializers.IntegerField(allow_null=True)


class ComparedTermSerializer(serializers.Serializer[Any]):
    list = serializers.CharField()
    version = serializers.IntegerField(
        allow_null=True, help_text="Of the list, if several lists or versions have its name; else null"
    )
    text = serializers.CharField()
    earlier = serializers.IntegerField(allow_null=True, help_text="Issues that it found; null without it")
    later = serializers.IntegerField(allow_null=True)
    change = serializers.IntegerField()


class ComparedHarvestsSerializer(serializers.Serializer[Any]):
    earlier = serializers.IntegerField(help_text="Id of the harvest")
    later = serializers.IntegerField()
    numbers = ComparedNumbersSerializer(help_text="Issues that the lists of the harvests matched")
    repositories = ComparedRepositorySerializer(many=True)
    lists = ComparedListSerializer(many=True)
    terms = ComparedTermSerializer(many=True, help_text="Only those that changed")
    unfinished = serializers.ListField(
        child=serializers.ChoiceField(choices=["earlier", "later"]),
        help_text="Harvests with a selection that is not finished: their numbers change until then",
    )


class HarvestPlanSerializer(serializers.Serializer[Any]):
    """A plan. Needs the study as `study` in its context; `lists` becomes a list of keyword lists."""

    repositories = serializers.ListField(
        child=serializers.CharField(max_length=500),
        min_length=1,
        max_length=MOST,
        help_text="owner/name, or an address on GitHub, Gitee or a server of your own",
    )
    opened_from = serializers.DateTimeField(required=False, allow_null=True, default=None)
    opened_before = serializers.DateTimeField(required=False, allow_null=True, default=None)
    zone = serializers.CharField(required=False, default="UTC", max_length=64)
    with_pull_requests = serializers.BooleanField(required=False, default=False)
    with_comments = serializers.BooleanField(required=False, default=True)
    lists = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2**63 - 1), required=False, default=list
    )
    budget = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=1, max_value=MOST_MINUTES * 60
    )

    def validate_repositories(self, lines: list[str]) -> list[RepositoryAsked]:
        if any("\n" in line or "\r" in line for line in lines):
            raise serializers.ValidationError("One repository each.")
        named, bad = read_names("\n".join(lines))
        if bad or not named:
            raise serializers.ValidationError(causes(bad) or ["No repository is named."])
        return [RepositoryAsked(one.forge, one.host, one.path, one.base_url) for one in named]

    def validate_opened_from(self, at: datetime | None) -> datetime | None:
        return _in_reach(at)

    def validate_opened_before(self, at: datetime | None) -> datetime | None:
        return _in_reach(at)

    def validate_lists(self, ids: list[int]) -> list[Any]:
        found = list(lists_to_choose(self.context["study"]).filter(pk__in=ids))
        if {one.pk for one in found} != set(ids):
            raise serializers.ValidationError("The study has no such keyword list in use.")
        return found


def _in_reach(at: datetime | None) -> datetime | None:
    if at is not None and not is_in_reach(at.date()):
        raise serializers.ValidationError("A year from 1990 to 2100.")
    return at


class Harvests(Endpoint):
    """The harvests of a study, newest first; and a new one, planned and not started."""

    @extend_schema(responses=HarvestSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        study, _member = study_of(request, slug, may_import)
        found = harvests_for(request.user).filter(run__study=study).prefetch_related("repositories", "lists")
        return Response(HarvestSerializer([_row(one) for one in found], many=True).data)

    @extend_schema(request=HarvestPlanSerializer, responses={201: OneHarvestSerializer})
    def post(self, request: Request, slug: str) -> Response:
        study, member = study_of(request, slug, may_import)
        plan = HarvestPlanSerializer(data=request.data, context={"study": study})
        plan.is_valid(raise_exception=True)
        made = actions.plan_harvest(study=study, by=member.user, **plan.validated_data)
        return _answer(request, study, made.pk, status.HTTP_201_CREATED)


class OneHarvest(Endpoint):
    """One harvest with its flow, its repositories and its text."""

    @extend_schema(responses=OneHarvestSerializer)
    def get(self, request: Request, slug: str, harvest_id: int) -> Response:
        study, _member = study_of(request, slug, may_import)
        return _answer(request, study, harvest_id)


class _Act(Endpoint):
    """Does something to a harvest, and answers with the harvest."""

    act: Callable[..., Any]

    @extend_schema(request=None, responses=OneHarvestSerializer)
    def post(self, request: Request, slug: str, harvest_id: int) -> Response:
        study, member = study_of(request, slug, may_import)
        made = type(self).act(harvest=_found(request, study, harvest_id), by=member.user)
        return _answer(request, study, made.pk if isinstance(made, Harvest) else harvest_id)


class HarvestStart(_Act):
    """Start a harvest, or go on with one that is paused or failed. Read it until its state is `done`."""

    act = staticmethod(actions.start_harvest)


class HarvestPause(_Act):
    """Pause a harvest at its next page; nothing fetched is lost."""

    act = staticmethod(actions.pause_harvest)


class HarvestRefresh(_Act):
    """Fetch what changed since a finished harvest. Answers with the refresh, a harvest of its own."""

    act = staticmethod(actions.refresh_harvest)


class HarvestJournal(Endpoint):
    """The pages that forges answered, in the order in which they were stored."""

    @extend_schema(
        responses=HarvestPagesSerializer,
        parameters=[
            OpenApiParameter("cursor", str, description="From the former answer's next or previous"),
            OpenApiParameter("page_size", int),
        ],
    )
    def get(self, request: Request, slug: str, harvest_id: int) -> Response:
        study, _member = study_of(request, slug, may_import)
        pages = KeysetPagination()
        journal = journal_of(_found(request, study, harvest_id))
        page = pages.paginate_queryset(journal, request, view=self)
        return pages.get_paginated_response(HarvestPageSerializer(page, many=True).data)


class ComparedHarvests(Endpoint):
    """A harvest beside another one of its study: matched issues by repository, list and term."""

    @extend_schema(
        responses=ComparedHarvestsSerializer,
        parameters=[
            OpenApiParameter("with", int, required=True, description="The id of the other harvest"),
        ],
    )
    def get(self, request: Request, slug: str, harvest_id: int) -> Response:
        study, _member = study_of(request, slug, may_import)
        one = _found(request, study, harvest_id)
        harvest = one.refreshes or one
        wanted = whole_number(request.query_params.get("with"))
        other = next((other for other in harvests_to_compare(harvest) if other.pk == wanted), None)
        with snapshot():
            found = compare(harvest, other) if other else None
            if found is None:
                raise Http404
            total, each = found.numbers()
            unfinished = found.unfinished()
        row = {
            "earlier": found.before.pk,
            "later": found.now.pk,
            "numbers": _side_words(total.as_json()),
            "repositories": [
                {
                    "host": pair.shown.host,
                    "path": pair.path,
                    "in_earlier": pair.before is not None,
                    "in_later": pair.now is not None,
                    "numbers": _side_words(numbers.as_json()),
                }
                for pair, numbers in zip(found.pairs, each, strict=True)
            ],
            "lists": [_side_words(one) for one in found.lists()],
            "terms": [_side_words(one) for one in found.terms()],
            "unfinished": [_SIDES[side] for side in unfinished],
        }
        return Response(ComparedHarvestsSerializer(row).data)


_SIDES = {"before": "earlier", "now": "later"}
"""The names that REST gives the two harvests."""


def _side_words(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"_".join(_SIDES.get(part, part) for part in name.split("_")): row[name] for name in row}


def _found(request: Request, study: Study, harvest_id: int) -> Harvest:
    found: Harvest = get_object_or_404(harvests_for(request.user).filter(run__study=study), pk=harvest_id)
    return found


_PLANNED = (
    "opened_from", "opened_before", "zone", "with_pull_requests", "with_comments", "budget", "resume_at",
)  # fmt: skip
_OF_REPOSITORY = ("forge", "host", "path", "moved_to", "phase", "outcome", "trouble")


def _row(one: Harvest) -> dict[str, Any]:
    names = (
        "opened_from",
        "opened_before",
        "zone",
        "with_pull_requests",
        "with_comments",
        "budget",
        "resume_at",
    )
    return {name: getattr(one, name) for name in names} | {
        "id": one.pk,
        "name": one.run.name,
        "state": state_of_harvest(one, one.repositories.all()),
        "refreshes": one.refreshes_id,
        "lists": sorted(found.pk for found in one.lists.all()),
        "created_at": one.run.created_at,
    }


def _answer(request: Request, study: Study, harvest_id: int, code: int = status.HTTP_200_OK) -> Response:
    """The harvest as it is now."""
    one = _found(request, study, harvest_id)
    repositories: list[HarvestedRepository] = list(one.repositories.order_by("position"))
    total, each = flow_of(repositories)
    lines = [
        {
            **{
                name: getattr(line.repository, name)
                for name in ("forge", "host", "path", "moved_to", "phase", "requests", "waited")
            },
            "outcome": line.repository.outcome,
            "trouble": line.repository.trouble,
            "pages": line.pages,
            "records": line.records,
            "forges_count": line.theirs,
            "flow": each[line.repository.pk].as_json(),
        }
        for line in repository_lines(repositories)
    ]
    row = _row(one) | {"flow": total.as_json(), "repositories": lines, "text": query_text(one)}
    return Response(OneHarvestSerializer(row).data, status=code)
