"""What a round must be before it can be planned: every reason against it, with the field to change."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from core import clock
from core.templatetags.crosscheck import count
from ingest.models import Issue
from rounds.allocation import smallest_quota
from rounds.errors import RoundRefused
from rounds.models import Round
from rounds.queries.categories import deepest_level, types_of
from rounds.queries.rounds import usual_reveal
from rounds.rules import may_be_volunteer
from studies.models import Membership, Study
from taxonomy.models import Category, Level, Version

LONGEST_NAME = 120
LONGEST_LEASE = 60 * 24 * 31
MOST_DRIFT = 50
LONGEST_DRIFT = 24 * 365
MOST_QUOTA = 2**31 - 1
NAME_IS_TAKEN = _("The study has a round of this name already. Choose another name.")


@dataclass(frozen=True)
class Plan:
    """A round as it is asked for.

    The order of `issues` is the round's order, that of `members` the order of their columns.
    `labels_per_issue` may be left out when everyone labels everything. `reveal` may be left out too: a
    training is revealed when it closes, other rounds issue by issue. `majority`: so many equal labels decide,
    with that rule only. `excludes`: the type whose issues leave, in a screening only. `training`: the round
    to be passed first. `quota`: one for everybody, or by the id of the member. `selection` notes how the
    issues were chosen.
    """

    study: Study
    name: str
    version: Version
    depth: int
    issues: QuerySet[Issue]
    members: Sequence[Membership]
    allocation: str = Round.Allocation.CROSSED
    labels_per_issue: int | None = None
    reveal: str | None = None
    kind: str = Round.Kind.MAIN
    lease_minutes: int = 60
    order: str = Round.Order.SHUFFLED
    rule: str = Round.Rule.UNANIMOUS
    majority: int | None = None
    deadline: datetime | None = None
    excludes: Category | None = None
    pass_mark: int | None = None
    training: Round | None = None
    drift_percent: int = 0
    drift_hours: int = 24
    quota: Mapping[int, int] | int | None = None
    selection: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_crossed(self) -> bool:
        return self.allocation == Round.Allocation.CROSSED

    @property
    def revealed(self) -> str:
        """When labels are revealed: what was asked for, else what goes with the kind."""
        return self.reveal or usual_reveal(self.kind)

    @property
    def k(self) -> int:
        """The labels that each issue needs: everyone's where everyone labels everything."""
        if self.labels_per_issue is None:
            return len(self.members) if self.is_crossed else 0
        return self.labels_per_issue

    def quota_of(self, member: Membership) -> int | None:
        """The labels after which this volunteer gets no more, None for no end."""
        return self.quota.get(member.pk) if isinstance(self.quota, Mapping) else self.quota


def refusals(plan: Plan) -> Iterator[RoundRefused]:
    """Everything that stands against this round, one per cause, in the order of the form."""
    for check in CHECKS:
        yield from check(plan)


def check_plan(plan: Plan) -> None:
    """Raise the first of the refusals, if there is one."""
    for refusal in refusals(plan):
        raise refusal


def _name(plan: Plan) -> Iterator[RoundRefused]:
    if not plan.name:
        yield RoundRefused(_("Give the round a name."), field="name")
    elif len(plan.name) > LONGEST_NAME:
        yield RoundRefused(_("The name is longer than 120 characters. Shorten it."), field="name")
    elif Round.objects.filter(study=plan.study, name=plan.name).exists():
        yield RoundRefused(NAME_IS_TAKEN, field="name")


def _version(plan: Plan) -> Iterator[RoundRefused]:
    if plan.version.taxonomy.study_id != plan.study.pk:
        yield RoundRefused(
            _("This taxonomy belongs to another study. Choose one of this study."), field="version"
        )
    elif plan.version.published_at is None:
        yield RoundRefused(
            _("This version of the taxonomy is a draft. Publish it first, or choose a published one."),
            field="version",
        )
    elif plan.depth not in Level.values:
        yield RoundRefused(
            _("Labels are compared by type, theme or sub-theme. Choose one of these."), field="depth"
        )
    elif plan.depth > (deepest := deepest_level(plan.version.pk)):
        if not deepest:
            yield RoundRefused(_("This version of the taxonomy has no categories."), field="version")
        else:
            yield RoundRefused(
                _("This taxonomy is not that deep: its deepest level is the %(level)s.")
                % {"level": Level(deepest).label},
                field="depth",
            )


def _excludes(plan: Plan) -> Iterator[RoundRefused]:
    if plan.kind != Round.Kind.SCREENING:
        if plan.excludes is not None:
            yield RoundRefused(
                _("Only a screening excludes issues. Make it a screening, or leave the excluded type out."),
                field="excludes",
            )
        return
    types = types_of(plan.version.pk)
    if len(types) < 2:
        yield RoundRefused(
            _(
                "A screening tells issues that stay from issues that leave: its taxonomy needs at least two"
                " types. Choose another taxonomy."
            ),
            field="version",
        )
        return
    choices = ", ".join(state.code for state in types)
    if plan.excludes is None:
        yield RoundRefused(
            _("Say which type means that an issue leaves the study: one of %(codes)s.") % {"codes": choices},
            field="excludes",
        )
    elif plan.excludes.pk not in {state.category_id for state in types}:
        yield RoundRefused(
            _("The excluded category is not a type of %(version)s. Choose one of %(codes)s.")
            % {"version": plan.version, "codes": choices},
            field="excludes",
        )


def _issues(plan: Plan) -> Iterator[RoundRefused]:
    if not plan.issues.exists():
        yield RoundRefused(
            _("No issue is chosen. Widen the filter, or choose another source."), field="issues"
        )
    elif plan.issues.exclude(repository__study=plan.study).exists():
        yield RoundRefused(_("Some of these issues belong to another study."), field="issues")


def _members(plan: Plan) -> Iterator[RoundRefused]:
    members = plan.members
    if not members:
        yield RoundRefused(_("Choose at least one volunteer."), field="members")
        return
    if len({member.pk for member in members}) < len(members):
        yield RoundRefused(_("A volunteer is named twice."), field="members")
    unfit = [str(member) for member in members if not may_be_volunteer(member, plan.study)]
    if unfit:
        yield RoundRefused(
            _("%(who)s cannot label in this study: choose its owners, leads and volunteers only.")
            % {"who": ", ".join(unfit)},
            field="members",
        )


def _labels(plan: Plan) -> Iterator[RoundRefused]:
    k, members = plan.k, plan.members
    if not members:
        return
    if k < 1:
        yield RoundRefused(_("Say how many labels each issue needs: one or more."), field="labels_per_issue")
    elif k > len(members):
        yield RoundRefused(
            ngettext(
                "%(labels)d labels per issue need as many volunteers; %(members)d is chosen.",
                "%(labels)d labels per issue need as many volunteers; %(members)d are chosen.",
                len(members),
            )
            % {"labels": k, "members": len(members)},
            field="labels_per_issue",
        )
    elif plan.is_crossed and k != len(members):
        yield RoundRefused(
            _(
                "When everyone labels everything, an issue gets %(members)d labels. Change that number,"
                " or the way of sharing out."
            )
            % {"members": len(members)},
            field="labels_per_issue",
        )


def _lease(plan: Plan) -> Iterator[RoundRefused]:
    if not 1 <= plan.lease_minutes <= LONGEST_LEASE:
        yield RoundRefused(_("A claim is held between one minute and 31 days."), field="lease_minutes")


def _quota(plan: Plan) -> Iterator[RoundRefused]:
    quotas = [plan.quota_of(member) for member in plan.members]
    given = [quota for quota in quotas if quota is not None]
    if not given:
        return
    if plan.is_crossed:
        yield RoundRefused(
            _(
                "Everyone labels everything in this round, so nobody can have a quota. Leave it out, or"
                " share the issues out."
            ),
            field="quota",
        )
    elif min(given) < 1 or max(given) > MOST_QUOTA:
        yield RoundRefused(_("A quota is one label or more. Leave it empty for no end."), field="quota")
    elif 1 <= plan.k <= len(quotas):
        least = smallest_quota(plan.issues.count(), plan.k, quotas)
        if least > min(given):
            yield RoundRefused(
                _(
                    "These quotas leave some issues without all of their labels. With %(quota)s or more for"
                    " each volunteer they are enough."
                )
                % {"quota": count(least)},
                field="quota",
            )


def _rule(plan: Plan) -> Iterator[RoundRefused]:
    if plan.rule != Round.Rule.MAJORITY:
        if plan.majority is not None:
            yield RoundRefused(
                _("A number of equal labels goes with the rule of the majority. Choose it, or leave it out."),
                field="majority",
            )
        return
    k = plan.k
    if k < 1:
        return
    least = k // 2 + 1
    between = {"least": least, "most": k}
    if plan.majority is None:
        yield RoundRefused(
            _("Say how many equal labels decide an issue: %(least)d to %(most)d.") % between, field="majority"
        )
    elif not least <= plan.majority <= k:
        yield RoundRefused(
            _("Of %(most)d labels, a majority is more than half: %(least)d to %(most)d.") % between,
            field="majority",
        )


def _deadline(plan: Plan) -> Iterator[RoundRefused]:
    if plan.deadline is not None and plan.deadline <= clock.now():
        yield RoundRefused(_("The deadline has passed already. Choose a later one."), field="deadline")


def _training(plan: Plan) -> Iterator[RoundRefused]:
    trains = plan.kind == Round.Kind.TRAINING
    if trains and not plan.is_crossed:
        yield RoundRefused(
            _(
                "Everyone labels every issue of a training: who got only some of them could not finish it."
                " Choose that everyone labels everything."
            ),
            field="allocation",
        )
    if trains and plan.revealed != Round.Reveal.ROUND_CLOSED:
        yield RoundRefused(
            _(
                "A training reveals its labels when it closes: who is added to it later gets no turn at what"
                " is revealed, and could not finish it. Choose that the round closes first; each volunteer"
                " sees the right labels of their own issues at once all the same."
            ),
            field="reveal",
        )
    if plan.pass_mark is not None and not trains:
        yield RoundRefused(
            _("Only a training has a pass mark. Make it a training, or leave the mark out."),
            field="pass_mark",
        )
    elif plan.pass_mark is not None and not 1 <= plan.pass_mark <= 100:
        yield RoundRefused(_("The pass mark is a percentage: 1 to 100."), field="pass_mark")
    if plan.training is None:
        return
    if plan.training.study_id != plan.study.pk:
        yield RoundRefused(
            _("This training belongs to another study. Choose one of this study."), field="training"
        )
    elif plan.training.kind != Round.Kind.TRAINING:
        yield RoundRefused(
            _("%(round)s is no training. Choose a training round, or none.") % {"round": plan.training},
            field="training",
        )


def _drift(plan: Plan) -> Iterator[RoundRefused]:
    if plan.drift_percent == 0:
        return
    if not 0 < plan.drift_percent <= MOST_DRIFT:
        yield RoundRefused(
            _("A drift check repeats at most half of the issues: 0 to 50 percent."), field="drift_percent"
        )
    elif plan.kind in {Round.Kind.SCREENING, Round.Kind.TRAINING}:
        yield RoundRefused(
            _(
                "A drift check belongs to a pilot or a main round: a screening is over too soon, and a"
                " training shows its answers. Set it to 0."
            ),
            field="drift_percent",
        )
    elif not 1 <= plan.drift_hours <= LONGEST_DRIFT:
        yield RoundRefused(
            _("An issue comes again after one hour at the earliest, and within a year."), field="drift_hours"
        )


CHECKS: Sequence[Callable[[Plan], Iterator[RoundRefused]]] = (
    _name, _version, _excludes, _issues, _members, _labels, _lease, _quota, _rule, _deadline, _training,
    _drift,
)  # fmt: skip
