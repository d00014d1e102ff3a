"""What a page asks the database more than once while it is made is asked once.

Only while a GET or HEAD is answered: it changes nothing, so the first answer stays true for the page. In
forms, jobs and commands each call asks anew.
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
    """Middleware: a GET or HEAD remembers what functions marked `once_a_page` answered, until it ends."""

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
    """Mark a query whose answer nobody changes in place. Arguments are hashable; rows go by their keys."""

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
