"""What the pages of this room share: access, context, and how a form is stored."""

from collections.abc import Callable
from typing import Any, TypeVar

from django import forms
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from accounts.http import AuthedRequest
from core.http import require
from core.idempotency import once
from findings.errors import FindingRefused
from findings.models import Finding
from findings.queries.findings import findings_for
from findings.rules import may_read_finding, may_write_findings
from studies.models import Membership, Study
from studies.pages import frame, own_seat

R = TypeVar("R")


def read_finding(request: AuthedRequest, finding_id: int) -> tuple[Finding, Membership]:
    """A finding that this user may read. Http404, PermissionDenied."""
    found = get_object_or_404(findings_for(request.user), pk=finding_id)
    member = own_seat(request, found.study)
    require(may_read_finding(member, found), _("You can read this finding once a lead has frozen it."))
    return found, member


def led_finding(request: AuthedRequest, finding_id: int) -> tuple[Finding, Membership]:
    """A finding that this user may change. Http404, PermissionDenied."""
    found = get_object_or_404(findings_for(request.user), pk=finding_id)
    member = own_seat(request, found.study)
    require(may_write_findings(member), _("Only owners and leads can change findings."))
    return found, member


def around(study: Study, member: Membership) -> dict[str, Any]:
    """The context that all pages of the room share."""
    return {**frame(study, member, "findings"), "leads": may_write_findings(member)}


def is_stored(request: AuthedRequest, form: forms.Form, act: Callable[[], R]) -> bool:
    """Do the act of a valid form once; False, with the refusal at its field, if it is refused."""
    try:
        once(request, act)
    except FindingRefused as refused:
        form.add_error(refused.field if refused.field in form.fields else None, str(refused.message))
        return False
    return True
