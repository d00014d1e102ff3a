"""What a token may do, and which endpoints ask for what."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from accounts.models import Scope
from accounts.queries import terms_of

REACH = {
    Scope.READ: {Scope.READ},
    Scope.LABEL: {Scope.READ, Scope.LABEL},
    Scope.MANAGE: set(Scope),
}
"""By the scope of a token: the scopes of the endpoints that it may use."""


def scope_of(view: Any, method: str) -> Scope:
    """The scope that `method` of `view` needs: its own in `view.scopes`, else to read or to manage."""
    own: Scope | None = getattr(view, "scopes", {}).get(method)
    return own or (Scope.READ if method in SAFE_METHODS else Scope.MANAGE)


class WithinScope(BasePermission):
    """A token does no more than its scope. What its owner may do is asked for each object, as ever."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if request.auth is None:
            return True
        needed = scope_of(view, request.method or "")
        has = Scope(terms_of(request.auth).scope)
        if needed in REACH[has]:
            return True
        words = {"scope": has, "needed": needed}
        raise PermissionDenied(
            _("This token has the scope “%(scope)s”, and this request needs “%(needed)s”.") % words,
            code="scope",
        )
