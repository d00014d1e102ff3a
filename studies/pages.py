"""What pages and endpoints of a study begin with."""

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from rest_framework.request import Request

from studies.models import Membership, Study
from studies.queries import membership_of, studies_for


def study_of(request: HttpRequest | Request, slug: str) -> tuple[Study, Membership | None]:
    """The study, if this user may see it (Http404 if not), and their seat in it."""
    study = get_object_or_404(studies_for(request.user), slug=slug)
    return study, membership_of(request.user, study)


def frame(study: Study, member: Membership | None, tab: str) -> dict[str, Any]:
    """The context of `studies/page.html`, which pages of a study extend: `study`, `membership`, `tab`.

    `tab` is the URL name of the tab that the page belongs to.
    """
    return {"study": study, "membership": member, "tab": tab}
