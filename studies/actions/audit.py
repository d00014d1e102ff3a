"""The audit: one line for each act."""

from typing import Any

from accounts.models import User
from studies.models import Event, Study


def record(study: Study, verb: str, by: User | None, **detail: Any) -> Event:
    """Add one line to the study's audit. `detail` has counts and names, never a label or its text."""
    return Event.objects.create(study=study, verb=verb, by=by, detail=detail)
