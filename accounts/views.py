"""Pages about accounts: ours, and the pages of django-allauth that this server offers."""

from typing import Any

from allauth.account import views as allauth_views
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import NON_FIELD_ERRORS
from django.db import transaction
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts import actions, mails, queries
from accounts.forms import AddressForm, FirstAccountForm, LanguageForm, NameForm, TimeZoneForm, TokenForm
from accounts.http import AuthedRequest, sign_in, throttle
from accounts.models import User
from core.http import go_to, is_ours, render_page
from core.idempotency import first_time

RETRY_AFTER = 300
"""Seconds after which a browser or an address that typed too many wrong passwords may try again."""


@login_not_required
@sensitive_post_parameters("password", "code")
@require_http_methods(["GET", "HEAD", "POST"])
def welcome(request: HttpRequest) -> HttpResponse:
    """Make the first account; 404 once an account exists."""
    if queries.anybody():
        raise Http404
    if request.method == "POST" and (too_many := throttle(request, "first_account")):
        return too_many
    form = FirstAccountForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        sign_in(request, actions.make_first_account(**form.cleaned_data))
        return go_to(request, "home")
    locked = actions.needs_setup_code() and not settings.FIRST_ACCOUNT_CODE
    return render_page(
        request, "accounts/welcome.html", {"form": form, "locked": locked}, status=422 if form.errors else 200
    )


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_link(request: HttpRequest, token: str) -> HttpResponse:
    """Show the user of the link; a POST signs the user in and uses up the link."""
    if too_many := throttle(request, "sign_in_link"):
        return too_many
    if request.method == "POST":
        sign_in(request, actions.use_sign_in_link(token=token))
        return go_to(request, _next(request))
    link = queries.sign_in_link(token)
    is_open = link is not None and queries.is_open(link)
    return render_page(
        request,
        "accounts/sign_in_link.html",
        {"link": link, "is_open": is_open, "next": _next(request)},
        status=200 if is_open else 410 if link else 404,
    )


@require_http_methods(["GET", "HEAD", "POST"])
def me(request: AuthedRequest) -> HttpResponse:
    """Show and change the reader's own account."""
    form = NameForm(request.POST if request.method == "POST" else None, instance=request.user)
    if form.is_valid():
        actions.rename(user=request.user, name=form.cleaned_data["name"])
        messages.success(request, _("Your name is changed."))
        return go_to(request, "me")
    return _me(request, name_form=form, status=422 if form.errors else 200)


@login_not_required
@require_POST
def choose_language(request: HttpRequest) -> HttpResponse:
    """Remember the reader's language, in this browser and in the account, and go back to the page."""
    form = LanguageForm(request.POST)
    if not form.is_valid():
        raise Http404
    language = form.cleaned_data["language"]
    if isinstance(request.user, User):
        actions.choose_language(user=request.user, language=language)
    response = redirect(_next(request))
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        secure=request.is_secure(),
        samesite="Lax",
    )
    return response


@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def change_address(request: AuthedRequest) -> HttpResponse:
    """Mail a link to a new address, which changes the address of the account."""
    form = AddressForm(request.POST if request.method == "POST" else None, user=request.user)
    context = {"form": form, "sends_mail": settings.SENDS_MAIL}
    if request.method == "POST" and not settings.SENDS_MAIL:
        return render_page(request, "accounts/change_address.html", context, status=409)
    if request.method == "POST" and (
        too_many := throttle(request, "change_address", key=f"address {request.user.pk}")
    ):
        return too_many
    if form.is_valid():
        email = form.cleaned_data["email"]
        token = actions.ask_for_address(user=request.user, email=email)
        mails.send_address_link(user=request.user, email=email, token=token)
        context |= {"asked": email}
    return render_page(request, "accounts/change_address.html", context, status=422 if form.errors else 200)


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def confirm_address(request: HttpRequest, token: str) -> HttpResponse:
    """Show the new address of a link; a POST changes the address of its account."""
    if too_many := throttle(request, "sign_in_link"):
        return too_many
    if request.method == "POST":
        user, former = actions.change_address(token=token)
        mails.send_address_notice(user=user, former=former)
        return render_page(request, "accounts/confirm_address.html", {"changed": user.email})
    change = queries.address_change(token)
    is_open = change is not None and queries.is_open(change)
    return render_page(
        request,
        "accounts/confirm_address.html",
        {"change": change, "is_open": is_open},
        status=200 if is_open else 410 if change else 404,
    )


@require_POST
def choose_time_zone(request: AuthedRequest) -> HttpResponse:
    """Remember the reader's time zone and go back to the page."""
    form = TimeZoneForm(request.POST)
    if not form.is_valid():
        raise Http404
    actions.choose_time_zone(user=request.user, time_zone=form.cleaned_data["time_zone"])
    messages.success(request, _("Your time zone is saved."))
    return redirect(_next(request))


@require_POST
@transaction.atomic
def make_token(request: AuthedRequest) -> HttpResponse:
    """Make an API token and show it, once."""
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _me(request, token_form=form, status=422)
    if not first_time(request):
        messages.warning(
            request,
            _(
                "The form was sent twice, but only one token was created."
                " Revoke the token if you did not see it."
            ),
        )
        return go_to(request, "me")
    return _me(request, new_token=actions.make_token(user=request.user, **form.cleaned_data))


@require_POST
def revoke_token(request: AuthedRequest, token_key: str) -> HttpResponse:
    """Revoke one of the reader's own API tokens."""
    if not actions.revoke_token(user=request.user, token_key=token_key):
        raise Http404
    messages.success(request, _("The token is revoked. Programs can no longer use this token."))
    return go_to(request, "me")


@login_not_required
def no_sign_up(request: HttpRequest) -> HttpResponse:
    """Tell the visitor how to get an account (403): nobody can sign up without an invitation."""
    return render_page(request, "accounts/no_sign_up.html", status=403)


class SignIn(allauth_views.LoginView):
    """Sign in by a password; 429 after too many wrong ones for an account from the same address."""

    def form_invalid(self, form: Form) -> HttpResponse:
        response: HttpResponse = super().form_invalid(form)
        if form.has_error(NON_FIELD_ERRORS, "too_many_login_attempts"):
            response.status_code = 429
            waits = [getattr(error, "wait", RETRY_AFTER) for error in form.errors.as_data()[NON_FIELD_ERRORS]]
            response.headers["Retry-After"] = str(max(waits))
        return response


class PasswordReset(allauth_views.PasswordResetView):
    """Ask for a link that resets the password. A server that sends no mail makes no link: the page tells whom
    to ask instead.
    """

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if settings.SENDS_MAIL:
            answer: HttpResponse = super().post(request, *args, **kwargs)
            return answer
        return self.render_to_response(self.get_context_data(form=None), status=409)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(sends_mail=settings.SENDS_MAIL, **kwargs)


def _me(
    request: AuthedRequest,
    *,
    name_form: NameForm | None = None,
    token_form: TokenForm | None = None,
    new_token: str = "",
    status: int = 200,
) -> HttpResponse:
    context = {
        "name_form": name_form or NameForm(instance=request.user),
        "zone_form": TimeZoneForm(initial={"time_zone": request.user.time_zone}),
        "token_form": token_form or TokenForm(),
        "tokens": [(queries.terms_of(token), token) for token in queries.tokens_of(request.user)],
        "new_token": new_token,
    }
    return render_page(request, "accounts/me.html", context, partials=["tokens"], status=status)


def _next(request: HttpRequest) -> str:
    """The path to go to after signing in: `next` if it belongs to this server, else home."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    return (
        wanted
        if wanted.startswith("/") and is_ours(request, wanted)
        else resolve_url(settings.LOGIN_REDIRECT_URL)
    )
