"""Errors of findings: a broken rule, and what the member can do about it."""

from django.utils.translation import gettext_lazy

from core.errors import DomainError, FieldRefused


class FindingRefused(FieldRefused):
    """Something cannot be stored as it was sent; `field` is the field to change."""

    status = 422


class FindingFrozen(DomainError):
    message = gettext_lazy("This finding is frozen. Nothing was changed. Unfreeze the finding first.")


class FindingChanged(DomainError):
    message = gettext_lazy(
        "Somebody else changed this finding meanwhile. Nothing was stored. Copy your text, then open the"
        " finding again."
    )


class EvidenceHidden(DomainError):
    message = gettext_lazy(
        "Some evidence is hidden from you, because you still label its issues in another round or cannot read"
        " its interview. Nothing was changed. Finish your labels, or ask another lead."
    )


class EvidenceMissing(DomainError):
    message = gettext_lazy(
        "Some evidence no longer exists or may not be quoted, or the text names evidence that is not"
        " attached. Nothing was changed. Remove that evidence or change the text, then freeze the finding."
    )
