"""Tokens of forges: kept encrypted, bound to a host, and never shown again."""

from django.db import transaction
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from accounts.models import User
from core.fetch.answers import Secret
from core.fetch.sealing import seal
from harvests.actions.quiet import ask_again
from harvests.errors import TokenRefusedHere
from harvests.models import ForgeToken
from harvests.queries.forge_clients import host_of
from ingest.rules import may_import
from studies.actions import record
from studies.actions.seats import require_rule
from studies.models import Study

_LONGEST = 500
_LONGEST_NAME = 60
_LONGEST_HOST = 253


@sensitive_variables()
def add_token(*, study: Study, host: str, text: str, name: str, by: User | None) -> ForgeToken:
    """Keep a token for a host: that of a REST interface, with its port if it has one; github.com stands for
    api.github.com. It is sent there and nowhere else.

    Raises TokenRefusedHere for a text that is no token, and PermissionDenied.
    """
    text, name = text.strip(), name.strip()[:_LONGEST_NAME]
    host = host_of(f"https://{host.strip()}")
    if not host or len(host) > _LONGEST_HOST:
        raise TokenRefusedHere(_("Type the host of this token. Nothing was stored."), field="host")
    if text in name and text:
        raise TokenRefusedHere(
            _(
                "The name contains the token, and other people see the name. Nothing was stored. "
                "Choose another name."
            ),
            field="name",
        )
    secret = _secret(text)
    if secret is None:
        raise TokenRefusedHere(
            _(
                "This is not a token. A token has at least 8 characters: letters, digits and signs, "
                "but no spaces. Nothing was stored."
            ),
            field="text",
        )
    return _keep(study, host, secret, name, by)


@sensitive_variables()
def _secret(text: str) -> Secret | None:
    try:
        return Secret(text) if len(text) <= _LONGEST else None
    except ValueError:
        return None


@transaction.atomic
def _keep(study: Study, host: str, secret: Secret, name: str, by: User | None) -> ForgeToken:
    require_rule(study, by, may_import)
    token = ForgeToken.objects.create(study=study, host=host, sealed=seal(secret), name=name, given_by=by)
    ask_again(study_id=study.pk, host=host)
    record(study, "tokens.added", by, host=host, name=name)
    return token


@transaction.atomic
def remove_token(*, token: ForgeToken, by: User | None) -> None:
    """Forget a token. Raises PermissionDenied."""
    require_rule(token.study, by, may_import)
    gone, _rows = ForgeToken.objects.filter(pk=token.pk).delete()
    if gone:
        record(token.study, "tokens.removed", by, host=token.host, name=token.name)
