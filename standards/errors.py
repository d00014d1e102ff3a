"""Errors of standards: what cannot be stored, and what to do about it."""

from django.utils.translation import gettext_lazy

from core.errors import DomainError, FieldRefused


class AnswerRefused(FieldRefused):
    """Something cannot be stored as it was sent; `field` is the field to change."""

    status = 422


class AnswerChanged(DomainError):
    message = gettext_lazy(
        "Somebody else changed this meanwhile. Nothing was stored. Copy your text, then open the page again."
    )
