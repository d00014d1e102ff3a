"""What every page of this room begins and ends with: its study, and the pages beside it."""

from django.shortcuts import get_object_or_404

from accounts.http import AuthedRequest
from studies.models import Membership, Study
from studies.queries import membership_of, studies_for


def study_of(request: AuthedRequest, slug: str) -> tuple[Study, Membership | None]:
    study = get_object_or_404(studies_for(request.user), slug=slug)
    return study, membership_of(request.user, study)


def pager(
    request: AuthedRequest,
    *,
    older: int | None,
    newer: int | None,
    names: tuple[str, str] = ("before", "after"),
) -> dict[str, str]:
    """Addresses of the pages beside this one, with its filters."""

    def address(name: str, value: int | None) -> str:
        if value is None:
            return ""
        parameters = request.GET.copy()
        for other in names:
            parameters.pop(other, None)
        parameters[name] = str(value)
        return f"?{parameters.urlencode()}"

    return {"after_url": address(names[0], older), "before_url": address(names[1], newer)}
