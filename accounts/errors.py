"""Refusals about accounts and sign-in."""

from django.utils.translation import gettext_lazy as _

from core.errors import DomainError


class AddressTaken(DomainError):
    """Does not confirm that the address has an account: the reader may be a stranger to its owner."""

    message = _(
        "No account was created with this address. If you already have an account here, sign in."
        " Then you can go on where you were."
    )


class AddressOfAnother(DomainError):
    """The reader has shown that the address is theirs, by the link that was sent to it."""

    message = _("Another account here has this address. The address of your account stays the same.")


class NotTheFirst(DomainError):
    message = _("Somebody else has just created the first account here. Ask that person for an invitation.")


class WrongSetupCode(DomainError):
    message = _("This is not the set-up code of this server. No account was created.")
    status = 403


class LinkUnknown(DomainError):
    message = _("This sign-in link is unknown. Check that you copied the whole link, or ask for a new one.")
    status = 404


class LinkSpent(DomainError):
    message = _(
        "This sign-in link was used or has expired. Ask for a new one, or sign in with your password."
    )
    status = 410


class AddressLinkUnknown(DomainError):
    message = _("This link is unknown. Check that you copied the whole link. Your address is the same.")
    status = 404


class AddressLinkSpent(DomainError):
    message = _(
        "This link was used or has expired. Your address is the same. Ask for a new link under My account."
    )
    status = 410
