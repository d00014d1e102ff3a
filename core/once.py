"""While a page is made, a repeated query is run once. Only for GET and HEAD, which change nothing, so that
the first result stays true for the page. In forms, jobs and commands every call queries again.
"""

from collections.abc import Callable, Hashable
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from django.http import HttpRequest, HttpResponseBase

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")

_answers: ContextVar[dict[Hashable, Any] | None] = ContextVar("answers", default=None)


class AskOnce:
    """Middleware: during a GET or HEAD, remembers the results of functions marked `once_a_page`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method not in {"GET", "HEAD"}:
            return self.get_response(request)
        token = _answers.set({})
        try:
            return self.get_response(request)
        finally:
            _answers.reset(token)


def once_a_page(ask: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
    """Mark a query whose result nobody changes in place. Arguments are hashable; model rows count by key."""

    @wraps(ask)
    def asked(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
        held = _answers.get()
        if held is None:
            return ask(*args, **kwargs)
        key = (ask, args, tuple(sorted(kwargs.items())))
        if key not in held:
            held[key] = ask(*args, **kwargs)
        answer: Answer = held[key]
        return answer

    return asked
