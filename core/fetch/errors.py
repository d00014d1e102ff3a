"""Refusals of addresses, in words that the user can act on."""

from django.utils.translation import gettext as _

from core.errors import DomainError
from core.fetch.addresses import Reason, Refused


class AddressRefused(DomainError):
    """A server that may not be asked; nothing was sent to it."""

    status = 422

    def __init__(self, refused: Refused) -> None:
        self.reason: Reason = refused.reason
        self.host = refused.host
        causes: dict[Reason, str] = {
            "scheme": _("The address must begin with https://."),
            "credentials": _("The address contains a user name or a password. Remove both."),
            "host": _("The host name in the address cannot be read."),
            "inside": _(
                "%(host)s is in a private network. An administrator can allow this host with FORGE_HOSTS."
            ),
            "forbidden": _("%(host)s is not a public address."),
        }
        cause = causes[refused.reason] % {"host": refused.host}
        super().__init__(f"{cause} {_('Nothing was sent.')}")
