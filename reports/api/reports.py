"""Revealed labels over REST: disagreements, decisions, agreement, exports."""

from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_list_or_404, get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from annotate.api.labels import issue_in
from consensus.actions.decisions import settle_issue
from consensus.models import Decision
from consensus.queries.disagreement_filters import LEVELS as DEPTHS
from consensus.queries.disagreement_filters import PLACE, STATES, Narrowing
from consensus.queries.disagreements import DisagreementRow, disagreements, withheld_count
from consensus.queries.probable import MODELS, Probable
from consensus.queries.screening import screening_counts
from consensus.rules import may_see_disagreements, may_settle
from core.api import AsItIs, asked
from ingest.models import Repository
from reports.actions.exports import note_fetch
from reports.agreement_report import GROUPINGS, LEVELS, agreement_report
from reports.api.parameters import COACHED, leaves_out_coached, level_asked_for, one_of
from reports.exports import LAYOUTS, labels_csv
from reports.file_responses import stored_as
from reports.formats.on_request import PARTS, report_with
from reports.queries.independence import QUICK
from reports.queries.screened import as_dict, screening_agreement
from rounds.api.shortcuts import category_of
from rounds.models import Round
from rounds.pages import seat_in
from rounds.queries.blindness import Reader, withheld_issues
from rounds.queries.coached import coached_issues
from rounds.queries.rounds import rounds_for, volunteers
from studies import rules
from studies.api import allow
from studies.pages import study_of
from taxonomy.queries.codebooks import codebook


def _forms() -> dict[str, str]:
    """What a filter must look like, by its name, for refusals."""
    return {
        "pair": _("Use two codes of the version of the round, with a comma: C.1,C.9."),
        "type": _("Use the code of a type."),
        "repository": _("Use a whole number."),
        "split": _("Use the sizes of the groups, with colons: 4:3."),
        "parts_at": one_of(DEPTHS),
        "keyword": _("Use a term of a keyword list."),
        "cause": one_of(Decision.Cause.values),
        "posterior": one_of(MODELS),
        "state": one_of(STATES),
    }


class DisagreementSerializer(serializers.Serializer[Any]):
    issue = serializers.IntegerField()
    url = serializers.CharField()
    title = serializers.CharField()
    labels = serializers.DictField(child=serializers.CharField(), help_text="Code by pseudonym")
    open = serializers.DictField(
        child=serializers.CharField(), help_text="Open labels: the category proposed, by pseudonym"
    )
    split = serializers.DictField(child=serializers.IntegerField(), help_text="How many labels by code")
    decision = serializers.CharField(allow_null=True)
    method = serializers.CharField(allow_null=True)
    state = serializers.ChoiceField(choices=list(STATES))
    decision_number = serializers.IntegerField(help_text="0 without a decision; sent back when settling")
    probable = serializers.DictField(
        required=False,
        help_text="With `posterior`, by model: the probable `category`, `probability`, `of_decision`",
    )


class DisagreementsSerializer(serializers.Serializer[Any]):
    results = DisagreementSerializer(many=True)
    next = serializers.CharField(allow_null=True, help_text="Give it as `after` to read on")
    withheld = serializers.IntegerField(
        help_text="Complete issues that you still have to label in another round"
    )


class SettlementSerializer(serializers.Serializer[Any]):
    category = serializers.CharField(max_length=32)
    rationale = serializers.CharField(max_length=10_000)
    seen = serializers.IntegerField(
        min_value=0, max_value=32_767, help_text="decision_number of the disagreement as it was read"
    )


class DecisionSerializer(serializers.Serializer[Any]):
    issue = serializers.IntegerField()
    category = serializers.CharField()
    method = serializers.CharField()
    number = serializers.IntegerField()
    decided_at = serializers.DateTimeField()


class Disagreements(Endpoint):
    """The complete, revealed issues of a round whose labels are not all the same at its depth."""

    @extend_schema(
        responses=DisagreementsSerializer,
        parameters=[
            OpenApiParameter("pair", str, description="Two codes: C.1,C.9"),
            OpenApiParameter("type", str),
            OpenApiParameter("repository", int),
            OpenApiParameter("volunteer", str, description="Pseudonym of a volunteer with a minority label"),
            OpenApiParameter("split", str, description="Sizes of the groups of equal labels: 4:3"),
            OpenApiParameter("parts_at", str, enum=list(DEPTHS)),
            OpenApiParameter("keyword", str),
            OpenApiParameter("cause", str, enum=Decision.Cause.values),
            OpenApiParameter(
                "posterior",
                str,
                enum=list(MODELS),
                description="Issues for which another category is more probable than the decision, by this"
                " model of erring raters; their rows have `probable`",
            ),
            OpenApiParameter("state", str, enum=list(STATES)),
            OpenApiParameter("after", str),
        ],
    )
    def get(self, request: Request, round_id: int) -> Response:
        round_, member = seat_in(request, round_id, may_see_disagreements)
        after = request.query_params.get("after") or None
        if after and not PLACE.fullmatch(after):
            raise ValidationError({"after": [_("Use the value of `next` of the page before.")]})
        found = disagreements(round_, _narrowing(request, round_), member, after=after)
        names = [volunteer.member.pseudonym for volunteer in found.volunteers]
        return Response(
            {
                "results": [
                    _row(row, names) | _probable(found.probable.get(row.issue.pk)) for row in found.rows
                ],
                "next": found.next,
                "withheld": withheld_count(round_, member),
            }
        )


def _narrowing(request: Request, round_: Round) -> Narrowing:
    given = {name: asked(request, name) for name in request.query_params}
    given["pair"] = given.get("pair", "").replace(",", " ")
    if pseudonym := given.get("volunteer"):
        found = volunteers(round_).filter(member__pseudonym=pseudonym).first()
        if found is None:
            raise ValidationError({"volunteer": [f"Nobody labels in this round as {pseudonym!r}."]})
        given["volunteer"] = str(found.member_id)
    known = codebook(round_.version_id).by_code
    for name, said in _forms().items():
        try:
            narrowing = Narrowing.from_query({name: given.get(name, "")})
        except ValueError as error:
            raise ValidationError({name: [said]}) from error
        if not set(narrowing.pair or ()) <= set(known):
            raise ValidationError({name: [said]})
        if narrowing.type and narrowing.type not in known:
            raise ValidationError({"type": [f"The round's version has no category {narrowing.type!r}."]})
    return Narrowing.from_query(given)


def _row(row: DisagreementRow, names: list[str]) -> dict[str, Any]:
    given = [(name, chip) for name, chip in zip(names, row.labels, strict=True) if chip]
    return {
        "issue": row.issue.pk,
        "url": row.issue.url,
        "title": row.issue.current.title if row.issue.current else "",
        "labels": {name: chip.code for name, chip in given if chip.code},
        "open": {name: chip.name for name, chip in given if not chip.code},
        "split": dict(row.split),
        "decision": row.decided_code,
        "method": row.decision.method if row.decision else None,
        "state": row.state,
        "decision_number": row.decision.number if row.decision else 0,
    }


def _probable(models: Mapping[str, Probable] | None) -> dict[str, Any]:
    if models is None:
        return {}
    return {
        "probable": {
            name: {
                "category": one.state.code,
                "probability": one.probability,
                "of_decision": one.of_decision,
            }
            for name, one in models.items()
        }
    }


class Screening(Endpoint):
    """A screening in numbers: by repository, by reason, and the agreement of its raters.

    `withheld` issues, which you still have to label in another round, are in none of them.
    """

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, round_id: int) -> Response:
        round_, member = seat_in(request, round_id, may_see_disagreements)
        if round_.kind != Round.Kind.SCREENING:
            raise Http404
        blind = withheld_issues(round_, member)
        counts, agreement = screening_counts(round_, blind), screening_agreement(round_, blind)
        return Response(as_dict(round_, counts, agreement))


class Decisions(Endpoint):
    """Settle an issue as the lead, with a rationale."""

    @extend_schema(request=SettlementSerializer, responses={201: DecisionSerializer})
    def post(self, request: Request, round_id: int, issue_id: int) -> Response:
        round_, member = seat_in(request, round_id, may_settle)
        form = SettlementSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        given = form.validated_data
        decision = settle_issue(
            round_=round_,
            issue=issue_in(round_, request, issue_id),
            by=member,
            category=category_of(round_, given["category"]),
            rationale=given["rationale"],
            seen_number=given["seen"],
        )
        answer = {
            "issue": decision.issue_id,
            "category": codebook(round_.version_id).by_id[decision.category_id].code,
            "method": decision.method,
            "number": decision.number,
            "decided_at": decision.decided_at,
        }
        return Response(DecisionSerializer(answer).data, status=status.HTTP_201_CREATED)


class Agreement(Endpoint):
    """The agreement report of a round: the numbers of the page and of the command, in full precision.

    `withheld` issues, which you still have to label in another round, are in none of them. Over 3,000 issues
    the search for signs of dependence takes a second or more: then `independence` is there on request only.
    """

    @extend_schema(
        responses=OpenApiTypes.OBJECT,
        parameters=[
            OpenApiParameter(
                "independence",
                str,
                enum=["yes", "no"],
                description="yes: with it, however many issues there are",
            ),
            OpenApiParameter("level", str, enum=list(LEVELS)),
            OpenApiParameter(
                "by", str, many=True, description=f"Repeats; a comma crosses: {', '.join(GROUPINGS)}"
            ),
            OpenApiParameter(
                "with", str, many=True, enum=list(PARTS), description="Takes a second in a large study"
            ),
            COACHED,
        ],
    )
    def get(self, request: Request, round_id: int) -> Response:
        round_, member = seat_in(request, round_id, may_see_disagreements)
        level = level_asked_for(request)
        more = request.query_params.getlist("with")
        if not set(more) <= set(PARTS):
            raise ValidationError({"with": [one_of(PARTS)]})
        by = [names.split(",") for names in request.query_params.getlist("by")]
        if not {name for names in by for name in names} <= set(GROUPINGS) or len(by) > 7:
            raise ValidationError(
                {"by": [_("Use these values: %(values)s.") % {"values": ", ".join(GROUPINGS)}]}
            )
        if any("round" in names and len(names) > 1 for names in by):
            raise ValidationError({"by": ["Rounds are crossed with no other grouping."]})
        blind = withheld_issues(round_, member)
        found = agreement_report(
            round_,
            level=level,
            by=by,
            blind=blind,
            reader=Reader(member),
            without_coached=leaves_out_coached(request),
        )
        slow = found.complete > QUICK and request.query_params.get("independence") != "yes"
        return Response(report_with(found, more, but=("independence",) if slow else ()))


class LabelsCsv(Endpoint):
    """The revealed labels of a round as CSV, streamed: the published layout with the labels as they are now;
    a row per first label, as it was at the reveal (`long`); or a row per label of a second look.

    Issues that you still have to label in another round are left out; the header `Crosscheck-Withheld` says
    how many these are.
    """

    content_negotiation_class = AsItIs

    @extend_schema(
        responses={(200, "text/csv"): OpenApiTypes.STR},
        parameters=[
            OpenApiParameter("repository", str, description="Path on the forge; all if not given"),
            OpenApiParameter("layout", str, enum=list(LAYOUTS)),
            OpenApiParameter("round", str, description="Name; needed if the study has several rounds"),
            COACHED,
        ],
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        study, member = study_of(request, slug)
        allow(rules.may_read_revealed(member))
        layout = request.query_params.get("layout", "wide")
        if layout not in LAYOUTS:
            raise ValidationError({"layout": [one_of(LAYOUTS)]})
        rounds = rounds_for(request.user).filter(study=study)
        name = asked(request, "round")
        rounds = rounds.filter(name=name) if name else rounds.exclude(kind__in=Round.APART)
        chosen = list(rounds.order_by("id")[:2])
        if len(chosen) > 1:
            raise ValidationError({"round": ["The study has several rounds: name one."]})
        round_ = get_object_or_404(Round, pk=chosen[0].pk if chosen else None)
        repositories = None
        if path := asked(request, "repository"):
            # Two forges can have a repository with this path: a project and its mirror.
            repositories = get_list_or_404(Repository, study=study, path__iexact=path)
        blind = withheld_issues(round_, member)
        note_fetch(round_=round_, by=member, file=f"{layout} {path or 'all'}")
        headers = stored_as(f"labels-{round_.pk}-{layout}.csv", blind.count())
        if leaves_out_coached(request):
            blind |= coached_issues(round_)
        return StreamingHttpResponse(
            labels_csv(round_, layout=layout, repositories=repositories, blind=blind),
            content_type="text/csv; charset=utf-8",
            headers=headers | {"Cache-Control": "no-store"},
        )
