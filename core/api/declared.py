"""What a method of an endpoint takes, read from its `extend_schema`, and the refusal of all else.

The schema is the only list: what it does not name is refused, so that it never differs from the endpoint.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.views import APIView

_SHOWN = 80
"""The longest part of an unknown name that a refusal repeats."""


@dataclass(frozen=True)
class Fields:
    """The fields of an object, each with the fields of the objects in it (None: any value). `fixed` are those
    that answers have and requests cannot set. A field that is a map of objects has `values` instead.
    """

    inside: Mapping[str, "Fields | None"]
    fixed: frozenset[str] = frozenset()
    values: "Fields | None" = None


@dataclass(frozen=True)
class Declared:
    """The parameters of the query string, and the fields of a body by content type ("": all others)."""

    parameters: frozenset[str]
    bodies: Mapping[str, Fields]

    def refuse_others(self, request: Request) -> None:
        """Raise ValidationError (400) that names each unknown parameter, or else each unknown field."""
        unknown = {name: [_no_parameter(name, self.parameters)] for name in request.query_params}
        unknown = {name: words for name, words in unknown.items() if name not in self.parameters}
        if not unknown and request.method not in {"GET", "HEAD", "OPTIONS"}:
            kind = (request.content_type or "").partition(";")[0]
            unknown = unknown_fields(self.bodies.get(kind) or self.bodies[""], request.data)
        if unknown:
            raise ValidationError({name[:_SHOWN]: words for name, words in unknown.items()})


def declared(view: APIView, handler: Any, method: str) -> Declared:
    """What `handler` of `view` takes for `method`; `view` needs no request."""
    schema = getattr(handler, "kwargs", {}).get("schema")
    if schema is None:
        return Declared(frozenset(), {"": Fields({})})
    read = schema()
    read.view, read.method = view, method
    parameters = frozenset(
        parameter.name
        for parameter in read.get_override_parameters()
        if parameter.location == OpenApiParameter.QUERY
    )
    if method in {"GET", "HEAD", "DELETE", "OPTIONS"}:
        return Declared(parameters, {"": Fields({})})
    body = read.get_request_serializer()
    if isinstance(body, Mapping):
        return Declared(parameters, {kind: fields_of(one) for kind, one in body.items()} | {"": Fields({})})
    return Declared(parameters, {"": fields_of(body)})


def fields_of(serializer: Any) -> Fields:
    """The fields of a serializer, given as its class or as an instance; None has no fields."""
    if serializer is None:
        return Fields({})
    if isinstance(serializer, type):
        serializer = serializer()
    found = _inside(serializer)
    return Fields({}) if found is None else found


def unknown_fields(fields: Fields, given: Any, path: str = "") -> dict[str, list[str]]:
    """A sentence for each field of `given` that `fields` does not know, by its path (`proposal.nmae`). The
    rows of a list share their sentences. A value of the wrong type is left to the serializer.
    """
    if isinstance(given, list):
        found: dict[str, list[str]] = {}
        for row in given:
            found |= unknown_fields(fields, row, path)
        return found
    if not isinstance(given, Mapping):
        return {}
    if fields.values is not None:
        values = fields.values
        return unknown_fields(values, list(given.values()), path)
    found = {}
    for name in given:
        if name in fields.fixed:
            found[path + name] = [_("The field “%(name)s” cannot be set.") % {"name": name[:_SHOWN]}]
        elif name not in fields.inside:
            found[path + name] = [_no_field(name, fields.inside)]
        elif inside := fields.inside[name]:
            found |= unknown_fields(inside, given[name], f"{path}{name}.")
    return found


def _inside(field: Any) -> Fields | None:
    match field:
        case serializers.ListSerializer() | serializers.ListField():
            return _inside(field.child)
        case serializers.DictField():
            values = _inside(field.child)
            return None if values is None else Fields({}, values=values)
        case serializers.Serializer():
            known = field.fields
            return Fields(
                {name: _inside(one) for name, one in known.items() if not one.read_only},
                frozenset(name for name, one in known.items() if one.read_only),
            )
    return None


def _no_parameter(name: str, known: Iterable[str]) -> str:
    words = {"name": name[:_SHOWN], "nearest": _nearest(name, known)}
    if words["nearest"]:
        return _("There is no parameter “%(name)s”. Did you mean “%(nearest)s”?") % words
    return _("There is no parameter “%(name)s”.") % words


def _no_field(name: str, known: Iterable[str]) -> str:
    words = {"name": name[:_SHOWN], "nearest": _nearest(name, known)}
    if words["nearest"]:
        return _("There is no field “%(name)s”. Did you mean “%(nearest)s”?") % words
    return _("There is no field “%(name)s”.") % words


def _nearest(name: str, known: Iterable[str]) -> str:
    return next(iter(get_close_matches(name[:_SHOWN], sorted(known), 1)), "")
