"""Common parts of REST endpoints: keyset pages, and error responses."""

from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import exception_handler as drf_exception_handler
from rest_framework.views import set_rollback

from core.sql.constraints import as_broken_rule


class KeysetPagination(CursorPagination):
    """Pages by key, not by offset: every page costs the same, wherever it is in the list."""

    ordering = "id"
    page_size_query_param = "page_size"
    max_page_size = 500


class AsItIs(BaseContentNegotiation):
    """Content negotiation for files: the same answer, whatever formats the request accepts."""

    def select_parser(self, request: Request, parsers: Any) -> Any:  # noqa: ARG002
        return parsers[0]

    def select_renderer(
        self,
        request: Request,  # noqa: ARG002
        renderers: Any,
        format_suffix: str | None = None,  # noqa: ARG002
    ) -> Any:
        return renderers[0], renderers[0].media_type


def asked(request: Request, name: str) -> str:
    """A parameter of the query string, "" if missing; 400 if it contains a NUL, which no database stores."""
    text: str = request.query_params.get(name, "")
    if "\0" in text:
        raise ValidationError({name: ["It holds a NUL."]})
    return text


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer a broken rule with its status and message; leave other errors to the framework."""
    if broken := as_broken_rule(error):
        set_rollback()
        answer = {"detail": str(broken.message), "code": type(broken).__name__}
        if field := getattr(broken, "field", ""):
            answer["field"] = field
        later = {} if broken.retry_after is None else {"Retry-After": str(broken.retry_after)}
        return Response(answer, status=broken.status, headers=later)
    return drf_exception_handler(error, context)
