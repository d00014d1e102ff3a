"""What the pages of this room share: access, and context."""

from typing import Any

from accounts.http import AuthedRequest
from protocols.rules import may_plan, may_read_protocol
from studies.models import Membership, Study
from studies.pages import frame, study_of


def read_study(request: AuthedRequest, slug: str) -> tuple[Study, Membership]:
    """The study, for members who may read its protocol. Http404, PermissionDenied."""
    return study_of(request, slug, may_read_protocol)


def planned_study(request: AuthedRequest, slug: str) -> tuple[Study, Membership]:
    """The study, for members who may change its protocol. Http404, PermissionDenied."""
    return study_of(request, slug, may_plan)


def around(study: Study, member: Membership, tab: str = "protocol") -> dict[str, Any]:
    """The context that all pages of the room share."""
    return {**frame(study, member, tab), "leads": may_plan(member)}
