"""The replication package over REST: ask for it, follow its job, download it."""

from datetime import datetime
from typing import Any, ClassVar

from django.http import FileResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from accounts.models import Scope
from accounts.rest.endpoints import Endpoint
from core.api import AsItIs
from core.models import Job
from replication.actions.packages import ask_for_package
from replication.errors import PackageGone, PackageHeldBack
from replication.package_responses import package_response
from replication.queries.packages import finished_package, kept_until, packages_of
from reports.actions.exports import note_fetch
from rounds.models import Round
from rounds.pages import seat_in
from studies.models import Membership
from studies.pages import works_when_read_only
from studies.rules import may_read_revealed


class PackageRequestSerializer(serializers.Serializer[Any]):
    without_coached = serializers.BooleanField(
        default=False, help_text="Leave out the issues that volunteers were coached on"
    )


class PackageSerializer(serializers.ModelSerializer[Job]):
    url = serializers.SerializerMethodField(help_text="Where to ask again")
    without_coached = serializers.BooleanField(source="arguments.without_coached")
    as_of = serializers.DateTimeField(
        source="result.as_of",
        default=None,
        allow_null=True,
        help_text="The last change that is in the package, once you can download it",
    )
    manifest_sha256 = serializers.CharField(
        source="result.manifest",
        default="",
        help_text="SHA-256 of its manifest.json, once you can download it",
    )
    content = serializers.SerializerMethodField(
        help_text="Where the package is while you can download it, else null"
    )
    kept_until = serializers.SerializerMethodField(help_text="When the server deletes the package")

    class Meta:
        model = Job
        fields = (
            "id", "url", "without_coached", "state", "done", "total", "step", "error", "as_of",
            "manifest_sha256", "content", "kept_until",
        )  # fmt: skip

    def to_representation(self, job: Job) -> dict[str, Any]:
        given: dict[str, Any] = super().to_representation(job)
        try:
            finished_package(job, self.context["round"], self.context["member"])
        except (PackageGone, PackageHeldBack):
            given |= {"as_of": None, "manifest_sha256": "", "content": None, "kept_until": None}
        return given

    def get_url(self, job: Job) -> str:
        return self._address("api_package", job)

    def get_content(self, job: Job) -> str | None:
        return self._address("api_package_content", job) if job.state == Job.State.DONE else None

    def get_kept_until(self, job: Job) -> datetime | None:
        return kept_until(job) if job.state == Job.State.DONE else None

    def _address(self, name: str, job: Job) -> str:
        address: str = reverse(name, args=[job.arguments["round"], job.pk], request=self.context["request"])
        return address


def _seat(request: Request, round_id: int) -> tuple[Round, Membership]:
    return seat_in(request, round_id, lambda member, _round: may_read_revealed(member))


def _asked(request: Request, round_id: int, job_id: int) -> tuple[Job, Round, Membership]:
    round_, member = _seat(request, round_id)
    return get_object_or_404(packages_of(round_, member), pk=job_id), round_, member


def _answer(job: Job, round_: Round, member: Membership, request: Request) -> dict[str, Any]:
    return PackageSerializer(job, context={"request": request, "round": round_, "member": member}).data


@works_when_read_only
class Packages(Endpoint):
    """Make the replication package of a round, of all issues that are revealed to you and not hidden from
    you. If the same package is being made already, the answer is that one.
    """

    scopes: ClassVar = {"POST": Scope.READ}

    @extend_schema(request=PackageRequestSerializer, responses={202: PackageSerializer})
    def post(self, request: Request, round_id: int) -> Response:
        round_, member = _seat(request, round_id)
        given = PackageRequestSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        without = given.validated_data["without_coached"]
        job = ask_for_package(round_=round_, by=member, without_coached=without)
        answer = _answer(job, round_, member, request)
        return Response(answer, status=status.HTTP_202_ACCEPTED, headers={"Location": answer["url"]})


class OnePackage(Endpoint):
    """How far a package is: ask until `content` is there, or `error` says why it will not be."""

    @extend_schema(responses=PackageSerializer)
    def get(self, request: Request, round_id: int, job_id: int) -> Response:
        job, round_, member = _asked(request, round_id, job_id)
        return Response(_answer(job, round_, member, request))


class PackageContent(Endpoint):
    """The package. 410 if it is no longer kept, 409 if something in it is hidden from you now."""

    content_negotiation_class = AsItIs

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def get(self, request: Request, round_id: int, job_id: int) -> FileResponse:
        job, round_, member = _asked(request, round_id, job_id)
        answer = package_response(job, round_, member)
        note_fetch(round_=round_, by=member, file=job.result["name"])
        return answer
