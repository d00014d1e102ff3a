"""The first steps of pages and endpoints of a study: access, and the frame of the page."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from rest_framework.request import Request

from core.errors import StudyIsReadOnly
from core.http import require
from studies.models import Membership, Study
from studies.queries import membership_of, studies_for

V = TypeVar("V", bound=Callable[..., Any])


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
    refuse_read_only(request, study)
    return member


def refuse_read_only(request: HttpRequest | Request, study: Study) -> None:
    """Refuse a request that wants to change a read-only study, before its form is read. The database refuses
    the change as well (`studies.reach`). Raises StudyIsReadOnly.
    """
    if request.method in {"GET", "HEAD", "OPTIONS"} or not study.is_read_only:
        return
    route = request.resolver_match.func if request.resolver_match else None
    if not getattr(getattr(route, "cls", route), "works_when_read_only", False):
        raise StudyIsReadOnly


def works_when_read_only(view: V) -> V:
    """Mark a view, or a class of REST, that changes nothing of a study, or makes it writable again."""
    view.works_when_read_only = True  # type: ignore[attr-defined]
    return view


def frame(study: Study, member: Membership | None, tab: str) -> dict[str, Any]:
    """The context of `studies/page.html`, which pages of a study extend: `study`, `membership`, and `tab`,
    the URL name of the tab that the page belongs to.
    """
    return {"study": study, "membership": member, "tab": tab}
