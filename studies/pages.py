"""The first steps of pages and endpoints of a study: access, and the frame of the page."""

from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from rest_framework.request import Request

from core.http import require
from studies.models import Membership, Study
from studies.queries import membership_of, studies_for


def study_of(
    request: HttpRequest | Request, slug: str, may: Callable[[Membership | None], bool] | None = None
) -> tuple[Study, Membership]:
    """The study and this user's seat in it; Http404 if the user may not see the study. Raises
    PermissionDenied for a seat that the rule `may` does not allow.
    """
    study = get_object_or_404(studies_for(request.user), slug=slug)
    member = own_seat(request, study)
    require(may is None or may(member))
    return study, member


def own_seat(request: HttpRequest | Request, study: Study) -> Membership:
    """This user's seat in the study; Http404 for a user who is not, or no longer, a member."""
    member = membership_of(request.user, study)
    if member is None:
        raise Http404
    return member


def frame(study: Study, member: Membership | None, tab: str) -> dict[str, Any]:
    """The context of `studies/page.html`, which pages of a study extend: `study`, `membership`, and `tab`,
    the URL name of the tab that the page belongs to.
    """
    return {"study": study, "membership": member, "tab": tab}
