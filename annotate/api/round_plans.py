"""The data that plans a round over REST, as the arguments of create_round."""

from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from annotate.queries.left_out import usually_left_out
from annotate.queries.planning import (
    EVERY_ISSUE,
    issues_from,
    selection,
    source_named,
    starts_without_pull_requests,
    types_by_version,
)
from ingest.models import Repository
from ingest.queries.issues import issue_counts
from rounds.models import Round
from rounds.queries.rounds import issues_to_label
from studies.models import Membership, Study
from taxonomy.models import Category, Level, Version

BIGGEST = 2**63 - 1
SMALL = 2**15 - 1
INTEGER = 2**31 - 1


class PlanSerializer(serializers.Serializer[Any]):
    """A round as the builder on the page asks for it. What is left out is as the page has it at first."""

    name = serializers.CharField(max_length=200)
    kind = serializers.ChoiceField([(kind, kind.label) for kind in Round.PLANNED], default=Round.Kind.MAIN)
    taxonomy = serializers.IntegerField(min_value=1, max_value=BIGGEST)
    version = serializers.IntegerField(min_value=1, max_value=INTEGER, help_text="Its number")
    depth = serializers.ChoiceField(Level.choices, help_text="1 type, 2 theme, 3 sub-theme")
    source = serializers.CharField(  # type: ignore[assignment]  # a field, not where a value comes from
        default=EVERY_ISSUE,
        max_length=40,
        help_text="issues (all), filter:<id>, sample:<id>, round:<id>, kept:<id> (of a closed screening)",
    )
    repositories = serializers.ListField(
        child=serializers.CharField(max_length=300), default=None, help_text="Paths; all without it"
    )
    year = serializers.IntegerField(default=None, allow_null=True, min_value=0, max_value=SMALL)
    with_text = serializers.BooleanField(default=False)
    without_pull_requests = serializers.BooleanField(
        default=None,
        allow_null=True,
        help_text="Without it: true in a screening, unless its source keeps some on purpose",
    )
    left_out = serializers.ListField(
        child=serializers.CharField(max_length=40),
        default=None,
        allow_null=True,
        max_length=1000,
        help_text="Leave out the issues of round:<id>, sample:<id>. Without it, a pilot or main round leaves"
        " out every pilot and training of the taxonomy, and a main round other main rounds but its source",
    )
    members = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=BIGGEST),
        max_length=1000,
        help_text="Ids, in the order of their columns",
    )
    allocation = serializers.ChoiceField(Round.Allocation.choices, default=Round.Allocation.CROSSED)
    labels_per_issue = serializers.IntegerField(
        default=None, allow_null=True, min_value=0, max_value=SMALL, help_text="k_of_n: needed"
    )
    quota = serializers.IntegerField(default=None, allow_null=True, min_value=0, max_value=INTEGER)
    quotas = serializers.DictField(
        child=serializers.IntegerField(min_value=0, max_value=INTEGER),
        default=dict,
        help_text="By the id of the member, where it is another one than quota",
    )
    lease_minutes = serializers.IntegerField(default=60, min_value=0, max_value=INTEGER)
    order = serializers.ChoiceField(Round.Order.choices, default=Round.Order.SHUFFLED)
    reveal = serializers.ChoiceField(
        Round.Reveal.choices,
        required=False,
        help_text="Without it: round_closed in a training, issue_complete in others",
    )
    forge_labels = serializers.ChoiceField(
        Round.ForgeLabels.choices,
        default=Round.ForgeLabels.SHOWN,
        help_text="Whether volunteers see the labels of the forge before the reveal",
    )
    rule = serializers.ChoiceField(Round.Rule.choices, default=Round.Rule.UNANIMOUS)
    majority = serializers.IntegerField(default=None, allow_null=True, min_value=0, max_value=SMALL)
    deadline = serializers.DateTimeField(default=None, allow_null=True)
    excludes = serializers.CharField(
        default=None, allow_null=True, max_length=32, help_text="Screening: code of the excluded type"
    )
    pass_mark = serializers.IntegerField(default=None, allow_null=True, min_value=0, max_value=SMALL)
    training = serializers.IntegerField(
        default=None, allow_null=True, min_value=1, max_value=BIGGEST, help_text="Id of a training round"
    )
    drift_percent = serializers.IntegerField(default=0, min_value=0, max_value=SMALL)
    drift_hours = serializers.IntegerField(default=24, min_value=0, max_value=SMALL)
    seed = serializers.IntegerField(
        default=None, allow_null=True, min_value=-BIGGEST - 1, max_value=BIGGEST, help_text="Drawn without it"
    )

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        """The arguments of create_round; a 400 for values that this study does not have."""
        study: Study = self.context["study"]
        plan = dict(given)
        version = self._version(study, plan.pop("taxonomy"), plan.pop("version"))
        members = self._members(study, plan.pop("members"))
        quota, quotas = plan.pop("quota"), plan.pop("quotas")
        narrowed = {
            name: plan.pop(name) for name in ("repositories", "year", "with_text", "without_pull_requests")
        }
        source = source_named(study, plan.pop("source"))
        if source is None:
            raise ValidationError({"source": ["This study has no such source of issues."]})
        if narrowed["without_pull_requests"] is None:
            narrowed["without_pull_requests"] = self._without_pull_requests(study, plan["kind"], source.value)
        found = self._repositories(study, narrowed["repositories"])
        return plan | {
            "version": version,
            "depth": int(plan["depth"]),
            "members": members,
            "issues": issues_to_label(
                study, among=issues_from(study, source.value), **(narrowed | {"repositories": found})
            ),
            "excludes": self._excludes(version, plan["excludes"]),
            "training": self._training(study, plan["training"]),
            "quota": self._quotas(members, quotas, quota) if quotas else quota,
            "selection": selection(source, **narrowed),
            "left_out": self._left_out(plan, version, source.value),
        }

    def _without_pull_requests(self, study: Study, kind: str, source: str) -> bool:
        """A pull request is no report, and later rounds take what a screening keeps."""
        screens = kind == Round.Kind.SCREENING
        return screens and starts_without_pull_requests(study, source, issue_counts(study).kinds)

    def _version(self, study: Study, taxonomy: int, number: int) -> Version:
        found = Version.objects.filter(taxonomy__study=study, taxonomy=taxonomy, number=number)
        version = found.select_related("taxonomy").first()
        if version is None:
            raise ValidationError({"version": ["This study has no such version of a taxonomy."]})
        return version

    def _members(self, study: Study, ids: list[int]) -> list[Membership]:
        found = Membership.objects.filter(study=study).in_bulk(ids)
        unknown = [str(id_) for id_ in ids if id_ not in found]
        if unknown:
            raise ValidationError({"members": [f"This study has no member {', '.join(unknown)}."]})
        return [found[id_] for id_ in ids]

    def _left_out(self, plan: dict[str, Any], version: Version, source: str) -> list[str]:
        asked: list[str] | None = plan["left_out"]
        return usually_left_out(plan["kind"], version.taxonomy_id, source) if asked is None else asked

    def _repositories(self, study: Study, paths: list[str] | None) -> list[int] | None:
        if paths is None:
            return None
        found = dict(Repository.objects.filter(study=study, path__in=paths).values_list("path", "pk"))
        unknown = [path for path in paths if path not in found]
        if unknown:
            raise ValidationError({"repositories": [f"This study has no repository {', '.join(unknown)}."]})
        return list(found.values())

    def _excludes(self, version: Version, code: str | None) -> Category | None:
        if code is None:
            return None
        types = {state.code: state for state in types_by_version([version.pk])[version.pk]}
        if code not in types:
            raise ValidationError({"excludes": [f"This version has no type {code!r}."]})
        return types[code].category

    def _training(self, study: Study, id_: int | None) -> Round | None:
        if id_ is None:
            return None
        training = Round.objects.filter(study=study, pk=id_).first()
        if training is None:
            raise ValidationError({"training": ["This study has no such round."]})
        return training

    def _quotas(
        self, members: list[Membership], quotas: dict[str, int], common: int | None
    ) -> dict[int, int]:
        """The quota of each member: their own quota, otherwise the common quota."""
        strangers = sorted(set(quotas) - {str(member.pk) for member in members})
        if strangers:
            raise ValidationError({"quotas": [f"No volunteer of this round: {', '.join(strangers)}."]})
        given = {member.pk: quotas.get(str(member.pk), common) for member in members}
        return {member: quota for member, quota in given.items() if quota is not None}
