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


class CodingOpened(DomainError):
    message = gettext_lazy("The coding of this interview is already open. Nothing was changed.")


class NotYourCoding(DomainError):
    message = gettext_lazy("You are no coder of this interview. Nothing was changed.")
    status = 403


class CoderReleased(DomainError):
    message = gettext_lazy(
        "A lead took you off this coding. Nothing was stored. Your earlier quotes are kept. Ask a lead to add"
        " you again."
    )


class CoderDone(DomainError):
    message = gettext_lazy(
        "This coder has finished. Nothing was changed. Reopen the coding for this coder first."
    )


class CodingDone(DomainError):
    message = gettext_lazy(
        "You have finished this coding. Nothing was stored. Press “Continue coding” to change quotes."
    )


class CodingRevealed(DomainError):
    message = gettext_lazy(
        "This coding is revealed, so the quotes of its coders no longer change. Nothing was stored."
    )


class CodingBlind(DomainError):
    message = gettext_lazy(
        "This coding is still blind. Nothing was changed. The quotes are revealed once all coders are done."
    )


class CodingSettled(DomainError):
    message = gettext_lazy("This coding is settled. Nothing was changed. Reopen the coding first.")


class QuotesOpen(DomainError):
    message = gettext_lazy("Some quotes are not settled yet. Nothing was changed. Settle these quotes first.")


class SettledMeanwhile(DomainError):
    message = gettext_lazy(
        "Somebody else settled these quotes meanwhile. Nothing was changed. The page shows the current state."
    )


class TranscriptCorrected(DomainError):
    message = gettext_lazy(
        "The transcript was corrected meanwhile. Nothing was stored. Load the page again, then code."
    )


class NotAnOpenCode(DomainError):
    message = gettext_lazy("No revealed interview has this open code. Nothing was changed.")
    status = 422


class QuoteChanged(DomainError):
    """Another tab changed the quote. `stored` is its content there, None if it is dropped or new."""

    message = gettext_lazy(
        "This quote was changed in another tab. Your change is not stored. Compare both, then save again."
    )

    def __init__(self, stored: object = None) -> None:
        self.stored = stored
        super().__init__()


class NamesLeft(InterviewRefused):
    """A text still contains listed names. The message repeats none to who may not see identities."""
