"""The form that plans a round, as objects."""

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from annotate.actions.plans import LONGEST_NAME, MOST_QUOTA, Plan, refusals
from annotate.forms.left_out import boxes_to_leave_out
from annotate.forms.plan_parts import (
    AS_CHOSEN,
    OF_KINDS,
    RepositoriesField,
    end_of,
    explained,
    show_types,
    type_choices,
)
from annotate.queries.left_out import excludables, without
from annotate.queries.planning import (
    EVERY_ISSUE,
    FALSE,
    IssueSource,
    defaults,
    issues_from,
    selection,
    source_choices,
    source_named,
    sources,
    starts_without_pull_requests,
    types_by_version,
)
from core.templatetags.crosscheck import count
from ingest.models import Issue, Repository
from ingest.queries.issues import IssueCounts
from rounds.errors import RoundRefused
from rounds.models import Round
from rounds.queries.rounds import candidates, issues_to_label, published_versions
from studies.forms import PeopleField
from studies.models import Membership, Study
from taxonomy.models import Category, Level, Version


class RoundForm(forms.Form):
    """A round to be planned: only the fields that its kind needs, with the defaults of that kind. `initial`
    can set the first value of any field. A refusal of the plan is shown at its field. With `replaces` the
    form changes the plan of this round.
    """

    name = forms.CharField(
        label=_("Name"),
        max_length=LONGEST_NAME,
        help_text=_("Use the name from your paper: pilot, main round, …"),
        error_messages={"required": _("Give the round a name.")},
    )
    kind = forms.ChoiceField(label=_("Kind"), choices=Round.Kind, widget=forms.HiddenInput)
    version = forms.ModelChoiceField(
        Version.objects.none(),
        label=_("Version of the taxonomy"),
        empty_label=None,
        help_text=_(
            "The round starts with this version, and moves to each newer version that you publish."
            " A training keeps its version."
        ),
    )
    depth = forms.TypedChoiceField(
        label=_("Labels are compared by"),
        choices=[(level.value, level.label) for level in Level],
        coerce=int,
        help_text=_("Labels that agree down to this level are unanimous."),
    )
    excludes = forms.TypedChoiceField(
        label=_("Excluded type"),
        coerce=int,
        empty_value=None,
        required=False,
        help_text=_(
            "An issue is excluded only if all of its volunteers choose this type."
            " Excluded issues stay visible."
        ),
    )
    pass_mark = forms.IntegerField(
        label=_("Pass mark, in percent"),
        required=False,
        help_text=_(
            "Share of answers a volunteer must get right. If the field is empty, labelling all"
            " issues is enough."
        ),
    )
    source = forms.ChoiceField(label=_("Issues"), help_text=_("The fields below narrow the source further."))
    repositories = RepositoriesField(
        Repository.objects.none(),
        label=_("Repositories"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one repository.")},
    )
    year = forms.TypedChoiceField(label=_("Year"), coerce=int, empty_value=None, required=False)
    with_text = forms.BooleanField(label=_("Only issues with fetched text"), required=False)
    without_pull_requests = forms.BooleanField(label=_("Leave out pull requests"), required=False)
    left_out = forms.MultipleChoiceField(
        label=_("Leave out the issues of"), widget=forms.CheckboxSelectMultiple, required=False
    )
    order = forms.ChoiceField(
        label=_("Order"),
        choices=[
            (Round.Order.SHUFFLED, _("shuffled for each volunteer")),
            (Round.Order.BY_REPOSITORY, _("repository after repository, shuffled inside each")),
        ],
        widget=forms.RadioSelect,
        required=False,
    )
    members = PeopleField(
        Membership.objects.none(),
        label=_("Volunteers"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("The columns of the round keep this order. Members without an account cannot label."),
        error_messages={"required": _("Choose at least one volunteer.")},
    )
    allocation = forms.ChoiceField(
        label=_("Who labels which issues"), choices=Round.Allocation, widget=forms.RadioSelect
    )
    labels_per_issue = forms.IntegerField(
        label=_("Labels per issue"),
        min_value=1,
        max_value=100,
        required=False,
        help_text=_("Only for “k volunteers per issue”."),
    )
    quota = forms.IntegerField(
        label=_("Quota of each volunteer"),
        min_value=1,
        max_value=MOST_QUOTA,
        required=False,
        help_text=_(
            "After this number of labels, a volunteer gets no more issues. A number"
            " beside a name replaces this number."
        ),
    )
    lease_minutes = forms.IntegerField(
        label=_("Minutes for a claimed issue"),
        min_value=1,
        required=False,
        help_text=_("Each saved draft starts the time again. Only for “k volunteers per issue”."),
    )
    training = forms.ModelChoiceField(
        Round.objects.none(),
        label=_("Required training"),
        empty_label=_("no training"),
        required=False,
        help_text=_("Volunteers can label after they pass this training."),
    )
    reveal = forms.ChoiceField(
        label=_("Labels are revealed"),
        choices=Round.Reveal,
        widget=forms.RadioSelect,
        help_text=_("Until then nobody sees another volunteer’s label. This includes owners and leads."),
    )
    forge_labels = forms.ChoiceField(
        label=_("Labels of the issues on GitHub or Gitee"),
        choices=Round.ForgeLabels,
        widget=forms.RadioSelect,
        required=False,
        help_text=_("Such as “bug” or “enhancement”. The report names what volunteers saw."),
    )
    rule = forms.ChoiceField(
        label=_("An issue is decided by"),
        choices=[
            (Round.Rule.UNANIMOUS, _("unanimous labels; a lead decides the rest")),
            (Round.Rule.MAJORITY, _("a majority of the labels")),
            (Round.Rule.MEETING, _("unanimous labels; a meeting decides the rest")),
        ],
        widget=forms.RadioSelect,
        required=False,
    )
    majority = forms.IntegerField(
        label=_("Equal labels that decide"),
        required=False,
        help_text=_("More than half of the labels of an issue. Only for a majority."),
    )
    deadline = forms.DateField(
        label=_("Deadline"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text=_("Everybody sees this day, and it ends at midnight. The round does not close by itself."),
    )
    drift_percent = forms.IntegerField(
        label=_("Drift check, in percent"),
        required=False,
        help_text=_("Share of issues that a volunteer labels a second time without a mark: 0 to 50."),
    )
    drift_hours = forms.IntegerField(
        label=_("Hours before an issue comes again"),
        required=False,
        help_text=_("An issue comes again after this time at the earliest."),
    )

    def __init__(
        self,
        *args: Any,
        study: Study,
        counts: IssueCounts,
        by: Membership | None = None,
        replaces: Round | None = None,
        initial: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.study = study
        self.counts = counts
        self.replaces = replaces
        self.asked: dict[str, Any] = {}  # the valid values, even if the plan is refused
        given = self.data.get("kind") if self.is_bound else (initial or {}).get("kind")
        if replaces:
            given = replaces.kind
        self.planned_kind = Round.Kind(given) if given in Round.PLANNED else Round.Kind.MAIN
        for name, kinds in OF_KINDS.items():
            if self.planned_kind not in kinds:
                del self.fields[name]
        self._offer_choices()
        version, source = (str((initial or {}).get(name, "")) for name in ("version", "source"))
        self.initial = defaults(study, self.planned_kind, by, version, source) | {
            "repositories": list(self._repositories),
        }
        self.initial |= {name: value for name, value in (initial or {}).items() if name in self.fields}
        self.initial["kind"] = self.planned_kind
        if not self.is_bound and "without_pull_requests" not in self.initial:
            self.initial["without_pull_requests"] = starts_without_pull_requests(
                study, self.starting_source, counts.kinds
            )
        self.shows_other_types = "excludes" in self.fields and show_types(self, self._types)

    def _offer_choices(self) -> None:
        study, fields = self.study, self.fields
        versions = published_versions(study)
        self._offer("version", versions)
        self._offer("repositories", Repository.objects.filter(study=study).order_by("path"))
        self._offer("members", candidates(study))
        self._repositories = {repository.pk: issues for repository, issues in self.counts.repositories}
        fields["repositories"].counts = self._repositories  # type: ignore[attr-defined]  # of its class
        years = [(str(year), f"{year} ({count(issues)})") for year, issues in self.counts.years]
        fields["year"].choices = [("", _("any year")), *years]  # type: ignore[attr-defined]  # of its class
        fields["source"].choices = source_choices(sources(study))  # type: ignore[attr-defined]  # of its class
        own = f"round:{self.replaces.pk}" if self.replaces else ""
        self.excludables = [one for one in excludables(study) if one.value != own]
        fields["left_out"].choices = [(one.value, one) for one in self.excludables]  # type: ignore[attr-defined]  # of its class
        self.quotas = {}
        for member in candidates(study):
            self.quotas[member.pk] = f"quota_{member.pk}"
            fields[self.quotas[member.pk]] = forms.IntegerField(
                label=_("Quota of %(who)s") % {"who": member.known_as},
                min_value=1,
                max_value=MOST_QUOTA,
                required=False,
                widget=forms.NumberInput(attrs={"placeholder": _("quota")}),
            )
        if "training" in fields:
            trainings = Round.objects.filter(study=study, kind=Round.Kind.TRAINING).order_by("-pk")
            self._offer("training", trainings.exclude(pk__in=[self.replaces.pk] if self.replaces else []))
        if "excludes" in fields:
            self._types = types_by_version([version.pk for version in versions])
            types = [one for of_version in self._types.values() for one in of_version]
            self.has_false_type = any(one.code == FALSE for one in types)
            fields["excludes"].choices = type_choices(types)  # type: ignore[attr-defined]  # of its class

    def _offer(self, name: str, choices: QuerySet[Any]) -> None:
        self.fields[name].queryset = choices  # type: ignore[attr-defined]  # of its class

    def volunteers(self) -> Iterator[tuple[Any, forms.BoundField]]:
        """The checkbox of each candidate, with the field of that candidate's quota."""
        for box in self["members"]:
            yield box, self[self.quotas[int(str(box.data["value"]))]]

    def explained(self) -> list[tuple[forms.BoundField, list[tuple[Any, Any]]]]:
        """The fields whose choices change what labels mean: each choice with what it does."""
        return explained(self["reveal"], self["forge_labels"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        self.asked = dict(cleaned)
        if not self.errors.keys() & {"kind", "version", "depth", "source", "allocation", "reveal"}:
            for refusal in refusals(Plan(study=self.study, replaces=self.replaces, **self.planned())):
                self.refuse(refusal)
        return cleaned

    def refuse(self, refusal: RoundRefused) -> None:
        """Show a refusal at its field, unless the field has an error already."""
        field = "source" if refusal.field == "issues" else refusal.field
        if field == "source" and "repositories" in self.errors:
            return
        if field not in self.errors:
            self.add_error(field if field in self.fields else None, str(refusal.message))

    def chosen_to_leave_out(self) -> list[str]:
        """The chosen rounds and samples whose issues are left out."""
        chosen = self.asked.get("left_out", ()) if self.is_bound else self.initial["left_out"]
        return list(chosen)

    def to_leave_out(self) -> dict[str, Any]:
        """The checkboxes of pilots and trainings, of main rounds, and of other rounds and samples, apart."""
        return boxes_to_leave_out(self["left_out"])

    def taken(self) -> QuerySet[Issue]:
        """The issues that the round would take."""
        return without(self.issues(), self.chosen_to_leave_out())

    def taxonomy(self) -> int | None:
        """The taxonomy of the chosen version, None without a valid version."""
        if self.is_bound:
            version = self.asked.get("version")
            return version and version.taxonomy_id
        versions = published_versions(self.study).filter(pk=self.initial["version"])
        return versions.values_list("taxonomy", flat=True).first()

    def issues(self) -> QuerySet[Issue]:
        """The issues of the source that pass the filter; fields without a valid value narrow nothing."""
        return self._chosen(**self._narrowed())

    def _chosen(self, **narrowed: Any) -> QuerySet[Issue]:
        repositories = self.asked.get("repositories")
        return issues_to_label(
            self.study,
            among=issues_from(self.study, self.asked.get("source") or self.starting_source),
            repositories=None if repositories is None else [repository.pk for repository in repositories],
            **narrowed,
        )

    def _narrowed(self) -> dict[str, Any]:
        """The valid values that narrow the source, without its repositories."""
        chosen = self.asked if self.is_bound else self.initial
        switches = {name: bool(chosen.get(name)) for name in ("with_text", "without_pull_requests")}
        return {"year": self.asked.get("year"), **switches}

    def pull_requests(self) -> tuple[int, bool]:
        """How many pull requests the source has besides what is left out, and whether the round leaves them
        out. One query.
        """
        narrowed = self._narrowed()
        issues = self._chosen(**narrowed | {"without_pull_requests": False})
        found = without(issues, self.chosen_to_leave_out()).filter(is_pull_request=True)
        return found.count(), narrowed["without_pull_requests"]

    @cached_property
    def starting_source(self) -> str:
        """The source that the form starts with: the requested one if it exists, otherwise every issue."""
        found = source_named(self.study, str(self.initial.get("source")))
        return found.value if found else EVERY_ISSUE

    def planned(self) -> dict[str, Any]:
        """The arguments of create_round from the valid fields, without those that the kind does not need."""
        chosen = self.asked
        crossed = chosen["allocation"] == Round.Allocation.CROSSED
        rule = chosen.get("rule") or Round.Rule.UNANIMOUS
        excludes, deadline = chosen.get("excludes"), chosen.get("deadline")
        return {name: chosen.get(name) for name in AS_CHOSEN} | {
            "name": " ".join(chosen.get("name", "").split()),
            "issues": self.issues(),
            "members": self._members(),
            "labels_per_issue": None if crossed else chosen.get("labels_per_issue"),
            "lease_minutes": chosen.get("lease_minutes") or 60,
            "order": chosen.get("order") or Round.Order.SHUFFLED,
            "forge_labels": chosen.get("forge_labels") or Round.ForgeLabels.HIDDEN,
            "rule": rule,
            "majority": chosen.get("majority") if rule == Round.Rule.MAJORITY else None,
            "deadline": deadline and end_of(deadline),
            "excludes": excludes and Category.objects.filter(pk=excludes).first(),
            "drift_percent": chosen.get("drift_percent") or 0,
            "drift_hours": 24 if chosen.get("drift_hours") is None else chosen["drift_hours"],
            "quota": None if crossed else self._quota(),
            "selection": self._selection(),
            "left_out": self.chosen_to_leave_out(),
        }

    def _members(self) -> list[Membership]:
        return list(self.asked.get("members") or ())

    def _quota(self) -> dict[int, int] | None:
        """The quota of each chosen volunteer who has one: their own number, otherwise the common number."""
        common = self.asked.get("quota")
        quotas = {member.pk: self.asked.get(self.quotas[member.pk]) or common for member in self._members()}
        return {member: quota for member, quota in quotas.items() if quota} or None

    def _selection(self) -> dict[str, Any]:
        source = source_named(self.study, self.asked.get("source") or EVERY_ISSUE)
        repositories = self.asked.get("repositories")
        every = repositories is None or len(repositories) == len(self._repositories)
        paths = None if every else [repository.path for repository in repositories or ()]
        return selection(source or IssueSource(EVERY_ISSUE, ""), repositories=paths, **self._narrowed())

    def to_change(self) -> list[tuple[str, str, list[str]]]:
        """Every refusal so far: the label and the anchor of its field ("" without a field), and the texts."""
        found = []
        for name, errors in self.errors.items():
            field = self[name] if name in self.fields else None
            label, at = (str(field.label), f"#{field.id_for_label}") if field else ("", "")
            found.append((label, at, [str(error) for error in errors]))
        return found
