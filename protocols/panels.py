"""What this room adds to pages of rooms below: a warning where a main round opens without a protocol."""

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from core import panels
from protocols.queries.protocols import protocol_in_force
from rounds.models import Round


def register() -> None:
    panels.register("round.opening", nothing_fixed)


def nothing_fixed(request: HttpRequest, *, round: Round) -> SafeString | str:  # noqa: A002 - as pages call it
    """A warning for whoever opens a main round. One query."""
    if round.kind != Round.Kind.MAIN or protocol_in_force(round.study) is not None:
        return ""
    return render_to_string("protocols/_nothing_fixed.html", {"study": round.study}, request)
