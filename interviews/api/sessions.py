"""Guides, interviews, transcripts and rankings over REST."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.db import transaction
from django.shortcuts import get_object_or_404
from django.views.decorators.debug import sensitive_variables
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from core.numbers import number_asked
from core.uploads import WholeJson
from interviews.actions.guides import Ranks, publish_guide
from interviews.actions.identities import note_look_at_transcript
from interviews.actions.rankings import record_ranking
from interviews.actions.sessions import add_session, change_session
from interviews.actions.transcripts import (
    add_replacement,
    correct_transcript,
    import_transcript,
    store_transcript,
)
from interviews.api.people import given, led
from interviews.api.serializers import (
    ChangedSessionSerializer,
    CorrectionFileSerializer,
    CorrectionSerializer,
    GuideLineSerializer,
    NewGuideSerializer,
    NewSessionSerializer,
    NewTranscriptSerializer,
    OneGuideSerializer,
    PlacesSerializer,
    PreviewSerializer,
    PseudonymiseSerializer,
    RankedSerializer,
    SessionSerializer,
    TranscriptFileSerializer,
    TranscriptSerializer,
)
from interviews.errors import InterviewRefused, NoRawTranscript
from interviews.forms.transcripts import MOST_BYTES
from interviews.models import RawTranscript, Session
from interviews.queries.guides import guides_for
from interviews.queries.participants import participants_for
from interviews.queries.pseudonyms import pairs_of, places_in, raw_turns
from interviews.queries.rankings import answers_of, guides_of, ranking_questions
from interviews.queries.reading import ReadTurns, Unread, guide_text, missed_names, read_turns
from interviews.queries.sessions import (
    codes_session,
    coding_state,
    newest_transcript,
    session_lines,
    sessions_for,
    turns_of,
)
from interviews.rules import (
    may_enter_interviews,
    may_lead_interviews,
    may_read_guide,
    may_read_interview,
)
from studies.api import allow
from studies.models import Membership, Study
from studies.pages import own_seat, study_of
from studies.queries import members
from taxonomy.models import CategoryState

R = TypeVar("R")
Body = type[serializers.Serializer[Any]]


def by_type(text: Body, file: Body) -> dict[str, Body]:
    """What a request sends, for the schema: a text as JSON, or a file."""
    return {"application/json": text, "multipart/form-data": file}


class Guides(Endpoint):
    """The versions of the guide, newest first, and the next one."""

    @extend_schema(responses=GuideLineSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        study, _member = study_of(request, slug, may_read_guide)
        return Response(GuideLineSerializer(guides_of(study), many=True).data)

    @extend_schema(request=NewGuideSerializer, responses={201: OneGuideSerializer})
    def post(self, request: Request, slug: str) -> Response:
        study, member = led(request, slug)
        values = given(NewGuideSerializer, request)
        rankings = {(one["part"], one["question"]): _ranks(study, one) for one in values["rankings"]}
        text = values["text"]
        said = _understood(lambda: guide_text(text), "text")
        made = publish_guide(
            study=study, text=text, said=said, note=values["note"], rankings=rankings, by=member
        )
        return Response(OneGuideSerializer(made).data, status=status.HTTP_201_CREATED)


def _ranks(study: Study, asked: dict[str, Any]) -> Ranks:
    under = None
    if "under" in asked:
        states = CategoryState.objects.filter(
            version__taxonomy=asked["taxonomy"], version__taxonomy__study=study, code=asked["under"]
        )
        found = states.filter(version__published_at__isnull=False).order_by("-version__number").first()
        if found is None:
            raise serializers.ValidationError({"rankings": ["The taxonomy has no such category."]})
        under = found.category_id
    return Ranks(asked["taxonomy"], asked["level"], under, asked["top"])


class OneGuide(Endpoint):
    """One version of the guide with its text, parts and questions."""

    @extend_schema(responses=OneGuideSerializer)
    def get(self, request: Request, guide_id: int) -> Response:
        found = get_object_or_404(guides_for(request.user), pk=guide_id)
        allow(may_read_guide(own_seat(request, found.study)))
        return Response(OneGuideSerializer(found).data)


class Interviews(Endpoint):
    """The interviews that you may read, by date, and a new one, by owner or lead."""

    @extend_schema(responses=SessionSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        study, member = study_of(request, slug, may_enter_interviews)
        return Response(SessionSerializer(session_lines(study, member), many=True).data)

    @extend_schema(request=NewSessionSerializer, responses={201: SessionSerializer})
    def post(self, request: Request, slug: str) -> Response:
        study, member = led(request, slug)
        values = given(NewSessionSerializer, request)
        people = participants_for(request.user).filter(study=study)
        participant = get_object_or_404(people, pk=values.pop("participant"))
        made = add_session(participant=participant, by=member, **_of_session(study, values))
        return Response(_session_row(made), status=status.HTTP_201_CREATED)


class OneInterview(Endpoint):
    """One interview; a PUT changes who held it, when and by which guide."""

    @extend_schema(responses=SessionSerializer)
    def get(self, request: Request, session_id: int) -> Response:
        session, _member = _read(request, session_id)
        return Response(_session_row(session))

    @extend_schema(request=ChangedSessionSerializer, responses=SessionSerializer)
    def put(self, request: Request, session_id: int) -> Response:
        session, member = _led(request, session_id)
        values = _of_session(session.study, given(ChangedSessionSerializer, request))
        return Response(_session_row(change_session(session=session, by=member, **values)))


class InterviewTranscript(Endpoint):
    """The stored, pseudonymised transcript (`?version=`); a POST imports one with names, encrypted: a text,
    or a file as `multipart/form-data`.
    """

    parser_classes = (WholeJson, MultiPartParser)

    @extend_schema(responses=TranscriptSerializer, parameters=[OpenApiParameter("version", int)])
    def get(self, request: Request, session_id: int) -> Response:
        session, _member = _read(request, session_id)
        number = number_asked(request.query_params, "version", digits=4)
        found = (
            newest_transcript(session)
            if number is None
            else session.transcripts.filter(number=number).first()
        )
        if found is None:
            return Response({"detail": "No transcript is stored."}, status=status.HTTP_404_NOT_FOUND)
        return Response(TranscriptSerializer(_transcript(found)).data)

    @sensitive_variables()
    @extend_schema(request=by_type(NewTranscriptSerializer, TranscriptFileSerializer), responses={204: None})
    def post(self, request: Request, session_id: int) -> Response:
        session, member = _led(request, session_id)
        values = given(TranscriptFileSerializer if _is_file(request) else NewTranscriptSerializer, request)
        read, ending = _turns(values)
        import_transcript(session=session, turns=read.turns, notes=read.notes, file_format=ending, by=member)
        return Response(status=status.HTTP_204_NO_CONTENT)


class Pseudonymisation(Endpoint):
    """Add replacements and look at a transcript with names, which the audit notes; with `speakers` the
    pseudonymised transcript is stored, and the one with names is deleted.
    """

    @sensitive_variables()
    @extend_schema(
        request=PseudonymiseSerializer, responses={200: PreviewSerializer, 201: TranscriptSerializer}
    )
    @transaction.atomic
    def post(self, request: Request, session_id: int) -> Response:
        session, member = _led(request, session_id)
        values = given(PseudonymiseSerializer, request)
        raw = RawTranscript.objects.filter(session=session).first()
        if raw is None:
            raise NoRawTranscript
        for one in values["replacements"]:
            add_replacement(participant=session.participant, by=member, **one)
        if "speakers" in values:
            made = store_transcript(session=session, speakers=values["speakers"], by=member)
            return Response(TranscriptSerializer(_transcript(made)).data, status=status.HTTP_201_CREATED)
        note_look_at_transcript(session=session, by=member)
        turns, pairs = raw_turns(raw), pairs_of(session.participant)
        found = {
            "speakers": list(dict.fromkeys(turn.speaker for turn in turns)),
            "places": places_in(turns, pairs),
            "missed": missed_names(session.participant, turns),
            "notes": raw.notes,
        }
        return Response(PreviewSerializer(found).data)


class Corrections(Endpoint):
    """Store a corrected transcript as the next version; quotes are carried to it. Turns of earlier versions
    with one of the `replacements` are emptied. A file comes as `multipart/form-data`, with one replacement.
    """

    parser_classes = (WholeJson, MultiPartParser)

    @sensitive_variables()
    @extend_schema(
        request=by_type(CorrectionSerializer, CorrectionFileSerializer), responses={201: TranscriptSerializer}
    )
    @transaction.atomic
    def post(self, request: Request, session_id: int) -> Response:
        session, member = _led(request, session_id)
        values = given(CorrectionFileSerializer if _is_file(request) else CorrectionSerializer, request)
        read, _ending = _turns(values)
        for one in values["replacements"]:
            add_replacement(participant=session.participant, by=member, **one)
        made = correct_transcript(
            session=session,
            turns=read.turns,
            note=values["note"],
            made_from=values["made_from"],
            by=member,
        )
        return Response(TranscriptSerializer(_transcript(made)).data, status=status.HTTP_201_CREATED)


class InterviewRankings(Endpoint):
    """The ranking questions of an interview, with what the participant answered."""

    @extend_schema(responses=RankedSerializer(many=True))
    def get(self, request: Request, session_id: int) -> Response:
        session, _member = _read(request, session_id)
        return Response(_ranked(session))


class OneRanking(Endpoint):
    """Record what a participant answered to a ranking question."""

    @extend_schema(request=PlacesSerializer, responses=RankedSerializer(many=True))
    def put(self, request: Request, session_id: int, question_id: int) -> Response:
        session, member = _led(request, session_id)
        question = get_object_or_404(ranking_questions(session), pk=question_id)
        places = given(PlacesSerializer, request)["places"]
        answer = next(one for one in answers_of(session) if one.question.pk == question.pk)
        ids = {choice.state.code: choice.state.category_id for choice in answer.choices}
        if set(places) - set(ids):
            raise serializers.ValidationError({"places": ["The question asks about no such category."]})
        record_ranking(
            session=session,
            question=question,
            places={ids[code]: place for code, place in places.items()},
            by=member,
        )
        return Response(_ranked(session))


def _read(request: Request, session_id: int) -> tuple[Session, Membership]:
    found = get_object_or_404(sessions_for(request.user), pk=session_id)
    member = own_seat(request, found.study)
    allow(may_read_interview(member, found, codes=codes_session(member, found)))
    return found, member


def _led(request: Request, session_id: int) -> tuple[Session, Membership]:
    found = get_object_or_404(sessions_for(request.user), pk=session_id)
    member = own_seat(request, found.study)
    allow(may_lead_interviews(member))
    return found, member


def _of_session(study: Study, values: dict[str, Any]) -> dict[str, Any]:
    seat = get_object_or_404(members(study), pseudonym=values["interviewer"])
    guide = get_object_or_404(guides_of(study), number=values["guide"]) if values["guide"] else None
    return {**values, "interviewer": seat, "guide": guide}


def _session_row(session: Session) -> Any:
    newest = newest_transcript(session)
    row = {"session": session, "transcript": newest.number if newest else 0, "coding": coding_state(session)}
    return SessionSerializer(row).data


def _transcript(found: Any) -> dict[str, Any]:
    names = ("number", "note", "stored_at")
    return {name: getattr(found, name) for name in names} | {"turns": turns_of(found)}


def _is_file(request: Request) -> bool:
    return (request.content_type or "").lower().startswith("multipart/")


@sensitive_variables()
def _turns(values: dict[str, Any]) -> tuple[ReadTurns, str]:
    """The turns of a text or file, and the ending of the file that it is like. Raises InterviewRefused."""
    if "file" not in values:
        return _understood(lambda: read_turns(values["text"].encode(), "txt"), "text"), "txt"
    upload = values["file"]
    ending = upload.name.lower().rpartition(".")[2]
    return _understood(lambda: read_turns(upload.read(MOST_BYTES + 1), ending), "file"), ending


@sensitive_variables()
def _understood(read: Callable[[], R], field: str) -> R:
    """What a text says. Raises InterviewRefused for one that no reader takes."""
    try:
        return read()
    except Unread as refused:
        raise InterviewRefused(str(refused), field=field) from None


def _ranked(session: Session) -> Any:
    rows = [
        {"question": answer.question, "order": [[state.code for state in tied] for tied in answer.order]}
        for answer in answers_of(session)
    ]
    return RankedSerializer(rows, many=True).data
