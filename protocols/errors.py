"""Errors of protocols: a broken rule, and what the member can do about it."""

from django.utils.translation import gettext_lazy

from core.errors import DomainError, FieldRefused


class PlanRefused(FieldRefused):
    """Something cannot be stored as it was sent; `field` is the field to change."""

    status = 422


class NoDraft(DomainError):
    message = gettext_lazy("There is no draft of the protocol. Nothing was changed. Start a draft first.")


class DraftExists(DomainError):
    message = gettext_lazy("A draft of the protocol exists already. Nothing was changed. Open the draft.")


class DraftChanged(DomainError):
    message = gettext_lazy(
        "Somebody else changed this draft meanwhile. Nothing was stored. Copy your text, then open the draft"
        " again."
    )


class PlanEmpty(DomainError):
    message = gettext_lazy("The protocol is empty. Nothing was frozen. Fill in at least one field first.")


class NothingToUndo(DomainError):
    message = gettext_lazy("There is nothing to undo. The draft is as you started it.")


class UnknownDeviation(DomainError):
    message = gettext_lazy(
        "The study no longer has this deviation. Your reason was not stored. Open the list again."
    )
