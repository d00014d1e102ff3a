"""Boards over REST: the list, a new board, its content, acts, the agreement, and the mapping as a file."""

from datetime import UTC
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, OpenApiTypes, extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from boards import commands
from boards.actions.boards import note_mapping_fetch, start_board, start_board_from_mapping
from boards.errors import MappingNotRead, NothingToCompare
from boards.mapping import MappingRefused, read_mapping, write_mapping
from boards.models import Board
from boards.queries.agreement import agreement_of
from boards.queries.boards import boards_for, boards_of, mapping_of, state_of
from boards.queries.hidden import held_from
from boards.rules import may_make_board, may_read_board
from core.api import AsItIs
from core.errors import DomainError
from reports.file_responses import attached
from studies.api import allow
from studies.models import Membership
from studies.pages import own_seat
from studies.rules import may_see_people
from taxonomy.models import CategoryState, Taxonomy
from taxonomy.pages import taxonomy_of
from taxonomy.queries.taxonomies import published_version


class BoardSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="board.pk")
    name = serializers.CharField(source="board.name")
    phase = serializers.ChoiceField(Board.Phase.choices, source="board.phase")
    cards = serializers.IntegerField(help_text="In play, of those that you may see")
    sorted = serializers.IntegerField(help_text="Of these in a pile or aside, in the common sorting")
    piles = serializers.IntegerField()
    sorters = serializers.IntegerField(help_text="Who sort apart, or did")
    done = serializers.IntegerField(help_text="Of these who have said that they are done")
    made_by = serializers.CharField(source="board.made_by", help_text="Pseudonym")
    made_at = serializers.DateTimeField(source="board.made_at", default_timezone=UTC)


class NewBoardSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=120)
    about = serializers.CharField(
        required=False, help_text="Code of a theme or type: the summaries of its labels are the cards"
    )
    mapping = serializers.CharField(
        required=False, trim_whitespace=False, help_text="Or a file as text: rootcause,subcategory,symptoms"
    )
    with_piles = serializers.BooleanField(
        default=True, help_text="Of a file: its sub-themes are piles; else its cards come unsorted"
    )
    sorters = serializers.ListField(
        child=serializers.CharField(max_length=32),
        default=list,
        max_length=100,
        help_text="Pseudonyms of those who sort apart first; nobody: together at once",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("about" in attrs) == ("mapping" in attrs):
            raise ValidationError("Say what the cards are: `about` a category, or a `mapping`.")
        return attrs


class BoardHadSerializer(serializers.Serializer[Any]):
    who = serializers.CharField(help_text="Pseudonym")
    pile = serializers.CharField()


class BoardCardSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    text = serializers.CharField()
    labels = serializers.IntegerField(help_text="So many labels say it; 0 for cards of a file")
    pile = serializers.IntegerField(allow_null=True)
    aside = serializers.BooleanField()
    group = serializers.IntegerField(allow_null=True, help_text="Of cards that are nearly equal")
    had = BoardHadSerializer(many=True, required=False, help_text="Where it lay while they sorted apart")


class BoardPileSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    number = serializers.IntegerField(help_text="In the order of their coming")
    name = serializers.CharField()
    definition = serializers.CharField(allow_blank=True)
    theme = serializers.CharField(allow_null=True, help_text="Code of the theme above it, in the draft")
    rootcause = serializers.CharField(allow_blank=True, help_text="Its name, or what a file says instead")
    made = serializers.CharField(allow_null=True, help_text="Code of the sub-theme that it became")
    position = serializers.IntegerField()


class BoardAboutSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    name = serializers.CharField()


class BoardSorterSerializer(serializers.Serializer[Any]):
    who = serializers.CharField()
    done = serializers.BooleanField()


class BoardStateSerializer(serializers.Serializer[Any]):
    revision = serializers.IntegerField(help_text="Higher after each act")
    phase = serializers.ChoiceField(Board.Phase.choices)
    can_edit = serializers.BooleanField()
    may_lead = serializers.BooleanField()
    you = serializers.CharField()
    about = BoardAboutSerializer(allow_null=True, required=False)
    whole = serializers.BooleanField(required=False, help_text="All is here, not only what changed")
    news = serializers.IntegerField(
        required=False,
        help_text="So many summaries could be brought; told to who leads, with all that is here",
    )
    cards = BoardCardSerializer(many=True)
    gone = serializers.ListField(
        child=serializers.IntegerField(), required=False, help_text="Cards that are out of play since"
    )
    piles = BoardPileSerializer(many=True)
    sorters = BoardSorterSerializer(many=True)
    can_undo = serializers.BooleanField()
    can_redo = serializers.BooleanField()


class BoardActSerializer(serializers.Serializer[Any]):
    act = serializers.ChoiceField(sorted(commands.ACTS))
    seen = serializers.IntegerField(required=False, help_text="The revision that you know")
    key = serializers.UUIDField(required=False, help_text="What is sent again with it is done once")
    cards = serializers.ListField(child=serializers.IntegerField(), required=False)
    card = serializers.IntegerField(required=False)
    pile = serializers.IntegerField(required=False)
    piles = serializers.ListField(child=serializers.IntegerField(), required=False)
    to = serializers.IntegerField(required=False, allow_null=True)
    aside = serializers.BooleanField(required=False)
    position = serializers.IntegerField(required=False)
    name = serializers.CharField(required=False, allow_blank=True)
    definition = serializers.CharField(required=False, allow_blank=True)
    theme = serializers.CharField(required=False, allow_null=True)
    rootcause = serializers.CharField(required=False, allow_blank=True)
    was = serializers.DictField(required=False, help_text="The fields of a pile as you know them")
    text = serializers.CharField(required=False)
    texts = serializers.ListField(child=serializers.CharField(), required=False)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Adds the field `from`, which cannot be a name in Python."""
        places = serializers.DictField(required=False, help_text="Where you know each card to lie, by its id")
        return super().get_fields() | {"from": places}


class BoardPairSerializer(serializers.Serializer[Any]):
    first = serializers.CharField()
    second = serializers.CharField()
    cards = serializers.IntegerField(source="alike.cards", help_text="In a pile of both")
    left_out = serializers.IntegerField(source="alike.left_out", help_text="In a pile of only one of them")
    adjusted_rand = serializers.FloatField(source="alike.adjusted_rand", allow_null=True)
    shared = serializers.FloatField(
        source="alike.shared", allow_null=True, help_text="In both, of the pairs together in one"
    )
    together = serializers.IntegerField(source="alike.together", help_text="Pairs of cards together in both")
    only_first = serializers.IntegerField(source="alike.first")
    only_second = serializers.IntegerField(source="alike.second")
    apart = serializers.IntegerField(source="alike.apart", help_text="Pairs that are together in neither")
    reason = serializers.CharField(
        source="alike.reason", allow_blank=True, help_text="Why there is no number"
    )


class BoardAgreementSerializer(serializers.Serializer[Any]):
    sorters = serializers.ListField(source="names", child=serializers.CharField())
    cards = serializers.IntegerField()
    mean = serializers.FloatField(
        source="whole.mean", allow_null=True, help_text="Of the adjusted Rand indices that are defined"
    )
    defined = serializers.IntegerField(source="whole.defined")
    reason = serializers.CharField(source="whole.reason", allow_blank=True)
    pairs = BoardPairSerializer(many=True)


class BoardRefusalSerializer(BoardStateSerializer):
    detail = serializers.CharField()
    code = serializers.CharField()


class Boards(Endpoint):
    """The boards of a taxonomy, newest first; and a new one, by owner or lead."""

    @extend_schema(responses=BoardSerializer(many=True))
    def get(self, request: Request, taxonomy_id: int) -> Response:
        taxonomy, member = taxonomy_of(request, taxonomy_id, may_see_people)
        return Response(BoardSerializer(boards_of(taxonomy, member), many=True).data)

    @extend_schema(request=NewBoardSerializer, responses={201: BoardSerializer})
    def post(self, request: Request, taxonomy_id: int) -> Response:
        taxonomy, member = taxonomy_of(request, taxonomy_id, may_see_people)
        allow(may_make_board(member, taxonomy.study))
        asked = NewBoardSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        given = asked.validated_data
        common = {"taxonomy": taxonomy, "name": given["name"], "by": member}
        common["sorters"] = _sorters(taxonomy, given["sorters"])
        if "about" in given:
            board = start_board(**common, about=_about(taxonomy, given["about"]).category)
        else:
            try:
                rows = read_mapping(given["mapping"].encode())
            except MappingRefused as refused:
                raise MappingNotRead(refused) from refused
            board = start_board_from_mapping(**common, rows=rows, with_piles=given["with_piles"])
        line = next(line for line in boards_of(taxonomy, member) if line.board == board)
        return Response(BoardSerializer(line).data, status=status.HTTP_201_CREATED)


class BoardState(Endpoint):
    """What lies where; with `since` what changed after that revision, 204 where nothing did."""

    @extend_schema(
        parameters=[OpenApiParameter("since", int, description="The revision that you know")],
        responses={200: BoardStateSerializer, 204: None},
    )
    def get(self, request: Request, board_id: int) -> Response:
        board, member = _board(request, board_id)
        found = state_of(board, member, since=commands.revision(request.query_params.get("since")))
        return Response(found, status=status.HTTP_200_OK if found else status.HTTP_204_NO_CONTENT)


class BoardActs(Endpoint):
    """One act. The answer is what changed since the revision that you know; 409 with `detail` where somebody
    was there first: then nothing was changed.
    """

    @extend_schema(
        request=BoardActSerializer,
        responses={200: BoardStateSerializer, 409: BoardRefusalSerializer, 422: BoardRefusalSerializer},
    )
    def post(self, request: Request, board_id: int) -> Response:
        board, member = _board(request, board_id)
        body = request.data
        try:
            commands.act(board, member, body)
        except DomainError as error:
            words = {"detail": str(error.message), "code": type(error).__name__}
            return Response(commands.after(board, member, body) | words, status=error.status)
        return Response(commands.after(board, member, body))


class BoardAgreementOf(Endpoint):
    """How alike the cards were sorted apart; 409 while they still are, or never were."""

    @extend_schema(responses=BoardAgreementSerializer)
    def get(self, request: Request, board_id: int) -> Response:
        board, member = _board(request, board_id)
        found = agreement_of(board, member)
        if found is None:
            raise NothingToCompare
        return Response(BoardAgreementSerializer(found).data)


class BoardMapping(Endpoint):
    """The piles of the common sorting and their cards, laid out like the published files."""

    content_negotiation_class = AsItIs

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR})
    def get(self, request: Request, board_id: int) -> HttpResponse:
        board, member = _board(request, board_id)
        text = write_mapping(mapping_of(board, member))
        note_mapping_fetch(board=board, by=member)
        return attached(text, f"{board.name}.csv", withheld=held_from([board], member))


def _board(request: Request, board_id: int) -> tuple[Board, Membership]:
    board = get_object_or_404(boards_for(request.user), pk=board_id)
    member = own_seat(request, board.taxonomy.study)
    allow(may_read_board(member, board))
    return board, member


def _about(taxonomy: Taxonomy, code: str) -> CategoryState:
    """A theme or type of the newest published version. Raises ValidationError."""
    version = published_version(taxonomy)
    states = CategoryState.objects.filter(version=version, code=code, level__lt=3)
    found = states.select_related("category").first()
    if found is None:
        raise ValidationError({"about": [f"The newest version has no type or theme {code!r}."]})
    return found


def _sorters(taxonomy: Taxonomy, pseudonyms: list[str]) -> list[Membership]:
    seats = Membership.objects.filter(study=taxonomy.study, left_at=None, pseudonym__in=pseudonyms)
    found = {seat.pseudonym: seat for seat in seats}
    if unknown := sorted(set(pseudonyms) - set(found)):
        raise ValidationError({"sorters": [f"The study has no member {', '.join(unknown)}."]})
    return list(found.values())
