"""What is posted to plan a round and to settle a disagreement, as objects."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from annotate.allocation import fair_share
from annotate.models import Round
from annotate.queries.categories import Codebook
from annotate.queries.disagreements import Disagreement
from annotate.queries.rounds import candidates, issues_to_label, published_versions
from core.templatetags.crosscheck import count
from ingest.models import Issue, Repository
from ingest.queries import IssueCounts
from studies.models import Membership, Role, Study
from taxonomy.models import Category, Level, Version

OTHER = "other"
LONGEST_RATIONALE = 4000


class _Volunteers(forms.ModelMultipleChoiceField):
    def label_from_instance(self, member: Membership) -> str:
        return str(member)


class _Repositories(forms.ModelMultipleChoiceField):
    counts: dict[int, int]

    def label_from_instance(self, repository: Repository) -> str:
        return f"{repository.path} ({count(self.counts[repository.pk])})"


class RoundForm(forms.Form):
    """A round to be planned: which issues, labelled by whom, against what, and when labels are revealed."""

    name = forms.CharField(
        label=_("Name"),
        max_length=120,
        help_text=_("As the paper would call it: pilot, main round, …"),
        error_messages={"required": _("Give the round a name.")},
    )
    kind = forms.ChoiceField(label=_("Kind"), choices=Round.Kind, initial=Round.Kind.MAIN)
    version = forms.ModelChoiceField(
        Version.objects.none(),
        label=_("Version of the taxonomy"),
        empty_label=None,
        help_text=_("It stays what it is for the whole round."),
    )
    depth = forms.TypedChoiceField(
        label=_("Labels are compared by"),
        choices=[(level.value, level.label) for level in Level],
        coerce=int,
        initial=Level.THEME,
        help_text=_("Labels that agree down to this level are unanimous."),
    )
    repositories = _Repositories(
        Repository.objects.none(),
        label=_("Repositories"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one repository.")},
    )
    year = forms.TypedChoiceField(label=_("Year"), coerce=int, empty_value=None, required=False)
    with_text = forms.BooleanField(label=_("Only issues whose text is here"), required=False)
    without_pull_requests = forms.BooleanField(label=_("Leave pull requests out"), required=False)
    members = _Volunteers(
        Membership.objects.none(),
        label=_("Volunteers"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Their columns keep this order. Members without an account cannot label."),
        error_messages={"required": _("Choose at least one volunteer.")},
    )
    allocation = forms.ChoiceField(
        label=_("Sharing out"),
        choices=Round.Allocation,
        widget=forms.RadioSelect,
        initial=Round.Allocation.CROSSED,
    )
    labels_per_issue = forms.IntegerField(
        label=_("Labels per issue"),
        min_value=1,
        max_value=100,
        required=False,
        help_text=_("Only where not everyone labels everything."),
    )
    reveal = forms.ChoiceField(
        label=_("Labels are revealed"),
        choices=Round.Reveal,
        widget=forms.RadioSelect,
        initial=Round.Reveal.ISSUE_COMPLETE,
        help_text=_("Until then nobody sees another volunteer's label, owner and leads included."),
    )
    lease_minutes = forms.IntegerField(
        label=_("Minutes that an issue is held for a volunteer"),
        min_value=1,
        initial=60,
        required=False,
        help_text=_("Each saved draft extends it. Only where not everyone labels everything."),
    )

    def __init__(self, *args: Any, study: Study, counts: IssueCounts, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.study = study
        self._asked: dict[str, Any] = {}
        self.counts = counts
        self._offer("version", published_versions(study))
        self._offer("repositories", Repository.objects.filter(study=study).order_by("path"))
        self._offer("members", candidates(study))
        repositories = {repository.pk: issues for repository, issues in counts.repositories}
        self.fields["repositories"].counts = repositories  # type: ignore[attr-defined]
        self.fields["repositories"].initial = list(repositories)
        self.fields["members"].initial = candidates(study).filter(role=Role.VOLUNTEER)
        years = [(str(year), f"{year} ({count(issues)})") for year, issues in counts.years]
        self.fields["year"].choices = [("", _("any")), *years]  # type: ignore[attr-defined]

    def _offer(self, name: str, choices: QuerySet[Any]) -> None:
        self.fields[name].queryset = choices  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        self._asked = dict(cleaned)  # a number refused later is still the one asked for
        return cleaned

    def issues(self) -> QuerySet[Issue]:
        """The issues that the filter leaves; all, as far as nothing valid was chosen."""
        chosen = getattr(self, "cleaned_data", {})
        repositories = chosen.get("repositories")
        return issues_to_label(
            self.study,
            repositories=None if repositories is None else [repository.pk for repository in repositories],
            year=chosen.get("year"),
            with_text=chosen.get("with_text", False),
            without_pull_requests=chosen.get("without_pull_requests", False),
        )

    def preview(self) -> dict[str, Any]:
        """What the round would be in numbers, by what is chosen so far."""
        issues = self.issues().count() if "repositories" not in self.errors else 0
        chosen = self._asked
        volunteers = len(chosen.get("members") or ())
        crossed = chosen.get("allocation", Round.Allocation.CROSSED) == Round.Allocation.CROSSED
        labels = volunteers if crossed else chosen.get("labels_per_issue") or 0
        return {
            "issues": issues,
            "volunteers": volunteers,
            "labels": labels,
            "assignments": issues * labels,
            "each": fair_share(issues, labels, volunteers),
            "crossed": crossed,
            "lacking": max(0, labels - volunteers) if volunteers else 0,
        }

    def planned(self) -> dict[str, Any]:
        """The arguments of create_round."""
        chosen = self.cleaned_data
        crossed = chosen["allocation"] == Round.Allocation.CROSSED
        return {
            "name": chosen["name"],
            "kind": chosen["kind"],
            "version": chosen["version"],
            "depth": chosen["depth"],
            "issues": self.issues(),
            "members": list(chosen["members"]),
            "allocation": chosen["allocation"],
            "labels_per_issue": None if crossed else chosen["labels_per_issue"],
            "reveal": chosen["reveal"],
            "lease_minutes": chosen["lease_minutes"] or 60,
        }


class DecisionForm(forms.Form):
    """The category that a lead decides on: one of the split's, or any other, with a rationale."""

    choice = forms.ChoiceField(widget=forms.RadioSelect, required=False)
    other = forms.TypedChoiceField(label=_("Another category"), coerce=int, empty_value=None, required=False)
    rationale = forms.CharField(
        label=_("Rationale"),
        max_length=LONGEST_RATIONALE,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": _("Give the reason for this decision in a sentence.")},
    )
    seen_number = forms.IntegerField(min_value=0, max_value=32_767)

    def __init__(
        self, *args: Any, disagreement: Disagreement, book: Codebook, depth: int, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        ids = {state.code: id_ for id_, state in book.states.items()}
        self.split = [(ids[code], code, votes) for code, votes in disagreement.split]
        choosable = book.choosable(depth)
        split = [(str(id_), code) for id_, code, _votes in self.split]
        every = [
            (str(id_), f"{state.code} {state.name}") for id_, state in book.states.items() if id_ in choosable
        ]
        self.fields["choice"].choices = [*split, (OTHER, OTHER)]  # type: ignore[attr-defined]
        self.fields["other"].choices = [("", _("another category …")), *every]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Adds `category`. Two different answers are none."""
        cleaned: dict[str, Any] = super().clean() or {}
        choice, other = cleaned.get("choice", ""), cleaned.get("other")
        if choice not in {"", OTHER} and other is not None and int(choice) != other:
            self.add_error("choice", _("Two categories are chosen. Keep one of them."))
        elif choice not in {"", OTHER}:
            cleaned["category"] = Category.objects.get(pk=int(choice))
        elif other is not None:
            cleaned["category"] = Category.objects.get(pk=other)
        elif not self.errors.keys() & {"choice", "other"}:
            self.add_error("choice", _("Choose the category that holds."))
        return cleaned
