"""Lines of the log: JSON for machines, text for people, and in neither a text of somebody, an address of a
person, a token or a link.

Of an error a line has the traceback (our code) and the class; the message only where Python or the system
wrote it, for most messages hold values.
"""

import json
import logging
import re
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from core.watching.ids import request_id

SECRET = re.compile(
    r"(/accounts/link/|/accounts/address/|/invitations/|/accounts/password/reset/key/)[^/\s\"'?]+"
)
"""An address with the secret of a sign-in link, a changed address, an invitation or a reset link."""
_QUERY = re.compile(r"(?<=[\w/])\?[^\s\"'<>]+")
_LINK = re.compile(r"\b(https?://)(?:[^\s/@\"'<>]*@)?([^\s/\"'<>]+)/[^\s\"'<>]*")
_PERSON = re.compile(r"[\w.+%-]+@[\w-]+\.[\w.-]+")
_TOKEN = re.compile(
    r"(?<![\w-])(?:(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{24,}|(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{40,})(?![\w-])"
)
"""One in a thousand secrets has no digit; no name in the code is as long as these in both cases."""
_LONG = 2000
_SAYS_VALUES = ("exc", "traceback", "args", "kwargs", "return_value")
"""Of what Celery says of a task."""


def without_secrets(text: str) -> str:
    """The text with `…` for all by which somebody could sign in, be named or be followed."""
    text = SECRET.sub(r"\1…", text)
    text = _LINK.sub(r"\1\2/…", text)
    text = _QUERY.sub("?…", text)
    return _TOKEN.sub("…", _PERSON.sub("…@…", text))[:_LONG]


def said(error: BaseException) -> str:
    """What may be told of an error's message: "" unless it is known to hold no value."""
    told = str(error).partition("\n")[0]
    if isinstance(error, OSError):
        return error.strerror or ""
    if isinstance(error, AttributeError | NameError | TypeError | ImportError | RecursionError):
        return without_secrets(told)
    # Of a database, its first line: values are in details, and in what is no valid value.
    names = {base.__name__ for base in type(error).__mro__}
    if names & {"OperationalError", "InterfaceError", "IntegrityError", "ProgrammingError"}:
        return without_secrets(told)
    ours = names & {"ImproperlyConfigured", "RedisError", "EmbeddedServerError"}
    return without_secrets(told) if ours else ""


def traced(error: BaseException) -> Iterator[str]:
    """The lines of a traceback, causes first, without values."""
    earlier = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if earlier is not None:
        yield from traced(earlier)
        yield "which led to:"
    yield "Traceback (most recent call last):"
    for entry in traceback.format_tb(error.__traceback__):
        yield from entry.rstrip("\n").split("\n")
    name = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    yield f"{name}: {told}" if (told := said(error)) else name


class Line(logging.Formatter):
    """A line for people: `2026-01-31 12:00:00,000 WARNING core.jobs [9f2c61ab03de] …`, then the traceback."""

    def format(self, record: logging.LogRecord) -> str:
        one = f" [{found}]" if (found := id_of(record)) else ""
        head = f"{self.formatTime(record)} {record.levelname} {record.name}{one} {message(record)}"
        return "\n".join([head, *traced_of(record)])


class JsonLine(logging.Formatter):
    """A line for machines: an object of JSON, one a line."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "request": id_of(record),
            "process": record.process,
        }
        about = getattr(record, "about", None)
        line |= about if isinstance(about, dict) else {"message": message(record)}
        if trace := list(traced_of(record)):
            line["traceback"] = "\n".join(trace)
        return json.dumps(line, ensure_ascii=False)


def id_of(record: logging.LogRecord) -> str:
    """The id of the record's request; "" for none. Django logs a refusal after all middleware."""
    return request_id() or getattr(getattr(record, "request", None), "watched_as", "")


def message(record: logging.LogRecord) -> str:
    """The message of a record, without what is secret or said by somebody."""
    args = record.args
    if record.name.startswith("celery") and isinstance(args, dict):
        args = {**args, **{name: "…" for name in _SAYS_VALUES if name in args}}
    text = str(record.msg) % args if args else str(record.msg)
    if (request := getattr(record, "request", None)) is not None and hasattr(request, "path"):
        # Parts of an address can be texts or secrets: its pattern has their names.
        found = getattr(request, "resolver_match", None)
        text = text.replace(request.path, f"/{found.route}" if found else "an unknown address")
    return without_secrets(text)


def traced_of(record: logging.LogRecord) -> Iterator[str]:
    error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
    return traced(error) if error is not None else iter(())


class Refusals(logging.Filter):
    """Drops the traceback of answers below 500: a visitor who may not see a page is no error."""

    def filter(self, record: logging.LogRecord) -> bool:
        if getattr(record, "status_code", 500) < 500:
            record.exc_info = None
        return True


FORMATTERS = {"json": JsonLine, "text": Line}


def formatter(form: str) -> logging.Formatter:
    """The formatter of this name; JSON for any other."""
    return FORMATTERS.get(form, JsonLine)()
