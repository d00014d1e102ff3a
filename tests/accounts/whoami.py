"""REST as a token meets it: the project's authentication in front of an endpoint that asks for nothing else."""

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView


class WhoAmI(APIView):
    def get(self, request: Request) -> Response:
        return Response({"name": request.user.name})


def answer_for(token: str) -> Response:
    request = APIRequestFactory().get("/", HTTP_AUTHORIZATION=f"Token {token}")
    return WhoAmI.as_view()(request)


def status_for(token: str) -> int:
    return answer_for(token).status_code
