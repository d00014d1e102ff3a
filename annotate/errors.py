"""The reasons why a label, a training or a sample is refused."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.errors import DomainError, FieldRefused
from core.text.joining import listed

if TYPE_CHECKING:
    from annotate.models import Draft
    from rounds.models import Label


class SampleRefused(FieldRefused):
    """A sample cannot be drawn like this. `field` names what to change."""


class LabellingBegan(DomainError):
    """Somebody has labelled in a round, or has a draft there, so its plan stays."""

    def __init__(self, name: str) -> None:
        super().__init__(
            gettext(
                "Somebody has begun to label in %(round)s. Nothing was changed. Close this round, or copy its"
                " plan and open the copy."
            )
            % {"round": name}
        )


class OpeningRuns(DomainError):
    message = _(
        "This round is being opened. Nothing was changed. Wait until it is open, or stop the opening."
    )


class RoundInUse(DomainError):
    """A round that others refer to: `names` of rounds that need it as training, or leave its issues out."""

    def __init__(self, name: str, names: Sequence[str]) -> None:
        super().__init__(
            gettext(
                "%(round)s is part of the plan of %(others)s. Nothing was deleted. Change that plan first."
            )
            % {"round": name, "others": listed(names)}
        )


class AnswersStay(DomainError):
    message = _(
        "This training is open, so its right labels cannot change. To correct a right label,"
        " plan another training."
    )


class LabelsInThisTraining(DomainError):
    message = _(
        "You label in this training, so you cannot see its right labels before you label. Let"
        " another lead give them, or plan the training without you."
    )


class ExplanationMissing(DomainError):
    message = _("Explain why this label is right. Volunteers learn from the explanation.")


class ExplanationTooLong(DomainError):
    message = _(
        "The explanation is longer than 5,000 characters. Your text is still in the form: shorten it."
    )


class NotAnExample(DomainError):
    status = 422
    message = _(
        "An example needs a category of the draft and a revealed issue. Nobody may still have"
        " to label the issue. Nothing was changed."
    )


class SlotTaken(DomainError):
    message = _("Another volunteer is labelling this issue now. The issue may come back to you later.")


class ReasonMissing(DomainError):
    message = _("Give a short reason why you skip this issue.")


class SummaryTooLong(DomainError):
    message = _("The summary is longer than 500 characters. Your text is still in the form: shorten it.")


class CategoryMissing(DomainError):
    message = _("Choose a category first, or propose a missing category.")


class QuotaReached(DomainError):
    message = _("You have given all labels that the lead asked for in this round. Thank you.")


class StaleDraft(DomainError):
    """The draft was saved in another window since; `stored` is that draft."""

    message = _("You changed this draft in another window. Both texts are below: choose which text to keep.")

    def __init__(self, stored: "Draft") -> None:
        self.stored = stored
        super().__init__()


class AboutALabel(DomainError):
    """A refusal that shows the stored label."""

    def __init__(self, label: "Label") -> None:
        self.label = label
        super().__init__()


class AlreadyLabelled(AboutALabel):
    message = _("You have already labelled this issue. To choose another category, change your label.")


class StaleLabel(AboutALabel):
    message = _(
        "You changed this label in another window. Both labels are below: choose which label to keep."
    )


class LabelRevealed(AboutALabel):
    message = _(
        "Others can see this label now, so you cannot change it. A meeting or a lead can still"
        " decide the issue."
    )


class NotLabelled(DomainError):
    message = _("You have not labelled this issue yet, so there is no label to change.")


class NotForModels(DomainError):
    message = _("Models label only pilots and main rounds. Nothing was saved.")


class ModelLabelsRefused(DomainError):
    """All labels of a request by a model were refused; `problems` has a line for each row that is wrong."""

    status = 422

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join([gettext("Nothing was saved."), *problems]))


class ModelLabelsStay(ModelLabelsRefused):
    """All labels were refused, because rows name another category than the model's stored labels."""

    status = 409


class SomebodyElse(DomainError):
    message = _(
        "Another member opened this page, and you are signed in now. Nothing was saved. The"
        " text is still in the form."
    )
