"""What all endpoints of the REST API have in common."""

from functools import cache
from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiParameter, extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Scope
from accounts.rest.throttles import ByAddress
from core.api.declared import Declared, declared


class Endpoint(APIView):
    """An endpoint. It refuses parameters and fields that its `extend_schema` does not name, and tokens that
    lack the scope that the method needs: GET to read, all others to manage, or as `scopes` says.
    """

    scopes: ClassVar[dict[str, Scope]] = {}

    def perform_authentication(self, request: Request) -> None:
        """Count the request by its address first: wrong tokens count, too."""
        limit = ByAddress()
        if not limit.allow_request(request, self):
            self.throttled(request, limit.wait())
        super().perform_authentication(request)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        method = request.method or ""
        if handler := getattr(self, method.lower(), None):
            view: Any = type(self)
            _declared(view, getattr(handler, "__func__", handler), method).refuse_others(request)


class Schema(Endpoint, SpectacularAPIView):
    """The schema, for everybody."""

    @extend_schema(
        exclude=True,
        parameters=[OpenApiParameter("format", str, enum=["json", "yaml"]), OpenApiParameter("lang", str)],
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        answer: Response = super().get(request, *args, **kwargs)
        return answer


@cache
def _declared(view: type[Endpoint], handler: Any, method: str) -> Declared:
    return declared(view(request=None, kwargs={}), handler, method)
