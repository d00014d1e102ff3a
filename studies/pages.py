"""What pages and endpoints of a study begin with."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from rest_framework.request import Request

from core.http import require
from studies.models import Membership, Study
from studies.queries import membership_of, studies_for


def study_of(
    request: HttpRequest | Request, slug: str, may: Callable[[Membership | None], bool] | None = None
) -> tuple[Study, Membership | None]:
    """The study, if this user may see it (Http404 if not), and their seat in it.

    Raises PermissionDenied for a seat that `may`, a rule, does not let.
    """
    study = get_object_or_404(studies_for(request.user), slug=slug)
    member = membership_of(request.user, study)
    require(may is None or may(member))
    return study, member


def frame(study: Study, member: Membership | None, tab: str) -> dict[str, Any]:
    """The context of `studies/page.html`, which pages of a study extend: `study`, `membership`, `tab`.

    `tab` is the URL name of the tab that the page belongs to.
    """
    return {"study": study, "membership": member, "tab": tab}
