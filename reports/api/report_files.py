"""The whole agreement report as a file over REST: request it, follow its job, download it."""

from typing import Any, ClassVar

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from accounts.models import Scope
from accounts.rest.endpoints import Endpoint
from consensus.rules import may_see_disagreements
from core.api import AsItIs
from core.models import Job
from reports.actions.report_files import ask_for_report
from reports.agreement_report import LEVELS
from reports.file_responses import report_file_response
from reports.formats.files import FORMS
from reports.queries.report_files import report_jobs
from rounds.models import Round
from rounds.pages import seat_in
from studies.models import Membership
from studies.pages import works_when_read_only


class ReportFileRequestSerializer(serializers.Serializer[Any]):
    form = serializers.ChoiceField(choices=list(FORMS))
    level = serializers.ChoiceField(
        choices=list(LEVELS), required=False, help_text="The round's depth if not given"
    )
    without_coached = serializers.BooleanField(
        default=False, help_text="Leave out the issues that volunteers were coached on"
    )


class ReportFileSerializer(serializers.ModelSerializer[Job]):
    url = serializers.SerializerMethodField(help_text="Where to ask again")
    form = serializers.CharField(source="arguments.form")
    level = serializers.CharField(source="arguments.level")
    content = serializers.SerializerMethodField(help_text="Where the file is once `state` is done, else null")

    missing_letters = serializers.CharField(
        source="result.missing_letters",
        default="",
        help_text="Of names, where the server has no font for them: empty boxes in the PDF",
    )

    class Meta:
        model = Job
        fields = (
            "id", "url", "form", "level", "state", "done", "total", "step", "error", "content",
            "missing_letters",
        )  # fmt: skip

    def get_url(self, job: Job) -> str:
        return self._address("api_report_file", job)

    def get_content(self, job: Job) -> str | None:
        return self._address("api_report_file_content", job) if job.state == Job.State.DONE else None

    def _address(self, name: str, job: Job) -> str:
        address: str = reverse(name, args=[job.arguments["round"], job.pk], request=self.context["request"])
        return address


def _own(request: Request, round_id: int, job_id: int) -> tuple[Job, Round, Membership]:
    round_, member = seat_in(request, round_id, may_see_disagreements)
    return get_object_or_404(report_jobs(round_, member), pk=job_id), round_, member


@works_when_read_only
class ReportFiles(Endpoint):
    """Make the whole report as a file, of all issues that are revealed to you and not hidden from you."""

    scopes: ClassVar = {"POST": Scope.READ}

    @extend_schema(request=ReportFileRequestSerializer, responses={202: ReportFileSerializer})
    def post(self, request: Request, round_id: int) -> Response:
        round_, member = seat_in(request, round_id, may_see_disagreements)
        given = ReportFileRequestSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        level = LEVELS.get(given.validated_data.get("level", ""))
        job = ask_for_report(
            round_=round_,
            by=member,
            form=given.validated_data["form"],
            level=level,
            without_coached=given.validated_data["without_coached"],
        )
        answer = ReportFileSerializer(job, context={"request": request}).data
        return Response(answer, status=status.HTTP_202_ACCEPTED, headers={"Location": answer["url"]})


class OneReportFile(Endpoint):
    """How far one of your files is: ask until `content` is there, or `error` says why it will not be."""

    @extend_schema(responses=ReportFileSerializer)
    def get(self, request: Request, round_id: int, job_id: int) -> Response:
        job, _round, _member = _own(request, round_id, job_id)
        return Response(ReportFileSerializer(job, context={"request": request}).data)


class ReportFileContent(Endpoint):
    """The file. 410 if the file was deleted, 409 if an issue in the file is hidden from you now."""

    content_negotiation_class = AsItIs

    @extend_schema(
        responses={(200, "text/html"): OpenApiTypes.BINARY, (200, "application/pdf"): OpenApiTypes.BINARY}
    )
    def get(self, request: Request, round_id: int, job_id: int) -> HttpResponse:
        return report_file_response(*_own(request, round_id, job_id))
