"""Errors of interviews: a broken rule, and what the member can do about it."""

from django.utils.translation import gettext_lazy

from core.errors import DomainError, FieldRefused


class InterviewRefused(FieldRefused):
    """Something cannot be stored as it was sent; `field` is the field to change."""

    status = 422


class ParticipantErased(DomainError):
    message = gettext_lazy("This participant is erased. Nothing was changed.")


class NoRawTranscript(DomainError):
    message = gettext_lazy(
        "This interview has no transcript with names. Nothing was changed. Import a transcript first."
    )


class TranscriptStored(DomainError):
    message = gettext_lazy(
        "This interview already has a stored transcript. Nothing was changed."
        " Correct that transcript instead."
    )


class IdentityUnreadable(DomainError):
    message = gettext_lazy(
        "This text is encrypted under a key that the server no longer has. Nothing was changed."
        " Ask the administrator for the former SECRET_KEY."
    )


class NamesLeft(InterviewRefused):
    """A text still contains listed names. The message never repeats a name."""
