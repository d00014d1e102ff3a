"""Forms of the room of a meeting, and of the thread of an issue."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from consensus.forms.decisions import LONGEST_RATIONALE, OTHER, IdsField
from consensus.models import Decision, FollowUp
from consensus.models.comments import COMMENT_LENGTH
from rounds.queries.categories import ShownCodebook
from taxonomy.models import Category

ABSTAIN, NONE_FITS = "abstain", "none"


class CategoryField(forms.IntegerField):
    """The id of a category that is deep enough for the round; cleaned, a Category."""

    default_error_messages = {
        "required": _("Choose the category of this issue."),
        "invalid": _("Choose a category."),
    }

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_value=1, max_value=2**62, **kwargs)
        self.known: frozenset[int] = frozenset()

    def clean(self, value: Any) -> Any:
        cleaned = super().clean(value)
        if cleaned is None:
            return None
        if cleaned not in self.known:
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid")
        return Category.objects.get(pk=cleaned)


class CategoriesForm(forms.Form):
    """A form whose category fields accept the categories that are deep enough for the round."""

    def __init__(self, *args: Any, book: ShownCodebook, depth: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            if isinstance(field, CategoryField):
                field.known = book.choosable(depth)


class BallotForm(CategoriesForm):
    """A ballot; `category` None abstains, or with `none_fits` says that no category fits. `number`: the vote
    that the form showed or would open.
    """

    category = forms.CharField(
        max_length=20, error_messages={"required": _("Choose a category, or abstain.")}
    )
    other = CategoryField(required=False)
    number = forms.IntegerField(min_value=1, max_value=32_767, required=False)

    def clean(self) -> dict[str, Any]:
        """`category` becomes a Category or None; `other` counts only if `category` is OTHER."""
        cleaned: dict[str, Any] = super().clean() or {}
        said = cleaned.get("category", "")
        if "other" in self.errors or not said:
            return cleaned
        cleaned["none_fits"] = said == NONE_FITS
        if said in {ABSTAIN, NONE_FITS}:
            cleaned["category"] = None
        elif said == OTHER and cleaned.get("other") is not None:
            cleaned["category"] = cleaned["other"]
        elif said == OTHER:
            self.add_error("other", _("Choose the other category."))
        else:
            cleaned["category"] = self.fields["other"].clean(said)
        return cleaned


class ChairForm(CategoriesForm):
    """The decision that the chair records, and its follow-ups."""

    category = CategoryField()
    how = forms.ChoiceField(
        choices=Decision.How, error_messages={"required": _("Choose how the meeting decides.")}
    )
    rationale = forms.CharField(max_length=LONGEST_RATIONALE, required=False)
    cause = forms.ChoiceField(choices=[("", ""), *Decision.Cause.choices], required=False)
    seen_number = forms.IntegerField(min_value=0, max_value=32_767)
    example = forms.BooleanField(required=False)
    guideline = forms.CharField(max_length=1000, required=False)
    proposal = forms.CharField(max_length=200, required=False)

    def clean(self) -> dict[str, Any]:
        """A decision by the chair needs a rationale."""
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("how") == Decision.How.CHAIR and not cleaned.get("rationale"):
            self.add_error("rationale", _("Give the reason for this decision in one sentence."))
        return cleaned


class SayForm(forms.Form):
    """A comment, and optionally the category that it argues for."""

    text = forms.CharField(
        max_length=COMMENT_LENGTH,
        error_messages={
            "required": _("Write the comment first."),
            "max_length": _("The comment is longer than 2,000 characters. Shorten the comment."),
        },
    )
    category = forms.CharField(max_length=32, required=False)

    def __init__(self, *args: Any, book: ShownCodebook, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.book = book

    def clean_category(self) -> Category | None:
        code = self.cleaned_data["category"]
        if not code:
            return None
        if code not in self.book.by_code:
            raise forms.ValidationError(_("The taxonomy of this round has no category with this code."))
        return Category.objects.get(pk=self.book.by_code[code].category_id)


class ParkForm(forms.Form):
    """An optional reason to park an issue."""

    why = forms.CharField(max_length=500, required=False)


class FollowUpForm(forms.Form):
    """One follow-up: an example for the decided category, a line for the guideline, or a proposed name."""

    kind = forms.ChoiceField(choices=FollowUp.Kind)
    text = forms.CharField(max_length=1000, required=False)

    def clean(self) -> dict[str, Any]:
        """A line and a proposal need a text; the name of a proposal has at most 200 characters."""
        cleaned: dict[str, Any] = super().clean() or {}
        text, kind = cleaned.get("text", ""), cleaned.get("kind")
        if kind == FollowUp.Kind.PROPOSAL and not 0 < len(text) <= 200:
            self.add_error("text", _("Give the missing category a name of at most 200 characters."))
        if kind == FollowUp.Kind.GUIDELINE and not text:
            self.add_error("text", _("Write the guideline line."))
        return cleaned


class AlikeItemsForm(CategoriesForm):
    """Issues of the agenda that get the same category, with one rationale."""

    # The action checks which issues are on the agenda and may be seen.
    issues = IdsField(error_messages={"required": _("Tick the issues to decide.")})
    item = forms.IntegerField(min_value=1, max_value=2**62, required=False)
    category = CategoryField()
    rationale = forms.CharField(
        max_length=LONGEST_RATIONALE,
        error_messages={"required": _("Give the reason for these decisions in one sentence.")},
    )
