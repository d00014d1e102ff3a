"""Refusals about accounts and sign-in."""

from django.utils.translation import gettext_lazy as _

from core.errors import DomainError


class AddressTaken(DomainError):
    """Does not confirm that the address has an account: the reader may be a stranger to its owner."""

    message = _(
        "No account was made with this address. If you have an account here already, sign in with it;"
        " what you came for waits for you."
    )


class NotTheFirst(DomainError):
    message = _("Somebody else has just made the first account here. Ask them for an invitation.")


class WrongSetupCode(DomainError):
    message = _("That is not the set-up code of this server. No account was made.")
    status = 403


class LinkUnknown(DomainError):
    message = _("This sign-in link is not known here. Was it copied whole? If so, ask for a new one.")
    status = 404


class LinkSpent(DomainError):
    message = _(
        "This sign-in link was used or has expired. Ask for a new one, or sign in with your password."
    )
    status = 410
