"""How many requests the REST API takes in a minute: by token (or by person), and by address."""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.core.internal.ratelimit import truncate_ip
from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from core.limits import Rate, spend


class _Limit(BaseThrottle):
    setting: str
    _wait: int | None = None

    def allow_request(self, request: Request, view: Any) -> bool:  # noqa: ARG002 - as REST framework calls it
        rate = Rate.of(getattr(settings, self.setting))
        self._wait = None if rate is None else spend(f"{self.setting}:{self.key(request)}", rate)
        return self._wait is None

    def key(self, request: Request) -> str:
        raise NotImplementedError

    def wait(self) -> float:
        return self._wait or 0


class ByToken(_Limit):
    """By the token, or by the person of a session. Who is nobody has the limit of the address."""

    setting = "API_LIMIT_TOKEN"

    def allow_request(self, request: Request, view: Any) -> bool:
        return not request.user.is_authenticated or super().allow_request(request, view)

    def key(self, request: Request) -> str:
        token: Any = request.auth
        return f"token:{token.digest}" if token else f"user:{request.user.pk}"


class ByAddress(_Limit):
    """By the address of the network (of IPv6 its first 64 bits), before anybody is known."""

    setting = "API_LIMIT_ADDRESS"

    def key(self, request: Request) -> str:
        return str(truncate_ip(get_adapter().get_client_ip(request)))
