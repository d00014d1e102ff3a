"""Codings over REST: opening, own quotes, being done, and settling after the reveal."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from interviews.actions.coders import CHANGES
from interviews.actions.codings import finish_coding, open_coding, reopen_coding
from interviews.actions.placing import place_again
from interviews.actions.quotes import drop_quote, save_quote
from interviews.actions.settling import settle_coding, settle_quotes, undo_settlement
from interviews.api.coding_serializers import (
    CoderChangeSerializer,
    CodingLineSerializer,
    CodingSerializer,
    DoneSerializer,
    ItemSerializer,
    KeysSerializer,
    MoveSerializer,
    NewCodingSerializer,
    NewQuoteSerializer,
    PlaceSerializer,
    QuoteLineSerializer,
    SettleSerializer,
)
from interviews.api.people import given
from interviews.models import Coding, Session
from interviews.queries.codings import (
    coder_of,
    coders_of,
    coding_lines,
    codings_for,
    members_to_choose,
    possible_coders,
    versions_to_code_with,
)
from interviews.queries.quotes import Content, Span, left_behind, on_newest, quote_lines, quotes_shown
from interviews.queries.reconciling import items_of
from interviews.queries.sessions import coding_state, newest_transcript, sessions_for
from interviews.rules import (
    may_enter_interviews,
    may_lead_interviews,
    may_read_interview,
    may_read_quotes,
)
from studies.api import allow
from studies.models import Membership, Study
from studies.pages import own_seat, study_of
from taxonomy.queries.codebooks import codebook


class Codings(Endpoint):
    """The interviews that you may read, with their coders and who is done."""

    @extend_schema(responses=CodingLineSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        study, member = study_of(request, slug, may_enter_interviews)
        return Response(CodingLineSerializer(coding_lines(study, member), many=True).data)


class InterviewCoding(Endpoint):
    """Open the coding of an interview, by owner or lead."""

    @extend_schema(request=NewCodingSerializer, responses={201: CodingSerializer})
    def post(self, request: Request, session_id: int) -> Response:
        session: Session = get_object_or_404(sessions_for(request.user), pk=session_id)
        member = own_seat(request, session.study)
        allow(may_lead_interviews(member))
        values = given(NewCodingSerializer, request)
        version = versions_to_code_with(session.study).filter(
            taxonomy=values["taxonomy"], number=values["version"]
        )
        found = version.first()
        if found is None:
            raise serializers.ValidationError({"version": ["The taxonomy has no such published version."]})
        coders = _coders(session.study, values["coders"])
        made = open_coding(session=session, version=found, coders=coders, by=member)
        return Response(_coding(made, member), status=status.HTTP_201_CREATED)


class OneCoding(Endpoint):
    """A coding with your own quotes, and with the quotes of all once it is revealed."""

    @extend_schema(responses=CodingSerializer)
    def get(self, request: Request, coding_id: int) -> Response:
        return Response(_coding(*_read(request, coding_id)))


class Quotes(Endpoint):
    """A PUT stores one quote of yours, named by its place; a POST drops it. Both only while the coding is
    blind, and the same twice changes nothing.
    """

    @extend_schema(request=NewQuoteSerializer, responses=QuoteLineSerializer)
    def put(self, request: Request, coding_id: int) -> Response:
        coding, member = _read(request, coding_id)
        values = given(NewQuoteSerializer, request)
        content = Content(
            tuple(values["codes"]), tuple(values["open_codes"]), values["memo"], values["strength"]
        )
        span = Span(values["turn"], values["start"], values["end"])
        made = save_quote(
            coding=coding, member=member, span=span, content=content, transcript=values.get("transcript")
        )
        rows = quotes_shown(coding, member).filter(pk=made.pk)
        [line] = quote_lines(rows, codebook(coding.version_id))
        return Response(QuoteLineSerializer(line).data)

    @extend_schema(request=PlaceSerializer, responses={204: None})
    def post(self, request: Request, coding_id: int) -> Response:
        coding, member = _read(request, coding_id)
        values = given(PlaceSerializer, request)
        span = Span(values["turn"], values["start"], values["end"])
        drop_quote(coding=coding, member=member, span=span, transcript=values.get("transcript"))
        return Response(status=status.HTTP_204_NO_CONTENT)


class CodingDone(Endpoint):
    """Say that you are done, or go on. The last coder who is done reveals the coding."""

    @extend_schema(request=DoneSerializer, responses=CodingSerializer)
    def post(self, request: Request, coding_id: int) -> Response:
        coding, member = _read(request, coding_id)
        done = given(DoneSerializer, request)["done"]
        finish_coding(coding=coding, member=member, done=done)
        return Response(_coding(*_read(request, coding_id)))


class Items(Endpoint):
    """The quotes of all, where they overlap, with how they were settled. A POST settles one item."""

    @extend_schema(responses=ItemSerializer(many=True))
    def get(self, request: Request, coding_id: int) -> Response:
        return Response(_items(revealed(request, coding_id)[0]))

    @extend_schema(request=SettleSerializer, responses=ItemSerializer(many=True))
    def post(self, request: Request, coding_id: int) -> Response:
        coding, member = revealed(request, coding_id)
        values = given(SettleSerializer, request)
        codes, names = tuple(values.pop("codes")), tuple(values.pop("open_codes"))
        content = Content(codes, names) if codes or names else None
        settle_quotes(coding=coding, content=content, by=member, **values)
        return Response(_items(coding))


class ItemUndo(Endpoint):
    """Take back how an item was settled."""

    @extend_schema(request=KeysSerializer, responses=ItemSerializer(many=True))
    def post(self, request: Request, coding_id: int) -> Response:
        coding, member = revealed(request, coding_id)
        undo_settlement(coding=coding, by=member, **given(KeysSerializer, request))
        return Response(_items(coding))


class CodersOf(Endpoint):
    """Add a coder, take one off who has not finished (`release`), or let one go on who has (`reopen`), while
    the coding is blind. By owner or lead. It reveals nothing.
    """

    @extend_schema(request=CoderChangeSerializer, responses=CodingSerializer)
    def post(self, request: Request, coding_id: int) -> Response:
        coding, member = _read(request, coding_id)
        allow(may_lead_interviews(member))
        values = given(CoderChangeSerializer, request)
        who = members_to_choose(coding).filter(pseudonym=values["who"]).first()
        if who is None:
            raise serializers.ValidationError({"who": [f"{values['who']} cannot code in this study."]})
        CHANGES[values["change"]](coding=coding, member=who, by=member)
        return Response(_coding(*_read(request, coding_id)))


class QuoteMove(Endpoint):
    """Place a quote that is left behind at words of the newest transcript. It is open to settle then."""

    @extend_schema(request=MoveSerializer, responses=ItemSerializer(many=True))
    def post(self, request: Request, coding_id: int) -> Response:
        coding, member = revealed(request, coding_id)
        values = given(MoveSerializer, request)
        span = Span(values.pop("turn"), values.pop("start"), values.pop("end"))
        place_again(coding=coding, of=values.pop("by"), span=span, by=member, **values)
        return Response(_items(coding))


class CodingSettling(Endpoint):
    """Say that all quotes are settled."""

    @extend_schema(request=None, responses=CodingSerializer)
    def post(self, request: Request, coding_id: int) -> Response:
        coding, member = revealed(request, coding_id)
        settle_coding(coding=coding, by=member)
        return Response(_coding(*_read(request, coding_id)))


class CodingReopening(Endpoint):
    """Reopen a settled coding, by owner or lead."""

    @extend_schema(request=None, responses=CodingSerializer)
    def post(self, request: Request, coding_id: int) -> Response:
        coding, member = revealed(request, coding_id)
        reopen_coding(coding=coding, by=member)
        return Response(_coding(*_read(request, coding_id)))


def _read(request: Request, coding_id: int) -> tuple[Coding, Membership]:
    found = get_object_or_404(codings_for(request.user), pk=coding_id)
    member = own_seat(request, found.session.study)
    allow(may_read_interview(member, found.session, codes=coder_of(found, member) is not None))
    return found, member


def revealed(request: Request, coding_id: int) -> tuple[Coding, Membership]:
    """A coding whose quotes the caller may see. Http404, PermissionDenied."""
    found, member = _read(request, coding_id)
    allow(may_read_quotes(member, found))
    return found, member


def _coders(study: Study, pseudonyms: list[str]) -> list[Membership]:
    found = {seat.pseudonym: seat for seat in possible_coders(study).filter(pseudonym__in=pseudonyms)}
    if unknown := sorted(set(pseudonyms) - set(found)):
        raise serializers.ValidationError({"coders": [f"{', '.join(unknown)} cannot code in this study."]})
    return [found[one] for one in dict.fromkeys(pseudonyms)]


def _coding(coding: Coding, member: Membership) -> Any:
    book, transcript = codebook(coding.version_id), newest_transcript(coding.session)
    shown = quotes_shown(coding, member)
    row = {
        "coding": coding,
        "state": coding_state(coding.session),
        "transcript": transcript.number if transcript else 0,
        "coders": coders_of(coding),
        "quotes": quote_lines(on_newest(coding, shown, transcript), book) if transcript else [],
        "left_behind": quote_lines(left_behind(coding, shown, transcript), book) if transcript else [],
    }
    return CodingSerializer(row).data


def _items(coding: Coding) -> Any:
    transcript = newest_transcript(coding.session)
    return ItemSerializer(items_of(coding, transcript) if transcript else [], many=True).data
