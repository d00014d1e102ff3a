"""The comments on a disagreement over REST: members read them and add new ones."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from consensus.actions.threads import say
from consensus.models.comments import COMMENT_LENGTH
from consensus.queries.threads import ThreadComment, may_read_thread, thread
from consensus.rules import may_comment, may_see_disagreements
from ingest.models import Issue
from rounds.api.shortcuts import category_of
from rounds.models import Round
from rounds.pages import seat_in
from studies.api import allow
from studies.models import Membership


class CommentSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    author = serializers.CharField(help_text="A pseudonym")
    text = serializers.CharField()
    category = serializers.CharField(
        allow_null=True,
        help_text="The code that it argues for, at the round's depth; null if it does not say",
    )
    said_at = serializers.DateTimeField()


class SaySerializer(serializers.Serializer[Any]):
    """`@R3` in the text tells that member, if they may see the issue."""

    text = serializers.CharField(max_length=COMMENT_LENGTH)
    category = serializers.CharField(max_length=32, required=False, allow_null=True, default=None)


class Comments(Endpoint):
    """The comments on a disagreement whose labels you may see, the oldest first; and one more. 404 for an
    issue that is none, or that you have still to label elsewhere.
    """

    @extend_schema(operation_id="rounds_issues_comments_list", responses=CommentSerializer(many=True))
    def get(self, request: Request, round_id: int, issue_id: int) -> Response:
        round_, member = _readable(request, round_id, issue_id)
        return Response([_row(said) for said in thread(round_, issue_id, member)])

    @extend_schema(request=SaySerializer, responses={201: CommentSerializer})
    def post(self, request: Request, round_id: int, issue_id: int) -> Response:
        round_, member = _readable(request, round_id, issue_id)
        allow(may_comment(member, round_))
        form = SaySerializer(data=request.data)
        form.is_valid(raise_exception=True)
        code = form.validated_data["category"]
        made = say(
            round_=round_,
            issue=get_object_or_404(Issue, pk=issue_id),
            author=member,
            text=form.validated_data["text"],
            category=category_of(round_, code) if code else None,
        )
        [row] = [_row(said) for said in thread(round_, issue_id, member) if said.id == made.pk]
        return Response(row, status=status.HTTP_201_CREATED)


def _readable(request: Request, round_id: int, issue_id: int) -> tuple[Round, Membership]:
    """The round and this user's membership, if they may read the comments on the issue (Http404, 403)."""
    round_, member = seat_in(request, round_id, may_see_disagreements)
    if not may_read_thread(round_, issue_id, member):
        raise NotFound
    return round_, member


def _row(said: ThreadComment) -> dict[str, Any]:
    kept = {name: getattr(said, name) for name in ("id", "author", "text", "said_at")}
    return kept | {"category": said.code or None}
