"""The reasons why a label, a training or a sample is refused."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.errors import DomainError, FieldRefused

if TYPE_CHECKING:
    from annotate.models import Draft
    from rounds.models import Label


class SampleRefused(FieldRefused):
    """A sample cannot be drawn like this. `field` names what to change."""


class AnswersStay(DomainError):
    message = _(
        "This training is open, so its right labels stay as they are. To correct one, plan another training."
    )


class LabelsInThisTraining(DomainError):
    message = _(
        "You label in this training yourself, so its right labels are not for you to know beforehand. Let"
        " another lead give them, or plan the training without you."
    )


class ExplanationMissing(DomainError):
    message = _("Say why this is the right label: the volunteers learn from the explanation.")


class ExplanationTooLong(DomainError):
    message = _("The explanation is longer than 5,000 characters. Shorten it; it is still in the form.")


class NotAnExample(DomainError):
    status = 422
    message = _(
        "Examples are of categories of the draft, and of revealed issues that nobody has yet to label."
        " Nothing was changed."
    )


class SlotTaken(DomainError):
    message = _("Somebody else is labelling this issue now. It may come back to you later.")


class ReasonMissing(DomainError):
    message = _("Say in a few words why you skip this issue.")


class SummaryTooLong(DomainError):
    message = _("The summary is longer than 500 characters. Shorten it; what you typed is still in the form.")


class CategoryMissing(DomainError):
    message = _("Choose a category first, or say which one is missing.")


class QuotaReached(DomainError):
    message = _("You have given as many labels as you were asked for in this round. Thank you.")


class StaleDraft(DomainError):
    """The draft was saved in another window since; `stored` is that draft."""

    message = _("You changed this draft in another window. Both texts are here: choose which one to keep.")

    def __init__(self, stored: "Draft") -> None:
        self.stored = stored
        super().__init__()


class AboutALabel(DomainError):
    """A refusal that shows the stored label."""

    def __init__(self, label: "Label") -> None:
        self.label = label
        super().__init__()


class AlreadyLabelled(AboutALabel):
    message = _("You have labelled this issue already. To choose another category, change that label.")


class StaleLabel(AboutALabel):
    message = _("You changed this label in another window. Both are here: choose which one to keep.")


class LabelRevealed(AboutALabel):
    message = _(
        "Others can see this label now, so it stays as it is. A meeting or the lead can still decide."
    )


class NotLabelled(DomainError):
    message = _("You have not labelled this issue yet, so there is no label to change.")


class NotForModels(DomainError):
    message = _("Models label pilots and main rounds only. Nothing was stored.")


class ModelLabelsRefused(DomainError):
    """All labels of a request by a model were refused; `problems` has a line for each row that is wrong."""

    status = 422

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join([gettext("Nothing was stored."), *problems]))


class ModelLabelsStay(ModelLabelsRefused):
    """All labels were refused, because rows name another category than the model's stored labels."""

    status = 409


class SomebodyElse(DomainError):
    message = _(
        "You are signed in as another member than the one who opened this page. Nothing was stored; it is"
        " still in the form."
    )
