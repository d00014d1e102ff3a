"""The page of the tokens that harvests use. No answer of it holds the text of a token."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from core.errors import FieldRefused
from core.http import go_to, render_page
from core.idempotency import once
from harvests import actions
from harvests.forms import TokenForm
from harvests.queries.tokens import hosts_in_use, tokens_in
from ingest import rules
from studies.models import Membership, Study
from studies.pages import frame, study_of


@require_safe
def forge_tokens(request: AuthedRequest, slug: str) -> HttpResponse:
    """List the tokens of a study by name and host."""
    study, member = study_of(request, slug, rules.may_import)
    host = request.GET.get("host", "github.com")[:253]
    return _page(request, study, member, TokenForm(initial={"host": host}))


def _page(
    request: AuthedRequest,
    study: Study,
    member: Membership,
    form: TokenForm,
    *,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    context: dict[str, Any] = {
        **frame(study, member, "harvests"),
        "tokens": tokens_in(study),
        "hosts": hosts_in_use(study),
        "form": form,
        "refusal": refusal,
    }
    return render_page(request, "harvests/tokens.html", context, status=status)


@sensitive_post_parameters("token")
@require_POST
def add_token(request: AuthedRequest, slug: str) -> HttpResponse:
    """Store a token for a host."""
    study, member = study_of(request, slug, rules.may_import)
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _page(request, study, member, form, status=422)
    given = form.cleaned_data
    try:
        made = once(
            request,
            lambda: actions.add_token(
                study=study, host=given["host"], text=given["token"], name=given["name"], by=request.user
            ),
        )
    except FieldRefused as refused:
        return _page(request, study, member, form, refusal=str(refused.message), status=refused.status)
    if made:
        told = _("The token %(name)s for %(host)s is added. The token is not shown again.")
        messages.success(request, told % {"name": made.name, "host": made.host})
    return go_to(request, "forge_tokens", slug)


@require_POST
def remove_token(request: AuthedRequest, slug: str, token_id: int) -> HttpResponse:
    """Remove a token."""
    study, _member = study_of(request, slug, rules.may_import)
    token = get_object_or_404(tokens_in(study), pk=token_id)
    actions.remove_token(token=token, by=request.user)
    told = _(
        "The token %(name)s for %(host)s is removed from this study. Also revoke the token on its forge."
    )
    messages.success(request, told % {"name": token.name, "host": token.host})
    return go_to(request, "forge_tokens", slug)
