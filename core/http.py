"""How a view answers: with a page, or with the fragment of it that htmx requested."""

from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from django.contrib.messages import get_messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render, resolve_url
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.utils.functional import Promise
from django.utils.http import url_has_allowed_host_and_scheme
from django_htmx.middleware import HtmxDetails

VARY = ("HX-Request", "HX-Target")


class HtmxRequest(HttpRequest):
    """A request that has passed django-htmx's middleware."""

    htmx: HtmxDetails


def htmx_of(request: HttpRequest) -> HtmxDetails:
    """What htmx says of the request, also before django-htmx's middleware, where an error may end it."""
    found: HtmxDetails | None = getattr(request, "htmx", None)
    return HtmxDetails(request) if found is None else found


def is_fragment(request: HttpRequest) -> bool:
    """Does htmx request a fragment: neither boosted nor to restore a page from history?"""
    htmx = htmx_of(request)
    return bool(htmx) and not htmx.boosted and not htmx.history_restore_request


def render_page(
    request: HttpRequest,
    template: str,
    context: Mapping[str, Any] | None = None,
    *,
    partials: Collection[str] = (),
    status: int = 200,
) -> HttpResponse:
    """Render `template`, or `template#partial` when htmx targets a partial that `partials` lists.

    `partials` lists the fragments that the view may return: an HX-Target is easily forged, and must not fetch
    a fragment from outside the condition that guards it. Waiting messages are added out-of-band. Every
    response varies on the headers that chose it, so that no cache mixes page and fragment.
    """
    target = request.headers.get("HX-Target", "")
    if is_fragment(request) and target in partials:
        response = render(request, f"{template}#{target}", context, status=status)
        response.write(messages_out_of_band(request))
    else:
        response = render(request, template, context, status=status)
        if is_fragment(request):
            # The view offers no fragment of that name: htmx must not put a whole page into an element.
            response["HX-Retarget"] = "body"
            response["HX-Reswap"] = "innerHTML"
    patch_vary_headers(response, VARY)
    return response


def messages_out_of_band(request: HttpRequest) -> str:
    """The waiting messages as one out-of-band fragment for the page's toasts; "" if there are none."""
    if not get_messages(request):
        return ""
    toasts = render_to_string("shared/_messages.html", {"messages": get_messages(request)}, request)
    return f'<div id="toasts" hx-swap-oob="beforeend">{toasts.strip()}</div>'


def go_to(request: HttpRequest, to: Any, *args: Any, **kwargs: Any) -> HttpResponse:
    """Redirect to a model's page, a URL name or a path, which htmx loads as a whole page."""
    address = resolve_url(to, *args, **kwargs)
    if is_fragment(request):
        return HttpResponse(headers={"HX-Redirect": address, "Vary": ", ".join(VARY)})
    return HttpResponseRedirect(address)


def require(ok: bool, message: str | Promise | None = None) -> None:  # noqa: FBT001 - reads as a sentence
    """Raise PermissionDenied (403) unless `ok`; `message` tells the user who may do this."""
    if not ok:
        raise PermissionDenied(*filter(None, [message]))


def came_from(request: HttpRequest) -> str:
    """The page that sent the request if it belongs to this server, else ""."""
    referer = request.headers.get("Referer", "")
    return referer if is_ours(request, referer) else ""


def is_ours(request: HttpRequest, address: str) -> bool:
    """Is this an address of the server that received the request?"""
    return url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=request.is_secure())


def form_key(request: HttpRequest) -> UUID | None:
    """The idempotency key of the posted form (`{% form_key %}`); None if missing or malformed."""
    try:
        return UUID(request.POST.get("form_key", ""))
    except ValueError:
        return None


def typed(request: HttpRequest) -> dict[str, str]:
    """The user's text in the posted form, by field, to show it again if it could not be saved; without keys,
    tokens, secrets and empty fields.
    """
    return {
        name: "\n".join(values)
        for name, values in ((name, request.POST.getlist(name)) for name in request.POST)
        if any(value.strip() for value in values)
        and name not in {"csrfmiddlewaretoken", "form_key"}
        and not any(word in name.lower() for word in ("password", "token", "secret"))
    }
